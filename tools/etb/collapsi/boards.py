"""Collapsi positions and their keys."""

from math import isqrt
from typing import NamedTuple

from ..errors import PositionError

CELLS = range(16)
DECK = (4, 4, 4, 2)  # aces, twos, threes, fours
WORD = 2**64 - 1


class Board(NamedTuple):
    """The eight numbers of a position; all but `turn` are sets of cells."""

    a: int
    two: int
    three: int
    four: int
    x: int
    o: int
    collapsed: int
    turn: int

    @property
    def cards(self):
        return self[:4]

    @property
    def mover(self):
        return self.o if self.turn else self.x

    @property
    def other(self):
        return self.x if self.turn else self.o

    @property
    def alive(self):
        return 0xFFFF & ~self.collapsed


def cell_of(one):
    """The cell of a set that has only one."""
    return one.bit_length() - 1


def jokers(x, o, collapsed, turn):
    """The cells of the jokers that are still there."""
    match collapsed.bit_count():
        case 0:
            return x | o
        case 1:
            return o if turn else x
        case _:
            return 0


def check_board(numbers):
    """The numbers as a Board, if they are a position."""
    if len(numbers) != 8:
        raise PositionError("a position has eight numbers")
    board = Board(*numbers)
    if not all(0 <= number <= 0xFFFF for number in board) or board.turn > 1:
        raise PositionError("a number of the position is too large")
    if board.x.bit_count() != 1 or board.o.bit_count() != 1:
        raise PositionError("a pawn must stand on one cell")
    if board.x == board.o:
        raise PositionError("both pawns on one cell")
    if (board.x | board.o) & board.collapsed:
        raise PositionError("a pawn on a collapsed cell")
    seen = 0
    for cells, most in zip(board.cards, DECK):
        if cells & seen:
            raise PositionError("two cards on one cell")
        if cells.bit_count() > most:
            raise PositionError("too many cards of one kind")
        seen |= cells
    if board.alive & ~seen != jokers(board.x, board.o, board.collapsed, board.turn):
        raise PositionError("cards and jokers do not fit the collapsed cells")
    return board


# --- Keys ------------------------------------------------------------------


def pair(a, b):
    return b * b + a if a < b else a * a + a + b


def unpair(z):
    r = isqrt(z)
    d = z - r * r
    return (d, r) if d < r else (r, d - r)


def key_of(board):
    numbers = list(board)
    while len(numbers) > 1:
        numbers = [pair(a, b) for a, b in zip(numbers[::2], numbers[1::2])]
    return numbers[0]


def board_of_key(key):
    numbers = [key]
    while len(numbers) < 8:
        numbers = [part for whole in numbers for part in unpair(whole)]
    return check_board(numbers)


def mix(x):
    z = x + 0x9E3779B97F4A7C15 & WORD
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & WORD
    z = (z ^ z >> 27) * 0x94D049BB133111EB & WORD
    return z ^ z >> 31


def fold(key):
    return mix(mix(key >> 64) ^ key & WORD)


def key_text(key, key_bytes=16):
    if key_bytes == 8:
        return f"{key:016x}"
    return f"{key >> 64:016x}:{key & WORD:016x}"
