"""Keyed tables: a code for every position they know, in ascending order."""

import struct
from bisect import bisect_left, bisect_right
from typing import NamedTuple

from .blocks import WORD, decode_compressed, decode_plain
from .errors import PositionError
from .frame import COMPRESSIONS, MOST_BLOCK_RECORDS, up8
from .packed import Packed, decode_packed
from .record import COLUMNS, Record

DECODERS = {
    "none": decode_plain,
    "zstd": decode_compressed,
    "packed": decode_packed,
}


class Entry(NamedTuple):
    """What the index says of a block."""

    first_code: int
    offset: int
    length: int
    records: int
    checksum: int


ENTRY = struct.Struct("<QQIIQ")


class KeyedTable:
    """Opening makes all the checks that do not need the blocks; a block is
    checked whenever it is read."""

    def __init__(self, frame):
        self.frame, self.header = frame, frame.header
        self.compression = COMPRESSIONS[self.header.compression]
        self.column = COLUMNS[self.header.value]
        self.layout = self.header.layout
        self.index = self._read_index()
        self._first_codes = [entry.first_code for entry in self.index]
        self._block_number = self._block = None

    def __len__(self):
        return self.header.records

    def blocks_end(self):
        """Where the padding behind the blocks begins."""
        if not self.index:
            return self.header.length
        return self.index[-1].offset + self.index[-1].length

    # The numbers in the comments are those of the specification's list of checks.

    def _read_index(self):
        header, need = self.header, self.frame.need
        data = self.frame.read_index(ENTRY.size * header.blocks)
        index = [Entry(*fields) for fields in ENTRY.iter_unpack(data)]
        # 12
        end, before = header.length, -1
        for i, entry in enumerate(index):
            full = entry.records == header.block_records
            if i == len(index) - 1:
                full = 1 <= entry.records <= header.block_records
            need(
                entry.offset == end and full and entry.first_code > before,
                f"the index entry of block {i} is wrong",
            )
            end, before = entry.offset + entry.length, entry.first_code
        # 13
        need(up8(end) == header.index_offset, "the index is not behind the blocks")
        need(
            sum(entry.records for entry in index) == header.records,
            "the blocks do not have as many records as the header says",
        )
        need(
            1 <= header.block_records <= MOST_BLOCK_RECORDS,
            f"blocks of {header.block_records} records",
        )
        return index

    # --- Blocks

    def block(self, number):
        """The records of a block, checked."""
        if number != self._block_number:
            self._block = self._read_block(number)
            self._block_number = number
        return self._block

    def _read_block(self, number):
        entry, stored, need = self._stored(number)
        decode = DECODERS[self.compression]
        codes, metas, values = decode(
            entry, stored, self.layout, self.column.width, need
        )
        # The search relies on the order; the next block's first code is at hand.
        need(codes[0] == entry.first_code, "it does not begin with the index's code")
        need(all(a < b for a, b in zip(codes, codes[1:])), "the codes do not ascend")
        need(codes[-1] <= WORD, "a code is too large")
        if number + 1 < len(self.index):
            need(
                codes[-1] < self._first_codes[number + 1], "it overlaps the next block"
            )
        values = self.column.decode(values, len(codes))
        metas = [self._meta(meta, need) for meta in metas]
        return [Record(*fields) for fields in zip(codes, metas, values)]

    def _meta(self, number, need):
        meta = self.layout.unpack(number)
        need(meta.result in self.layout.results, f"a result is {meta.result}")
        return meta

    def _stored(self, number):
        """A block's index entry and its bytes, checked; and a way to complain."""
        entry = self.index[number]
        stored = self.frame.read(entry.offset, entry.length)

        def need(holds, message):
            self.frame.need(holds, f"block {number}: {message}")

        self.frame.check(stored, entry.checksum, f"block {number}")
        return entry, stored, need

    # --- Questions

    def records(self, first=0, behind=None):
        """The records with the numbers `first` to `behind` - 1, in order."""
        behind = len(self) if behind is None else min(behind, len(self))
        while first < behind:
            number, start = divmod(first, self.header.block_records)
            some = self.block(number)[start : start + behind - first]
            yield from some
            first += len(some)

    def get(self, code):
        """The record with this code, or None."""
        number = bisect_right(self._first_codes, code) - 1
        if number < 0:
            return None
        block = self.block(number)
        if self.compression == "packed":
            return self._find_packed(number, code)
        i = bisect_left(block, code, key=lambda record: record.code)
        return block[i] if i < len(block) and block[i].code == code else None

    def _find_packed(self, number, code):
        """Looks a code up where it lies, without taking the block apart."""
        entry, stored, need = self._stored(number)
        packed = Packed(entry, stored, self.layout, self.column.width, need)
        i = packed.find(code)
        if i is None:
            return None
        meta, value = packed.answer(i)
        (value,) = self.column.decode(value, 1)
        return Record(code, self._meta(meta, need), value)

    def line(self, record):
        """A record by its code, as a game that is not known leaves it."""
        meta, value = record.meta, record.value
        move = self.layout.no_move if meta.move is None else meta.move
        digits = self.layout.move_bits // 4
        last = meta.plies if value is None else self.column.text(value)
        return f"{record.code:016x} {meta.turn}{meta.result}{move:0{digits}x} {last}"

    def verify(self, game):
        """Reads every block, and asks who knows the game about every record."""
        for record in self.records():
            if game is not None:
                try:
                    game.check_record(record)
                except PositionError as error:
                    self.frame.need(False, f"code {record.code:016x}: {error}")
