"""Dense tables: an entry for every position of a layer, and no keys."""

import struct
from typing import NamedTuple

from .blocks import decompress
from .frame import MOST_BLOCK_RECORDS, up8
from .record import BYTES, DRAW, LOSS, WIN

ENTRY = struct.Struct("<II")  # where a block begins, half its checksum
MOST_PLIES = 14  # of a nybble
MOST_BYTE_PLIES = 126
ABSENT = 0  # a byte of a number that no position has


class Entry(NamedTuple):
    """The answer for the position of a number: odd plies win."""

    number: int
    plies: int


class ByteEntry(NamedTuple):
    """The answer for the position of a number, in a table of bytes."""

    number: int
    result: int
    plies: int

    @classmethod
    def of(cls, number, byte):
        """What a byte says, None if no position has the number."""
        if byte == ABSENT:
            return None
        plies, win = byte >> 1, byte & 1
        if plies == 0:
            return cls(number, DRAW, 0)
        return cls(number, WIN if win else LOSS, plies)


class DenseTable:
    """Opening makes all the checks that do not need the blocks; a block is
    checked whenever it is read."""

    def __init__(self, frame):
        self.frame, self.header = frame, frame.header
        header = self.header
        self.has_bytes = header.layout == BYTES
        frame.need(
            (header.codec, header.value, header.compression) == (1, 0, 1),
            "a dense table has codec 1, no values, and zstd",
        )
        self.index = self._read_index()
        self._block_number = self._block = None

    def __len__(self):
        return self.header.records

    def blocks_end(self):
        """Where the padding behind the blocks begins."""
        return self.index[-1][0]

    def _read_index(self):
        header, need = self.header, self.frame.need
        data = self.frame.read_index(ENTRY.size * (header.blocks + 1))
        index = list(ENTRY.iter_unpack(data))
        size = header.block_records
        need(
            size % 2 == 0 and 2 <= size <= MOST_BLOCK_RECORDS,
            f"blocks of {size} entries",
        )
        need(-(-header.records // size) == header.blocks, "the counts do not add up")
        offsets = [offset for offset, _ in index]
        need(offsets[0] == header.length, "the blocks are not behind the header")
        need(
            all(a < b for a, b in zip(offsets, offsets[1:])),
            "the index entries do not ascend",
        )
        need(index[-1][1] == 0, "the last index entry has a checksum")
        need(
            up8(offsets[-1]) == header.index_offset,
            "the index is not behind the blocks",
        )
        return index

    def block(self, number):
        """The entries of a block, one or two a byte, checked."""
        if number != self._block_number:
            self._block = self._read_block(number)
            self._block_number = number
        return self._block

    def _read_block(self, number):
        def need(holds, message):
            self.frame.need(holds, f"block {number}: {message}")

        (offset, half), (end, _) = self.index[number : number + 2]
        stored = self.frame.read(offset, end - offset)
        self.frame.check(stored, half, f"block {number}", bits=32)
        size = self.header.block_records
        entries = min(size, len(self) - number * size)
        length = entries if self.has_bytes else (entries + 1) // 2
        data = decompress(stored, length, need)
        need(len(data) == length, "it has not as many entries as it should")
        if self.has_bytes:
            most = max(data, default=0) >> 1
            need(most <= MOST_BYTE_PLIES, f"an entry of more than {MOST_BYTE_PLIES} plies")
            return data
        need(entries % 2 == 0 or data[-1] < 16, "its unused nybble is not zero")
        need(
            not any(two >> 4 > MOST_PLIES or two & 15 > MOST_PLIES for two in data),
            f"an entry of more than {MOST_PLIES} plies",
        )
        return data

    def get(self, number):
        """The entry of the position with this number: a nybble, or a byte."""
        block, at = divmod(number, self.header.block_records)
        data = self.block(block)
        return data[at] if self.has_bytes else data[at // 2] >> 4 * (at % 2) & 15

    def records(self, first=0, behind=None):
        """The entries with the numbers `first` to `behind` - 1, in order. Of bytes
        only those of positions."""
        behind = len(self) if behind is None else min(behind, len(self))
        numbers = range(first, behind)
        if not self.has_bytes:
            return (Entry(number, self.get(number)) for number in numbers)
        entries = (ByteEntry.of(number, self.get(number)) for number in numbers)
        return (entry for entry in entries if entry is not None)

    def line(self, entry):
        """An entry by its number, as a game that is not known leaves it."""
        return " ".join(map(str, entry))

    def verify(self, game):
        """Reads every entry."""
        if game is not None:
            game.check_size()
        if self.has_bytes:
            for number in range(len(self)):
                is_there = self.get(number) != ABSENT
                self.frame.need(
                    game is None or game.has_position(number) == is_there,
                    f"entry {number}: {'no position has it' if is_there else 'missing'}",
                )
            return
        most = MOST_PLIES if game is None else game.most_plies()
        for number, plies in self.records():
            self.frame.need(plies <= most, f"entry {number}: {plies} plies")
