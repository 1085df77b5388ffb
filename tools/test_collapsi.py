#!/usr/bin/env python3
"""Tests of collapsi.py: python3 tools/test_collapsi.py"""

import random
import unittest
from itertools import product

import collapsi
from collapsi import Solver, best, deal, from_text, key, play, solve, to_text

SAMPLE = "JxA23/4Jo32/A2A3/2A43 x"


def cells(*numbers):
    return sum(1 << number for number in numbers)


def all_walks(alive, start, other, steps):
    """Destinations by trying every word of directions: slow but obvious."""
    ends = set()
    for word in product([(-1, 0), (1, 0), (0, -1), (0, 1)], repeat=steps):
        row, column = divmod(start, 4)
        path = [start]
        for down, right in word:
            row, column = (row + down) % 4, (column + right) % 4
            path.append(4 * row + column)
        if (
            len(set(path)) == len(path)
            and all(alive >> cell & 1 for cell in path)
            and path[-1] != other
        ):
            ends.add(path[-1])
    return sorted(ends)


def wins(solver, alive, mover, other):
    """Win or loss only, with no memo and no distance."""
    return any(
        not wins(solver, alive & ~(1 << mover), other, to)
        for to in solver.destinations(alive, mover, other)
    )


def random_games(count):
    rng = random.Random(5)
    for number in range(count):
        rules = collapsi.RULES[number % 2]
        position = deal(rng.getrandbits(64))
        solver = Solver(position.cards, rules)
        game = [position]
        while to := solver.destinations(position.alive, position.mover, position.other):
            position = play(position, rng.choice(to))
            game.append(position)
        yield rules, solver, game


class Moves(unittest.TestCase):
    def destinations(self, card, alive, start, other, rules="one"):
        return Solver(card * 16, rules).destinations(alive, start, other)

    def test_open_board(self):
        self.assertEqual(self.destinations("A", 0xFFFF, 0, 15), [1, 3, 4, 12])
        self.assertEqual(self.destinations("A", 0xFFFF, 6, 15), [2, 5, 7, 10])
        self.assertEqual(self.destinations("2", 0xFFFF, 0, 1), [2, 5, 7, 8, 13, 15])
        self.assertEqual(self.destinations("3", 0xFFFF, 0, 5), [1, 3, 4, 6, 9, 11, 12, 14])
        self.assertEqual(self.destinations("4", 0xFFFF, 0, 1), [2, 5, 7, 8, 10, 13, 15])

    def test_around_a_ring(self):
        ring = cells(0, 1, 2, 3)
        self.assertEqual(self.destinations("2", ring, 0, 9), [2])
        self.assertEqual(self.destinations("3", ring, 0, 9), [1, 3])
        # Four steps would end at the start, which no move may enter again.
        self.assertEqual(self.destinations("4", ring, 0, 9), [])

    def test_other_pawn_is_passed_but_not_entered(self):
        line = cells(4, 5, 6)
        self.assertEqual(self.destinations("2", line, 4, 5), [6])
        self.assertEqual(self.destinations("A", line, 4, 5), [])

    def test_joker(self):
        self.assertEqual(self.destinations("J", 0xFFFF, 0, 15), [1, 3, 4, 12])
        self.assertEqual(self.destinations("J", 0xFFFF, 0, 15, "wild"), list(range(1, 15)))

    def test_against_all_walks(self):
        rng = random.Random(3)
        for _ in range(200):
            start, other = rng.sample(range(16), 2)
            alive = rng.getrandbits(16) | rng.getrandbits(16) | cells(start, other)
            for steps, card in enumerate("A234", 1):
                self.assertEqual(
                    self.destinations(card, alive, start, other),
                    all_walks(alive, start, other, steps),
                )

    def test_play(self):
        position = play(from_text(SAMPLE), 1)
        self.assertEqual(to_text(position), ".Ax23/4Jo32/A2A3/2A43 o")
        position = play(position, 9)
        self.assertEqual(to_text(position), ".Ax23/4.32/A2oA3/2A43 x")


class Values(unittest.TestCase):
    def check(self, text, bits, distance, rules="one"):
        position = from_text(text)
        solution = solve(position, rules)
        self.assertEqual(collapsi.bits(position, solution), bits)
        self.assertEqual(solution.distance, distance)

    def test_no_move(self):
        self.check("AxAo../..../..../.... x", "00ff", 0)
        self.check("AxAo../..../..../.... o", "10ff", 0)

    def test_win_in_one(self):
        self.check("AxA../..../..Ao./.... x", "0101", 1)
        self.check("..../..../.Ax../AoA.. o", "11cd", 1)

    def test_win_through_the_other_pawn(self):
        self.check("2xAoA./..../..../.... x", "0102", 1)

    def test_win_over_the_edge(self):
        self.check("Ax.../..../.Ao../A... x", "010c", 1)

    def test_loss_in_two(self):
        self.check("AxA../..../..AoA/.... x", "0001", 2)

    def test_win_in_three(self):
        self.check("AxAA./..../AoA../.... x", "0101", 3)

    def test_lowest_of_equal_moves(self):
        self.check("..../AAxA./..../...Ao x", "0154", 1)

    def test_joker_rules_differ(self):
        self.check("JxAoA./..../..../.... x", "00ff", 0, "one")
        self.check("JxAoA./..../..../.... x", "0102", 1, "wild")

    def test_best_takes_short_wins_and_long_losses(self):
        self.assertEqual(best([]), 0)
        self.assertEqual(best([2, 6, 4]), 6)
        self.assertEqual(best([8, 5, 3, 2]), 3)

    def test_win_without_distances(self):
        for rules, solver, game in random_games(20):
            for position in game[6:]:
                self.assertEqual(
                    bool(solve(position, rules).win),
                    wins(solver, position.alive, position.mover, position.other),
                )

    def test_best_play_lasts_as_long_as_promised(self):
        for rules, _, game in random_games(20):
            position = game[len(game) // 2]
            solution = solve(position, rules)
            for left in range(solution.distance, 0, -1):
                self.assertEqual(solution.distance, left)
                position = play(position, solution.to)
                solution = solve(position, rules)
            self.assertIsNone(solution.to)


class Keys(unittest.TestCase):
    def test_pair_counts_shell_by_shell(self):
        order = [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (1, 2), (2, 0), (2, 1), (2, 2)]
        self.assertEqual([collapsi.pair(a, b) for a, b in order], list(range(9)))
        self.assertEqual([collapsi.unpair(z) for z in range(9)], order)

    def test_pair_round_trip(self):
        rng = random.Random(1)
        for size in (16, 32, 64):
            top = 2**size - 1
            self.assertEqual(collapsi.pair(top, top), 2 ** (2 * size) - 1)
            for _ in range(1000):
                a, b = rng.getrandbits(size), rng.getrandbits(size)
                self.assertEqual(collapsi.unpair(collapsi.pair(a, b)), (a, b))

    def test_key_is_built_as_defined(self):
        pair = collapsi.pair
        position = play(deal(7), 3)
        a, two, three, four, x, o, collapsed, turn = collapsi.boards(position)
        self.assertEqual(
            key(position),
            pair(
                pair(pair(a, two), pair(three, four)),
                pair(pair(x, o), pair(collapsed, turn)),
            ),
        )

    def test_split_mix(self):
        # The widely published first outputs for the seed 1234567.
        generator = collapsi.SplitMix64(1234567)
        self.assertEqual(
            [generator.next() for _ in range(3)],
            [6457827717110365317, 3203168211198807973, 9817491932198370423],
        )

    def test_fold(self):
        self.assertEqual(collapsi.mix(0), 0xE220A8397B1DCDAF)
        self.assertEqual(collapsi.fold(0), collapsi.mix(0xE220A8397B1DCDAF))


class Notation(unittest.TestCase):
    def test_sample(self):
        position = from_text(SAMPLE)
        self.assertEqual(to_text(position), SAMPLE)
        self.assertEqual(
            collapsi.to_state(position), "2502,1284,8848,4010,0001,0020,0000,0"
        )

    def test_round_trips(self):
        for _, _, game in random_games(20):
            for position in game:
                self.assertEqual(collapsi.parse(collapsi.to_state(position)), position)
                self.assertEqual(collapsi.parse(collapsi.to_key(position)), position)
                self.assertEqual(
                    collapsi.parse(to_text(position)), collapsi.forget(position)
                )

    def test_seed(self):
        self.assertEqual(collapsi.parse("42"), deal(42))
        self.assertEqual(collapsi.parse(str(2**64 - 1)), deal(2**64 - 1))

    def test_rejected(self):
        for text in (
            "",
            "-1",
            str(2**64),
            "JxA23/4Jo32/A2A3/2A43",  # no side to move
            "JxA23/4Jo32/A2A3/2A4 x",  # a short row
            "JxA23/4Jx32/A2A3/2A43 x",  # two pawns X, no O
            ".xA23/4Jo32/A2A3/2A43 x",  # a pawn on a collapsed cell
            "1,1,0,0,1,2,0,0",  # two cards on one cell
            "1,2,4,8,10,10,0,0",  # both pawns on one cell
            "1,2,4,8,30,40,0,0",  # a pawn on two cells
            "1,2,4,8,10,20,0,2",  # no such turn
            "10000,2,4,8,10,20,0,0",  # no such cell
            "0:0",  # no pawns
        ):
            with self.subTest(text), self.assertRaises(ValueError):
                collapsi.parse(text)


class Deals(unittest.TestCase):
    def test_seeds_make_deals(self):
        for seed in range(100):
            self.assertTrue(collapsi.is_deal(deal(seed)))

    def test_ends_of_the_ranks(self):
        self.assertEqual(collapsi.DEALS, 756_756_000)
        self.assertEqual(to_text(collapsi.unrank(0)), "JxJoAA/AA22/2233/3344 x")
        self.assertEqual(
            to_text(collapsi.unrank(collapsi.DEALS - 1)), "4433/3322/22AA/AAJoJx x"
        )

    def test_rank_digits(self):
        # One step in each digit, from the right: threes, twos, aces, O, X.
        for rank, text in (
            (1, "JxJoAA/AA22/2233/3434 x"),
            (15, "JxJoAA/AA22/2323/3344 x"),
            (15 * 210, "JxJoAA/A2A2/2233/3344 x"),
            (15 * 210 * 1001, "JxAJoA/AA22/2233/3344 x"),
            (15 * 210 * 1001 * 15, "JoJxAA/AA22/2233/3344 x"),
        ):
            self.assertEqual(to_text(collapsi.unrank(rank)), text)

    def test_rank_round_trips(self):
        rng = random.Random(2)
        for _ in range(200):
            number = rng.randrange(collapsi.DEALS)
            self.assertEqual(collapsi.rank(collapsi.unrank(number)), number)
            position = deal(rng.getrandbits(64))
            self.assertEqual(collapsi.unrank(collapsi.rank(position)), position)

    def test_only_deals_have_ranks(self):
        with self.assertRaises(ValueError):
            collapsi.rank(play(deal(1), 0))


if __name__ == "__main__":
    unittest.main()
