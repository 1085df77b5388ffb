#!/usr/bin/env python3
"""Compares the program's tables with what the independent package etb reads.

    python3 tools/check_reader.py path/to/endtable [--probes 150] [--rng 1]

Makes a small table of every kind, of Collapsi and of 2048, and compares every
record with the program's dump and raw export of it, then the answers for
positions that are in the tables, for their images under symmetries, and for
some that are not there. Last, damaged copies must be refused. Exit code 1 if
anything differs.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
from itertools import zip_longest
from math import isclose
from pathlib import Path

import collapsi
import twenty48
from etb.collapsi.game import move_text
from etb.collapsi.symmetries import symmetry
from etb.errors import PositionError, TableError
from etb.table import Table

SEED = 0  # the deal whose positions the large tables hold
ROOTS = 50  # the deals of the small ones
KINDS = {
    "canonical": f"--seeds {SEED}..{SEED + 1}",
    "exact": f"--seeds {SEED}..{SEED + 1} --exact",
    "plain": f"--seeds {SEED}..{SEED + 1} --uncompressed",
    "folded": f"--seeds {SEED}..{SEED + 1} --fold64",
    "exact-folded": f"--seeds {SEED}..{SEED + 1} --exact --fold64 --uncompressed",
    "roots": f"--seeds 0..{ROOTS} --positions root --rules wild",
    "roots-plain": f"--seeds 0..{ROOTS} --positions root --rules wild --uncompressed",
}
# The scores come first: their tables hold all boards of their size.
KINDS_2048 = {
    "2x2-score": "--board 2x2 --objective score",
    "2x2-tile16": "--board 2x2 --objective tile:16 --value f64",
    "2x3-score": "--board 2x3 --objective score",
    "2x3-tile64": "--board 2x3 --objective tile:64",
}
CHANCES = tuple(kind for kind in KINDS_2048 if "tile" in kind)
SHOWN = 10  # differences printed before the report stops
PATIENCE = 600  # seconds for the program to answer


class Difference(Exception):
    pass


class Check:
    def __init__(self, program, folder, probes, rng):
        self.program = program
        self.folder = folder
        self.probes = probes
        self.rng = rng
        self.differences = []
        self.records = self.probed = self.absent = self.refused = 0

    def differ(self, text):
        self.differences.append(text)
        if len(self.differences) >= SHOWN:
            raise Difference

    def run(self, *arguments, lines="", codes=(0,)):
        done = subprocess.run(
            [self.program, *arguments],
            input=lines,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        if done.returncode not in codes:
            raise SystemExit(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout.splitlines()

    # --- Records

    def compare_records(self, kind, path):
        expected = self.run("dump", path)
        with Table(path) as table:
            found = (table.line(record) for record in table.records())
            for number, (ours, theirs) in enumerate(zip_longest(found, expected)):
                if ours != theirs:
                    self.differ(f"{kind}, record {number}: {ours}, the program: {theirs}")
            if len(table) != len(expected):
                self.differ(f"{kind}: {len(table)} records, the program: {len(expected)}")
            self.records += len(table)
            raw = self.folder / f"{kind}.raw"
            self.run("export", path, "--raw", "--out", raw)
            if b"".join(map(table.raw, table.records())) != raw.read_bytes():
                self.differ(f"{kind}: the raw export is another")

    def compare_gets(self, kind, path):
        """What is read record by record must be what is looked up."""
        with Table(path) as table:
            records = {record.code: record for record in table.records()}
            for code in self.rng.sample(sorted(records), min(len(records), self.probes)):
                for near in (code - 1, code, code + 1):
                    if table.stored.get(near) != records.get(near):
                        self.differ(f"{kind}: code {near} is not found as it is stored")
            if table.stored.get(2**64 - 1) is not None:
                self.differ(f"{kind}: a code that is too large is found")

    # --- Probes

    def game(self, position):
        """All positions of a random game."""
        solver = collapsi.Solver(position.cards, "one")
        game = [position]
        while to := solver.destinations(position.alive, position.mover, position.other):
            position = collapsi.play(position, self.rng.choice(to))
            game.append(position)
        return game

    def disguised(self, position):
        """An image of the position under a random symmetry of board and players."""
        g = symmetry(self.rng.randrange(16), self.rng.randrange(24))
        *sets, turn = collapsi.boards(position)
        sets = [g.image(cells) for cells in sets]
        if self.rng.random() < 0.5:
            sets[4], sets[5], turn = sets[5], sets[4], 1 - turn
        return collapsi.from_boards([*sets, turn])

    def questions(self, kind):
        """Pairs: a position, and whether it must be in the table."""
        stranger = collapsi.deal(SEED + ROOTS)
        if kind.startswith("roots"):
            deals = [collapsi.deal(seed) for seed in range(ROOTS)]
            known = [*deals, *(self.disguised(deal) for deal in deals)]
        else:
            known = []
            while len(known) < self.probes:
                known += self.game(collapsi.deal(SEED))
            if "exact" not in kind:
                known = [
                    collapsi.forget(self.disguised(p)) if i % 2 else p
                    for i, p in enumerate(known)
                ]
        return [(p, True) for p in known] + [(p, False) for p in self.game(stranger)[:3]]

    def compare_probes(self, kind, path):
        questions = self.questions(kind)
        lines = "".join(collapsi.to_key(p) + "\n" for p, _ in questions)
        # Exit code 1: some positions are not in the table.
        output = self.run("probe", path, "--stdin", "--moves", lines=lines, codes=(0, 1))
        theirs = read_answers(output)
        solved = theirs
        if kind.startswith("roots"):
            # What the moves lead to is not in these tables.
            solver = ("solve", "--stdin", "--verbose", "--rules", "wild")
            solved = read_answers(self.run(*solver, lines=lines))
        with Table(path) as table:
            for position, known in questions:
                key = collapsi.to_key(position)
                ours = table.probe(collapsi.boards(position))
                if (ours is not None) != known or (key in theirs) != known:
                    self.differ(f"{kind}, {key}: should be {'present' if known else 'absent'}")
                elif known:
                    win, distance, _ = theirs[key]
                    moves = solved[key][2]
                    name = f"{kind}, {key}"
                    self.compare_answer(name, position, ours, win, distance, moves)
                    self.probed += 1
                else:
                    self.absent += 1

    def compare_answer(self, name, position, ours, win, distance, moves):
        if (ours.turn, ours.win, ours.plies) != (position.turn, win, distance):
            self.differ(f"{name}: {ours}, the program: win {win}, distance {distance}")
        best = [move for move, value in moves.items() if value == (win, distance)] or ["ff"]
        # Several moves may be equally good, and a reader may name any of them.
        if move_text(ours.move) not in best:
            self.differ(f"{name}: {ours}, the program's best moves: {' '.join(best)}")

    # --- Probes of 2048

    def questions_2048(self, all_boards):
        """Some boards, turned and mirrored, and some that no game leads to."""
        known = self.rng.sample(all_boards, min(len(all_boards), self.probes))
        questions = [(self.rng.choice(twenty48.images(board)), True) for board in known]
        rows, columns = len(all_boards[0]), len(all_boards[0][0])
        reachable = {image for board in all_boards for image in twenty48.images(board)}
        while len(questions) < len(known) + 10:
            board = tuple(
                tuple(self.rng.choice((0, 2, 4, 8, 16)) for _ in range(columns))
                for _ in range(rows)
            )
            if board not in reachable:
                questions.append((board, False))
        return questions

    def compare_probes_2048(self, kind, path, all_boards):
        questions = self.questions_2048(all_boards)
        lines = "".join(twenty48.to_key(board) + "\n" for board, _ in questions)
        # Exit code 1: not in the table; 2: no game can lead to it, as is plain to see.
        output = self.run("probe", path, "--stdin", "--moves", lines=lines, codes=(0, 1, 2))
        theirs = read_answers_2048(output)
        with Table(path) as table:
            for board, known in questions:
                key = twenty48.to_key(board)
                ours = table.probe(int(key, 16))
                finished = table.game.is_finished(int(key, 16))
                if finished and ours != (1, None, 1):
                    self.differ(f"{kind}, {key}: {ours}, but it is finished")
                # A finished board is told by its tiles, reachable or not; the
                # program refuses some of those that are not.
                if not known and finished:
                    continue
                if (ours is not None) != known or (key in theirs) != known:
                    self.differ(f"{kind}, {key}: should be {'present' if known else 'absent'}")
                elif known:
                    self.compare_answer_2048(f"{kind}, {key}", ours, *theirs[key])
                    self.probed += 1
                else:
                    self.absent += 1

    def compare_answer_2048(self, name, ours, win, move, value, moves):
        # The program prints chances with nine digits, and scores with those of an f32.
        def close(a, b):
            return abs(a - b) <= 2e-9 or not name.startswith(CHANCES) and isclose(a, b, rel_tol=1e-6)

        if ours.win != win or (ours.move is None) != (move is None):
            self.differ(f"{name}: {ours}, the program: win {win}, move {move}")
        elif not close(ours.value, value):
            self.differ(f"{name}: {ours}, the program's value: {value}")
        elif ours.move is not None:
            # Several moves may be equally good, and a reader may name any of them.
            named = moves.get(twenty48.DIRECTIONS[ours.move])
            if named is None or not close(named, max(moves.values())):
                self.differ(f"{name}: {ours}, the program's moves: {moves}")

    # --- Damage

    def must_refuse(self, what, path, data):
        path.write_bytes(data)
        try:
            with Table(path) as table:
                for _ in table.records():
                    pass
        except TableError:
            self.refused += 1
        else:
            self.differ(f"{what}: not refused")

    def damage(self, kind, path, exhaustive):
        whole = path.read_bytes()
        with Table(path) as table:
            padding = range(table.stored.blocks_end(), table.header.index_offset)
        # The padding is under no checksum.
        places = [at for at in range(len(whole)) if at not in padding]
        if not exhaustive:
            places = self.rng.sample(places, 2)
        lengths = self.rng.sample(range(len(whole)), 20)
        copy = self.folder / "damaged.etb"
        for at in places:
            data = bytearray(whole)
            data[at] ^= 1 << self.rng.randrange(8)
            self.must_refuse(f"{kind}, byte {at} changed", copy, data)
        for length in lengths:
            self.must_refuse(f"{kind}, cut to {length} bytes", copy, whole[:length])
        self.must_refuse(f"{kind}, a byte more", copy, whole + b"\0")
        self.must_refuse(f"{kind}, unfinished", copy, bytes(8) + whole[8:])

    def everything(self):
        for kind, options in KINDS.items():
            path = self.folder / f"{kind}.etb"
            self.run("generate", "collapsi", *options.split(), "--out", path)
            try:
                self.compare_records(kind, path)
                self.compare_probes(kind, path)
                self.damage(kind, path, exhaustive=kind.startswith("roots"))
            except (TableError, PositionError) as error:
                self.differ(f"{kind}: {error}")
        for kind, options in KINDS_2048.items():
            path = self.folder / f"{kind}.etb"
            self.run("generate", "2048", *options.split(), "--out", path)
            try:
                self.compare_records(kind, path)
                self.compare_gets(kind, path)
                if kind.endswith("score"):
                    with Table(path) as table:
                        size = table.game.boards.rows, table.game.boards.columns
                        keys = [f"{table.game.key(record):x}" for record in table.records()]
                    all_boards = [twenty48.from_key(key, *size) for key in keys]
                self.compare_probes_2048(kind, path, all_boards)
                self.damage(kind, path, exhaustive=kind.startswith("2x2"))
            except (TableError, PositionError) as error:
                self.differ(f"{kind}: {error}")


def read_answers_2048(output):
    """{key: (win, best move, value, {move: value})} from the program's lines."""
    answers = {}
    for line in output:
        match line.split():
            case ["move", move, value]:
                moves[move] = float(value)
            case [key, bits, value]:
                moves = {}
                move = None if bits[2:] == "ff" else int(bits[2:], 16)
                answers[key] = int(bits[1]), move, float(value), moves
            case _:
                raise SystemExit(f"a line of the program is not understood: {line}")
    return answers


def read_answers(output):
    """{key: (win, distance, {move: (win, distance)})} from the program's lines."""
    answers = {}
    for line in output:
        match line.split():
            case ["distance", distance]:
                answers[key] = win, int(distance), moves
            case ["move", move, result, distance]:
                moves[move] = int(result == "win"), int(distance)
            case ["move", _, "unknown"] | ["nodes", _] | ["time", *_]:
                pass
            case [key, bits]:
                win, moves = int(bits[1]), {}
            case _:
                raise SystemExit(f"a line of the program is not understood: {line}")
    return answers


def main():
    parser = argparse.ArgumentParser(description="Check the package etb against the program.")
    parser.add_argument("program", help="path to endtable")
    parser.add_argument("--probes", type=int, default=150, help="for each large table")
    parser.add_argument("--rng", type=int, default=1, help="seed of the random choices")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        check = Check(
            os.path.abspath(arguments.program),
            Path(folder),
            arguments.probes,
            random.Random(arguments.rng),
        )
        try:
            check.everything()
        except Difference:
            pass
    for text in check.differences:
        print(text, file=sys.stderr)
    print(
        f"{len(KINDS) + len(KINDS_2048)} tables: {check.records} records and {check.probed} probes compared, "
        f"{check.absent} absent, {check.refused} damaged copies refused, "
        f"{len(check.differences) or 'no'} differences"
    )
    sys.exit(1 if check.differences else 0)


if __name__ == "__main__":
    main()
