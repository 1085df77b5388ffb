#!/usr/bin/env python3
"""Tests of what tables say of positions: python3 tools/test_etb_games.py"""

import unittest

from etb.collapsi.codecs import CODECS
from etb.errors import PositionError
from etb.patterns import EIGHT, RIGHT, codes_of, read_pattern, turned
from etb_testing import DEAL, UNKNOWN, Files, deal_table, f32, writer
from etb_writer import BARE, PACKED, PLAIN, ZSTD, Description, Record


def cells(board):
    return tuple(board >> 4 * cell & 15 for cell in range(16))


def board_of(cells):
    return sum(exponent << 4 * cell for cell, exponent in enumerate(cells))


def mirrored(board):
    """Left and right exchanged."""
    return board_of(turned(cells(board), EIGHT[1]))


# As 44, but up to symmetry.
MIRRORED = (
    "4x4 tile:16 own ..../..../FFFF/FFFF 0,0,0,0/2,0,0,0/F,F,F,F/F,F,F,F"
)


class Patterns:
    def __init__(self, rules):
        _, tile, name = rules.split(" ", 2)
        target = int(tile.removeprefix("tile:")).bit_length() - 1
        _, self.codes = codes_of(read_pattern(name), target)

    def board_of(self, code):
        return board_of(self.codes.decode(code))


class Games(Files):
    def test_collapsi_by_every_codec(self):
        for number in CODECS:
            for compression in (PLAIN, ZSTD, PACKED):
                data = deal_table(number, compression=compression)
                self.assertEqual(len(self.read(data)), 1)
                table = self.open(data)
                self.assertEqual(table.probe(DEAL), (0, 1, (7, 3), 13))
                # Canonical tables take it for the same board with O to move.
                swapped = DEAL._replace(x=DEAL.o, o=DEAL.x, turn=1)
                found = table.probe(swapped)
                exact = number in (2, 4)
                self.assertEqual(found, None if exact else (1, 1, (7, 3), 13))

    def test_collapsi_fields(self):
        self.refused(deal_table(1, text=writer.text_of("collapsi", "two")), "two")
        text = writer.text_of("collapsi", "one and wild")
        self.refused(deal_table(1, text=text), "one and wild")
        it = Description(writer.text_of("collapsi", "wild"), codec=3)
        self.refused(writer.keyed_table(it, []), "16 bytes")

    def test_collapsi_records(self):
        code = 0x00000800001348D2  # of the deal
        it = Description(writer.text_of("collapsi", "one"))
        for record in (
            Record(code, 0, 1, 0x03, 12),  # a win in even plies
            Record(code, 0, 1, None, 13),
            Record(code, 0, 0, 0x03, 0),
            Record(code, 1, 1, 0x03, 13),
            Record(code, 0, 1, 0x02, 13),  # the other pawn is there
            Record(code, 0, 1, 0x13, 13),  # no pawn is there
            Record(code, 0, 1, 0x03, 15),
            Record(code + 1, 0, 1, 0x03, 13),  # not canonical
            Record(code | 1 << 60, 0, 1, 0x03, 13),
        ):
            with self.subTest(record=record):
                self.refused(writer.keyed_table(it, [record]), "code")

    def twenty48(self, rules, records, **fields):
        fields = {"value": 1, "compression": PACKED, "key_bytes": 8} | fields
        it = Description(writer.text_of("2048", rules), **fields)
        return writer.keyed_table(it, records)

    def test_2048(self):
        # 32 16 / 2 2 and 32 16 / 4 4 on 2x2, to the base 6.
        records = [Record(281, 0, 1, 1, 0, f32(4.8)), Record(533, 0, 1, 1, 0, f32(8))]
        data = self.twenty48("2x2 score", records)
        self.assertEqual(
            self.read(data),
            ["0000000000110045 0101 4.8", "0000000000220045 0101 8"],
        )
        self.assertEqual(self.open(data).probe(0x520042), (1, 0, 8.0))
        self.assertIsNone(self.open(data).probe(0x530042))
        with self.assertRaises(PositionError):
            self.open(data).probe(0x160000)

    def test_patterns(self):
        # The seed, and the same with the 2 in a corner instead.
        seed, corner = 0xFFFFFFFF00010000, 0xFFFFFFFF00000001
        game = Patterns(MIRRORED)
        for board in (seed, corner):
            code = game.codes.encode(cells(board))
            self.assertEqual(game.codes.encode(cells(mirrored(board))), code)
            self.assertIn(game.codes.decode(code), map(cells, (board, mirrored(board))))
        self.assertIsNone(game.codes.encode(cells(0xFFFFFFF000000001)))
        self.assertIsNone(game.codes.decode(game.codes.end))
        # Both afterstates of a board with a 2 in two rows; upwards large tiles would move.
        values = {0xFFFFFFFF00010001: 0x800000, 0xFFFFFFFF00110000: 0x400000}
        by_code = {game.codes.encode(cells(it)): value for it, value in values.items()}
        records = [
            Record(code, 0, 0, None, 0, value.to_bytes(3, "little"))
            for code, value in sorted(by_code.items())
        ]
        data = self.pattern(MIRRORED, records)
        lines = [
            f"{game.board_of(record.code):016x} {chance}"
            for record, chance in zip(records, ("0.25000001", "0.50000003"))
        ]
        self.assertEqual(self.read(data), lines)
        table = self.open(data)
        self.assertEqual(table.probe(0xA9B8C7D900100001), (0x800000 / 0xFFFFFF, RIGHT))
        self.assertIsNone(table.probe(0xA9B8C7D900110001))
        self.assertEqual(table.probe(0xA9B8C7D900100004), (1.0, None))
        self.assertEqual(table.probe(0xFFFFFFFF21211212), (0.0, None))
        with self.assertRaises(PositionError):
            table.probe(0xA9B8C7D100110001)

    def pattern(self, rules, records, **fields):
        fields = {"codec": 5, "value": 6, "compression": PACKED, "key_bytes": 8} | fields
        it = Description(writer.text_of("2048", rules), layout=BARE, **fields)
        return writer.keyed_table(it, records)

    def test_pattern_fields(self):
        own = "own ..../..../..../...F 2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,F"
        self.read(self.pattern("4x4 tile:8 44", []))
        self.read(self.pattern(f"4x4 tile:8 {own}", [], codec=1))
        for rules in ("4x4 tile:8 43", "4x4 score 44", "4x4 tile:32768 44", "4x4 tile:9 44"):
            with self.subTest(rules=rules):
                self.refused(self.pattern(rules, []), "unknown rules")
        self.refused(self.pattern("4x4 tile:8 44", [], codec=1), "codec 1")
        self.refused(self.pattern("4x4 tile:8 44", [], value=1), "without chances")

    def test_2048_finished(self):
        table = self.open(self.twenty48("2x2 tile:16", [], value=3))
        self.assertEqual(table.probe(0x40), (1, None, 1.0))
        self.assertIsNone(table.probe(0x30))

    def test_2048_fields(self):
        for rules in ("2x2 tile:32", "3x4 score", "4x4 search", "4x4 tile:32768"):
            self.read(self.twenty48(rules, []))
        for rules in (
            *("2x2", "5x2 score", "2x2 tile:64", "2x2 tile:4", "2x2 tile:12"),
            *("2x2 tile:08", "2x2 Score", " 2x2 score", "2x2 score "),
        ):
            with self.subTest(rules=rules):
                self.refused(self.twenty48(rules, []), "rules")
        self.refused(self.twenty48("2x2 score", [], codec=2), "codec 2")
        self.refused(self.twenty48("2x2 score", [], key_bytes=16), "16 bytes")
        self.refused(self.twenty48("2x2 score", [], value=0), "without values")

    def test_2048_records(self):
        for record in (
            Record(281, 1, 1, 1, 0, f32(4)),
            Record(281, 0, 1, 1, 3, f32(4)),
            Record(281, 0, 0, 1, 0, f32(4)),
            Record(281, 0, 1, None, 0, f32(4)),
            Record(281, 0, 1, 1, 0, f32(-4)),
            Record(216, 0, 1, 1, 0, f32(4)),  # not canonical
            Record(6**4, 0, 1, 1, 0, f32(4)),
        ):
            with self.subTest(record=record):
                self.refused(self.twenty48("2x2 score", [record]), "code")
        self.refused(
            self.twenty48("2x2 tile:16", [Record(281, 0, 1, 1, 0, f32(1))]), "tile"
        )

    def test_an_unknown_game_is_not_probed(self):
        table = self.open(writer.keyed_table(Description(UNKNOWN), []))
        with self.assertRaisesRegex(PositionError, "go"):
            table.probe(0)


if __name__ == "__main__":
    unittest.main()
