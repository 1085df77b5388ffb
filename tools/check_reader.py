#!/usr/bin/env python3
"""Compares the program's tables with what the independent package etb reads.

    python3 tools/check_reader.py path/to/endtable [--probes 150] [--rng 1]

Makes a small table of every kind: Collapsi by every codec, compressed and plain,
deals only, merged, dense; 2048 by score and by tile, in every value column, of
searched games and of patterns; Tak. Every record is compared with the program's dump and raw
export; the options in the text must make the same table again. Then positions
are looked up, as they are and under symmetries, and some that are not there.
Last, damaged copies must be refused. Exit code 1 if anything differs.
"""

import random
import tempfile
from pathlib import Path

import collapsi
from checks.damage import DamageCheck
from checks.probes_2048 import BoardProbes, boards_of
from checks.probes_collapsi import CollapsiProbes, positions_of_games, roots
from checks.probes_dense import DenseProbes
from checks.probes_patterns import PatternProbes
from checks.probes_tak import TakProbes
from checks.program import Program
from checks.records import RecordCheck
from checks.report import Report, argument_parser
from etb.errors import PositionError, TableError

SEED = 0  # the deal whose positions the large tables hold
ROOTS = 50  # the deals of the small ones
LARGE = f"--seeds {SEED}..{SEED + 1}"
DEALS = "--positions root --rules wild"
COLLAPSI = {
    "canonical": LARGE,
    "exact": f"{LARGE} --exact",
    "plain": f"{LARGE} --uncompressed",
    "folded": f"{LARGE} --fold64",
    "exact-folded": f"{LARGE} --exact --fold64 --uncompressed",
    "roots": f"--seeds 0..{ROOTS} {DEALS}",
    "roots-plain": f"--seeds 0..{ROOTS} {DEALS} --uncompressed",
}
MERGED = [f"--seeds 0..20 {DEALS}", f"--seeds 20..{ROOTS} {DEALS}"]
CARDS = 5  # of the complete tables
# The scores come first: their tables hold all boards of their size.
TWENTY48 = {
    "2x2-score": "--board 2x2 --objective score",
    "2x2-tile16": "--board 2x2 --objective tile:16 --value f64",
    "2x3-score": "--board 2x3 --objective score",
    "2x3-tile64": "--board 2x3 --objective tile:64",
}
PATTERNS = {
    "44": "--pattern 44 --objective tile:32",
    "44-16-bits": "--pattern 44 --objective tile:16 --value chance16",
    "t": "--pattern t --objective tile:8 --value chance32",
    "free8": "--pattern free8 --objective tile:8",
}
TAK = "--size 3 --flats 3"
SEARCHED = "--board 4x4 --seeds 0..1 --depth 0 --heuristic edges"


class Check:
    def __init__(self, program, folder, probes, rng):
        self.program, self.folder, self.probes, self.rng = program, folder, probes, rng
        self.report = Report()
        self.records = RecordCheck(program, folder, self.report)
        self.collapsi = CollapsiProbes(program, rng, self.report)
        self.boards = BoardProbes(program, rng, self.report)
        self.patterns = PatternProbes(program, rng, self.report)
        self.dense = DenseProbes(program, rng, self.report)
        self.tak = TakProbes(program, rng, self.report)
        self.damage = DamageCheck(folder, rng, self.report)
        self.tables = 0

    def generate(self, game, name, options):
        path = self.folder / name
        self.program.run("generate", game, *options.split(), "--out", path)
        self.tables += 1
        return path

    def everything(self):
        for check in (
            self.check_collapsi,
            self.check_2048,
            self.check_patterns,
            self.check_dense,
            self.check_tak,
        ):
            try:
                check()
            except (TableError, PositionError) as error:
                self.report.differ(str(error))

    # --- Collapsi

    def check_collapsi(self):
        for name, options in COLLAPSI.items():
            path = self.generate("collapsi", f"{name}.etb", options)
            self.records.compare_again(name, path)
            self.check_collapsi_table(name, path)
        self.check_merged()

    def check_collapsi_table(self, name, path):
        self.records.compare(name, path)
        self.records.compare_gets(name, path, self.rng, self.probes)
        stranger = collapsi.deal(SEED + ROOTS)
        if path.stem in ("roots", "roots-plain", "merged"):
            known = roots(self.rng, [collapsi.deal(seed) for seed in range(ROOTS)])
            self.collapsi.compare(name, path, known, stranger, rules="wild")
            self.damage.compare(name, path)
        else:
            deal, exact = collapsi.deal(SEED), "exact" in name
            known = positions_of_games(self.rng, deal, self.probes, exact)
            self.collapsi.compare(name, path, known, stranger)
            self.damage.compare(name, path, places=2)

    def check_merged(self):
        parts = [
            self.generate("collapsi", f"part-{number}.etb", options)
            for number, options in enumerate(MERGED)
        ]
        merged = self.folder / "merged.etb"
        self.program.run("merge", *parts, "--out", merged)
        self.tables += 1
        self.records.compare_merged("merged", merged, self.folder / "roots.etb", parts)
        self.check_collapsi_table("merged", merged)

    # --- 2048

    def check_2048(self):
        for name, options in TWENTY48.items():
            path = self.generate("2048", f"{name}.etb", options)
            if name.endswith("score"):
                all_boards = boards_of(path)
            self.check_2048_table(name, path, all_boards)
        path = self.generate("2048", "searched.etb", SEARCHED)
        self.check_2048_table("searched", path, boards_of(path))

    def check_2048_table(self, name, path, all_boards):
        self.records.compare_again(name, path)
        self.records.compare(name, path)
        self.records.compare_gets(name, path, self.rng, self.probes)
        self.boards.compare(name, path, all_boards, self.probes)
        self.damage.compare(name, path, places=None if name.startswith("2x2") else 2)

    def check_patterns(self):
        for name, options in PATTERNS.items():
            path = self.generate("2048", f"{name}.etb", options)
            self.records.compare_again(name, path)
            self.records.compare(name, path)
            self.records.compare_gets(name, path, self.rng, self.probes)
            self.patterns.compare(name, path, self.probes)
            self.damage.compare(name, path, places=2)

    # --- Dense

    def check_dense(self):
        options = f"--complete --cards {CARDS}"
        folder = self.generate("collapsi", "complete", options)
        paths = sorted(folder.glob("*.etd"))
        names = [f"collapsi-{cards:02}.etd" for cards in range(2, CARDS + 1)]
        self.report.equal("complete tables", [path.name for path in paths], names)
        self.tables += len(paths) - 1
        self.records.compare_again("complete", paths[0])
        for path in paths:
            self.dense.compare(folder, path, self.probes)
            self.damage.compare(path.name, path, places=None if path == paths[0] else 2)

    # --- Tak

    def check_tak(self):
        folder = self.generate("tak", "tak", TAK)
        paths = sorted(folder.glob("*.etd"))
        names = [f"tak-{stones:02}.etd" for stones in range(2, 5)]
        self.report.equal("tables of Tak", [path.name for path in paths], names)
        self.tables += len(paths) - 1
        self.records.compare_again("tak", paths[0])
        for path in paths:
            self.tak.compare(folder, path, self.probes)
            self.damage.compare(path.name, path, places=None if path == paths[0] else 2)


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--probes", type=int, default=150, help="for each large table")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        rng = random.Random(arguments.rng)
        program = Program(arguments.program)
        check = Check(program, Path(folder), arguments.probes, rng)
        with check.report.judge("reader", "program and reader"):
            check.everything()
    records = check.records.records + check.dense.entries + check.tak.entries
    probed = check.collapsi.probed + check.boards.probed + check.patterns.probed
    probed += check.dense.probed + check.tak.probed
    absent = check.collapsi.absent + check.boards.absent
    print(
        f"reader: {check.tables} tables: {records} records and {probed} probes "
        f"compared, {absent} absent, {check.damage.refused} damaged copies refused, "
        "no differences"
    )


if __name__ == "__main__":
    main()
