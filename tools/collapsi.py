#!/usr/bin/env python3
"""Collapsi, written a second time, as plainly as possible.

This file is the independent referee of the fast program: it shares no code
with it and was written from the rules alone.

The board is a 4x4 grid that wraps both ways; cell (row r, column c) has the
number 4r+c, and a set of cells is a 16-bit number with one bit for each cell.
A pawn walks exactly as many orthogonal steps as the card under it says. It
enters no cell twice in one move and no collapsed cell; it may pass through the
other pawn but not stop there. The card it leaves collapses, and whoever cannot
move loses. A joker is worth one step under the rule `one`, and any of one to
four steps under the rule `wild`.

    python3 tools/collapsi.py solve --seed 1 --rules wild
    python3 tools/collapsi.py solve 'JxA23/4Jo32/A2A3/2A43 x' --rules one
    python3 tools/collapsi.py show 42
"""

import argparse
import re
from itertools import combinations
from math import isqrt
from typing import NamedTuple

CELLS = range(16)
WORD = 2**64 - 1
RULES = ("one", "wild")
DEALS = 16 * 15 * 1001 * 210 * 15


# --- Positions -------------------------------------------------------------


class Position(NamedTuple):
    """A position; `cards[c]` is the card on cell c, one of `A 2 3 4 J`.

    A collapsed cell may keep its card or forget it: collapsed cards do not
    matter for play. A forgotten card is written J, since a joker and a
    forgotten card are both "a cell on none of the four card boards".
    """

    cards: str
    x: int  # the cell of pawn X
    o: int  # the cell of pawn O
    collapsed: int  # the set of collapsed cells
    turn: int  # 0 = X to move, 1 = O to move

    @property
    def mover(self):
        return self.o if self.turn else self.x

    @property
    def other(self):
        return self.x if self.turn else self.o

    @property
    def alive(self):
        """The set of cells that have not collapsed."""
        return 0xFFFF & ~self.collapsed


def play(position, to):
    """The position after the side to move has gone to cell `to`."""
    collapsed = position.collapsed | 1 << position.mover
    if position.turn == 0:
        return position._replace(x=to, collapsed=collapsed, turn=1)
    return position._replace(o=to, collapsed=collapsed, turn=0)


def forget(position):
    """The same position without the cards of its collapsed cells."""
    cards = "".join(
        "J" if position.collapsed >> c & 1 else position.cards[c] for c in CELLS
    )
    return position._replace(cards=cards)


def checked(position):
    """The position itself, if its pawns stand on two cells that are alive."""
    if position.x == position.o:
        raise ValueError("both pawns on one cell")
    if position.collapsed >> position.x & 1 or position.collapsed >> position.o & 1:
        raise ValueError("a pawn on a collapsed cell")
    return position


# --- Moves and values ------------------------------------------------------


def neighbours(cell):
    """The four cells next to `cell` on the torus."""
    row, column = divmod(cell, 4)
    return [
        4 * ((row - 1) % 4) + column,
        4 * ((row + 1) % 4) + column,
        4 * row + (column - 1) % 4,
        4 * row + (column + 1) % 4,
    ]


NEIGHBOURS = [neighbours(cell) for cell in CELLS]


class Solver:
    """Exact values of all positions that share one layout of cards.

    A value is just the number of plies to the end of the game, with the winner
    hurrying and the loser delaying. It also tells who wins: the player who
    makes the last move wins, so the side to move wins exactly if it is odd.
    """

    def __init__(self, cards, rules):
        joker = {"one": (1,), "wild": (1, 2, 3, 4)}[rules]
        self.steps = [joker if card == "J" else ("A234".index(card) + 1,) for card in cards]
        self.walks = {}
        self.values = {}

    def walk(self, free, cell, steps):
        """The cells where a walk of `steps` steps from `cell` can end.

        `free` is the set of cells that the walk may still enter.
        """
        if steps == 0:
            return {cell}
        key = free, cell, steps
        if key not in self.walks:
            ends = set()
            for step in NEIGHBOURS[cell]:
                if free >> step & 1:
                    ends |= self.walk(free & ~(1 << step), step, steps - 1)
            self.walks[key] = ends
        return self.walks[key]

    def destinations(self, alive, mover, other):
        """The cells where the mover can go, in ascending order."""
        free = alive & ~(1 << mover)
        ends = set()
        for steps in self.steps[mover]:
            ends |= self.walk(free, mover, steps)
        return sorted(ends - {other})

    def distance(self, alive, mover, other):
        """The value of the position, for the side that moves `mover`.

        The turn is no part of the memo's key: both sides play by the same
        rules, so it only matters which pawn moves.
        """
        key = alive, mover, other
        if key not in self.values:
            left = alive & ~(1 << mover)
            after = []
            for to in self.destinations(alive, mover, other):
                after.append(1 + self.distance(left, other, to))
                if after[-1] == 1:  # nothing beats a win on the spot
                    break
            self.values[key] = best(after)
        return self.values[key]

    def moves(self, position):
        """{destination: value for the mover, counting this move}, ascending."""
        alive, mover, other = position.alive, position.mover, position.other
        left = alive & ~(1 << mover)
        return {
            to: 1 + self.distance(left, other, to)
            for to in self.destinations(alive, mover, other)
        }


def best(values):
    """The shortest win (odd), else the longest loss (even), else 0: no move."""
    wins = [value for value in values if value % 2 == 1]
    return min(wins) if wins else max(values, default=0)


class Solution(NamedTuple):
    distance: int
    to: int | None  # destination of the best move; None if there is no move
    moves: dict  # {destination: value}

    @property
    def win(self):
        return self.distance % 2


def solve(position, rules):
    """The value, the best move (lowest destination of equals) and all moves."""
    moves = Solver(position.cards, rules).moves(position)
    distance = best(moves.values())
    to = next((to for to, value in moves.items() if value == distance), None)
    return Solution(distance, to, moves)


# --- Keys ------------------------------------------------------------------


def pair(a, b):
    """Szudzik's pairing: two numbers below n make one number below n*n."""
    return b * b + a if a < b else a * a + a + b


def unpair(z):
    root = isqrt(z)
    rest = z - root * root
    return (rest, root) if rest < root else (root, rest - root)


def boards(position):
    """The eight numbers of the state: A, 2, 3, 4, X, O, collapsed, turn."""
    cards = [
        sum(1 << c for c in CELLS if position.cards[c] == kind) for kind in "A234"
    ]
    return [*cards, 1 << position.x, 1 << position.o, position.collapsed, position.turn]


def from_boards(numbers):
    """The position of the eight numbers; ValueError if they are not one."""
    if len(numbers) != 8:
        raise ValueError("a state has eight numbers")
    *cards, x, o, collapsed, turn = numbers
    if max(numbers) > 0xFFFF or turn > 1:
        raise ValueError("a number of the state is too large")
    if x.bit_count() != 1 or o.bit_count() != 1:
        raise ValueError("a pawn must stand on one cell")
    layout = ["J"] * 16
    for kind, board in zip("A234", cards):
        for c in CELLS:
            if board >> c & 1:
                if layout[c] != "J":
                    raise ValueError("two cards on one cell")
                layout[c] = kind
    x, o = x.bit_length() - 1, o.bit_length() - 1
    return checked(Position("".join(layout), x, o, collapsed, turn))


def key(position):
    """The 128-bit key: the eight numbers paired like a knockout tournament."""
    numbers = boards(position)
    while len(numbers) > 1:
        numbers = [pair(a, b) for a, b in zip(numbers[::2], numbers[1::2])]
    return numbers[0]


def unkey(number):
    numbers = [number]
    while len(numbers) < 8:
        numbers = [part for whole in numbers for part in unpair(whole)]
    return from_boards(numbers)


def mix(x):
    """The output of SplitMix64 whose state was x before the step."""
    z = x + 0x9E3779B97F4A7C15 & WORD
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


def fold(number):
    """A 128-bit key folded to 64 bits."""
    return mix(mix(number >> 64) ^ number & WORD)


# --- Deals -----------------------------------------------------------------


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        output = mix(self.state)
        self.state = self.state + 0x9E3779B97F4A7C15 & WORD
        return output

    def below(self, n):
        """A number below n, all equally likely: the uneven top is redrawn."""
        limit = 2**64 - 2**64 % n
        while (r := self.next()) >= limit:
            pass
        return r % n


def deal(seed):
    """The start position that a 64-bit seed stands for."""
    if not 0 <= seed <= WORD:
        raise ValueError("a seed has 64 bits")
    random = SplitMix64(seed)
    cards = ["Jx", "Jo", *"AAAA", *"2222", *"3333", *"44"]
    for i in range(15, 0, -1):
        j = random.below(i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    layout = "".join(card[0] for card in cards)
    return Position(layout, cards.index("Jx"), cards.index("Jo"), 0, 0)


def is_deal(position):
    return (
        sorted(position.cards) == sorted("JJAAAA2222333344")
        and position.cards[position.x] == position.cards[position.o] == "J"
        and position.collapsed == position.turn == 0
    )


def rank(position):
    """The number of a deal, from 0 to DEALS - 1.

    The kinds are placed one after another, each on some of the cells left; the
    rank is the mixed-radix number of these choices, each choice counted in
    lexicographic order (the order in which `combinations` makes them).
    """
    if not is_deal(position):
        raise ValueError("only a deal has a rank")
    left = list(CELLS)
    number = 0
    for cells in [
        (position.x,),
        (position.o,),
        *(tuple(c for c in CELLS if position.cards[c] == kind) for kind in "A23"),
    ]:
        choices = list(combinations(left, len(cells)))
        number = number * len(choices) + choices.index(cells)
        left = [c for c in left if c not in cells]
    return number


def unrank(number):
    """The deal of a rank."""
    if not 0 <= number < DEALS:
        raise ValueError("no such rank")
    digits = []
    for radix in (15, 210, 1001, 15, 16):
        number, digit = divmod(number, radix)
        digits.append(digit)
    left = list(CELLS)
    layout = ["4"] * 16
    pawns = []
    for kind, size in (("J", 1), ("J", 1), ("A", 4), ("2", 4), ("3", 4)):
        cells = list(combinations(left, size))[digits.pop()]
        for c in cells:
            layout[c] = kind
        if kind == "J":
            pawns += cells
        left = [c for c in left if c not in cells]
    return Position("".join(layout), *pawns, 0, 0)


# --- Notation --------------------------------------------------------------


def to_text(position):
    """Such as `JxA23/4Jo32/A2A3/2A43 x`; collapsed cards are not shown."""
    cells = []
    for c in CELLS:
        mark = "." if position.collapsed >> c & 1 else position.cards[c]
        pawn = "x" if c == position.x else "o" if c == position.o else ""
        cells.append(mark + pawn)
    rows = "/".join("".join(cells[r : r + 4]) for r in range(0, 16, 4))
    return f"{rows} {'xo'[position.turn]}"


def from_text(text):
    row = r"(?:[A234J.][xo]?){4}"
    if not re.fullmatch(rf"{row}/{row}/{row}/{row} [xo]", text):
        raise ValueError(f"not a position: {text!r}")
    grid, side = text.split(" ")
    cells = re.findall(r"[A234J.][xo]?", grid)
    pawns = [[c for c in CELLS if cells[c].endswith(pawn)] for pawn in "xo"]
    if [len(found) for found in pawns] != [1, 1]:
        raise ValueError("each pawn must stand on one cell")
    layout = "".join(cell[0] for cell in cells).replace(".", "J")
    collapsed = sum(1 << c for c in CELLS if cells[c][0] == ".")
    return checked(Position(layout, pawns[0][0], pawns[1][0], collapsed, "xo".index(side)))


def to_state(position):
    *sets, turn = boards(position)
    return ",".join([*(f"{board:04x}" for board in sets), str(turn)])


def from_state(text):
    if not re.fullmatch(r"[0-9a-fA-F]+(,[0-9a-fA-F]+){7}", text):
        raise ValueError(f"not a state: {text!r}")
    return from_boards([int(number, 16) for number in text.split(",")])


def to_key(position):
    number = key(position)
    return f"{number >> 64:016x}:{number & WORD:016x}"


def from_key(text):
    if not re.fullmatch(r"[0-9a-fA-F]{1,16}:[0-9a-fA-F]{1,16}", text):
        raise ValueError(f"not a key: {text!r}")
    high, low = text.split(":")
    return unkey(int(high, 16) << 64 | int(low, 16))


def parse(text):
    """A position in any form: text, state, key or seed."""
    for mark, read in (("/", from_text), (",", from_state), (":", from_key)):
        if mark in text:
            return read(text)
    if not re.fullmatch(r"[0-9]+", text):
        raise ValueError(f"not a seed: {text!r}")
    return deal(int(text))


def bits(position, solution):
    """Turn, win and best move in four characters, such as `011f`."""
    move = "ff" if solution.to is None else f"{position.mover:x}{solution.to:x}"
    return f"{position.turn}{solution.win}{move}"


def move_lines(position, solution):
    """One line such as `14 win 9` for each move, by ascending destination."""
    return [
        f"{position.mover:x}{to:x} {'win' if value % 2 else 'loss'} {value}"
        for to, value in solution.moves.items()
    ]


# --- Command line ----------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description="Collapsi: an independent solver.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in (
        ("solve", "value, best move and all moves of a position"),
        ("show", "all the names of a position"),
    ):
        command = commands.add_parser(name, help=about)
        which = command.add_mutually_exclusive_group(required=True)
        which.add_argument("position", nargs="?", help="text, state, key or seed")
        which.add_argument("--seed", help="the deal of this seed")
        which.add_argument("--rank", type=int, help="the deal of this rank")
        if name == "solve":
            command.add_argument("--rules", choices=RULES, default="one")
    arguments = parser.parse_args()

    try:
        if arguments.rank is not None:
            position = unrank(arguments.rank)
        else:
            position = parse(arguments.position or arguments.seed)
    except ValueError as error:
        parser.error(str(error))

    if arguments.command == "show":
        print("text", to_text(position))
        print("state", to_state(position))
        print("key", to_key(position))
        print("fold", f"{fold(key(position)):016x}")
        if is_deal(position):
            print("rank", rank(position))
        return

    solution = solve(position, arguments.rules)
    print(to_key(position), bits(position, solution))
    print("state", to_state(position))
    print("distance", solution.distance)
    for line in move_lines(position, solution):
        print("move", line)


if __name__ == "__main__":
    main()
