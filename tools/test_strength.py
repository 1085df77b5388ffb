"""The table of strengths: shards are played once, and their summaries become rows."""

import os
import tempfile
import unittest
from unittest import mock

import strength

FOUND = {
    "games": 200,
    "scores": {"mean": 523177.6, "within": 28670.3},
    "tiles": [
        {"tile": 16384, "games": 184, "low": 0.874, "high": 0.9502},
        {"tile": 32768, "games": 107, "low": 0.4659, "high": 0.6028},
    ],
    "moves": 1000,
    "table_moves": 62,
    "moves_per_second": 5491.4,
}


class StrengthTest(unittest.TestCase):
    def test_a_row_tells_shares_with_their_intervals(self):
        row = strength.row("depth-3-tables", "1.85 GB", FOUND)
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        expected = [
            "endtable depth-3-tables",
            "200",
            "1.85 GB",
            "523,178 ± 28,670",
            "92.0 % (87.4 to 95.0)",
            "53.5 % (46.6 to 60.3)",
            "0",
            "6.2 %",
            "5,491",
        ]
        self.assertEqual(cells, expected)

    def test_what_is_played_is_not_played_again(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "5-10.json")
            with mock.patch.object(strength.subprocess, "run") as run:
                strength.play("endtable", ["--depth", "3"], 5, 10, path)
                strength.play("endtable", ["--depth", "3"], 5, 10, path)
            self.assertEqual(run.call_count, 1)
            self.assertIn("--seed 5 --games 10 --threads 1 --json", " ".join(run.call_args.args[0]))
            self.assertEqual(os.listdir(folder), ["5-10.json"])


if __name__ == "__main__":
    unittest.main()
