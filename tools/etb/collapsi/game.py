"""What a Collapsi table says: of a position, and of each of its records."""

import re
from typing import NamedTuple

from ..errors import PositionError
from . import numbering
from .boards import board_of_key, cell_of, check_board, key_of, key_text
from .codecs import CODECS

RULES = ("one", "wild")
SHARED_RULES = "one and wild"
MOST_PLIES = 14


class Outcome(NamedTuple):
    """What a table says of a board, in terms of that board."""

    turn: int
    win: int
    move: tuple | None  # (from, to); dense tables have none
    plies: int


def from_to(move):
    """The two cells of a stored move, or None: no move ends where it begins."""
    if move is None or move > 0xFF or move >> 4 == move & 15:
        return None
    return move >> 4, move & 15


def move_text(move):
    return "ff" if move is None else f"{move[0]:x}{move[1]:x}"


def parse_key(text):
    """The board of a 128-bit key."""
    if not re.fullmatch(r"[0-9a-fA-F]{1,16}:[0-9a-fA-F]{1,16}", text):
        raise PositionError(f"not a key such as 12ab:34cd: {text!r}")
    high, low = text.split(":")
    return board_of_key(int(high, 16) << 64 | int(low, 16))


class KeyedCollapsi:
    """Keyed tables."""

    parse = staticmethod(parse_key)

    def __init__(self, table):
        self.table = table
        header, need = table.header, table.frame.need
        rules = header.text.rules
        need(rules in RULES, f"unknown rules {rules!r} of Collapsi")
        self.codec = CODECS[header.codec]
        need(
            header.key_bytes == self.codec.key_bytes,
            f"keys of {header.key_bytes} bytes do not fit codec {header.codec}",
        )

    def key(self, record):
        """The key of the stored board, folded in folded tables."""
        return self.codec.key(record.code)

    def probe(self, position):
        """What the table says of a board given as its eight numbers."""
        board = check_board(position)
        stored, g = self.codec.stored_form(board)
        record = self.table.get(self.codec.encode(stored))
        if record is None:
            return None
        meta, move = record.meta, from_to(record.meta.move)
        if move is not None:
            move = g.back(move[0]), g.back(move[1])
        return Outcome(board.turn, meta.result, move, meta.plies)

    def line(self, record):
        meta = record.meta
        key = key_text(self.key(record), self.codec.key_bytes)
        move = move_text(from_to(meta.move))
        return f"{key} {meta.turn}{meta.result}{move} {meta.plies}"

    def answer_line(self, board, outcome):
        key = key_text(key_of(board))
        if outcome is None:
            return f"{key} -"
        return f"{key} {outcome.turn}{outcome.win}{move_text(outcome.move)}"

    def check_record(self, record):
        """PositionError unless the record can be one of a position."""
        meta = record.meta
        board = self.codec.decode(record.code)
        if meta.result != meta.plies % 2 or meta.plies > MOST_PLIES:
            raise PositionError(f"result {meta.result} in {meta.plies} plies")
        move = from_to(meta.move)
        if (move is None) != (meta.plies == 0):
            raise PositionError(f"move {move_text(move)} in {meta.plies} plies")
        if board is None:
            return
        if meta.plies > board.alive.bit_count() - 2:
            raise PositionError(f"{meta.plies} plies, but every ply takes a card")
        if self.codec.stored_form(board)[0] != board:
            raise PositionError("the board is not in canonical form")
        if meta.turn != board.turn:
            raise PositionError("the turn is not that of the board")
        if move is not None:
            self._check_move(board, *move)

    def _check_move(self, board, start, to):
        ends = board.alive & ~board.mover & ~board.other
        if start != cell_of(board.mover) or not ends >> to & 1:
            raise PositionError(f"move {start:x}{to:x} cannot be made")


class DenseCollapsi:
    """Dense tables: a layer, by the number of cards left."""

    parse = staticmethod(parse_key)

    def __init__(self, table):
        self.table = table
        header, need = table.header, table.frame.need
        self.cards = header.layer
        need(
            numbering.FEWEST <= self.cards <= numbering.MOST,
            f"no layer has {self.cards} cards",
        )
        rules = (SHARED_RULES,) if self.cards <= numbering.LAST_SHARED else RULES
        need(
            header.text.rules in rules,
            f"rules {header.text.rules!r}, with {self.cards} cards",
        )
        need(header.key_bytes == 16, f"keys of {header.key_bytes} bytes")

    @property
    def numbers(self):
        return numbering.layer(self.cards)

    def board(self, entry):
        """A board with the entry's number, X to move."""
        return numbering.to_board(self.numbers.unrank(entry.number))

    def most_plies(self):
        """Every ply takes a card, and two pawns stand on the last."""
        return self.cards - 2

    def check_size(self):
        """No layer has more entries; a shard of an unfinished one has fewer."""
        size = self.numbers.size
        self.table.frame.need(
            len(self.table) <= size,
            f"{len(self.table)} entries, but the layer has {size}",
        )

    def probe(self, position):
        """What the table says of a board, None if it is of another layer."""
        # A shard does not say with which number its entries begin.
        self.table.frame.need(
            len(self.table) == self.numbers.size,
            f"part of the layer of {self.cards} cards; only a whole one is probed",
        )
        board = check_board(position)
        if board.alive.bit_count() != self.cards:
            return None
        plies = self.table.get(self.numbers.rank(numbering.of_board(board)))
        return Outcome(board.turn, plies % 2, None, plies)

    def line(self, entry):
        key = key_text(key_of(self.board(entry)))
        return f"{key} 0{entry.plies % 2} {entry.plies}"

    def answer_line(self, board, outcome):
        key = key_text(key_of(board))
        if outcome is None:
            return f"{key} -"
        return f"{key} {outcome.turn}{outcome.win} {outcome.plies}"
