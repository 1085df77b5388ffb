#!/usr/bin/env python3
"""Tests of tables of Tak: python3 tools/test_etb_tak.py"""

import random
import re
import unittest
from math import comb
from pathlib import Path

from etb_testing import UNKNOWN, Files, writer
from etb_writer import BYTES, Description

from etb.errors import PositionError
from etb.record import DRAW, LOSS, WIN
from etb.tak import Numbers, parse_tps, rank, unrank

TEXT = writer.text_of("tak", "3x3, 3 flats", "size: 3", "flats: 3")
DOCUMENT = Path(__file__).parent.parent / "docs" / "FORMAT.md"
EXAMPLE = re.compile(r"^ {4}(\S+ 1 \d+) +(\d) +(\d+) (\d+)$", re.MULTILINE)


class Tables(Files):
    def table(self, entries, **fields):
        fields = {
            "text": TEXT,
            "layer": 2,
            "key_bytes": 8,
            "layout": BYTES,
            "block_records": 2048,
        } | fields
        return writer.dense_table(Description(**fields), entries)

    def whole(self, stones, entry=lambda number: 1):
        """The entries of a layer, those without positions 0."""
        numbers = Numbers(3, 3, stones)
        entries = []
        for number in range(len(numbers)):
            board = numbers.board(number)
            there = not numbers.has_road(*board) and numbers.number(*board) == number
            entries.append(entry(number) if there else 0)
        return entries

    def test_entries_come_back(self):
        rng = random.Random(5)
        entries = self.whole(2, lambda _: rng.randrange(1, 254))
        table = self.open(self.table(entries, block_records=10))
        table.verify()
        found = {entry.number: (entry.result, entry.plies) for entry in table.records()}
        self.assertEqual(len(found), 60)
        for number, byte in enumerate(entries):
            if byte == 0:
                self.assertNotIn(number, found)
            elif byte == 1:
                self.assertEqual(found[number], (DRAW, 0))
            else:
                self.assertEqual(found[number], ((LOSS, WIN)[byte & 1], byte >> 1))

    def test_positions_are_found_from_both_sides(self):
        entries = self.whole(3, lambda number: 2 + number % 250)
        table = self.open(self.table(entries, layer=3))
        rng = random.Random(6)
        for entry in rng.sample(list(table.records()), 50):
            text = table.game.text(entry.number)
            self.assertEqual(table.probe(parse_tps(text)), entry)
            board, _, move = text.split()
            swapped = board.translate(str.maketrans("12", "21"))
            mirrored = "/".join(reversed(swapped.split("/")))
            self.assertEqual(table.probe(parse_tps(f"{mirrored} 2 {move}")), entry)
        self.assertIsNone(table.probe(parse_tps("x3/x3/1,2,x 1 2")))
        for text in ("x3/x3/1C,2,1 1 2", "x3/x3/x3", "x3/x3/1,3,x 1 2"):
            with self.assertRaises(PositionError):
                parse_tps(text)

    def test_what_is_wrong_is_refused(self):
        entries = self.whole(2)
        there, absent = entries.index(1), entries.index(0)
        for number, byte, words in (
            (there, 254, "more than 126 plies"),
            (there, 0, "missing"),
            (absent, 1, "no position has it"),
        ):
            wrong = list(entries)
            wrong[number] = byte
            self.refused(self.table(wrong), words)
        self.refused(self.table(entries[1:]), "the layer has 76")
        for fields in (
            {"layer": 5},
            {"layer": 1},
            {"key_bytes": 16},
            {"text": writer.text_of("tak", "3x3, 9 flats")},
            {"text": writer.text_of("tak", "3x4, 3 flats")},
            {"layout": writer.NYBBLES},
        ):
            with self.subTest(fields=fields):
                self.refused(self.table(entries, **fields))

    def test_an_unknown_game_is_listed_by_number(self):
        lines = self.read(self.table([0, 1, 5, 4], text=UNKNOWN))
        self.assertEqual(lines, [f"1 {DRAW} 0", f"2 {WIN} 2", f"3 {LOSS} 2"])


class Numbering(unittest.TestCase):
    def test_ranks_and_colours_are_one_to_one(self):
        for length, ones in ((1, 1), (4, 2), (7, 3)):
            for number in range(comb(length, ones)):
                self.assertEqual(rank(unrank(number, length, ones)), number)

    def test_the_examples_of_the_document(self):
        examples = EXAMPLE.findall(DOCUMENT.read_text())
        self.assertGreaterEqual(len(examples), 5)
        for text, flats, stones, number in examples:
            position = parse_tps(text)
            size = text.count("/") + 1
            numbers = Numbers(size, int(flats), int(stones))
            found = numbers.number(position.stacks, position.walls)
            self.assertEqual(found, int(number), text)


if __name__ == "__main__":
    unittest.main()
