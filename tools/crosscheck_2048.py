#!/usr/bin/env python3
"""Compares the program's tables of small 2048 boards with the independent twenty48.py.

    python3 tools/crosscheck_2048.py path/to/endtable [--rng 1]

Every record of every table is compared: it is a board that games lead to, each
is there once, and its win bit, its best move and its value are right. On 2x2
that is checked against fractions, so exactly; on 2x3 against doubles. Then the
boards are looked up, turned and mirrored, with the value of every move; boards
that have the tile already, and boards that no game leads to, are among them.
Last come the published counts and values. Exit code 1 if anything differs.
"""

import random
import tempfile
from fractions import Fraction
from math import isclose
from pathlib import Path
from typing import NamedTuple

import twenty48
from checks.answers import UNREADABLE, board_answers
from checks.program import ABSENT, BAD_INPUT, DONE, Program
from checks.report import Report, argument_parser

STRANGERS = 200  # boards that no game leads to, asked for each table
SOLVED = 50  # boards that `solve` takes from each table


class Case(NamedTuple):
    """A table to compare, and what is published of it."""

    board: str
    objective: str
    number: type  # what twenty48.py reckons with
    tolerance: float  # relative: all is made by adding, so nothing is cancelled
    start: str  # the value of a random start, in as many digits as are known
    states: int | None = None
    terminal: int | None = None
    highest: int | None = None


CASES = [
    Case("2x2", "score", Fraction, 1e-12, "66.96414946", 110, 36, 32),
    Case("2x2", "tile:8", Fraction, 1e-12, ""),
    Case("2x2", "tile:16", Fraction, 1e-12, "770009003/800000000"),
    Case("2x2", "tile:32", Fraction, 1e-12, "0.0829"),
    Case("2x3", "score", float, 1e-9, "480.2583", 21_752, 4_484, 128),
    Case("2x3", "tile:128", float, 1e-9, "0.0570"),
]


class Check:
    def __init__(self, program, folder, rng):
        self.program = program
        self.folder = folder
        self.rng = rng
        self.report = Report()
        self.records = self.probes = 0
        self.all_boards = {}  # by size, from the tables of the scores

    def case(self, case):
        name = f"{case.board} {case.objective}"
        size = twenty48.size(case.board)
        solver = twenty48.Solver(*size, twenty48.objective(case.objective), case.number)
        path = self.folder / f"{case.board}-{case.objective.replace(':', '')}.etb"
        self.program.run(
            *("generate", "2048", "--board", case.board, "--objective", case.objective),
            *("--value", "f64", "--out", path),
        )
        states = solver.states()
        if case.objective == "score":
            self.all_boards[size] = states
        self.compare_records(name, case, path, solver, states)
        self.compare_probes(name, case, path, solver, self.all_boards[size])
        self.compare_published(name, case, path, solver, states)

    # --- Records

    def compare_records(self, name, case, path, solver, states):
        size = twenty48.size(case.board)
        missing = set(states)
        for line in self.program.run("dump", path):
            key, answer, value = line.split()
            board = twenty48.from_key(key, *size)
            if twenty48.canonical(board) not in missing:
                self.report.differ(
                    f"{name}, {key}: no game leads to it, or it is there twice"
                )
                continue
            missing.remove(twenty48.canonical(board))
            turn, win, move = answer[0], answer[1], answer[2:]
            move = None if move == "ff" else int(move, 16)
            told = int(win), move, float(value)
            self.compare_answer(
                f"{name}, {key}", board, solver, told, rel_tol=case.tolerance
            )
            if turn != "0":
                self.report.differ(f"{name}, {key}: turn {turn}")
            self.records += 1
        for board in missing:
            self.report.differ(f"{name}, {twenty48.to_key(board)}: not in the table")

    def compare_answer(self, name, board, solver, told, **tolerance):
        win, move, value = told

        def close(a, b):
            return isclose(a, b, **tolerance)

        expected = solver.value(board)
        if not close(value, expected):
            self.report.differ(f"{name}: value {value}, Python {expected}")
        if win != (expected > 0):
            self.report.differ(f"{name}: win bit {win}, Python's value {expected}")
        moves = {} if solver.is_finished(board) else solver.moves(board)
        if move is None:
            if moves:
                self.report.differ(f"{name}: no move, but there are {', '.join(moves)}")
            return
        direction = dict(enumerate(twenty48.DIRECTIONS)).get(move)
        # Fractions tell the best moves exactly; the program's doubles take two
        # that differ only in the last digits for either.
        if direction not in moves or not close(moves[direction], expected):
            self.report.differ(f"{name}: move {move}, Python's moves {moves}")

    # --- Probes

    def compare_probes(self, name, case, path, solver, all_boards):
        # In order, so that the same boards are chosen each time.
        boards = [
            self.rng.choice(twenty48.images(board)) for board in sorted(all_boards)
        ]
        if len(boards) < 1000:
            boards = sorted(
                {image for board in boards for image in twenty48.images(board)}
            )
        keys = [twenty48.to_key(board) for board in boards]
        named = self.program.name("probe", path, "--moves", positions=keys)
        answers = board_answers(named)
        for key, board in zip(keys, boards):
            if answers.get(key) is None:
                self.report.differ(f"{name}, probe of {key}: no answer")
                continue
            self.compare_probe(f"{name}, probe of {key}", board, solver, answers[key])
            self.probes += 1
        lines = [line for line in named if not line.startswith("move")]
        self.compare_stdin(name, path, keys, lines)
        self.compare_solve(name, case, path, dict(zip(boards, lines)))
        self.compare_strangers(name, path, solver, all_boards, keys[0])

    def compare_probe(self, name, board, solver, answer):
        *told, moves = answer
        # Chances are printed with nine digits.
        rounded = {"rel_tol": 1e-9, "abs_tol": 1e-9}
        self.compare_answer(name, board, solver, told, **rounded)
        expected = {} if solver.is_finished(board) else solver.moves(board)
        if moves.keys() != expected.keys() or any(
            not isclose(moves[it], expected[it], **rounded) for it in moves
        ):
            self.report.differ(f"{name}: moves {moves}, Python {expected}")

    def compare_stdin(self, name, path, keys, lines):
        """Boards on standard input have the lines of named ones."""
        fed = self.program.feed("probe", path, positions=keys)
        for line, named in zip(fed, lines):
            self.report.equal(f"{name}, --stdin", line, named)

    def compare_solve(self, name, case, path, lines):
        """`solve` with the table says what `probe` says.

        Only of boards with a move: of others it says that the game is over,
        even if the tile to reach is there.
        """
        boards = [board for board in lines if twenty48.slides(board)]
        boards = self.rng.sample(boards, min(SOLVED, len(boards)))
        keys = [twenty48.to_key(board) for board in boards]
        solve = "solve", "2048", "--board", case.board, "--tables", path
        for board, line in zip(boards, self.program.feed(*solve, positions=keys)):
            self.report.equal(f"{name}, solve", line, lines[board])

    def compare_strangers(self, name, path, solver, all_boards, known):
        """Boards that no game leads to: absent, or refused where that is plain."""
        keys = [twenty48.to_key(it) for it in self.strangers(all_boards, solver)]
        code, lines, error = self.program.call("probe", path, "--stdin", lines=keys)
        self.report.equal(f"{name}, lines for strangers", len(lines), len(keys))
        for number, (key, line) in enumerate(zip(keys, lines), 1):
            if line not in (f"{key} -", UNREADABLE):
                self.report.differ(f"{name}, {key}: {line}, but no game leads to it")
            if line == UNREADABLE and f"endtable: line {number}: " not in error:
                self.report.differ(f"{name}, {key}: not complained of")
        wanted = BAD_INPUT if UNREADABLE in lines else ABSENT if lines else DONE
        self.report.equal(f"{name}, exit code for strangers", code, wanted)
        absent = [line.split()[0] for line in lines if line != UNREADABLE][:1]
        for key in absent:
            code, output, _ = self.program.call("probe", path, key, known)
            self.report.equal(f"{name}, {key} named", code, ABSENT)
            self.report.equal(f"{name}, {key} named", output[0], f"{key} -")

    def strangers(self, all_boards, solver):
        rows, columns = len(solver.empty), len(solver.empty[0])
        tiles = [0, 2, 4, 8, 16][: 3 if solver.target == 8 else None]
        strangers = set()
        for _ in range(STRANGERS):
            board = tuple(
                tuple(self.rng.choices(tiles, k=columns)) for _ in range(rows)
            )
            if twenty48.canonical(board) not in all_boards and not solver.is_finished(
                board
            ):
                strangers.add(board)
        return sorted(strangers)

    # --- What is published

    def compare_published(self, name, case, path, solver, states):
        start = solver.start_value()
        if "/" in case.start:
            if start != Fraction(case.start):
                self.report.differ(f"{name}: start {start}, published {case.start}")
        elif case.start:
            digits = len(case.start.split(".")[1])
            if f"{float(start):.{digits}f}" != case.start:
                self.report.differ(
                    f"{name}: start {float(start)}, published {case.start}"
                )
        terminal = sum(not twenty48.slides(board) for board in states)
        highest = max(tile for board in states for tile in twenty48.tiles(board))
        for what, found, published in (
            ("states", len(states), case.states),
            ("terminal", terminal, case.terminal),
            ("highest", highest, case.highest),
        ):
            if published is not None and found != published:
                self.report.differ(f"{name}: {what} {found}, published {published}")
        # What the program says of the whole table.
        facts = {}
        for line in self.program.run("stats", path):
            fact, number = line.split()[:2]
            if fact in ("positions", "over", "start"):
                facts[fact] = number
        expected = {"positions": len(states), "over": terminal, "start": start}
        for fact, ours in expected.items():
            theirs = float(facts.get(fact, "nan"))
            if not isclose(theirs, ours, rel_tol=1e-9, abs_tol=1e-9):
                self.report.differ(
                    f"{name}, stats: {fact} {theirs}, Python {float(ours)}"
                )


def main():
    arguments = argument_parser(__doc__).parse_args()

    with tempfile.TemporaryDirectory() as folder:
        rng = random.Random(arguments.rng)
        check = Check(Program(arguments.program), Path(folder), rng)
        with check.report.judge("cross-check", "the 2048 tables"):
            for case in CASES:
                check.case(case)
    print(
        f"cross-check: {len(CASES)} tables of 2048: {check.records} records "
        f"and {check.probes} probes agree"
    )


if __name__ == "__main__":
    main()
