#!/usr/bin/env python3
"""A reader of endtable's table files that follows docs/FORMAT.md and nothing else.

It shares no code with the program: what both of them read from a file is what
the specification says. It is plain rather than fast, and needs the packages
of tools/requirements.txt.

    python3 tools/etb_reader.py info seeds.etb
    python3 tools/etb_reader.py dump seeds.etb --records 0..10
    python3 tools/etb_reader.py probe seeds.etb 0100000808001830:12d27d06b02589e4
    python3 tools/etb_reader.py probe 2x3.etb 0000000000100021
"""

import argparse
import re
import struct
import sys
from bisect import bisect_left, bisect_right
from decimal import Decimal
from functools import lru_cache
from math import isqrt
from typing import NamedTuple

import xxhash
import zstandard

CELLS = range(16)
WORD = 2**64 - 1


class TableError(Exception):
    """The file is not a table that this reader can trust."""


class PositionError(ValueError):
    """The numbers given are no position."""


def up8(n):
    return (n + 7) // 8 * 8


def checksum(data):
    return xxhash.xxh3_64_intdigest(data)


# --- Keys ------------------------------------------------------------------


def pair(a, b):
    return b * b + a if a < b else a * a + a + b


def unpair(z):
    r = isqrt(z)
    d = z - r * r
    return (d, r) if d < r else (r, d - r)


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


# --- Collapsi: boards ------------------------------------------------------


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
    for cells, most in zip(board.cards, (4, 4, 4, 2)):
        if cells & seen:
            raise PositionError("two cards on one cell")
        if cells.bit_count() > most:
            raise PositionError("too many cards of one kind")
        seen |= cells
    alive = 0xFFFF & ~board.collapsed
    if alive & ~seen != jokers(board.x, board.o, board.collapsed, board.turn):
        raise PositionError("cards and jokers do not fit the collapsed cells")
    return board


def board_key(board):
    numbers = list(board)
    while len(numbers) > 1:
        numbers = [pair(a, b) for a, b in zip(numbers[::2], numbers[1::2])]
    return numbers[0]


def board_of_key(key):
    numbers = [key]
    while len(numbers) < 8:
        numbers = [part for whole in numbers for part in unpair(whole)]
    return check_board(numbers)


# --- Collapsi: symmetries --------------------------------------------------


def are_neighbours(a, b):
    rows, columns = (a // 4 - b // 4) % 4, (a - b) % 4
    return (rows in (1, 3) and columns == 0) or (rows == 0 and columns in (1, 3))


def find_turns():
    """The 24 symmetries that leave cell 0 alone, in the specified order."""
    turns = []

    def search(images):
        n = len(images)
        if n == 16:
            turns.append(images)
            return
        for i in CELLS:
            if i not in images and all(
                are_neighbours(n, c) == are_neighbours(i, images[c]) for c in range(n)
            ):
                search(images + [i])

    search([0])
    return turns


TURNS = find_turns()


def symmetry(s, t):
    """Cell s goes to cell 0, then turn t is applied."""
    return [TURNS[t][4 * ((c // 4 - s // 4) % 4) + (c - s) % 4] for c in CELLS]


def cell_of(one):
    """The cell of a set that has only one."""
    return one.bit_length() - 1


def image(cells, g):
    return sum(1 << g[c] for c in CELLS if cells >> c & 1)


def canonical(board):
    """The canonical board and the symmetry that leads to it."""
    cards = [cells & ~board.collapsed for cells in board.cards]
    x, o = (board.o, board.x) if board.turn else (board.x, board.o)
    best = None
    for t in range(len(TURNS)):
        g = symmetry(cell_of(x), t)
        # X's cell is 0 in all of these images; comparing the one bit of O's
        # set is comparing its cell.
        order = [image(cells, g) for cells in (o, board.collapsed, *cards)]
        if best is None or order < best[0]:
            best = order, g
    (o, collapsed, *cards), g = best
    return Board(*cards, 1, o, collapsed, 0), g


# --- Collapsi: ranks of words ----------------------------------------------

DECK = (4, 4, 4, 2)
NO_CARD = 4  # the fifth letter


@lru_cache(maxsize=None)
def choices(n, left, letters):
    """What may come first in a word of n letters.

    Each choice is a letter, the cards left behind it, and the number of words
    that go on from there.
    """
    found = []
    for letter in range(letters):
        if letter == NO_CARD:
            rest = left
        elif left[letter] > 0:
            rest = (*left[:letter], left[letter] - 1, *left[letter + 1 :])
        else:
            continue
        found.append((letter, rest, count(n - 1, rest, letters)))
    return found


@lru_cache(maxsize=None)
def count(n, left, letters):
    if n == 0:
        return 1
    return sum(words for _, _, words in choices(n, left, letters))


def rank(word, letters):
    left, r = DECK, 0
    for i, wanted in enumerate(word):
        for letter, rest, words in choices(len(word) - i, left, letters):
            if letter == wanted:
                left = rest
                break
            r += words
    return r


@lru_cache(maxsize=1 << 16)  # many records share a word, above all in exact tables
def unrank(r, n, letters):
    if r >= count(n, DECK, letters):
        raise PositionError("the rank of the cards is too large")
    word, left = [], DECK
    for i in range(n, 0, -1):
        for letter, rest, words in choices(i, left, letters):
            if r < words:
                word.append(letter)
                left = rest
                break
            r -= words
    return word


def letter_at(board, cell):
    for letter, cells in enumerate(board.cards):
        if cells >> cell & 1:
            return letter
    return NO_CARD


def card_sets(cells, word):
    sets = [0] * 5
    for cell, letter in zip(cells, word):
        sets[letter] |= 1 << cell
    return sets[:4]


# --- Collapsi: codecs ------------------------------------------------------


class Canonical:
    """Codec 1."""

    number = 1
    key_bytes = 16
    name = "canonical"

    def encode(self, board):
        cells = [c for c in CELLS if not board.collapsed >> c & 1]
        word = [letter_at(board, c) for c in cells]
        word = [letter for letter in word if letter != NO_CARD]
        return (
            rank(word, 4)
            | board.collapsed << 25
            | board.turn << 41
            | cell_of(board.o) << 42
            | cell_of(board.x) << 46
        )

    def decode(self, code):
        if code >> 50:
            raise PositionError("high bits in the code")
        collapsed, turn = code >> 25 & 0xFFFF, code >> 41 & 1
        o, x = 1 << (code >> 42 & 15), 1 << (code >> 46 & 15)
        if x == o or (x | o) & collapsed:
            raise PositionError("pawns on one cell or on a collapsed one")
        bare = collapsed | jokers(x, o, collapsed, turn)
        cells = [c for c in CELLS if not bare >> c & 1]
        word = unrank(code & 0x1FFFFFF, len(cells), 4)
        return Board(*card_sets(cells, word), x, o, collapsed, turn)

    def key(self, code):
        return board_key(self.decode(code))


class Exact:
    """Codec 2."""

    number = 2
    key_bytes = 16
    name = "exact"

    def encode(self, board):
        return (
            board.turn
            | cell_of(board.o) << 1
            | cell_of(board.x) << 5
            | board.collapsed << 9
            | rank([letter_at(board, c) for c in CELLS], 5) << 25
        )

    def decode(self, code):
        if code >> 62:
            raise PositionError("high bits in the code")
        cards = card_sets(CELLS, unrank(code >> 25, 16, 5))
        o, x = 1 << (code >> 1 & 15), 1 << (code >> 5 & 15)
        return check_board([*cards, x, o, code >> 9 & 0xFFFF, code & 1])

    def key(self, code):
        return board_key(self.decode(code))


class Folded:
    """Codecs 3 and 4: the code is the folded key."""

    key_bytes = 8

    def __init__(self, number, name):
        self.number = number
        self.name = name

    def encode(self, board):
        return fold(board_key(board))

    def decode(self, code):
        raise PositionError("a folded key does not give the position back")

    def key(self, code):
        return code


COLLAPSI_CODECS = {
    codec.number: codec
    for codec in (
        Canonical(),
        Exact(),
        Folded(3, "canonical, folded"),
        Folded(4, "exact, folded"),
    )
}
CANONICAL = (1, 3)  # the codecs that take canonical boards


# --- 2048 ------------------------------------------------------------------

UP, RIGHT, DOWN, LEFT = range(4)


class Twenty48:
    """The boards of one size and what is played for: codec 1 of 2048."""

    number = 1
    key_bytes = 8
    name = "canonical"

    def __init__(self, rules):
        size, objective = rules & 15, rules >> 4
        if size > 8:
            raise PositionError(f"no size of a board has the number {size}")
        self.rows, self.columns = size // 3 + 2, size % 3 + 2
        self.highest = min(self.rows * self.columns + 1, 15)
        if objective == 2 or objective > self.highest:
            raise PositionError(f"a tile of exponent {objective} cannot be played for")
        self.is_search = objective == 1
        self.target = objective if objective > 2 else 0
        cells = [(x, y) for y in range(self.rows) for x in range(self.columns)]
        # Each symmetry: for the cells in the order of their digits, where they
        # come from; and the directions that its image's directions come from.
        self.symmetries = []
        for exchange in (False, True) if self.rows == self.columns else (False,):
            for flip in (False, True):
                for turn_over in (False, True):
                    came_from = []
                    for x, y in cells:
                        x = self.columns - 1 - x if flip else x
                        y = self.rows - 1 - y if turn_over else y
                        came_from.append((y, x) if exchange else (x, y))
                    directions = [UP, RIGHT, DOWN, LEFT]
                    if flip:
                        directions = [UP, LEFT, DOWN, RIGHT]
                    if turn_over:
                        directions[UP], directions[DOWN] = DOWN, UP
                    if exchange:
                        directions = [(LEFT, DOWN, RIGHT, UP)[it] for it in directions]
                    self.symmetries.append((came_from, directions))

    def check_board(self, board):
        if not 0 <= board <= WORD:
            raise PositionError("a board has 64 bits")
        for cell in range(16):
            exponent = board >> 4 * cell & 15
            outside = cell % 4 >= self.columns or cell // 4 >= self.rows
            if exponent > (0 if outside else self.highest):
                raise PositionError(f"{board:016x}: a tile that cannot be on this board")

    def exponents(self, board):
        return [board >> 4 * cell & 15 for cell in range(16)]

    def is_finished(self, board):
        return self.target > 0 and max(self.exponents(board)) >= self.target

    def canonical(self, board):
        """The canonical board, and for each of its directions that of the board."""

        def image(came_from):
            digits = [board >> 16 * y + 4 * x & 15 for x, y in came_from]
            return self.board_of_digits(digits)

        return min(
            ((image(came_from), directions) for came_from, directions in self.symmetries),
            key=lambda it: it[0],
        )

    def board_of_digits(self, digits):
        return sum(
            exponent << 16 * (i // self.columns) + 4 * (i % self.columns)
            for i, exponent in enumerate(digits)
        )

    def encode(self, board):
        base, code = self.highest + 1, 0
        for y in range(self.rows):
            for x in range(self.columns):
                code += (board >> 16 * y + 4 * x & 15) * base ** (self.columns * y + x)
        return code

    def decode(self, code):
        digits = []
        for _ in range(self.rows * self.columns):
            code, exponent = divmod(code, self.highest + 1)
            digits.append(exponent)
        if code:
            raise PositionError("the code has too many digits")
        return self.board_of_digits(digits)

    def key(self, code):
        return self.decode(code)

    def __str__(self):
        objective = f"tile:{1 << self.target}" if self.target else "score"
        if self.is_search:
            objective = "search"
        return f"{self.rows}x{self.columns} {objective}"


class Outlook(NamedTuple):
    """What a table says of a 2048 board."""

    win: int
    move: int | None  # the direction
    value: float


# --- The file --------------------------------------------------------------

COLLAPSI, TWENTY48 = 1, 2
GAMES = {COLLAPSI: "collapsi", TWENTY48: "2048"}
COLLAPSI_RULES = {0: "one", 1: "wild"}
COMPRESSIONS = {0: "none", 1: "zstd", 2: "packed"}
VALUES = {0: ("none", 0), 1: ("f32", 4), 2: ("f64", 8), 3: ("chance32", 4), 4: ("u64", 8)}

VALUE_FORMS = {"f32": "f", "f64": "d", "chance32": "I", "u64": "Q"}
CHANCE = 2**32 - 1  # certainty, as a chance32

# Behind magic, version, kind and header_length.
HEADER = struct.Struct("<Q6B2xQQIIQQ8x")
ENTRY = struct.Struct("<QQIIQ")
FOOTER = struct.Struct("<QQQ8s")
MOST_BLOCK_RECORDS = 1_048_576


class Entry(NamedTuple):
    """What the index says of a block."""

    first_code: int
    offset: int
    length: int
    records: int
    checksum: int


class Record(NamedTuple):
    code: int
    meta: int
    value: object  # None without a value column

    @property
    def turn(self):
        return self.meta & 1

    @property
    def win(self):
        return self.meta >> 1 & 1

    @property
    def direction(self):
        """2048: the best direction, or None if the game is over."""
        move = self.meta >> 2 & 0xFF
        return move if move <= 3 else None

    @property
    def move(self):
        """Collapsi: (from, to), or None if the game is over."""
        start, to = self.meta >> 6 & 15, self.meta >> 2 & 15
        return None if start == to else (start, to)

    @property
    def plies(self):
        return self.meta >> 10


class Answer(NamedTuple):
    """What a table says of a board, in terms of that board."""

    turn: int
    win: int
    move: tuple | None  # (from, to)
    plies: int


def move_text(move):
    return "ff" if move is None else f"{move[0]:x}{move[1]:x}"


def direction_text(direction):
    return "ff" if direction is None else f"{direction:02x}"


def value_text(value, kind):
    """A value in as many digits as tell it from its neighbours."""
    if kind == "chance32":
        return f"{value:.10f}"
    if kind == "f32":
        forms = (f"{value:.{digits}g}" for digits in range(1, 10))
        text = next(it for it in forms if struct.pack("<f", float(it)) == struct.pack("<f", value))
    else:
        text = repr(value)
    text = f"{Decimal(text):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def whole_words(bits):
    """Bytes of the words that so many bits take."""
    return (bits + 63) // 64 * 8


class Packed:
    """A packed block, its parts found."""

    def __init__(self, entry, stored, width, need):
        self.first_code, self.n, self.width = entry.first_code, entry.records, width
        self.need = need
        need(len(stored) >= 8, "it has no head")
        self.low_bits, self.meta_bits, metas, self.constants, high_words = struct.unpack_from(
            "<BBHHH", stored
        )
        need(
            self.low_bits <= 63
            and self.meta_bits <= 16
            and 1 <= metas
            and self.constants <= metas,
            "its head makes no sense",
        )
        at = 8

        def part(length):
            nonlocal at
            at += length
            need(at <= len(stored), "it is too short")
            return stored[at - length : at]

        def bits(length):
            return int.from_bytes(part(length), "little")

        self.high_length = 64 * high_words
        self.high = bits(8 * high_words)
        self.low = bits(whole_words(self.low_bits * self.n))
        self.numbers = bits(whole_words(self.meta_bits * self.n))
        self.own = None
        if 0 < self.constants < metas:
            self.own = bits(whole_words(self.n))
            own_count = self.own.bit_count()
        else:
            own_count = self.n if self.constants == 0 else 0
        self.metas = struct.unpack(f"<{metas}H", part(2 * metas))
        self.constant_values = part(width * self.constants)
        self.values = part(width * own_count)
        need(len(stored) - at < 8, "it is too long")

    def low_part(self, i):
        return self.low >> self.low_bits * i & (1 << self.low_bits) - 1

    def answer(self, i):
        """The meta of a record, and the bytes of its value."""
        self.need(i < self.n, "it has more ones than records")
        number = self.numbers >> self.meta_bits * i & (1 << self.meta_bits) - 1
        self.need(number < len(self.metas), "it has no such meta")
        if number < self.constants:
            values, j = self.constant_values, number
        elif self.own is None:
            values, j = self.values, i
        else:
            values, j = self.values, (self.own & (1 << i) - 1).bit_count()
        value = values[self.width * j : self.width * (j + 1)]
        self.need(len(value) == self.width, "it has no such value")
        return self.metas[number], value

    def zero(self, h):
        """The place of zero number h, counted from 1, or None."""
        for at in range(self.high_length):
            if not self.high >> at & 1:
                h -= 1
                if h == 0:
                    return at
        return None

    def find(self, code):
        """The number of the record with this code, or None."""
        d = code - self.first_code
        h = d >> self.low_bits
        at = 0
        if h > 0:
            # It cannot have that many zeros; not worth counting them.
            if h > self.high_length:
                return None
            at = self.zero(h)
            if at is None:
                return None
            at += 1
        wanted = d & (1 << self.low_bits) - 1
        while self.high >> at & 1:
            low = self.low_part(at - h)
            if low >= wanted:
                return at - h if low == wanted else None
            at += 1
        return None

    def codes(self):
        self.need(self.high.bit_count() == self.n, "it has not as many ones as records")
        codes, zeros = [], 0
        for at in range(self.high_length):
            if self.high >> at & 1:
                d = zeros << self.low_bits | self.low_part(len(codes))
                codes.append(self.first_code + d)
            else:
                zeros += 1
        return codes


class Table:
    """A table, open for reading. Opening makes all the checks that do not
    need the blocks; a block is checked whenever it is read."""

    def __init__(self, path):
        self.path = path
        self.file = open(path, "rb")
        try:
            self._read_header()
            self._read_index()
        except BaseException:
            self.file.close()
            raise
        self._block_number = None
        self._block = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.file.close()

    def __len__(self):
        return self.record_count

    def _need(self, holds, message):
        if not holds:
            raise TableError(f"{self.path}: {message}")

    def _read(self, offset, length):
        self.file.seek(offset)
        data = self.file.read(length)
        self._need(len(data) == length, "the file is cut short")
        return data

    # The numbers in the comments are those of the specification's list of checks.

    def _read_header(self):
        need = self._need
        length = self.file.seek(0, 2)
        # 1
        need(length >= 8, "not a table: shorter than 8 bytes")
        magic = self._read(0, 8)
        need(magic != bytes(8) or length < 80, "an unfinished table")
        need(magic == b"ENDTABLE", "not a table")
        # 2
        (version,) = struct.unpack("<H", self._read(8, 2))
        need(version == 1, f"version {version} of the format; this reader knows 1")
        (kind,) = struct.unpack("<H", self._read(10, 2))
        # 3
        (self.header_length,) = struct.unpack("<I", self._read(12, 4))
        need(
            self.header_length % 8 == 0 and 88 <= self.header_length <= 65536,
            f"a header of {self.header_length} bytes",
        )
        need(self.header_length <= length, "the file is cut short, in its header")
        # 4
        header = self._read(0, self.header_length)
        (stored,) = struct.unpack("<Q", header[-8:])
        need(checksum(header[:-8]) == stored, "the header's checksum is wrong")
        need(kind == 0, "not a keyed table")
        (
            features,
            self.game,
            self.rules,
            codec,
            self.value,
            self.compression,
            self.key_bytes,
            self.record_count,
            self.block_count,
            self.block_records,
            text_length,
            self.index_offset,
            self.file_length,
        ) = HEADER.unpack_from(header, 16)
        # 5
        need(features == 0, f"unknown features {features:#x}")
        # 6
        need(self.header_length == up8(80 + text_length) + 8, "the text's length is wrong")
        try:
            self.text = header[80 : 80 + text_length].decode("utf-8")
        except UnicodeDecodeError:
            raise TableError(f"{self.path}: the text is not UTF-8") from None
        # 7
        need(self.game in GAMES, f"unknown game {self.game}")
        codecs = COLLAPSI_CODECS
        if self.game == COLLAPSI:
            need(self.rules in COLLAPSI_RULES, f"unknown rules {self.rules}")
            self.rules_name = COLLAPSI_RULES[self.rules]
        else:
            try:
                codecs = {1: Twenty48(self.rules)}
            except PositionError as error:
                raise TableError(f"{self.path}: unknown rules {self.rules}: {error}") from None
            self.rules_name = str(codecs[1])
        need(codec in codecs, f"unknown codec {codec}")
        need(self.value in VALUES, f"unknown value kind {self.value}")
        need(self.compression in COMPRESSIONS, f"unknown compression {self.compression}")
        self.codec = codecs[codec]
        need(
            self.key_bytes == self.codec.key_bytes,
            f"keys of {self.key_bytes} bytes do not fit codec {codec}",
        )
        # 8
        need(
            length == self.file_length,
            f"{length} bytes, but the header says {self.file_length}",
        )
        self.value_kind, self.value_bytes = VALUES[self.value]

    def _read_index(self):
        need = self._need
        # 9
        index_length = ENTRY.size * self.block_count
        need(
            self.index_offset + index_length + FOOTER.size == self.file_length
            and self.index_offset % 8 == 0,
            "the index is not where it should be",
        )
        # 10
        index_checksum, *lengths, magic = FOOTER.unpack(
            self._read(self.file_length - FOOTER.size, FOOTER.size)
        )
        need(
            magic == b"ELBATDNE" and lengths == [self.index_offset, self.file_length],
            "the footer is damaged",
        )
        # 11
        index = self._read(self.index_offset, index_length)
        need(checksum(index) == index_checksum, "the index's checksum is wrong")
        self.index = [Entry(*fields) for fields in ENTRY.iter_unpack(index)]
        # 12
        end, before = self.header_length, -1
        for i, entry in enumerate(self.index):
            full = entry.records == self.block_records
            if i == len(self.index) - 1:
                full = 1 <= entry.records <= self.block_records
            need(
                entry.offset == end and full and entry.first_code > before,
                f"the index entry of block {i} is wrong",
            )
            end, before = entry.offset + entry.length, entry.first_code
        # 13
        need(up8(end) == self.index_offset, "the blocks do not end where the index begins")
        need(
            sum(entry.records for entry in self.index) == self.record_count,
            "the blocks do not have as many records as the header says",
        )
        need(
            1 <= self.block_records <= MOST_BLOCK_RECORDS,
            f"blocks of {self.block_records} records",
        )
        self._first_codes = [entry.first_code for entry in self.index]

    # Blocks

    def block(self, number):
        """The codes, metas and values of a block, three lists (the values'
        None without a value column). Checked."""
        if number == self._block_number:
            return self._block
        entry, stored, need = self._stored(number)
        read = {"none": self._plain, "zstd": self._compressed, "packed": self._packed}
        codes, metas, values = read[COMPRESSIONS[self.compression]](entry, stored, need)
        # The search relies on the order, and the next block's first code is at hand.
        need(codes[0] == entry.first_code, "it does not begin with the index's code")
        need(all(a < b for a, b in zip(codes, codes[1:])), "the codes do not ascend")
        if number + 1 < len(self.index):
            need(codes[-1] < self._first_codes[number + 1], "it overlaps the next block")
        else:
            need(codes[-1] <= WORD, "a code is too large")
        self._block_number, self._block = number, (codes, metas, self._values(values))
        return self._block

    def _stored(self, number):
        """A block's index entry and its bytes, checked; and a way to complain of it."""
        entry = self.index[number]
        stored = self._read(entry.offset, entry.length)

        def need(holds, message):
            self._need(holds, f"block {number}: {message}")

        need(checksum(stored) == entry.checksum, "the checksum is wrong")
        return entry, stored, need

    def _compressed(self, entry, stored, need):
        n, w = entry.records, self.value_bytes
        most = n * (12 + w)
        try:
            # The frame may state its size; then the decompressor believes it.
            need(zstandard.frame_content_size(stored) <= most, "it is too large")
            need(zstandard.get_frame_parameters(stored).dict_id == 0, "it needs a dictionary")
            data = zstandard.ZstdDecompressor().decompress(
                stored, max_output_size=most, allow_extra_data=False
            )
        except zstandard.ZstdError as error:
            need(False, str(error))
        fixed = len(data) - n * (2 + w)
        need(fixed >= 0, "it is too short")

        codes = [entry.first_code]
        at = 0
        for _ in range(n - 1):
            difference, shift = 0, 0
            while True:
                if at == fixed:
                    need(False, "differences are missing")
                byte = data[at]
                at += 1
                difference |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
                if shift == 70:
                    need(False, "a difference has more than 10 bytes")
            if not 0 < difference <= WORD:
                need(False, "a difference is out of range")
            codes.append(codes[-1] + difference)
        need(at == fixed, "bytes behind the differences")

        results, moves = data[at : at + n], data[at + n : at + 2 * n]
        metas = [r & 3 | m << 2 | (r >> 2) << 10 for r, m in zip(results, moves)]
        planes = data[at + 2 * n :]
        return codes, metas, b"".join(planes[i::n] for i in range(n)) if w else b""

    def _plain(self, entry, stored, need):
        n, w = entry.records, self.value_bytes
        behind = 8 * n + up8(2 * n)
        need(len(stored) == behind + up8(w * n), "its length is wrong")
        codes = list(struct.unpack_from(f"<{n}Q", stored))
        metas = list(struct.unpack_from(f"<{n}H", stored, 8 * n))
        return codes, metas, stored[behind : behind + w * n]

    def _packed(self, entry, stored, need):
        packed = Packed(entry, stored, self.value_bytes, need)
        codes = packed.codes()
        answers = [packed.answer(i) for i in range(len(codes))]
        return codes, [meta for meta, _ in answers], b"".join(value for _, value in answers)

    def _values(self, data):
        """The values of a block from their bytes, one value behind the other."""
        if self.value_kind == "none":
            return None
        form = VALUE_FORMS[self.value_kind]
        values = struct.unpack(f"<{len(data) // self.value_bytes}{form}", data)
        return [v / CHANCE for v in values] if self.value_kind == "chance32" else list(values)

    def _record(self, block, i):
        codes, metas, values = block
        return Record(codes[i], metas[i], values[i] if values else None)

    # Questions

    def records(self, first=0, behind=None):
        """The records with the numbers `first` to `behind` - 1, in order."""
        behind = len(self) if behind is None else min(behind, len(self))
        while first < behind:
            number, start = divmod(first, self.block_records)
            block = self.block(number)
            stop = min(len(block[0]), start + behind - first)
            for i in range(start, stop):
                yield self._record(block, i)
            first += stop - start

    def get(self, code):
        """The record with this code, or None."""
        number = bisect_right(self._first_codes, code) - 1
        if number < 0:
            return None
        if COMPRESSIONS[self.compression] == "packed":
            return self._find_packed(number, code)
        block = self.block(number)
        i = bisect_left(block[0], code)
        if i == len(block[0]) or block[0][i] != code:
            return None
        return self._record(block, i)

    def _find_packed(self, number, code):
        """Looks a code up where it lies, without taking the block apart."""
        packed = Packed(*self._stored(number)[:2], self.value_bytes, self._need)
        i = packed.find(code)
        if i is None:
            return None
        meta, value = packed.answer(i)
        values = self._values(value)
        return Record(code, meta, values[0] if values else None)

    def key(self, record):
        """The key of the stored board: 128 bits, or 64 in folded tables and in 2048."""
        return self.codec.key(record.code)

    def probe(self, position):
        """The answer for a position, or None: in Collapsi a board given as its eight numbers,
        in 2048 a board as one number."""
        if self.game == TWENTY48:
            return self._probe_2048(position)
        board = check_board(position)
        stored, g = board, list(CELLS)
        if self.codec.number in CANONICAL:
            stored, g = canonical(board)
        record = self.get(self.codec.encode(stored))
        if record is None:
            return None
        move = record.move
        if move is not None:
            move = g.index(move[0]), g.index(move[1])
        return Answer(board.turn, record.win, move, record.plies)

    def _probe_2048(self, board):
        self.codec.check_board(board)
        if self.codec.is_finished(board):
            return Outlook(1, None, 1.0)
        stored, directions = self.codec.canonical(board)
        record = self.get(self.codec.encode(stored))
        if record is None:
            return None
        direction = record.direction
        if direction is not None:
            direction = directions[direction]
        return Outlook(record.win, direction, record.value)

    def entries(self):
        """The text's entries by name."""
        return dict(line.split(": ", 1) for line in self.text.splitlines() if ": " in line)

    def dump_line(self, record):
        key = key_text(self.key(record), self.key_bytes)
        move = move_text(record.move)
        if self.game == TWENTY48:
            move = direction_text(record.direction)
        last = record.plies
        if record.value is not None:
            last = value_text(record.value, self.value_kind)
        return f"{key} {record.turn}{record.win}{move} {last}"

    def raw(self, record):
        """The logical record as the raw export has it."""
        key = self.key(record).to_bytes(self.key_bytes, "little")
        value = b""
        if record.value is not None:
            number = record.value
            if self.value_kind == "chance32":
                number = round(number * CHANCE)
            value = struct.pack("<" + VALUE_FORMS[self.value_kind], number)
        return key + struct.pack("<H", record.meta) + value


# --- Command line ----------------------------------------------------------


def info(table):
    lines = {
        "file": table.path,
        "game": GAMES[table.game],
        "rules": table.rules_name,
        "positions": table.codec.name,
        "records": table.record_count,
        "key bytes": table.key_bytes,
        "value": table.value_kind,
        "compression": COMPRESSIONS[table.compression],
        "blocks": f"{table.block_count} of {table.block_records} records",
        "size": f"{table.file_length} bytes",
        **table.entries(),
    }
    for name, what in lines.items():
        print(f"{name:<12} {what}")


def record_range(text):
    if not re.fullmatch(r"[0-9]+\.\.[0-9]+", text):
        raise argparse.ArgumentTypeError(f"not a range such as 0..10: {text!r}")
    first, behind = text.split("..")
    return int(first), int(behind)


def probe_text(table, text):
    """The answer for a key as a line, or None."""
    if table.game == TWENTY48:
        if not re.fullmatch(r"[0-9a-fA-F]{1,16}", text):
            raise PositionError(f"not a board such as 0000000000100021: {text!r}")
        board = int(text, 16)
        answer = table.probe(board)
        if answer is None:
            return None
        value = value_text(answer.value, table.value_kind)
        return f"{board:016x} 0{answer.win}{direction_text(answer.move)} {value}"
    if not re.fullmatch(r"[0-9a-fA-F]{1,16}:[0-9a-fA-F]{1,16}", text):
        raise PositionError(f"not a key such as 12ab:34cd: {text!r}")
    high, low = text.split(":")
    key = int(high, 16) << 64 | int(low, 16)
    answer = table.probe(board_of_key(key))
    if answer is None:
        return None
    return f"{key_text(key)} {answer.turn}{answer.win}{move_text(answer.move)}"


def main():
    parser = argparse.ArgumentParser(description="Reads endtable's table files.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in (
        ("info", "what the header says"),
        ("dump", "one record a line"),
        ("probe", "look a position up"),
    ):
        command = commands.add_parser(name, help=about)
        command.add_argument("file")
        if name == "dump":
            command.add_argument(
                "--records", metavar="A..B", type=record_range, default=(0, None)
            )
        if name == "probe":
            command.add_argument("key", help="HI:LO, or a 2048 board in hex")
    arguments = parser.parse_args()

    try:
        with Table(arguments.file) as table:
            match arguments.command:
                case "info":
                    info(table)
                case "dump":
                    for record in table.records(*arguments.records):
                        print(table.dump_line(record))
                case "probe":
                    line = probe_text(table, arguments.key)
                    if line is None:
                        sys.exit("not in the table")
                    print(line)
    except (TableError, PositionError, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
