#!/usr/bin/env python3
"""Tests of etb.collapsi: python3 tools/test_etb_collapsi.py"""

import csv
import random
import unittest
from pathlib import Path

import collapsi
from etb.collapsi import codecs, numbering
from etb.collapsi.boards import Board, board_of_key, check_board, key_of
from etb.collapsi.symmetries import TURNS, canonical, symmetry
from etb.errors import PositionError

EXAMPLES = Path(__file__).parent.parent / "tests" / "dense_index.csv"
# Entries of the layers of 2 to 16 cards, from docs/FORMAT.md.
SIZES = (
    *(64, 1_386, 21_949, 267_495, 2_426_238, 16_134_948, 78_495_070),
    *(275_951_400, 684_590_510, 1_152_565_540, 1_235_852_520),
    *(747_876_150, 189_837_900, 30_369_150, 2_469_600),
)


def random_boards(count, rng):
    """Boards of random games, with the cards of collapsed cells."""
    boards = []
    while len(boards) < count:
        position = collapsi.deal(rng.getrandbits(64))
        solver = collapsi.Solver(position.cards, "wild")
        pawns = position.alive, position.mover, position.other
        while to := solver.destinations(*pawns):
            boards.append(Board(*collapsi.boards(position)))
            position = collapsi.play(position, rng.choice(to))
            pawns = position.alive, position.mover, position.other
    return boards


def disguised(board, rng):
    """An image of the board under a random symmetry of cells and players."""
    g = symmetry(rng.randrange(16), rng.randrange(24))
    *sets, turn = board
    a, two, three, four, x, o, collapsed = map(g.image, sets)
    if rng.random() < 0.5:
        x, o, turn = o, x, 1 - turn
    return Board(a, two, three, four, x, o, collapsed, turn)


class Symmetries(unittest.TestCase):
    def test_turns_are_those_of_the_specification(self):
        self.assertEqual(len(TURNS), 24)
        for turn, cells in (
            (0, "0123456789abcdef"),
            (1, "0123cdef89ab4567"),
            (-1, "0cf348b759a61de2"),
        ):
            self.assertEqual("".join(f"{cell:x}" for cell in TURNS[turn]), cells)

    def test_images_have_one_canonical_form(self):
        rng = random.Random(1)
        for board in random_boards(50, rng):
            self.assertEqual(canonical(board)[0], canonical(disguised(board, rng))[0])


class Boards(unittest.TestCase):
    DEAL = Board(0x5201, 0x2818, 0x0126, 0x0440, 0x0080, 0x8000, 0, 0)  # of seed 1

    def test_what_is_no_position(self):
        deal = self.DEAL
        check_board(deal)
        for numbers in (
            deal[:7],
            deal._replace(a=0x15201),
            deal._replace(turn=2),
            deal._replace(x=0x0081),
            deal._replace(o=0),
            deal._replace(o=deal.x),
            deal._replace(collapsed=deal.x),
            deal._replace(two=deal.two | deal.a & 1),
            deal._replace(a=deal.a | 0x0100, three=deal.three & ~0x0100),
            deal._replace(collapsed=0x0001),
            deal._replace(four=0),
        ):
            with self.subTest(numbers=numbers), self.assertRaises(PositionError):
                check_board(numbers)


class Codecs(unittest.TestCase):
    def test_words_are_counted_as_specified(self):
        counts = [codecs.count(n, codecs.DECK, 4) for n in range(15)]
        self.assertEqual(counts[3:6], [63, 243, 915])
        self.assertEqual(counts[12:], [1_905_750, 3_153_150, 3_153_150])
        self.assertEqual(codecs.count(16, codecs.DECK, 5), 14_379_897_305)

    def test_codes_and_keys_give_boards_back(self):
        for board in random_boards(200, random.Random(2)):
            self.assertEqual(board_of_key(key_of(board)), board)
            for number in (1, 2):
                codec = codecs.CODECS[number]
                stored, _ = codec.stored_form(board)
                self.assertEqual(codec.decode(codec.encode(stored)), stored)

    def test_the_examples_of_the_specification(self):
        board = Board(0x5201, 0x2818, 0x0126, 0x0440, 0x0080, 0x8000, 0, 0)
        found = []
        for number in (1, 2, 3, 4):
            codec = codecs.CODECS[number]
            found.append(codec.encode(codec.stored_form(board)[0]))
        self.assertEqual(
            found,
            [
                *(0x00000800001348D2, 0x0097E854C80000FE),
                *(0x407F3E04D8C22028, 0x833F41B3594C92E8),
            ],
        )

    def test_what_is_no_code_is_refused(self):
        for number, code in ((1, 1 << 50), (1, 0), (1, 0x1FFFFFF), (2, 1 << 62)):
            with self.assertRaises(PositionError):
                codecs.CODECS[number].decode(code)


class Numbering(unittest.TestCase):
    def test_layers_have_as_many_entries_as_specified(self):
        for cards, size in enumerate(SIZES, numbering.FEWEST):
            self.assertEqual(numbering.layer(cards).size, size)

    def test_the_examples_of_another_program(self):
        with EXAMPLES.open(newline="") as file:
            rows = list(csv.reader(file))
        self.assertEqual(len(rows), 120)
        for cards, number, *sets, mover, other in rows:
            alive, *sets = (int(mask, 16) for mask in sets)
            position = numbering.Cards(alive, tuple(sets), int(mover), int(other))
            layer = numbering.layer(int(cards))
            self.assertEqual(layer.rank(position), int(number))
            # What comes back need not be this image, but is one of it.
            back = numbering.to_board(layer.unrank(int(number)))
            expected = numbering.to_board(position)
            self.assertEqual(canonical(back)[0], canonical(expected)[0])

    def test_numbers_come_back(self):
        rng = random.Random(3)
        for cards in range(numbering.FEWEST, numbering.MOST + 1):
            layer = numbering.layer(cards)
            for _ in range(20):
                number = rng.randrange(layer.size)
                self.assertEqual(layer.rank(layer.unrank(number)), number)

    def test_no_number_is_left_over(self):
        layer = numbering.layer(3)
        positions = [layer.unrank(number) for number in range(layer.size)]
        self.assertEqual([layer.rank(it) for it in positions], list(range(layer.size)))
        for number in (-1, layer.size):
            with self.assertRaises(PositionError):
                layer.unrank(number)

    def test_boards_are_numbered_as_their_images_play(self):
        rng = random.Random(4)
        for board in random_boards(30, rng):
            layer = numbering.layer(board.alive.bit_count())
            number = layer.rank(numbering.of_board(disguised(board, rng)))
            back = numbering.to_board(layer.unrank(number))
            self.assertEqual(canonical(back)[0], canonical(board)[0])


if __name__ == "__main__":
    unittest.main()
