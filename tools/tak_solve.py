#!/usr/bin/env python3
"""Solves small games of Tak, and compares the program's tables with it.

    python3 tools/tak_solve.py path/to/endtable 3x4 4x3

A game is the size of the board and the flats of each player: 3x4 is 3x3 with 4
flats. Every arrangement of stones up to symmetry and colour is listed, its moves
are made by the rules alone, and results are worked out backwards, layer by layer,
from the end. Then the program makes the same tables, and every record of their
export is compared. Exit code 1 if anything differs.

It shares no code with the program. A stack is a number: its stones from the
bottom, `a` the mover's and `b` the other's, and `S` if the top stands, are
looked up in a list. A board is as many of them as squares, a1 first.
"""

import argparse
import subprocess
import sys
import tempfile
from collections import defaultdict
from itertools import product
from operator import itemgetter
from pathlib import Path

from checks.program import Program, ProgramError

WIN, DRAW, LOSS = "win", "draw", "loss"


class Stacks:
    """The stacks of up to so many stones, by number. 0 is the empty square."""

    def __init__(self, most):
        texts = [
            "".join(colours) + top
            for height in range(1, most + 1)
            for colours in product("ab", repeat=height)
            for top in ("", "S")
        ]
        self.texts = ["", *texts]
        self.number = {text: number for number, text in enumerate(self.texts)}
        swap = str.maketrans("ab", "ba")
        self.swapped = [self.number[text.translate(swap)] for text in self.texts]
        self.height = [len(text.rstrip("S")) for text in self.texts]
        self.is_wall = [text.endswith("S") for text in self.texts]
        self.is_own = [text.rstrip("S").endswith("a") for text in self.texts]
        self.own_stones = [text.count("a") for text in self.texts]
        self._put = {}

    def put(self, below, stones):
        """The stack with stones on top of a stack without a wall."""
        key = below, stones
        if key not in self._put:
            self._put[key] = self.number[self.texts[below] + stones]
        return self._put[key]


def ways_to_drop(count, squares):
    """Every way to drop so many stones on up to so many squares, some on each."""
    if count == 0:
        yield ()
    elif squares:
        for first in range(1, count + 1):
            for rest in ways_to_drop(count - first, squares - 1):
                yield (first, *rest)


class Game:
    def __init__(self, size, flats):
        self.size, self.flats, self.squares = size, flats, size * size
        self.stacks = Stacks(2 * flats - 2)
        self.lines = [self._lines(square) for square in range(self.squares)]
        self.images = [itemgetter(*image) for image in self._symmetries()]
        self._slides, self._roads = {}, {}

    def _symmetries(self):
        last = self.size - 1
        for exchange, mirror_x, mirror_y in product((False, True), repeat=3):
            image = []
            for square in range(self.squares):
                y, x = divmod(square, self.size)
                x, y = (last - x if mirror_x else x), (last - y if mirror_y else y)
                image.append(self.size * x + y if exchange else self.size * y + x)
            yield image

    def _lines(self, square):
        """The squares behind one, in the four directions."""
        y, x = divmod(square, self.size)
        lines = []
        for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            line, to_x, to_y = [], x + dx, y + dy
            while 0 <= to_x < self.size and 0 <= to_y < self.size:
                line.append(self.size * to_y + to_x)
                to_x, to_y = to_x + dx, to_y + dy
            lines.append(line)
        return lines

    def canonical(self, board):
        return min([image(board) for image in self.images])

    # --- Ends

    def has_road(self, squares):
        """Whether a set of squares joins two opposite edges."""
        if squares not in self._roads:
            self._roads[squares] = self._joins(squares)
        return self._roads[squares]

    def _joins(self, squares):
        edge = range(self.size)
        for first, last in (
            ([x for x in edge], [self.squares - 1 - x for x in edge]),
            ([self.size * y for y in edge], [self.size * (y + 1) - 1 for y in edge]),
        ):
            todo, seen = [square for square in first if square in squares], set()
            while todo:
                square = todo.pop()
                if square not in seen:
                    seen.add(square)
                    around = [line[0] for line in self.lines[square] if line]
                    todo += [it for it in around if it in squares]
            if seen.intersection(last):
                return True
        return False

    def tops(self, board):
        """The squares with flats on top, the mover's and the other's."""
        stacks = self.stacks
        flat = [s for s, stack in enumerate(board) if stack and not stacks.is_wall[stack]]
        own = frozenset(s for s in flat if stacks.is_own[board[s]])
        return own, frozenset(flat) - own

    def ended(self, board, left):
        """How the game has ended for the one who has moved, who sees the board as his own; None if it
        goes on. `left` tells if both have stones in reserve."""
        own, other = self.tops(board)
        if self.has_road(own):
            return WIN
        if self.has_road(other):
            return LOSS
        if left and 0 in board:
            return None
        return WIN if len(own) > len(other) else LOSS if len(own) < len(other) else DRAW

    # --- Moves

    def slides_of(self, stack, free):
        """What is left of a stack and what falls on each square of a line, for every slide with so many
        squares free."""
        key = stack, free
        if key not in self._slides:
            text = self.stacks.texts[stack]
            stones, top = text.rstrip("S"), text[len(text.rstrip("S")) :]
            slides = []
            for carried in range(1, min(len(stones), self.size) + 1):
                left = self.stacks.number[stones[: len(stones) - carried]]
                for counts in ways_to_drop(carried, free):
                    hand, pieces = stones[len(stones) - carried :], []
                    for count in counts:
                        pieces.append(hand[:count])
                        hand = hand[count:]
                    pieces[-1] += top
                    slides.append((left, pieces))
            self._slides[key] = slides
        return self._slides[key]

    def after_slides(self, board):
        """The boards after all slides, as the one who has moved sees them."""
        stacks = self.stacks
        for square, stack in enumerate(board):
            if not stacks.is_own[stack]:
                continue
            for line in self.lines[square]:
                free = 0
                while free < len(line) and not stacks.is_wall[board[line[free]]]:
                    free += 1
                for left, pieces in self.slides_of(stack, free):
                    after = list(board)
                    after[square] = left
                    for to, piece in zip(line, pieces):
                        after[to] = stacks.put(after[to], piece)
                    yield after

    def after_placings(self, board):
        kinds = self.stacks.number["a"], self.stacks.number["aS"]
        for square, stack in enumerate(board):
            if not stack:
                for kind in kinds:
                    yield [*board[:square], kind, *board[square + 1 :]]

    def turned(self, board):
        """A board as the other player sees it, in canonical form."""
        swapped = self.stacks.swapped
        return self.canonical([swapped[stack] for stack in board])

    # --- Positions

    def boards(self, stones):
        """Every position with so many stones, once."""
        stacks, most = self.stacks, self.flats - 1
        by_height = defaultdict(list)
        for stack, height in enumerate(stacks.height):
            by_height[height].append(stack)
        found = set()
        for heights in set(self.canonical(row) for row in rows(self.squares, stones)):
            if 0 not in heights:
                continue
            for board in product(*(by_height[height] for height in heights)):
                own = sum(stacks.own_stones[stack] for stack in board)
                if 1 <= own <= most and 1 <= stones - own <= most:
                    found.add(self.canonical(board))
        return [board for board in found if self.ended(board, left=True) is None]

    def solve(self):
        """What every position is worth: a dictionary by board of (result, plies)."""
        solved = {}
        for stones in reversed(range(2, 2 * self.flats - 1)):
            solved |= self.solve_layer(self.boards(stones), solved)
        return solved

    def solve_layer(self, boards, above):
        place = {board: number for number, board in enumerate(boards)}
        best = [(LOSS, 0)] * len(boards)  # of the moves that leave the layer
        open_moves, before = [0] * len(boards), [[] for _ in boards]
        for number, board in enumerate(boards):
            own = sum(self.stacks.own_stones[stack] for stack in board)
            for after in self.after_placings(board):
                end = self.ended(after, left=own + 1 < self.flats)
                value = (end, 1) if end else for_mover(above[self.turned(after)])
                best[number] = better(best[number], value)
            for after in self.after_slides(board):
                end = self.ended(after, left=True)
                if end:
                    best[number] = better(best[number], (end, 1))
                else:
                    open_moves[number] += 1
                    before[place[self.turned(after)]].append(number)
        values = backwards(best, open_moves, before)
        return dict(zip(boards, values))


def rows(squares, stones):
    """Every way to put stones on squares, as heights."""
    if squares == 1:
        yield (stones,)
        return
    for first in range(stones + 1):
        for rest in rows(squares - 1, stones - first):
            yield (first, *rest)


def worth(value):
    """A number that is larger the better."""
    result, plies = value
    return {WIN: 1000 - plies, DRAW: 0, LOSS: plies - 1000}[result]


def better(one, other):
    return max(one, other, key=worth)


def for_mover(value):
    """What a move is worth that leads to a position of this value."""
    result, plies = value
    return {WIN: (LOSS, plies + 1), DRAW: (DRAW, 0), LOSS: (WIN, plies + 1)}[result]


def backwards(best, open_moves, before):
    """The values of a layer: decided by distance, what is never decided is a draw."""
    values = [None] * len(best)
    waiting = defaultdict(list)  # by plies
    for number, (result, plies) in enumerate(best):
        if result == WIN or (result == LOSS and not open_moves[number]):
            waiting[plies].append((number, (result, plies)))
    plies = 0
    while any(later >= plies for later in waiting):
        for number, value in waiting.pop(plies, []):
            if values[number] is not None:
                continue
            values[number] = value
            for previous in before[number]:
                if value[0] == LOSS:
                    waiting[plies + 1].append((previous, (WIN, plies + 1)))
                    continue
                open_moves[previous] -= 1
                result, longest = best[previous]
                if result == LOSS and not open_moves[previous]:
                    longest = max(longest, plies + 1)
                    waiting[longest].append((previous, (LOSS, longest)))
        plies += 1
    return [(DRAW, 0) if value is None else value for value in values]


def board_of_key(game, key):
    """The board of an exact key without capstones, White to move: a bit of turn, the walls, for each
    square as many zeros as stones and a one, then the stones of each square, the top first."""
    assert key & 1 == 0, "White is to move"
    walls, key = key >> 1 & (1 << game.squares) - 1, key >> 1 + game.squares
    heights = []
    for _ in range(game.squares):
        height = 0
        while not key >> height & 1:
            height += 1
        heights.append(height)
        key >>= height + 1
    board = []
    for square, height in enumerate(heights):
        stones = "".join("ab"[key >> at & 1] for at in reversed(range(height)))
        board.append(game.stacks.number[stones + "S" * (walls >> square & 1)])
        key >>= height
    assert key == 0
    return game.canonical(board)


def compare(program, size, flats, folder):
    """How many records there are, and what differs."""
    game = Game(size, flats)
    solved = game.solve()
    out, csv = folder / f"{size}-{flats}", folder / f"{size}-{flats}.csv"
    program.run("generate", "tak", "--size", str(size), "--flats", str(flats), "--out", out)
    program.run("export", out, "--csv", "--out", csv)
    heading, *lines = csv.read_text().splitlines()
    assert heading == "key,result,plies", heading
    differences, seen = [], set()
    for line in lines:
        key, result, plies = line.split(",")
        board = board_of_key(game, int(key, 16))
        seen.add(board)
        if solved.get(board) != (result, int(plies)):
            differences.append(f"{key}: {result} {plies}, here {solved.get(board)}")
    if len(seen) != len(lines):
        differences.append(f"{len(lines)} records of {len(seen)} positions")
    if missing := len(solved.keys() - seen):
        differences.append(f"{missing} positions are not there")
    return len(lines), differences


def game_of(text):
    size, flats = text.split("x")
    return int(size), int(flats)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="path to endtable")
    parser.add_argument("games", nargs="+", type=game_of, metavar="SIZExFLATS")
    arguments = parser.parse_args()
    differing = False
    with tempfile.TemporaryDirectory() as folder:
        for size, flats in arguments.games:
            try:
                program = Program(arguments.program)
                count, differences = compare(program, size, flats, Path(folder))
            except (OSError, subprocess.TimeoutExpired, ProgramError) as error:
                sys.exit(f"tak: {error}")
            for text in differences[:20]:
                print(text, file=sys.stderr)
            differing |= bool(differences)
            print(
                f"tak: {size}x{size} with {flats} flats: {count} records compared, "
                f"{len(differences) or 'no'} differences"
            )
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
