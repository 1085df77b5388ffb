#!/usr/bin/env python3
"""Tests of the reader's command line: python3 tools/test_etb_cli.py"""

import subprocess
import sys
import unittest
from pathlib import Path

from etb.collapsi.boards import key_of, key_text
from etb_testing import COMPLETE, DEAL, UNKNOWN, Files, deal_table, writer
from etb_writer import Description, Record

READER = Path(__file__).parent / "etb_reader.py"
SEED_1 = "0100000808001830:12d27d06b02589e4"
OTHER = key_text(key_of(DEAL._replace(turn=1)))


class CommandLine(Files):
    def run_reader(self, *arguments):
        done = subprocess.run(
            [sys.executable, READER, *arguments], capture_output=True, text=True
        )
        return done.returncode, done.stdout, done.stderr

    def test_info(self):
        path = self.write(deal_table(1))
        code, out, _ = self.run_reader("info", path)
        facts = dict(line.split(maxsplit=1) for line in out.splitlines())
        self.assertEqual(code, 0)
        self.assertEqual(facts["game"], "collapsi")
        self.assertEqual(facts["layout"], "short")
        self.assertEqual(facts["command"], "endtable generate collapsi")
        self.assertEqual(self.run_reader("info", "no such file")[0], 3)

    def test_info_of_a_merged_table(self):
        text = writer.text_of("collapsi", "one", "exact: ", merged=2)
        path = self.write(writer.keyed_table(Description(text, codec=2), []))
        _, out, _ = self.run_reader("info", path)
        self.assertIn("merged            2\n", out)
        self.assertIn("option exact\n", out)

    def test_dump(self):
        records = [Record(code, 0, 1, 2, 3) for code in range(5)]
        path = self.write(writer.keyed_table(Description(UNKNOWN), records))
        code, out, _ = self.run_reader("dump", path, "--records", "1..3")
        self.assertEqual(code, 0)
        self.assertEqual(out, "0000000000000001 0102 3\n0000000000000002 0102 3\n")
        self.assertEqual(self.run_reader("dump", path, "--records", "1")[0], 2)

    def test_probe(self):
        path = self.write(deal_table(2))
        self.assertEqual(
            self.run_reader("probe", path, SEED_1), (0, f"{SEED_1} 0173\n", "")
        )
        self.assertEqual(
            self.run_reader("probe", path, SEED_1, OTHER),
            (1, f"{SEED_1} 0173\n{OTHER} -\n", ""),
        )
        code, out, error = self.run_reader("probe", path, SEED_1, "1:1")
        self.assertEqual((code, out), (2, ""))
        self.assertTrue(error)

    def test_verify(self):
        path = self.write(deal_table(1))
        code, out, _ = self.run_reader("verify", path)
        self.assertEqual((code, out), (0, f"{path}: 1 records in 1 blocks are sound\n"))
        dense = writer.dense_table(Description(COMPLETE, layer=2), [0, 0])
        self.assertEqual(self.run_reader("verify", self.write(dense))[0], 0)
        code, _, error = self.run_reader("verify", self.write(deal_table(1)[:-1]))
        self.assertEqual(code, 3)
        self.assertIn("bytes, but the header says", error)


if __name__ == "__main__":
    unittest.main()
