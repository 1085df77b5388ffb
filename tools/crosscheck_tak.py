#!/usr/bin/env python3
"""Compares the program's Tak with the independent tak.py.

    python3 tools/crosscheck_tak.py path/to/endtable [--positions 3000] [--rng 1]

Random games of every size, with random reserves and komi, are played by both.
Everything that `dump --json` says of their positions is compared: the sets, the
heights and stacks, exact keys, canonical forms, flats, reserves, the moves in
their order, and how the game ended; `apply` plays whole games, and `perft`
counts in its three ways. What is no position must be refused by both. Exit code
1 if anything differs.
"""

import json
import random

import tak
from checks.program import BAD_INPUT, Program
from checks.report import Report, argument_parser

COUNTED = 12  # positions that are counted
TWO_WORDS = range(65, 129)  # bits of keys that are written in two halves
NO_POSITIONS = [
    "x3/x3/x3",
    "x3/x3/x3 2 1",
    "x3/x3/x4 1 1",
    "x3/x,1S1,x/2,x2 1 3",
    "x3/1C,2,x/x3 1 3",
    "x3/1,2,x/x3 1 1",
    "x3/1,2,x/x3 1 x",
    "x2/x2 1 1",
]


def random_rules(rng, size):
    """Options for the program, and the start for Python."""
    if rng.random() < 0.3:
        return [], tak.start(size)
    flats = rng.randint(2, 28 if size < 7 else 60)
    caps = rng.randint(0, 3)
    half_points = rng.randint(-9, 9)
    options = [f"--flats={flats}", f"--caps={caps}", f"--komi={half_points / 2}"]
    return options, tak.start(size, flats, caps, half_points / 2)


def random_game(rng, position):
    """The positions of a game, and the moves between them. Slides are preferred: stacks grow."""
    positions, played = [position], []
    while tak.end(position) is None and position.ply < 120:
        moves = tak.moves(position)
        slides = [move for move in moves if any(sign in move for sign in tak.DIRECTIONS)]
        played.append(rng.choice(slides if slides and rng.random() < 0.6 else moves))
        position = tak.play(position, played[-1])
        positions.append(position)
    return positions, played


def members(position, test):
    return sum(test(stack) << at for at, stack in enumerate(position.stacks))


def key_text(position):
    """The exact key as it is written; None where the program has a hash."""
    stones, caps = [
        position.flats[0] + position.caps[0] + "".join(position.stacks).count("1"),
        position.caps[0] + sum(s.endswith("1C") for s in position.stacks) > 0,
    ]
    bits = 1 + (3 if caps else 2) * position.size**2 + 4 * stones
    key = tak.exact_key(position, caps)
    if bits <= 64:
        return f"{key:016x}"
    return f"{key >> 64:016x}:{key % 2**64:016x}" if bits in TWO_WORDS else None


def facts(position):
    """What `dump --json` says of a position."""
    over = tak.end(position)
    white, black = tak.flat_counts(position)
    reserves = [
        {"flats": flats, "caps": caps} for flats, caps in zip(position.flats, position.caps)
    ]
    found = {
        "game": "tak",
        "size": position.size,
        "position": tak.text(position),
        "turn": ("white", "black")[position.turn],
        "white": f"{members(position, lambda s: tak.owner(s) == 0):016x}",
        "black": f"{members(position, lambda s: tak.owner(s) == 1):016x}",
        "standing": f"{members(position, lambda s: tak.kind(s) == 'S'):016x}",
        "caps": f"{members(position, lambda s: tak.kind(s) == 'C'):016x}",
        "heights": ",".join(str(len(tak.stones(stack))) for stack in position.stacks),
        "stacks": ",".join(f"{tak.below_top(stack):x}" for stack in position.stacks),
        "flats": {"white": white, "black": black},
        "reserves": {"white": reserves[0], "black": reserves[1]},
        "moves": tak.moves(position) if over is None else [],
        "over": over,
    }
    key = key_text(position)
    return found if key is None else found | {"key": key}


class Check:
    def __init__(self, program, rng):
        self.program = program
        self.rng = rng
        self.report = Report()
        self.positions = 0

    def compare(self, name, line, position):
        theirs = json.loads(line)
        for fact, ours in facts(position).items():
            self.report.equal(f"{name}, {fact}", theirs.get(fact), ours)
        best = tak.canonical(position)
        wanted = tak.text(best)
        key = key_text(best)
        canonical = theirs["canonical"].split(" ", 1)
        self.report.equal(f"{name}, canonical form", canonical[1], wanted)
        if key is not None:
            self.report.equal(f"{name}, canonical key", canonical[0], key)
        self.positions += 1

    def game(self, size):
        options, start = random_rules(self.rng, size)
        positions, played = random_game(self.rng, start)
        texts = [tak.text(position) for position in positions]
        lines = self.program.feed("dump", "tak", "--json", *options, positions=texts)
        for line, position in zip(lines, positions):
            self.compare(f"{tak.text(position)} {' '.join(options)}", line, position)
        line = self.program.run("apply", "tak", "--json", *options, texts[0], *played)[-1]
        self.compare(f"{texts[0]} {' '.join(played)}", line, positions[-1])

    def count(self, size):
        options, start = random_rules(self.rng, size)
        positions, _ = random_game(self.rng, start)
        position = self.rng.choice(positions[-4:])
        plies = 3 if size == 3 else 2 if size < 7 else 1
        for ended in ("zero", "one", "on"):
            lines = self.program.run(
                "perft", "tak", tak.text(position), plies, "--ended", ended, *options
            )
            ours = [f"{n} {tak.perft(position, n, ended)}" for n in range(1, plies + 1)]
            name = f"perft of {tak.text(position)} {' '.join(options)}, {ended}"
            self.report.equal(name, lines, ours)

    def refusals(self):
        for text in NO_POSITIONS:
            try:
                tak.parse(text)
                self.report.differ(f"{text} is read by Python")
            except tak.TakError:
                pass
            code, output, _ = self.program.call("dump", "tak", text)
            self.report.equal(f"{text}, refused", (code, output), (BAD_INPUT, []))


def main():
    parser = argument_parser(__doc__)
    parser.add_argument("--positions", type=int, default=3000)
    arguments = parser.parse_args()

    check = Check(Program(arguments.program), random.Random(arguments.rng))
    with check.report.judge("cross-check", "program and Python"):
        check.refusals()
        for number in range(COUNTED):
            check.count(3 + number % 6)
        while check.positions < arguments.positions:
            for size in tak.FLATS:
                check.game(size)
    print(f"cross-check: {check.positions} positions of Tak agree")


if __name__ == "__main__":
    main()
