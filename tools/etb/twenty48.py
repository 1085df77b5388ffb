"""2048: boards, their codes, and what a table says of them."""

import re
from typing import NamedTuple

from math import isfinite

from .errors import PositionError

WORD = 2**64 - 1
UP, RIGHT, DOWN, LEFT = range(4)
CELLS = range(16)
LEAST_TARGET = 3  # the exponent of the least tile that can be played for


class Symmetry(NamedTuple):
    """For each cell of the image, by digit, the cell that it comes from; and
    for each direction of the image the one that it comes from."""

    cells: tuple
    directions: tuple


def symmetries(rows, columns):
    """Rows and columns exchanged or not, left and right, top and bottom."""
    found = []
    for exchange in (False, True) if rows == columns else (False,):
        for flip in (False, True):
            for turn_over in (False, True):
                cells = []
                for y in range(rows):
                    for x in range(columns):
                        column = columns - 1 - x if flip else x
                        row = rows - 1 - y if turn_over else y
                        cells.append((row, column) if exchange else (column, row))
                directions = [UP, RIGHT, DOWN, LEFT]
                if flip:
                    directions = [UP, LEFT, DOWN, RIGHT]
                if turn_over:
                    directions[UP], directions[DOWN] = DOWN, UP
                if exchange:
                    directions = [(LEFT, DOWN, RIGHT, UP)[it] for it in directions]
                found.append(Symmetry(tuple(cells), tuple(directions)))
    return found


class Boards:
    """The boards of one size: codec 1."""

    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.highest = min(rows * columns + 1, 15)
        self.symmetries = symmetries(rows, columns)

    def check(self, board):
        if not 0 <= board <= WORD:
            raise PositionError("a board has 64 bits")
        for cell in CELLS:
            exponent = board >> 4 * cell & 15
            outside = cell % 4 >= self.columns or cell // 4 >= self.rows
            if exponent > (0 if outside else self.highest):
                raise PositionError(
                    f"{board:016x}: a tile that cannot be on this board"
                )

    def canonical(self, board):
        """The canonical board and the symmetry that leads to it."""

        def image(symmetry):
            digits = [board >> 16 * y + 4 * x & 15 for x, y in symmetry.cells]
            return self.of_digits(digits)

        return min(((image(g), g) for g in self.symmetries), key=lambda it: it[0])

    def of_digits(self, digits):
        return sum(
            exponent << 16 * (i // self.columns) + 4 * (i % self.columns)
            for i, exponent in enumerate(digits)
        )

    def encode(self, board):
        base, code = self.highest + 1, 0
        for y in reversed(range(self.rows)):
            for x in reversed(range(self.columns)):
                code = code * base + (board >> 16 * y + 4 * x & 15)
        return code

    def decode(self, code):
        digits = []
        for _ in range(self.rows * self.columns):
            code, exponent = divmod(code, self.highest + 1)
            digits.append(exponent)
        if code:
            raise PositionError("the code has too many digits")
        return self.of_digits(digits)


class Outlook(NamedTuple):
    """What a table says of a board."""

    win: int
    move: int | None  # the direction
    value: float


def direction_of(move):
    return move if move is not None and move <= LEFT else None


def direction_text(direction):
    return "ff" if direction is None else f"{direction:02x}"


def parse_rules(text):
    """The boards and the objective, None if the text is not understood.

    The objective is "score", "search" or the exponent of the tile to reach.
    """
    match = re.fullmatch(r"([2-4])x([2-4]) (score|search|tile:([0-9]+))", text)
    if match is None:
        return None
    rows, columns, objective, tile = match.groups()
    boards = Boards(int(rows), int(columns))
    if tile is None:
        return boards, objective
    targets = {str(1 << e): e for e in range(LEAST_TARGET, boards.highest + 1)}
    return (boards, targets[tile]) if tile in targets else None


class Twenty48:
    """Tables of 2048 boards."""

    def __init__(self, table):
        self.table = table
        header, need = table.header, table.frame.need
        rules = parse_rules(header.text.rules)
        need(rules is not None, f"unknown rules {header.text.rules!r} of 2048")
        self.boards, self.objective = rules
        need(header.layout.meta_bytes == 2, "a layout that is not one of 2048")
        need(header.codec == 1, f"codec {header.codec} is not one of 2048")
        need(header.key_bytes == 8, f"keys of {header.key_bytes} bytes")
        need(header.value, "a table of 2048 without values")

    def key(self, record):
        return self.boards.decode(record.code)

    @property
    def is_chance(self):
        """Whether values are chances: of the tile to reach."""
        return isinstance(self.objective, int)

    def is_finished(self, board):
        """Whether the tile to reach is there."""
        if not self.is_chance:
            return False
        return max(board >> 4 * cell & 15 for cell in CELLS) >= self.objective

    def parse(self, text):
        if not re.fullmatch(r"[0-9a-fA-F]{1,16}", text):
            raise PositionError(f"not a board such as 0000000000100021: {text!r}")
        return int(text, 16)

    def probe(self, board):
        self.boards.check(board)
        if self.is_finished(board):
            return Outlook(1, None, 1.0)
        stored, symmetry = self.boards.canonical(board)
        record = self.table.get(self.boards.encode(stored))
        if record is None:
            return None
        direction = direction_of(record.meta.move)
        if direction is not None:
            direction = symmetry.directions[direction]
        return Outlook(record.meta.result, direction, record.value)

    def line(self, record):
        meta = record.meta
        direction = direction_text(direction_of(meta.move))
        value = self.value_text(record.value)
        return f"{self.key(record):016x} {meta.turn}{meta.result}{direction} {value}"

    def answer_line(self, board, outlook):
        if outlook is None:
            return f"{board:016x} -"
        direction = direction_text(outlook.move)
        value = self.value_text(outlook.value)
        return f"{board:016x} 0{outlook.win}{direction} {value}"

    def value_text(self, value):
        return self.table.column.text(value)

    def check_record(self, record):
        """PositionError unless the record can be one of a position."""
        meta, value = record.meta, record.value
        board = self.boards.decode(record.code)
        if self.boards.canonical(board)[0] != board:
            raise PositionError("the board is not in canonical form")
        if self.is_finished(board):
            raise PositionError("the tile to reach is on the board")
        if meta.turn or meta.plies:
            raise PositionError(f"turn {meta.turn}, plies {meta.plies}")
        if not isfinite(value):
            raise PositionError(f"value {value}")
        if self.objective == "search":
            return
        if not value >= 0 or self.is_chance and value > 1:
            raise PositionError(f"value {value}")
        if meta.result == 0 and value != 0:
            raise PositionError(f"nothing to gain, but value {value}")
        if direction_of(meta.move) is None and meta.result:
            raise PositionError("something to gain, but no move")
