#!/usr/bin/env python3
"""Compares the program's answers with those of the independent collapsi.py.

    python3 tools/crosscheck.py path/to/endtable [--positions 400] [--rng 1]

Positions of every depth, from full deals to ended games, go to the program in
all its input forms under both rules, named and on standard input. Every fact
that it prints is compared: key, folded key, state (so for a seed: the deal),
turn, win, best move, distance and the value of each move. Input that is no
position must be refused, and the rest answered. Exit code 1 if anything
differs.
"""

import gc
import multiprocessing
import os
import random
from typing import NamedTuple

import collapsi
from checks.answers import UNREADABLE, collapsi_answers
from checks.positions import random_game
from checks.program import BAD_INPUT, Program
from checks.report import Report, argument_parser

DEALS = 12  # full deals given as seeds, under each rule
EDGE_SEEDS = [0, 1, 2**63, collapsi.WORD]
NO_POSITIONS = ["no position", "1:1", "-1", "JxA23/4Jo32/A2A3 x", str(2**64), ""]


class Question(NamedTuple):
    rules: str
    line: str  # as given to the program
    position: collapsi.Position  # as the program should read it


class Answer(NamedTuple):
    """Facts about one position, as printed."""

    key: str
    fold: str
    state: str
    bits: str  # turn, win, best move
    distance: int
    moves: dict


# --- Questions -------------------------------------------------------------


def make_questions(rng, rules, count):
    """Seeds first, as they take longest to solve; then moments of random games."""
    seeds = EDGE_SEEDS + [rng.getrandbits(64) for _ in range(DEALS - len(EDGE_SEEDS))]
    questions = [Question(rules, str(seed), collapsi.deal(seed)) for seed in seeds]
    for i in range(count - DEALS):
        game = random_game(rng, rules, collapsi.deal(rng.getrandbits(64)))
        # One in ten is surely an ended game: 10 and the three forms share no
        # factor, so these too come in every form.
        position = game[-1] if i % 10 == 0 else rng.choice(game)
        match i % 3:
            case 0:  # the text form cannot show collapsed cards
                position = collapsi.forget(position)
                line = collapsi.to_text(position)
            case 1:
                line = collapsi.to_state(position)
            case 2:
                line = collapsi.to_key(position)
        questions.append(Question(rules, line, position))
    return questions


# --- Answers ---------------------------------------------------------------


def expected(question):
    position = question.position
    solution = collapsi.solve(position, question.rules)
    return Answer(
        key=collapsi.to_key(position),
        fold=f"{collapsi.fold(collapsi.key(position)):016x}",
        state=collapsi.to_state(position),
        bits=collapsi.bits(position, solution),
        distance=solution.distance,
        moves={
            f"{position.mover:x}{to:x}": (value % 2, value)
            for to, value in solution.moves.items()
        },
    )


def expect_all(questions):
    # The solver's large memos hold no cycles; looking for some takes a fifth
    # of the time.
    with multiprocessing.Pool(os.cpu_count(), gc.disable) as pool:
        return pool.map(expected, questions, chunksize=1)


def forms(program, lines):
    """{key: {form: text}} of positions, by `dump`."""
    found, facts = {}, {}
    for line in program.name("dump", "collapsi", positions=lines):
        name, _, text = line.partition(" ")
        if name == "position":
            facts = {}
        facts.setdefault(name, text.strip())
        if name == "key":
            found[facts["key"]] = facts
    return found


# --- Comparison ------------------------------------------------------------


class Check:
    def __init__(self, program):
        self.program = program
        self.report = Report()

    def compare(self, rules, questions, answers):
        """Compares what the program says of these positions, asked in two ways."""
        lines = [question.line for question in questions]
        solve = "solve", "collapsi", "--rules", rules
        named = self.program.name(*solve, "--verbose", positions=lines)
        solved, dumped = collapsi_answers(named), forms(self.program, lines)
        fed = self.program.feed(*solve, positions=lines)
        folded = self.program.feed(*solve, "--fold64", positions=lines)
        for line, ours, short, fold in zip(lines, answers, fed, folded):
            name = f"rules {rules}, input {line}"
            equal = self.report.equal
            equal(f"{name}, a line", short, f"{ours.key} {ours.bits}")
            equal(f"{name}, folded", fold, f"{ours.fold} {ours.bits}")
            theirs = solved.get(ours.key)
            if theirs is None or ours.key not in dumped:
                self.report.differ(f"{name}: {ours.key} is not among the answers")
                continue
            for fact in ("bits", "distance", "moves"):
                equal(f"{name}, {fact}", getattr(theirs, fact), getattr(ours, fact))
            # By ascending destination.
            equal(f"{name}, order of moves", list(theirs.moves), list(ours.moves))
            for fact, our in (("state", ours.state), ("folded", ours.fold)):
                equal(f"{name}, dump: {fact}", dumped[ours.key].get(fact), our)

    def compare_refusals(self, question, answer):
        """What is no position gets its line, too, and does not stop the rest."""
        right = f"{answer.key} {answer.bits}"
        lines, wanted = [], []
        for wrong in NO_POSITIONS:
            lines += [wrong, question.line]
            wanted += [UNREADABLE, right]
        solve = "solve", "collapsi", "--rules", question.rules
        code, output, error = self.program.call(*solve, "--stdin", lines=lines)
        self.report.equal("lines that cannot be read", output, wanted)
        self.report.equal("their exit code", code, BAD_INPUT)
        for number in range(1, len(lines), 2):
            if f"endtable: line {number}: " not in error:
                self.report.differ(f"line {number} is not complained of:\n{error}")
        for wrong in filter(None, NO_POSITIONS):
            # Behind --, as one begins with a dash.
            code, output, error = self.program.call(*solve, "--", question.line, wrong)
            self.report.equal(f"{wrong!r}, named", (code, output), (BAD_INPUT, []))
            if not error:
                self.report.differ(f"{wrong!r}, named: nothing on standard error")


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--positions", type=int, default=400)
    arguments = parser.parse_args()
    if arguments.positions < 2 * DEALS:
        parser.error(f"--positions must be at least {2 * DEALS}")

    rng = random.Random(arguments.rng)
    half = arguments.positions // 2
    questions = {
        "one": make_questions(rng, "one", half),
        "wild": make_questions(rng, "wild", arguments.positions - half),
    }
    check = Check(Program(arguments.program))
    with check.report.judge("cross-check", "program and Python"):
        for rules, some in questions.items():
            answers = expect_all(some)
            check.compare(rules, some, answers)
            check.compare_refusals(some[-1], answers[-1])
    print(f"cross-check: {arguments.positions} positions agree")


if __name__ == "__main__":
    main()
