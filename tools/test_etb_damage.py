#!/usr/bin/env python3
"""Tests of damaged tables: python3 tools/test_etb_damage.py"""

import random
import struct
import unittest

from etb.errors import TableError
from etb_testing import UNKNOWN, Files, deal_table, random_records, writer
from etb_writer import LONG, PACKED, PLAIN, SHORT, ZSTD, Description


class Damage(Files):
    """Whatever is done to a file, it is refused, or nothing has changed."""

    def small_tables(self):
        rng = random.Random(3)
        for compression in (PLAIN, ZSTD, PACKED):
            for layout in (SHORT, LONG):
                it = Description(
                    *(UNKNOWN, 1, 1, compression), layout=layout, block_records=4
                )
                records = random_records(rng, layout, 1, 7)
                yield writer.keyed_table(it, records)
        yield deal_table(1)
        one = writer.text_of("collapsi", "one")
        it = Description(one, layer=16, block_records=6)
        yield writer.dense_table(it, [rng.randrange(15) for _ in range(13)])

    def padding(self, data):
        table = self.open(data)
        return range(table.stored.blocks_end(), table.header.index_offset)

    def test_every_byte(self):
        rng = random.Random(4)
        for data in self.small_tables():
            lines, padding = self.read(data), self.padding(data)
            for at in range(len(data)):
                damaged = bytearray(data)
                damaged[at] ^= rng.randrange(1, 256)
                if at in padding:
                    self.assertEqual(self.read(damaged), lines)
                else:
                    with self.subTest(at=at):
                        self.refused(damaged)

    def test_every_length(self):
        for data in self.small_tables():
            for length in range(len(data)):
                self.refused(data[:length])
            self.refused(data + b"\0")

    def test_damage_with_right_checksums(self):
        """What a faulty writer may write is refused or read, and ends neither
        in another error nor in much work."""
        rng = random.Random(5)
        refused = 0
        for data in self.small_tables():
            for _ in range(300):
                damaged = bytearray(data)
                for _ in range(rng.randrange(1, 4)):
                    damaged[rng.randrange(16, len(data))] = rng.choice(
                        (0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256))
                    )
                try:
                    self.read(with_checksums(damaged, data))
                except TableError:
                    refused += 1
        self.assertGreater(refused, 500)


def with_checksums(damaged, data):
    """Puts the checksums right, where the places of `data` still hold."""
    damaged = bytearray(damaged)
    kind, header_length = struct.unpack_from("<HI", data, 10)
    blocks, index, length = (
        struct.unpack_from("<Q", data, at)[0] for at in (40, 56, 64)
    )
    damaged[:16] = data[:16]
    for i in range(blocks):
        if kind == 0:
            at = index + 32 * i
            offset, size = struct.unpack_from("<QI", data, at + 8)
            found = writer.checksum(bytes(damaged[offset : offset + size]))
            damaged[at + 24 : at + 32] = found
        else:
            at = index + 8 * i
            offset, _, end = struct.unpack_from("<III", data, at)
            damaged[at + 4 : at + 8] = writer.checksum(bytes(damaged[offset:end]))[:4]
    found = writer.checksum(bytes(damaged[index : length - 32]))
    damaged[length - 32 : length - 24] = found
    found = writer.checksum(bytes(damaged[: header_length - 8]))
    damaged[header_length - 8 : header_length] = found
    return damaged


if __name__ == "__main__":
    unittest.main()
