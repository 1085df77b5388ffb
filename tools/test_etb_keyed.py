#!/usr/bin/env python3
"""Tests of keyed tables: python3 tools/test_etb_keyed.py"""

import random
import struct
import unittest

from etb.errors import TableError
from etb_testing import UNKNOWN, WORD, Files, random_records, writer
from etb_writer import LONG, PACKED, PLAIN, SHORT, ZSTD, Description, Record


class Keyed(Files):
    def test_every_compression_layout_and_column_comes_back(self):
        rng = random.Random(1)
        for compression in (PLAIN, ZSTD, PACKED):
            for layout in (SHORT, LONG):
                for value in range(5):
                    it = Description(
                        *(UNKNOWN, 1, value, compression),
                        layout=layout,
                        block_records=rng.choice((1, 4, 64, 256)),
                    )
                    for count in (0, 1, 2, 200):
                        with self.subTest(it=it, count=count):
                            self.comes_back(
                                it, random_records(rng, layout, value, count)
                            )

    def comes_back(self, it, records):
        table = self.open(writer.keyed_table(it, records))
        table.verify()
        found = list(table.records())
        self.assertEqual(len(found), len(records))
        for ours, theirs in zip(found, records):
            self.assertEqual(ours.code, theirs.code)
            self.assertEqual(ours.meta, theirs[1:5])
            # Not every NaN survives as a number, but all else must.
            value = table.stored.column.encode(ours.value)
            if ours.value == ours.value:
                self.assertEqual(value, theirs.value)
        by_code = {record.code: record for record in found}
        for code in {near for c in by_code for near in (c - 1, c, c + 1)} | {0, WORD}:
            if 0 <= code <= WORD:
                got = table.stored.get(code)
                self.assertEqual(str(got), str(by_code.get(code)))

    def test_a_part_of_the_records(self):
        records = [Record(i * i, 0, i % 2, None, i) for i in range(10)]
        it = Description(UNKNOWN, block_records=4)
        table = self.open(writer.keyed_table(it, records))
        for first, behind in ((0, 3), (3, 5), (2, 10), (9, 99), (7, 7), (50, 60)):
            found = [record.code for record in table.records(first, behind)]
            self.assertEqual(found, [i * i for i in range(10)][first:behind])

    def test_long_records_have_draws_and_wide_moves(self):
        records = [
            Record(1, 1, 2, 0x1234, 8191),
            Record(2, 0, 1, 0xFFFE, 1),
            Record(3, 0, 0, None, 0),
        ]
        lines = [
            "0000000000000001 121234 8191",
            "0000000000000002 01fffe 1",
            "0000000000000003 00ffff 0",
        ]
        for compression in (PLAIN, ZSTD, PACKED):
            it = Description(UNKNOWN, compression=compression, layout=LONG)
            self.assertEqual(self.read(writer.keyed_table(it, records)), lines)

    def test_a_fourth_result_is_damage(self):
        records = [Record(1, 0, 1, 5, 1), Record(2, 0, 3, 6, 2)]
        for compression in (PLAIN, ZSTD, PACKED):
            it = Description(UNKNOWN, compression=compression, layout=LONG)
            data = writer.keyed_table(it, records)
            self.refused(data, "block 0", "result is 3")
            with self.assertRaises(TableError):
                self.open(data).stored.get(2)

    def test_codes_out_of_order(self):
        def table(compression, codes, block_records=256):
            it = Description(
                UNKNOWN, compression=compression, block_records=block_records
            )
            return writer.keyed_table(it, [Record(code, 0, 1, 3, 5) for code in codes])

        for codes in ([5, 3], [5, 5]):
            self.refused(table(PLAIN, codes), "do not ascend")
        for compression in (PLAIN, ZSTD, PACKED):
            self.refused(table(compression, [1, 9, 5, 10], 2), "overlaps the next")
            self.refused(table(compression, [5, 6, 1, 2], 2), "index entry of block 1")
        for compression in (ZSTD, PACKED):
            self.refused(table(compression, [WORD - 1, WORD + 1]), "too large")
        data = table(PLAIN, [5, 6])
        other = table(PLAIN, [4, 6])
        index = struct.unpack_from("<Q", data, 56)[0]
        # The index of one table, the first code of another.
        forged = data[:index] + other[index : index + 8] + data[index + 8 :]
        footer = writer.checksum(forged[index : index + 32])
        self.refused(forged[: index + 32] + footer + forged[index + 40 :], "begin with")

    def test_two_bytes_of_a_compressed_column_are_planes(self):
        it = Description(UNKNOWN, layout=LONG)
        records = [Record(10, 1, 2, 0x1234, 3), Record(11, 0, 1, 0xABCD, 0x1000)]
        # The results are 1 | 2 << 1 | 3 << 3 = 1d and 1 << 1 | 1000 << 3 = 8002.
        self.assertEqual(writer.columns(it, records).hex(), "011d02008034cd12ab")

    def test_the_short_layout_is_that_of_the_specification(self):
        it = Description(UNKNOWN, compression=PLAIN)
        data = writer.plain_block(it, [Record(0x1348D2, 0, 1, 0x03, 13)])
        self.assertEqual(data[8:10].hex(), "0e34")


if __name__ == "__main__":
    unittest.main()
