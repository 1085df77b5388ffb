#!/usr/bin/env python3
"""Tests of tak.py: python3 tools/test_tak.py"""

import random
import unittest
from pathlib import Path

import tak

PERFT = Path(__file__).parent.parent / "tests" / "tak" / "perft.txt"
COUNTED = 25_000  # the most positions that are counted


def blocks():
    """The positions of the file of counts: {name: {word: text}}."""
    for block in PERFT.read_text().split("\n\n"):
        first, *lines = block.strip().split("\n")
        if not first.startswith("#"):
            yield first, dict(line.split(" ", 1) for line in lines)


class Counts(unittest.TestCase):
    def test_published_counts(self):
        counted = 0
        for name, block in blocks():
            position = tak.parse(block["tps"])
            for ended in ("zero", "one", "on"):
                counts = map(int, block.get(ended, "").split())
                for plies, count in enumerate(counts, 1):
                    if count <= COUNTED:
                        with self.subTest(name=name, ended=ended, plies=plies):
                            self.assertEqual(tak.perft(position, plies, ended), count)
                        counted += 1
        self.assertGreater(counted, 90)

    def test_games_lead_where_they_should(self):
        for name, block in blocks():
            if "moves" in block:
                with self.subTest(name=name):
                    position = tak.start(tak.parse(block["tps"]).size)
                    for move in block["moves"].split():
                        position = tak.play(position, move)
                    self.assertEqual(tak.text(position), block["tps"])


class Rules(unittest.TestCase):
    def after(self, text, *moves):
        position = tak.parse(text)
        for move in moves:
            position = tak.play(position, move)
        return position

    def test_the_first_stones_are_the_opponents(self):
        position = self.after("x3/x3/x3 1 1", "a1", "c3")
        self.assertEqual(tak.text(position), "x2,1/x3/2,x2 1 2")
        self.assertEqual(position.flats, (9, 9))

    def test_slides(self):
        position = self.after("x5/x5/x5/x5/12121,x4 1 9", "4a1>112")
        self.assertEqual(tak.text(position), "x5/x5/x5/x5/1,2,1,21,x 2 9")

    def test_a_capstone_alone_flattens(self):
        position = self.after("x5/x2,2S,x2/x2,121C,x2/x5/x5 1 4", "c3+")
        self.assertEqual(tak.text(position), "x5/x2,21C,x2/x2,12,x2/x5/x5 2 4")
        with self.assertRaises(tak.TakError):
            self.after("x5/x2,2S,x2/x2,121C,x2/x5/x5 1 4", "2c3+")

    def test_ends(self):
        for text, over in (
            ("1,1,1/2,2,2/x3 2 5", "R-0"),
            ("1,1,1/2,2,2/x3 1 6", "0-R"),
            ("1,1S,1/x3/2,2,x 1 4", None),
            ("1,1,2/2,2,1/1,1,2 2 5", "F-0"),
            ("1S,1,2/2,2,1/1,1,2 2 5", "1/2-1/2"),
        ):
            self.assertEqual(tak.end(tak.parse(text)), over, text)
        self.assertEqual(tak.end(tak.parse("1,1,2/2,2,1/1,1,2 2 5", komi=1.5)), "0-F")
        self.assertEqual(tak.end(tak.parse("1,2,x/x3/x3 1 2", flats=1)), "1/2-1/2")

    def test_what_is_no_position(self):
        for text in (
            "", "x3/x3/x3", "x3/x3 1 1", "x3/x2/x3 1 1", "x3/x4/x3 1 1", "x3/x,3,x/x3 1 2",
            "x3/x,1SS,x/x3 1 2", "x3/x,1S1,x/2,x2 1 2", "x3/x,S,x/x3 1 2", "x3/x,,x/x3 1 2",
            "x3/1,2,x/x3 3 2", "x3/1,2,x/x3 1 0", "x3/1,2,x/x3 1 1", "x3/x3/x3 1 2",
            "x3/1C,2,x/x3 1 2", "x3/11111111111,2,x/x3 1 9", "x0,x3/x3/x3 1 1",
        ):  # fmt: skip
            with self.subTest(text=text), self.assertRaises(tak.TakError):
                tak.parse(text)

    def test_what_is_no_move(self):
        position = tak.parse("x3/x,121,x/2,x2 1 4")
        for move in ("", "d1", "a4", "a1", "b2", "4b2>", "3b2>11", "b2>11", "a1>", "Ca2", "3b2>21", "b2^"):
            with self.subTest(move=move), self.assertRaises(tak.TakError):
                tak.play(position, move)
        self.assertEqual(tak.play(position, "b2>''!"), tak.play(position, "1b2>1"))


class Forms(unittest.TestCase):
    def test_random_games(self):
        rng = random.Random(1)
        for size in (3, 4, 5):
            position = tak.start(size)
            seen = {}
            while tak.end(position) is None and position.ply < 80:
                self.assertEqual(tak.parse(tak.text(position)), position)
                alike = {tak.canonical(image).stacks for image in tak.images(position)}
                self.assertEqual(len(alike), 1)
                key = tak.exact_key(position, tak.CAPS[size] > 0)
                self.assertEqual(seen.setdefault(key, position.stacks), position.stacks)
                position = tak.play(position, rng.choice(tak.moves(position)))

    def test_the_hash_of_larger_boards(self):
        """The program's tests have the same number."""
        import xxhash

        position = tak.parse("x5/x2,2S,x2/x2,121C,x2/x5/x5 1 4")
        digest = xxhash.xxh3_128_hexdigest(tak.hashed_bytes(position))
        self.assertEqual(f"{digest[:16]}:{digest[16:]}", "cf67412db5a69d5e:901e9f929de3efe7")


if __name__ == "__main__":
    unittest.main()
