"""Tables of Tak: every position of a small game, by number.

A board is a tuple of stacks, a1 first, of which each is a tuple of stones from
the top down, 1 the mover's and 0 the other's, and a tuple that tells for each
square if its top stands.
"""

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from math import comb
from typing import NamedTuple

from .dense import ByteEntry
from .errors import PositionError
from .record import DRAW, LOSS, WIN

RESULTS = {WIN: "win", DRAW: "draw", LOSS: "loss"}
MOST_FLATS = {3: 8, 4: 5, 5: 4}
SYMMETRIES = range(8)


class Position(NamedTuple):
    """A board, and whose turn it is: 0 White's, 1 Black's."""

    stacks: tuple
    walls: tuple
    turn: int


def parse_tps(text):
    """The position of a TPS text without capstones."""
    ranks, *rest = text.split()
    if len(rest) != 2 or rest[0] not in ("1", "2"):
        raise PositionError(f"not TPS: {text!r}")
    turn = int(rest[0]) - 1
    stacks, walls = [], []
    for rank in reversed(ranks.split("/")):
        for square in rank.split(","):
            if gap := re.fullmatch("x([1-8]?)", square):
                count = int(gap[1] or 1)
                stacks += [()] * count
                walls += [False] * count
            elif re.fullmatch("[12]+S?", square):
                stones = square.rstrip("S")
                stacks.append(tuple(int(stone) - 1 == turn for stone in reversed(stones)))
                walls.append(square.endswith("S"))
            else:
                raise PositionError(f"not a stack without capstones: {square!r}")
    return Position(tuple(stacks), tuple(walls), turn)


class Numbers:
    """The numbers of the positions with so many stones."""

    def __init__(self, size, flats, stones):
        self.size, self.stones = size, stones
        most = flats - 1
        self.blocks = range(max(1, stones - most), min(stones - 1, most) + 1)
        self.images = [self._image(symmetry) for symmetry in SYMMETRIES]

    def _image(self, symmetry):
        """The square that each square becomes."""
        image = []
        for square in range(self.size**2):
            y, x = divmod(square, self.size)
            x = self.size - 1 - x if symmetry & 1 else x
            y = self.size - 1 - y if symmetry & 2 else y
            image.append(self.size * x + y if symmetry & 4 else self.size * y + x)
        return image

    def _turned(self, row, symmetry):
        turned = [None] * len(row)
        for square, to in enumerate(self.images[symmetry]):
            turned[to] = row[square]
        return tuple(turned)

    @cached_property
    def shapes(self):
        """The rows of heights that are the smallest of their images, ascending."""
        rows = rows_of(self.size**2, self.stones)
        return [
            row
            for row in rows
            if 0 in row and row == min(self._turned(row, it) for it in SYMMETRIES)
        ]

    @cached_property
    def starts(self):
        stacks = (sum(map(bool, shape)) for shape in self.shapes)
        return [0, *accumulate(2**count for count in stacks)]

    def block_start(self, own):
        before = sum(comb(self.stones, it) for it in self.blocks if it < own)
        return before * self.starts[-1]

    def __len__(self):
        return self.block_start(self.blocks[-1] + 1)

    def number(self, stacks, walls):
        """The smallest number of all images."""
        numbers = []
        for symmetry in SYMMETRIES:
            image = self._turned(stacks, symmetry)
            heights = tuple(map(len, image))
            at = bisect_right(self.shapes, heights) - 1
            if at >= 0 and self.shapes[at] == heights:
                numbers.append(self._number(at, image, self._turned(walls, symmetry)))
        return min(numbers)

    def _number(self, shape, stacks, walls):
        stones = [stone for stack in stacks for stone in stack]
        tops = [wall for stack, wall in zip(stacks, walls) if stack]
        own = sum(stones)
        inside = rank(stones) << len(tops) | as_bits(tops)
        start = self.block_start(own) + comb(self.stones, own) * self.starts[shape]
        return start + inside

    def board(self, number):
        """Stacks and walls of the arrangement with a number."""
        own = max(it for it in self.blocks if self.block_start(it) <= number)
        number -= self.block_start(own)
        each = comb(self.stones, own)
        shape = bisect_right(self.starts, number // each) - 1
        number -= self.starts[shape] * each
        heights = self.shapes[shape]
        count = sum(map(bool, heights))
        stones = unrank(number >> count, self.stones, own)
        stacks, walls = [], []
        for height in heights:
            stacks.append(tuple(stones[:height]))
            stones = stones[height:]
            walls.append(bool(height and number & 1))
            number >>= bool(height)
        return tuple(stacks), tuple(walls)

    def has_road(self, stacks, walls):
        for player in (0, 1):
            flats = {
                square
                for square, (stack, wall) in enumerate(zip(stacks, walls))
                if stack and not wall and stack[0] == player
            }
            if joins(self.size, flats):
                return True
        return False


def rows_of(squares, stones):
    """Every way to put stones on squares, as heights, ascending."""
    if squares == 1:
        yield (stones,)
        return
    for first in range(stones + 1):
        for rest in rows_of(squares - 1, stones - first):
            yield (first, *rest)


def as_bits(bits):
    return sum(bool(bit) << at for at, bit in enumerate(bits))


def rank(stones):
    """How many numbers with as many ones are smaller, the first stone being the lowest bit."""
    ones = [at for at, stone in enumerate(stones) if stone]
    return sum(comb(at, count) for count, at in enumerate(ones, 1))


def unrank(number, length, ones):
    stones = [False] * length
    for count in range(ones, 0, -1):
        at = max(at for at in range(length) if comb(at, count) <= number)
        stones[at] = True
        number -= comb(at, count)
    return stones


def joins(size, squares):
    """Whether squares join two opposite edges."""
    edge = range(size)
    for first, last in (
        ({x for x in edge}, {size * (size - 1) + x for x in edge}),
        ({size * y for y in edge}, {size * y + size - 1 for y in edge}),
    ):
        reached, todo = set(), list(first & squares)
        while todo:
            square = todo.pop()
            if square in reached:
                continue
            reached.add(square)
            y, x = divmod(square, size)
            for to_x, to_y in ((x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y)):
                if 0 <= to_x < size and 0 <= to_y < size:
                    todo += {size * to_y + to_x} & squares
        if reached & last:
            return True
    return False


class Tak:
    """A layer of a small game."""

    parse = staticmethod(parse_tps)

    def __init__(self, table):
        self.table = table
        header, need = table.header, table.frame.need
        rules = re.fullmatch("([3-5])x([3-5]), ([2-9]) flats", header.text.rules)
        need(rules and rules[1] == rules[2], f"rules {header.text.rules!r}")
        self.size, self.flats = int(rules[1]), int(rules[3])
        need(self.flats <= MOST_FLATS[self.size], f"rules {header.text.rules!r}")
        need(
            2 <= header.layer <= 2 * self.flats - 2,
            f"no layer has {header.layer} stones",
        )
        need(table.has_bytes, "tables of Tak have bytes")
        bits = 1 + 2 * self.size**2 + 4 * self.flats
        need(header.key_bytes == (8 if bits <= 64 else 16), f"keys of {header.key_bytes} bytes")
        self.numbers = Numbers(self.size, self.flats, header.layer)

    def check_size(self):
        self.table.frame.need(
            len(self.table) == len(self.numbers),
            f"{len(self.table)} entries, but the layer has {len(self.numbers)}",
        )

    def has_position(self, number):
        """Whether a position has this number: nobody has a road, and no image has a smaller one."""
        board = self.numbers.board(number)
        return not self.numbers.has_road(*board) and self.numbers.number(*board) == number

    def probe(self, position):
        """What the table says of a position, None if it is not in this layer."""
        self.check_size()
        stacks, walls, _ = position
        if len(stacks) != self.size**2:
            raise PositionError(f"not a board of {self.size}x{self.size}")
        own = sum(stone for stack in stacks for stone in stack)
        stones = sum(map(len, stacks))
        if stones != self.numbers.stones or own not in self.numbers.blocks or () not in stacks:
            return None
        number = self.numbers.number(stacks, walls)
        return ByteEntry.of(number, self.table.get(number))

    def line(self, entry):
        return f"{self.text(entry.number)}: {RESULTS[entry.result]} {entry.plies}"

    def text(self, number):
        """The board of a number as TPS, White to move."""
        stacks, walls = self.numbers.board(number)
        squares = [
            "".join("21"[stone] for stone in reversed(stack)) + "S" * wall or "x"
            for stack, wall in zip(stacks, walls)
        ]
        ranks = [squares[at : at + self.size] for at in range(0, self.size**2, self.size)]
        return f"{'/'.join(','.join(rank) for rank in reversed(ranks))} 1 2"

    def answer_line(self, position, entry):
        if entry is None:
            return "-"
        return f"{RESULTS[entry.result]} {entry.plies}"
