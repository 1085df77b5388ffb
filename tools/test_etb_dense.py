#!/usr/bin/env python3
"""Tests of dense tables: python3 tools/test_etb_dense.py"""

import random
import struct
import unittest

from etb.collapsi import numbering
from etb.errors import TableError
from etb_testing import COMPLETE, DEAL, UNKNOWN, Files, writer
from etb_writer import Description


ONE = writer.text_of("collapsi", "one")
TWO_CARDS = {"text": COMPLETE, "layer": 2}


class Dense(Files):
    def table(self, entries, **fields):
        fields = {"text": ONE, "layer": 16, "block_records": 2048} | fields
        return writer.dense_table(Description(**fields), entries)

    def test_entries_come_back(self):
        rng = random.Random(2)
        for count in (0, 1, 2, 7, 64):
            for block_records in (2, 6, 2048):
                entries = [rng.randrange(15) for _ in range(count)]
                table = self.open(self.table(entries, block_records=block_records))
                table.verify()
                found = [(entry.number, entry.plies) for entry in table.records()]
                self.assertEqual(found, list(enumerate(entries)))
                some = [entry.plies for entry in table.records(3, 6)]
                self.assertEqual(some, entries[3:6])

    def test_a_position_is_found_by_its_number(self):
        layer = numbering.layer(3)
        entries = [number % 3 for number in range(layer.size)]
        table = self.open(self.table(entries, layer=3, text=COMPLETE))
        for number in range(0, layer.size, 100):
            board = numbering.to_board(layer.unrank(number))
            plies = number % 3
            self.assertEqual(table.probe(board), (0, plies % 2, None, plies))
        self.assertIsNone(table.probe(DEAL))  # it has 16 cards

    def test_a_shard_is_sound_but_not_probed(self):
        data = self.table([0] * 10, **TWO_CARDS)
        self.assertEqual(len(self.read(data)), 10)
        board = numbering.to_board(numbering.layer(2).unrank(0))
        with self.assertRaisesRegex(TableError, "part of the layer"):
            self.open(data).probe(board)
        self.refused(self.table([0] * 65, **TWO_CARDS), "the layer has 64")

    def test_what_is_no_entry_is_refused(self):
        self.refused(self.table([0, 15]), "more than 14 plies")
        # Every ply takes a card.
        self.refused(self.table([0, 1], **TWO_CARDS), "entry 1: 1 plies")
        data = self.table([1, 2, 3])
        with self.subTest("the unused nybble"):
            wrong = writer.nybbles([1, 2, 3, 4])
            self.refused(self.with_block(wrong, 3), "nybble")
        with self.subTest("the size"):
            self.refused(self.with_block(writer.nybbles([1, 2, 3, 4, 5]), 3))
            self.refused(self.with_block(writer.nybbles([1]), 3), "as many entries")
        self.assertEqual(len(self.read(data)), 3)

    def test_the_index(self):
        blocks = [writer.compress(writer.nybbles([i] * 4)) for i in range(2)]
        lengths = [len(block) for block in blocks]
        halves = [writer.checksum(block)[:4] for block in blocks]
        it = Description(ONE, layer=16, layout=writer.NYBBLES, block_records=4)

        def table(shifts=(0, 0, 0), last=bytes(4), records=8):
            def index_of(at):
                offsets = at, at + lengths[0], at + sum(lengths)
                index = b""
                for offset, shift, half in zip(offsets, shifts, [*halves, last]):
                    index += struct.pack("<I", offset + shift) + half
                return index

            return writer.assemble(1, it, records, blocks, index_of)

        self.assertEqual(len(self.read(table())), 8)
        for words, data in (
            ("behind the header", table((8, 0, 0))),
            ("do not ascend", table((0, -lengths[0], 0))),
            ("do not ascend", table((0, 0, -lengths[1] - 1))),
            ("not behind the blocks", table((0, 0, 8))),
            ("has a checksum", table(last=halves[0])),
            ("do not add up", table(records=9)),
            ("do not add up", table(records=4)),
        ):
            self.refused(data, words)

    def with_block(self, content, records):
        block = writer.compress(content)
        it = Description(ONE, layer=16, layout=writer.NYBBLES, block_records=4)

        def index_of(offset):
            half = writer.checksum(block)[:4]
            return struct.pack("<I4sII", offset, half, offset + len(block), 0)

        return writer.assemble(1, it, records, [block], index_of)

    def test_fields_of_dense_tables(self):
        for fields in (
            {"codec": 2},
            {"value": 1},
            {"compression": 2},
            {"key_bytes": 8},
            {"block_records": 3},
            {"layer": 1},
            {"layer": 17},
            {"layer": 15},  # under one rule, not both
            {"text": writer.text_of("collapsi", "one")},
        ):
            with self.subTest(fields=fields):
                self.refused(self.table([0, 0], **TWO_CARDS | fields))
        for rules in ("one", "wild"):
            text = writer.text_of("collapsi", rules)
            self.assertEqual(len(self.read(self.table([1], layer=16, text=text))), 1)

    def test_an_unknown_game_is_listed_by_number(self):
        self.assertEqual(self.read(self.table([5, 2], text=UNKNOWN)), ["0 5", "1 2"])


if __name__ == "__main__":
    unittest.main()
