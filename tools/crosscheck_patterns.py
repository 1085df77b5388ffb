#!/usr/bin/env python3
"""Compares the program's tables of 2048 patterns with the independent patterns.py.

    python3 tools/crosscheck_patterns.py path/to/endtable [--rng 1]

Every record of every table is compared: it is an afterstate that the seeds lead
to, each is there once, none is missing, and its chance is right. Then boards
with the player to move are looked up as real games have them: other large
tiles, turned and mirrored, with the chance of every move. Exit code 1 if
anything differs.
"""

import random
import tempfile
from pathlib import Path

import patterns
from checks.answers import board_answers
from checks.program import Program
from checks.report import Report, argument_parser

PROBES = 300  # boards looked up in each table
STEP = 1 / (2**24 - 1)  # between two chances that a table can hold

# A user's own: two large tiles go from side to side above two rows of them.
OWN_MASKS = ["..../FF../FFFF/FFFF", "..../.FF./FFFF/FFFF", "..../..FF/FFFF/FFFF"]
OWN_SEEDS = ["2,0,0,0/F,F,0,0/F,F,F,F/F,F,F,F", "0,2,4,0/0,F,F,0/F,F,F,F/F,F,F,F"]
OWN_FILE = f"""name = "sliding"
masks = {OWN_MASKS}
seeds = {OWN_SEEDS}
"""

CASES = [
    ("44", *patterns.PATTERNS["44"], 32),
    ("L3", *patterns.PATTERNS["L3"], 16),
    ("sliding.toml", OWN_MASKS, OWN_SEEDS, 64),
]


class Check:
    def __init__(self, program, folder, rng):
        self.program, self.folder, self.rng = program, folder, rng
        self.report = Report()
        self.records = self.probes = 0
        (folder / "sliding.toml").write_text(OWN_FILE)

    def case(self, name, masks, seeds, target):
        path = self.folder / f"{name}-{target}.etb"
        pattern = self.folder / name if name.endswith(".toml") else name
        self.program.run(
            *("generate", "2048", "--pattern", pattern),
            *("--objective", f"tile:{target}", "--out", path),
        )
        # Of this one, a board and its mirror image are told apart.
        endgame = patterns.Endgame(masks, seeds, target, symmetric=name != "44")
        chances = endgame.solve()
        self.compare_records(name, path, endgame, chances)
        self.compare_probes(name, path, endgame, chances)

    def compare_records(self, name, path, endgame, chances):
        missing = set(chances)
        for line in self.program.run("dump", path):
            key, chance = line.split()
            after = endgame.canonical(patterns.from_key(key))
            if after not in missing:
                self.report.differ(f"{name}, {key}: not reached, or there twice")
                continue
            missing.remove(after)
            self.compare_chance(f"{name}, {key}", float(chance), chances[after])
            self.records += 1
        for after in missing:
            self.report.differ(f"{name}, {patterns.to_key(after)}: not in the table")

    def compare_chance(self, name, told, expected):
        close = abs(told - expected) <= 1.01 * STEP
        if not close or (told == 0) != (expected == 0):
            self.report.differ(f"{name}: chance {told}, Python {expected}")

    def compare_probes(self, name, path, endgame, chances):
        known = sorted(chances, key=patterns.to_key)
        boards = {}
        for after in self.rng.choices(known, k=PROBES):
            cell = self.rng.choice([c for c in range(16) if after[c] == 0])
            board = (*after[:cell], self.rng.choice((2, 2, 4)), *after[cell + 1 :])
            image = self.rng.randrange(8)
            boards[self.disguised(patterns.images(board)[image], endgame)] = board, image
        keys = list(boards)
        answers = board_answers(self.told(path, keys))
        for key, (board, image) in boards.items():
            if answers.get(key) is None:
                self.report.differ(f"{name}, probe of {key}: no answer")
                continue
            *_, value, moves = answers[key]
            expected = {}
            for after in endgame.moves(board).values():
                turned = patterns.images(after)[image]
                expected[self.direction(board, turned, image)] = endgame.chance(after)
            best = max(expected.values(), default=0.0)
            self.compare_chance(f"{name}, probe of {key}", value, best)
            if moves.keys() != expected.keys():
                self.report.differ(f"{name}, {key}: {moves}, Python {expected}")
                continue
            for move, chance in moves.items():
                self.compare_chance(f"{name}, {key}, {move}", chance, expected[move])
            self.probes += 1

    def told(self, path, keys):
        """The answers, without what is said of the tables and of other moves."""
        lines = self.program.name("probe", path, "--moves", positions=keys)
        return [
            line for line in lines if not line.startswith("table ") and " excluded: " not in line
        ]

    def direction(self, board, turned, image):
        """Which slide of the turned board leads to the turned afterstate."""
        start = patterns.images(board)[image]
        slides = patterns.DIRECTIONS
        return next(it for it in slides if patterns.slide(start, it) == turned)

    def disguised(self, board, endgame):
        """The key of a board with large tiles of any sizes from the target on."""
        least = endgame.target.bit_length() - 1
        exponents = [
            self.rng.randint(least, 15)
            if tile == patterns.LARGE
            else tile.bit_length() - 1 if tile else 0
            for tile in board
        ]
        return f"{sum(e << 4 * cell for cell, e in enumerate(exponents)):016x}"


def main():
    arguments = argument_parser(__doc__).parse_args()

    with tempfile.TemporaryDirectory() as folder:
        rng = random.Random(arguments.rng)
        check = Check(Program(arguments.program), Path(folder), rng)
        with check.report.judge("cross-check", "the tables of 2048 patterns"):
            for case in CASES:
                check.case(*case)
    print(
        f"cross-check: {len(CASES)} tables of 2048 patterns: {check.records} records "
        f"and {check.probes} probes agree"
    )


if __name__ == "__main__":
    main()
