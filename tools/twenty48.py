#!/usr/bin/env python3
"""2048 on small boards, solved a second time, as plainly as possible.

This file is the independent referee of the fast program: it shares no code
with it and was written from the rules alone.

A board is a tuple of rows, a row a tuple of tiles, 0 for an empty cell. A turn
is a slide that moves something, up, right, down or left; equal tiles that meet
merge, each at most once, and score what they become. Then a new tile comes on
a random empty cell: a 2 with chance 9/10, else a 4. A game begins with two such
tiles and is over when nothing moves. Played for a tile, it ends as soon as that
tile appears.

Every reachable board is solved by recursion to the end of the game, with
fractions where that is quick enough: then nothing is rounded.

    python3 tools/twenty48.py 2x2 --objective tile:16
    python3 tools/twenty48.py 2x3 --objective score
"""

import argparse
import re
from fractions import Fraction

DIRECTIONS = ("up", "right", "down", "left")


# --- Boards ----------------------------------------------------------------


def empty(rows, columns):
    return ((0,) * columns,) * rows


def tiles(board):
    return [tile for row in board for tile in row if tile]


def turned(board):
    """Rows and columns exchanged."""
    return tuple(zip(*board))


def mirrored(board):
    """Left and right exchanged."""
    return tuple(row[::-1] for row in board)


def images(board):
    """The board under all symmetries that keep its shape."""
    found = []
    for start in (board, turned(board)):
        if len(start) == len(board):
            found += [start, start[::-1], mirrored(start), mirrored(start)[::-1]]
    return found


def canonical(board):
    """One board for all that play alike."""
    return min(images(board))


def slide_row(row):
    """The row after a slide to the left, and what it scores."""
    after, score, may_merge = [], 0, False
    for tile in row:
        if tile == 0:
            continue
        if may_merge and after[-1] == tile:
            after[-1] = 2 * tile
            score += 2 * tile
            may_merge = False
        else:
            after.append(tile)
            may_merge = True
    return tuple(after) + (0,) * (len(row) - len(after)), score


def slide_left(board):
    slid = [slide_row(row) for row in board]
    return tuple(row for row, _ in slid), sum(score for _, score in slid)


def slide(board, direction):
    """The board after a slide, before the new tile, and what it scores."""
    match direction:
        case "left":
            return slide_left(board)
        case "right":
            after, score = slide_left(mirrored(board))
            return mirrored(after), score
        case "up":
            after, score = slide_left(turned(board))
            return turned(after), score
        case "down":
            after, score = slide(board[::-1], "up")
            return after[::-1], score


def slides(board):
    """{direction: (board, score)} of the slides that move something."""
    slid = {direction: slide(board, direction) for direction in DIRECTIONS}
    return {direction: it for direction, it in slid.items() if it[0] != board}


def put(board, r, c, tile):
    row = board[r]
    return (*board[:r], (*row[:c], tile, *row[c + 1 :]), *board[r + 1 :])


def spawns(board):
    """[(board, chance)] for every new tile that may come."""
    free = [(r, c) for r, row in enumerate(board) for c, tile in enumerate(row) if not tile]
    return [
        (put(board, r, c, tile), chance / len(free))
        for r, c in free
        for tile, chance in ((2, Fraction(9, 10)), (4, Fraction(1, 10)))
    ]


# --- Keys ------------------------------------------------------------------


def to_key(board):
    """The board as the program writes it: in hex, four bits a cell, (x, y) in bits 16y + 4x."""
    number = 0
    for y, row in enumerate(board):
        for x, tile in enumerate(row):
            exponent = tile.bit_length() - 1 if tile else 0
            number += exponent * 16 ** (4 * y + x)
    return f"{number:016x}"


def from_key(key, rows, columns):
    # The digits from the right are the cells in order, four to a row.
    exponents = [int(digit, 16) for digit in reversed(key.zfill(16))]
    grid = [exponents[i : i + 4] for i in range(0, 16, 4)]
    if any(exponents[columns:] != [0] * (4 - columns) for exponents in grid) or any(
        map(any, grid[rows:])
    ):
        raise ValueError(f"{key}: a tile outside of the board")
    return tuple(tuple(2**e if e else 0 for e in row[:columns]) for row in grid[:rows])


# --- Solving ---------------------------------------------------------------


class Solver:
    """Values of boards with the player to move, all of one size.

    `target` is the tile to reach, None to play for the score. `number` is the
    kind of number to reckon with: Fraction, or float to be quicker.
    """

    def __init__(self, rows, columns, target=None, number=Fraction):
        self.empty = empty(rows, columns)
        self.target = target
        self.number = number
        self.values = {}  # of canonical boards, the player to move
        self.after_values = {}  # of canonical boards, a new tile to come

    def is_finished(self, board):
        """Whether the tile to reach is there."""
        return self.target is not None and max(tiles(board), default=0) >= self.target

    def value(self, board):
        """The expected score still to come, or the chance that the tile appears."""
        if self.is_finished(board):
            return self.number(1)
        board = canonical(board)
        if board not in self.values:
            self.values[board] = max(self.moves(board).values(), default=self.number(0))
        return self.values[board]

    def moves(self, board):
        """{direction: value} of the moves there are."""
        return {
            direction: (score if self.target is None else 0) + self.after_value(after)
            for direction, (after, score) in slides(board).items()
        }

    def after_value(self, after):
        if self.is_finished(after):
            return self.number(1)
        after = canonical(after)
        if after not in self.after_values:
            self.after_values[after] = self.mean(spawns(after))
        return self.after_values[after]

    def mean(self, boards):
        return sum((self.number(chance) * self.value(b) for b, chance in boards), self.number(0))

    def starts(self):
        """[(board, chance)] of the boards that a game begins with."""
        return [
            (two, first * second)
            for one, first in spawns(self.empty)
            for two, second in spawns(one)
        ]

    def start_value(self):
        return self.mean(self.starts())

    def states(self):
        """All boards with the player to move that games lead to, one for all that play alike.

        Boards on which the tile to reach is there are not among them.
        """
        seen = set()
        waiting = [board for board, _ in self.starts()]
        while waiting:
            board = canonical(waiting.pop())
            if board in seen or self.is_finished(board):
                continue
            seen.add(board)
            for after, _ in slides(board).values():
                if not self.is_finished(after):
                    waiting += [following for following, _ in spawns(after)]
        return seen


# --- Command line ----------------------------------------------------------


def size(text):
    if not re.fullmatch("[2-4]x[2-4]", text):
        raise argparse.ArgumentTypeError(f"not a size such as 2x3: {text!r}")
    rows, columns = text.split("x")
    return int(rows), int(columns)


def objective(text):
    """The tile to reach, or None for the score."""
    if text == "score":
        return None
    if not re.fullmatch("tile:[0-9]{1,5}", text) or int(text[5:]) not in [
        2**exponent for exponent in range(2, 16)
    ]:
        raise argparse.ArgumentTypeError(f"not score, nor a tile such as tile:16: {text!r}")
    return int(text[5:])


def main():
    parser = argparse.ArgumentParser(description="2048 on small boards: an independent solver.")
    parser.add_argument("board", type=size, help="rows and columns; 2x3 takes seconds")
    parser.add_argument("--objective", type=objective, default=None, metavar="score|tile:N")
    parser.add_argument(
        "--float", action="store_true", help="doubles on 2x2, too; larger boards always use them"
    )
    arguments = parser.parse_args()

    number = float if arguments.float or arguments.board != (2, 2) else Fraction
    solver = Solver(*arguments.board, arguments.objective, number)
    states = solver.states()
    start = solver.start_value()
    print("states", len(states))
    print("terminal", sum(not slides(board) for board in states))
    print("highest", max(tile for board in states for tile in tiles(board)))
    if number is Fraction:
        print("start", start)
    print("start", float(start))


if __name__ == "__main__":
    main()
