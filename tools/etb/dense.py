"""Dense tables: an entry for every position of a layer, and no keys."""

import struct
from typing import NamedTuple

from .blocks import decompress
from .frame import MOST_BLOCK_RECORDS, up8

ENTRY = struct.Struct("<II")  # where a block begins, half its checksum
MOST_PLIES = 14


class Entry(NamedTuple):
    """The answer for the position of a number: odd plies win."""

    number: int
    plies: int


class DenseTable:
    """Opening makes all the checks that do not need the blocks; a block is
    checked whenever it is read."""

    def __init__(self, frame):
        self.frame, self.header = frame, frame.header
        header = self.header
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
        """The entries of a block, two a byte, checked."""
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
        data = decompress(stored, (entries + 1) // 2, need)
        need(len(data) == (entries + 1) // 2, "it has not as many entries as it should")
        need(entries % 2 == 0 or data[-1] < 16, "its unused nybble is not zero")
        need(
            not any(two >> 4 > MOST_PLIES or two & 15 > MOST_PLIES for two in data),
            f"an entry of more than {MOST_PLIES} plies",
        )
        return data

    def get(self, number):
        """The plies of the position with this number."""
        block, at = divmod(number, self.header.block_records)
        return self.block(block)[at // 2] >> 4 * (at % 2) & 15

    def records(self, first=0, behind=None):
        """The entries with the numbers `first` to `behind` - 1, in order."""
        behind = len(self) if behind is None else min(behind, len(self))
        return (Entry(number, self.get(number)) for number in range(first, behind))

    def line(self, entry):
        """An entry by its number, as a game that is not known leaves it."""
        return f"{entry.number} {entry.plies}"

    def verify(self, game):
        """Reads every entry."""
        most = MOST_PLIES
        if game is not None:
            game.check_size()
            most = game.most_plies()
        for number, plies in self.records():
            self.frame.need(plies <= most, f"entry {number}: {plies} plies")
