#!/usr/bin/env python3
"""Tests of twenty48.py: python3 tools/test_twenty48.py"""

import argparse
import random
import unittest
from fractions import Fraction

import twenty48
from twenty48 import Solver, canonical, images, slide, slide_row, slides, spawns


def random_board(rng, rows, columns):
    return tuple(
        tuple(rng.choice((0, 0, 2, 2, 4, 8)) for _ in range(columns)) for _ in range(rows)
    )


def plain_value(board, target):
    """What `Solver.value` must give, with no memo and no symmetry."""

    def there(board):
        return target is not None and any(tile >= target for row in board for tile in row)

    if there(board):
        return Fraction(1)
    best = Fraction(0)
    for after, score in slides(board).values():
        gain = Fraction(score if target is None else 0)
        if there(after):
            return Fraction(1)
        best = max(best, gain + sum(c * plain_value(b, target) for b, c in spawns(after)))
    return best


class Slides(unittest.TestCase):
    def test_rows(self):
        for row, after, score in (
            ((0, 0, 0, 0), (0, 0, 0, 0), 0),
            ((0, 2, 0, 4), (2, 4, 0, 0), 0),
            ((4, 4, 2, 0), (8, 2, 0, 0), 8),
            ((2, 2, 4, 0), (4, 4, 0, 0), 4),  # a new tile does not merge again
            ((2, 2, 2, 0), (4, 2, 0, 0), 4),  # the first two
            ((2, 2, 2, 2), (4, 4, 0, 0), 8),
            ((2, 0, 0, 2), (4, 0, 0, 0), 4),
            ((2, 4, 2, 4), (2, 4, 2, 4), 0),
        ):
            self.assertEqual(slide_row(row), (after, score))

    def test_directions(self):
        board = ((2, 0, 2), (2, 4, 0))
        self.assertEqual(slide(board, "left"), (((4, 0, 0), (2, 4, 0)), 4))
        self.assertEqual(slide(board, "right"), (((0, 0, 4), (0, 2, 4)), 4))
        self.assertEqual(slide(board, "up"), (((4, 4, 2), (0, 0, 0)), 4))
        self.assertEqual(slide(board, "down"), (((0, 0, 0), (4, 4, 2)), 4))

    def test_three_in_a_column_merge_where_they_go(self):
        board = ((2, 0), (2, 0), (2, 0))
        self.assertEqual(slide(board, "up")[0], ((4, 0), (2, 0), (0, 0)))
        self.assertEqual(slide(board, "down")[0], ((0, 0), (2, 0), (4, 0)))

    def test_only_what_moves_is_a_move(self):
        self.assertEqual(slides(((2, 4), (4, 2))), {})
        self.assertEqual(list(slides(((2, 0), (4, 0)))), ["right"])

    def test_a_slide_keeps_the_sum(self):
        rng = random.Random(1)
        for _ in range(300):
            board = random_board(rng, 3, 4)
            for after, _ in slides(board).values():
                self.assertEqual(sum(map(sum, after)), sum(map(sum, board)))

    def test_new_tiles(self):
        board = ((2, 0), (0, 4))
        chances = dict(spawns(board))
        self.assertEqual(len(chances), 4)
        self.assertEqual(chances[((2, 2), (0, 4))], Fraction(9, 20))
        self.assertEqual(chances[((2, 0), (4, 4))], Fraction(1, 20))
        self.assertEqual(sum(chances.values()), 1)


class Symmetries(unittest.TestCase):
    def test_how_many(self):
        self.assertEqual(len(set(images(((2, 4, 8), (16, 32, 64))))), 4)
        self.assertEqual(len(set(images(((2, 4), (8, 16))))), 8)

    def test_images_share_a_canonical_board(self):
        rng = random.Random(2)
        for rows, columns in ((2, 2), (2, 3), (3, 3)):
            for _ in range(50):
                board = random_board(rng, rows, columns)
                self.assertEqual(len({canonical(image) for image in images(board)}), 1)

    def test_images_play_alike(self):
        rng = random.Random(3)
        for _ in range(50):
            board = random_board(rng, 2, 3)
            after = sorted((canonical(b), score) for b, score in slides(board).values())
            for image in images(board):
                slid = sorted((canonical(b), score) for b, score in slides(image).values())
                self.assertEqual(slid, after)


class Values(unittest.TestCase):
    def test_against_plain_recursion(self):
        late = ((2, 8), (32, 8)), ((4, 8), (16, 8)), ((2, 2), (16, 32)), ((16, 8), (2, 4))
        for target in (None, 16, 32):
            solver = Solver(2, 2, target)
            for board in late:
                self.assertEqual(solver.value(board), plain_value(board, target))

    def test_by_hand(self):
        # The two 4s merge; what comes on the one empty cell is next to none of its like.
        self.assertEqual(Solver(2, 2).value(((32, 16), (4, 4))), 8)
        self.assertEqual(Solver(2, 2, 8).value(((32, 16), (4, 2))), 1)
        self.assertEqual(Solver(2, 2, 64).value(((32, 16), (4, 2))), 0)

    def test_published(self):
        score = Solver(2, 2)
        states = score.states()
        self.assertEqual(len(states), 110)
        self.assertEqual(sum(not slides(board) for board in states), 36)
        self.assertEqual(max(tile for board in states for tile in twenty48.tiles(board)), 32)
        self.assertEqual(f"{float(score.start_value()):.8f}", "66.96414946")
        self.assertEqual(Solver(2, 2, 16).start_value(), Fraction(770009003, 800000000))
        self.assertEqual(f"{float(Solver(2, 2, 32).start_value()):.4f}", "0.0829")

    def test_chances_of_the_starts(self):
        for size in ((2, 2), (2, 3), (3, 3)):
            self.assertEqual(sum(chance for _, chance in Solver(*size).starts()), 1)

    def test_floats_are_close(self):
        exact, quick = Solver(2, 2), Solver(2, 2, number=float)
        for board in exact.states():
            self.assertAlmostEqual(quick.value(board), float(exact.value(board)), places=10)


class Keys(unittest.TestCase):
    def test_cells(self):
        self.assertEqual(twenty48.to_key(((2, 0), (0, 8))), "0000000000300001")
        self.assertEqual(twenty48.to_key(((0, 4, 0), (0, 0, 32768))), "000000000f000020")

    def test_round_trips(self):
        rng = random.Random(4)
        for rows, columns in ((2, 2), (2, 3), (4, 3), (4, 4)):
            for _ in range(50):
                board = random_board(rng, rows, columns)
                key = twenty48.to_key(board)
                self.assertEqual(twenty48.from_key(key, rows, columns), board)

    def test_outside(self):
        for key in ("100", "100000000"):
            with self.subTest(key), self.assertRaises(ValueError):
                twenty48.from_key(key, 2, 2)


class Options(unittest.TestCase):
    def test_sizes(self):
        self.assertEqual(twenty48.size("2x4"), (2, 4))
        for text in ("", "2", "1x2", "2x5", "2x2x2", "two"):
            with self.subTest(text), self.assertRaises(argparse.ArgumentTypeError):
                twenty48.size(text)

    def test_objectives(self):
        self.assertIsNone(twenty48.objective("score"))
        self.assertEqual(twenty48.objective("tile:16"), 16)
        for text in ("", "tile", "tile:3", "tile:2", "tile:65536", "16"):
            with self.subTest(text), self.assertRaises(argparse.ArgumentTypeError):
                twenty48.objective(text)


if __name__ == "__main__":
    unittest.main()
