"""Tests of endtable.py against a table whose answers are known.

Environment: ENDTABLE_LIB is the shared library; ENDTABLE_TABLE a table of 128-bit keys, with seed
1 in it, under the joker rule `one`; ENDTABLE_DAMAGED the same with a damaged first block;
ENDTABLE_EXPECTED a file of lines `KEY <turn><win><best move> <plies>` or `KEY not found`.
"""

import os
import threading
import unittest
from pathlib import Path

import endtable
from endtable import BadInput, Table, TableError

TABLE = os.environ["ENDTABLE_TABLE"]
DAMAGED = os.environ["ENDTABLE_DAMAGED"]
LINES = Path(os.environ["ENDTABLE_EXPECTED"]).read_text().splitlines()
KEYS = [line.split(" ")[0] for line in LINES]

# The deal of seed 1.
KEY = "0100000808001830:12d27d06b02589e4"
BOARDS = (0x5201, 0x2818, 0x0126, 0x0440, 0x0080, 0x8000, 0x0000, 0)


def line(key, answer):
    return f"{key} not found" if answer is None else f"{key} {answer} {answer.plies}"


class Answers(unittest.TestCase):
    def setUp(self):
        self.table = Table(TABLE)
        self.addCleanup(self.table.close)

    def test_there_is_something_to_compare(self):
        self.assertGreater(len(LINES), 100)
        self.assertTrue(any(line.endswith("not found") for line in LINES))

    def test_one_by_one(self):
        self.assertEqual([line(key, self.table.probe(key)) for key in KEYS], LINES)

    def test_many(self):
        answers = self.table.probe_many(KEYS)
        self.assertEqual([line(key, answer) for key, answer in zip(KEYS, answers)], LINES)
        self.assertEqual(self.table.probe_many([]), [])

    def test_forms_of_a_position(self):
        answer = self.table.probe(KEY)
        self.assertEqual((answer.turn, answer.win, answer.plies), (0, True, 13))
        self.assertEqual(self.table.probe(int(KEY.replace(":", ""), 16)), answer)
        self.assertEqual(self.table.probe(BOARDS), answer)

    def test_threads(self):
        wrong = []

        def work():
            wrong.extend(
                expected
                for key, expected in zip(KEYS, LINES)
                if line(key, self.table.probe(key)) != expected
            )

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_several_paths(self):
        with Table([TABLE, Path(TABLE)]) as both:
            self.assertEqual(len(both), 2 * len(self.table))
            self.assertEqual(both.probe(KEY), self.table.probe(KEY))

    def test_what_it_says_of_itself(self):
        self.assertGreater(len(self.table), 0)
        self.assertEqual(self.table.rules, "one")
        self.assertRegex(endtable.version(), r"^\d+\.\d+\.\d+")


class Errors(unittest.TestCase):
    def test_files(self):
        with self.assertRaisesRegex(TableError, "no-such-table.etb"):
            Table("no-such-table.etb")
        with self.assertRaisesRegex(TableError, "not an endtable file"):
            Table(__file__)
        for paths in [[], "a\0b"]:
            with self.assertRaises(BadInput):
                Table(paths)

    def test_damage(self):
        with Table(DAMAGED) as table:
            with self.assertRaisesRegex(TableError, "damaged"):
                table.probe_many(KEYS)
            right = damaged = 0
            for key, expected in zip(KEYS, LINES):
                try:
                    self.assertEqual(line(key, table.probe(key)), expected)
                    right += 1
                except TableError:
                    damaged += 1
            self.assertTrue(right and damaged)

    def test_positions(self):
        wrong = [
            "",
            ":",
            "12",
            "0:0",
            "x:0",
            "-1:0",
            " 1:0",
            "1_0:0",
            "1:00000000000000000",
            -1,
            1 << 128,
            (),
            BOARDS[:7],
            (*BOARDS[:7], 2),
            (-1, *BOARDS[1:]),
            (1 << 16, *BOARDS[1:]),
        ]
        with Table(TABLE) as table:
            for position in wrong:
                with self.subTest(position), self.assertRaises(BadInput):
                    table.probe(position)
            with self.assertRaises(BadInput):
                table.probe_many([KEY, "0:0"])
            for folded in ["", "g", 1 << 64, 0]:
                with self.subTest(folded), self.assertRaises(BadInput):
                    table.probe_folded(folded)

    def test_closed(self):
        table = Table(TABLE)
        table.close()
        table.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            table.probe(KEY)
        with self.assertRaisesRegex(ValueError, "closed"):
            len(table)


if __name__ == "__main__":
    unittest.main()
