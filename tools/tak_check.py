#!/usr/bin/env python3
"""Checks a proof of a forced win of Tak, move by move.

    python3 tools/tak_check.py PROOF.etb

The rules are those of tak.py and the file is read by the package etb: neither
shares code with the program, and nothing is searched. From the position that
the header names, the stored move is played where the winner moves, and every
legal move where the loser does. Each must lead to the end that is claimed, or
to a stored position with fewer plies to go than are left. Exit code 1 if the
proof has a hole.
"""

import argparse
import sys

import tak
from etb.errors import TableError
from etb.record import WIN
from etb.table import Table

LETTERS = ("", "S", "C")  # of stones that are placed, by number


class Hole(Exception):
    """The proof does not prove what it says."""


def move_of(number, position):
    """The move with a number: from bit 10 the square, from bit 8 the kind of stone or the direction,
    below it the drops: a bit for each stone in the hand, set for the last on its square."""
    square, which, drops = number >> 10, number >> 8 & 3, number & 0xFF
    if square >= position.size**2 or (drops == 0 and which >= len(LETTERS)):
        raise Hole(f"no move has the number {number}")
    if drops == 0:
        return LETTERS[which] + tak.name(position.size, square)
    counts, last = [], -1
    for stone in range(drops.bit_length()):
        if drops >> stone & 1:
            counts.append(stone - last)
            last = stone
    return tak.slide_name(position, square, list(tak.DIRECTIONS)[which], counts)


class Proof:
    def __init__(self, path):
        with Table(path) as table:
            text = table.header.text
            self.records = {record.code: record.meta for record in table.records()}
        if text.game != "tak" or "position" not in text.entries:
            raise Hole("this is no proof of Tak")
        options = {name: text.options.get(name) for name in ("flats", "caps", "komi")}
        flats, caps = (options[name] and int(options[name]) for name in ("flats", "caps"))
        komi = float(options["komi"] or 0)
        self.root = tak.parse(text.entries["position"], flats, caps, komi)
        self.plies = int(text.options["plies"])
        self.has_caps = (tak.CAPS[self.root.size] if caps is None else caps) > 0
        self.ends = ("R-0", "0-R")
        if text.options.get("goal", "any") == "any":
            self.ends = ("R-0 F-0", "0-R 0-F")
        self.used = set()

    def step(self, position):
        """The canonical position, what is stored of it, and its code."""
        canonical = tak.canonical(position)
        code = tak.exact_key(canonical, self.has_caps)
        return canonical, self.records.get(code), code

    def follow(self):
        winner = self.root.turn if self.step(self.root)[1] else 1 - self.root.turn
        open_positions = [(self.root, self.plies)]
        while open_positions:
            position, left = open_positions.pop()
            ended = tak.end(position)
            if ended is not None:
                if ended not in self.ends[winner]:
                    raise Hole(f"{tak.text(position)}: the game ends with {ended}")
                continue
            if left == 0:
                raise Hole(f"{tak.text(position)}: no plies are left")
            if position.turn != winner:
                after = [tak.make(position, move) for move in tak.moves(position)]
                open_positions += [(next_one, left - 1) for next_one in after]
                continue
            canonical, meta, code = self.step(position)
            if meta is None:
                raise Hole(f"{tak.text(position)}: not in the proof")
            if meta.turn != winner or meta.result != WIN or not 0 < meta.plies <= left:
                raise Hole(f"{tak.text(position)}: {meta}, with {left} plies left")
            if code not in self.used:
                self.used.add(code)
                after = tak.play(canonical, move_of(meta.move, canonical))
                open_positions.append((after, meta.plies - 1))
        return winner


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("proof")
    arguments = parser.parse_args()
    try:
        proof = Proof(arguments.proof)
        winner = ("White", "Black")[proof.follow()]
    except (Hole, TableError, tak.TakError, OSError) as problem:
        sys.exit(f"{arguments.proof}: {problem}")
    unused = len(proof.records) - len(proof.used)
    print(
        f"{winner} wins {tak.text(proof.root)} within {proof.plies} plies: "
        f"{len(proof.used)} positions checked, {unused} not needed"
    )


if __name__ == "__main__":
    main()
