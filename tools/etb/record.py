"""What a record says, however it is stored: the answer, and its value."""

import struct
from decimal import Decimal
from math import isfinite
from typing import NamedTuple

KEYED, DENSE = range(2)  # the kinds of table
LOSS, WIN, DRAW = range(3)


class Meta(NamedTuple):
    """The answer of a record."""

    turn: int
    result: int
    move: int | None
    plies: int


class Layout(NamedTuple):
    """How meta is laid out: one bit of turn, then these, from the lowest bit on."""

    name: str
    result_bits: int
    move_bits: int
    plies_bits: int

    @property
    def meta_bytes(self):
        return self.result_bytes + self.move_bytes

    @property
    def result_bytes(self):
        """Bytes of meta without the move, in the columns of a compressed block."""
        return (1 + self.result_bits + self.plies_bits) // 8

    @property
    def move_bytes(self):
        return self.move_bits // 8

    @property
    def results(self):
        return range(DRAW + 1 if self.result_bits > 1 else DRAW)

    @property
    def no_move(self):
        return (1 << self.move_bits) - 1

    def unpack(self, number):
        fields = []
        for bits in (1, *self[1:]):
            fields.append(number & (1 << bits) - 1)
            number >>= bits
        turn, result, move, plies = fields
        return Meta(turn, result, None if move == self.no_move else move, plies)

    def pack(self, meta):
        move = self.no_move if meta.move is None else meta.move
        number = meta.plies << self.move_bits | move
        return (number << self.result_bits | meta.result) << 1 | meta.turn

    def join(self, result, move):
        """The number of meta, of the two columns of a compressed block."""
        low = 1 + self.result_bits
        return (
            result & (1 << low) - 1
            | move << low
            | result >> low << low + self.move_bits
        )


KEYED_LAYOUTS = (
    Layout("short", 1, 8, 6),
    Layout("long", 2, 16, 13),
    Layout("bare", 0, 0, 0),
)
NYBBLES = Layout("nybbles", 0, 0, 4)
BYTES = Layout("bytes", 1, 0, 7)
# By kind of table, then by the header's three numbers.
LAYOUTS = {
    KEYED: {layout[1:]: layout for layout in KEYED_LAYOUTS},
    DENSE: {layout[1:]: layout for layout in (NYBBLES, BYTES)},
}


class Record(NamedTuple):
    code: int
    meta: Meta
    value: object  # None without a value column


class Column(NamedTuple):
    """A kind of value column."""

    name: str
    width: int
    form: str = ""  # for struct; a chance has none
    digits: int | None = None  # of a chance, behind the point

    @property
    def is_chance(self):
        return self.digits is not None

    @property
    def certainty(self):
        """The number that stands for a chance of 1."""
        return (1 << 8 * self.width) - 1

    def decode(self, data, n):
        """The n values whose bytes stand one behind the other."""
        if not self.width:
            return [None] * n
        if self.is_chance:
            places = range(0, n * self.width, self.width)
            stored = (data[at : at + self.width] for at in places)
            return [int.from_bytes(it, "little") / self.certainty for it in stored]
        return list(struct.unpack(f"<{n}{self.form}", data))

    def encode(self, value):
        if not self.width:
            return b""
        if self.is_chance:
            return round(value * self.certainty).to_bytes(self.width, "little")
        return struct.pack("<" + self.form, value)

    def text(self, value):
        """A value in as many digits as tell it from its neighbours."""
        if self.is_chance:
            return f"{value:.{self.digits}f}"
        if not isfinite(value):
            return str(value)
        text = repr(value)
        if self.name == "f32":
            text = next(filter(self._is_exactly(value), shorter_forms(value)))
        text = f"{Decimal(text):f}"
        return text.rstrip("0").rstrip(".") if "." in text else text

    def _is_exactly(self, value):
        """Whether a text is read as this very value."""
        stored = self.encode(value)

        def check(text):
            try:
                return self.encode(float(text)) == stored
            except OverflowError:  # rounded up, past the largest number
                return False

        return check


def shorter_forms(value):
    """A number in more and more digits, up to those that an f32 needs."""
    return (f"{value:.{digits}g}" for digits in range(1, 10))


COLUMNS = {
    0: Column("none", 0),
    1: Column("f32", 4, "f"),
    2: Column("f64", 8, "d"),
    3: Column("chance32", 4, digits=10),
    4: Column("u64", 8, "Q"),
    5: Column("chance16", 2, digits=5),
    6: Column("chance24", 3, digits=8),
}
