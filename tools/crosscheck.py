#!/usr/bin/env python3
"""Compares the program's answers with those of the independent collapsi.py.

    python3 tools/crosscheck.py path/to/endtable [--positions 400] [--rng 1]

Positions of every depth, from full deals to ended games, go to the program in
all its input forms under both rules. Every fact that it prints is compared:
key, folded key, state (so for a seed: the deal), turn, win, best move,
distance and the value of each move. Exit code 1 if anything differs.
"""

import argparse
import gc
import multiprocessing
import os
import random
import re
import subprocess
import sys
from typing import NamedTuple

import collapsi

DEALS = 12  # full deals given as seeds, under each rule
EDGE_SEEDS = [0, 1, 2**63, collapsi.WORD]
SHOWN = 10  # differences printed before the report stops
PATIENCE = 600  # seconds for the program to answer


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
    fold_bits: str  # the same, from the run with folded keys
    distance: str
    moves: list


# --- Questions -------------------------------------------------------------


def random_game(rng, rules):
    """All positions of a random game from a random deal, the last one ended."""
    position = collapsi.deal(rng.getrandbits(64))
    solver = collapsi.Solver(position.cards, rules)
    game = [position]
    while to := solver.destinations(position.alive, position.mover, position.other):
        position = collapsi.play(position, rng.choice(to))
        game.append(position)
    return game


def make_questions(rng, rules, count):
    """Seeds first, as they take longest to solve; then moments of random games."""
    seeds = EDGE_SEEDS + [rng.getrandbits(64) for _ in range(DEALS - len(EDGE_SEEDS))]
    questions = [Question(rules, str(seed), collapsi.deal(seed)) for seed in seeds]
    for i in range(count - DEALS):
        game = random_game(rng, rules)
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
    bits = collapsi.bits(position, solution)
    return Answer(
        key=collapsi.to_key(position),
        fold=f"{collapsi.fold(collapsi.key(position)):016x}",
        state=collapsi.to_state(position),
        bits=bits,
        fold_bits=bits,
        distance=str(solution.distance),
        moves=collapsi.move_lines(position, solution),
    )


def run(program, rules, lines, *options):
    """The program's output as one block of lines for each position."""
    command = [program, "solve", "--rules", rules, *options, "--stdin"]
    done = subprocess.run(
        command,
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    blocks = []
    for line in done.stdout.splitlines():
        if re.match(r"[0-9a-f]{16}[: ]", line):
            blocks.append([])
        if blocks:
            blocks[-1].append(line)
    if done.returncode != 0 or len(blocks) != len(lines):
        sys.exit(
            f"cross-check: `{' '.join(command)}` gave exit code {done.returncode} and "
            f"{len(blocks)} answers to {len(lines)} positions\n{done.stderr.strip()}"
        )
    return blocks


def ask(program, rules, questions):
    """The program's answers; the folded keys take a second run."""
    lines = [question.line for question in questions]
    full = run(program, rules, lines, "--verbose", "--dump-state")
    folded = run(program, rules, lines, "--fold64")
    answers = []
    for block, fold_block in zip(full, folded):
        key, bits = block[0].split(" ", 1)
        fold, fold_bits = fold_block[0].split(" ", 1)
        facts = {"state": [], "distance": [], "move": []}
        for line in block[1:]:
            name, _, fact = line.partition(" ")
            facts.setdefault(name, []).append(fact)
        answers.append(
            Answer(
                key=key,
                fold=fold,
                state=" ".join(facts["state"]),
                bits=bits,
                fold_bits=fold_bits,
                distance=" ".join(facts["distance"]),
                moves=facts["move"],
            )
        )
    return answers


# --- Comparison ------------------------------------------------------------


def differences(question, theirs, ours):
    """A report on the facts in which two answers differ, line by line."""
    lines = [
        f"  {name}: program {their!r}, Python {our!r}"
        for name, their, our in zip(Answer._fields, theirs, ours)
        if their != our
    ]
    if lines:
        lines.insert(0, f"rules {question.rules}, input {question.line}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="path to the endtable program")
    parser.add_argument("--positions", type=int, default=400)
    parser.add_argument("--rng", type=int, default=1, help="seed of the choice of positions")
    arguments = parser.parse_args()
    if arguments.positions < 2 * DEALS:
        parser.error(f"--positions must be at least {2 * DEALS}")

    rng = random.Random(arguments.rng)
    half = arguments.positions // 2
    one = make_questions(rng, "one", half)
    wild = make_questions(rng, "wild", arguments.positions - half)

    # A path without a folder would be looked up among the installed commands.
    program = os.path.abspath(arguments.program)
    try:
        theirs = ask(program, "wild", wild) + ask(program, "one", one)
    except (OSError, subprocess.TimeoutExpired) as error:
        sys.exit(f"cross-check: {error}")
    questions = wild + one
    # The solver's large memos hold no cycles; looking for some takes a fifth of the time.
    with multiprocessing.Pool(os.cpu_count(), gc.disable) as pool:
        ours = pool.map(expected, questions, chunksize=1)

    reports = [
        report
        for triple in zip(questions, theirs, ours)
        if (report := differences(*triple))
    ]
    if reports:
        for report in reports[:SHOWN]:
            print("\n".join(report))
        sys.exit(f"cross-check: {len(reports)} of {len(questions)} positions differ")
    print(f"cross-check: {len(questions)} positions agree")


if __name__ == "__main__":
    main()
