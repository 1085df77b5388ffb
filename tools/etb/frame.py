"""The frame of every table: header and footer.

What lies between them, blocks and index, differs by kind: keyed.py, dense.py.
The numbers in the comments are those of the specification's list of checks.
"""

import struct
from typing import NamedTuple

import xxhash

from .errors import TableError
from .record import COLUMNS, DENSE, KEYED, LAYOUTS
from .text import Text, TextError

KINDS = {KEYED: "keyed", DENSE: "dense"}
CODECS = {
    1: "canonical",
    2: "exact",
    3: "canonical, folded",
    4: "exact, folded",
    5: "numbered",
}
COMPRESSIONS = {0: "none", 1: "zstd", 2: "packed"}

VERSION = 2
FIXED = struct.Struct("<8sHHIQ8BQQIIQQ8x")  # the header before its text
FOOTER = struct.Struct("<QQQ8s")
MOST_BLOCK_RECORDS = 65_536


def up8(n):
    return (n + 7) // 8 * 8


def checksum(data):
    return xxhash.xxh3_64_intdigest(data)


class Header(NamedTuple):
    """The fields in the order of the file."""

    magic: bytes
    version: int
    kind: int
    length: int
    features: int
    codec: int
    value: int
    compression: int
    key_bytes: int
    layer: int
    result_bits: int
    move_bits: int
    plies_bits: int
    records: int
    blocks: int
    block_records: int
    text_length: int
    index_offset: int
    file_length: int
    text: Text | None = None

    @property
    def layout(self):
        """How a record's answer is laid out, None if this reader does not know."""
        bits = self.result_bits, self.move_bits, self.plies_bits
        return LAYOUTS[self.kind].get(bits)


class Frame:
    """An open file whose header has been checked."""

    def __init__(self, path):
        self.path = path
        self._file = open(path, "rb")
        try:
            self.header = self._read_header()
        except BaseException:
            self.close()
            raise

    def close(self):
        self._file.close()

    def need(self, holds, message):
        """Refuses the file unless what it needs holds."""
        if not holds:
            raise TableError(f"{self.path}: {message}")

    def check(self, data, expected, part, bits=64):
        """Compares a part of the file with its checksum, or the low bits of it."""
        found = checksum(data) & (1 << bits) - 1
        self.need(
            found == expected,
            f"{part}: checksum mismatch (expected {expected:x}, found {found:x}); "
            "the file is damaged, generate or download it again",
        )

    def read(self, offset, length):
        self._file.seek(offset)
        data = self._file.read(length)
        self.need(len(data) == length, "the file is cut short")
        return data

    def _read_header(self):
        need = self.need
        length = self._file.seek(0, 2)
        # 1
        need(length >= 8, "not a table: shorter than 8 bytes")
        magic = self.read(0, 8)
        need(magic != bytes(8) or length < FIXED.size, "an unfinished table")
        need(magic == b"ENDTABLE", "not a table")
        # 2
        (version,) = struct.unpack("<H", self.read(8, 2))
        need(
            version != 1,
            "format version 1, from an older endtable; this program reads version 2; "
            "generate the table again",
        )
        need(
            version == VERSION,
            f"format version {version}; this program reads version {VERSION}",
        )
        # 3
        (header_length,) = struct.unpack("<I", self.read(12, 4))
        need(
            header_length % 8 == 0 and 88 <= header_length <= 65536,
            f"a header of {header_length} bytes",
        )
        need(header_length <= length, "the file is cut short, in its header")
        # 4
        data = self.read(0, header_length)
        (stored,) = struct.unpack("<Q", data[-8:])
        self.check(data[:-8], stored, "header")
        return self._parse(data, length)

    def _parse(self, data, length):
        need = self.need
        header = Header(*FIXED.unpack_from(data))
        # 5
        need(header.features == 0, f"unknown features {header.features:#x}")
        # 6
        text_end = FIXED.size + header.text_length
        need(header.length == up8(text_end) + 8, "the text's length is wrong")
        try:
            text = Text(data[FIXED.size : text_end])
        except TextError as error:
            raise TableError(f"{self.path}: the header's text: {error}") from None
        # 7
        for name, number, known in (
            ("kind", header.kind, KINDS),
            ("codec", header.codec, CODECS),
            ("value column", header.value, COLUMNS),
            ("compression", header.compression, COMPRESSIONS),
            ("length of keys", header.key_bytes, (8, 16)),
        ):
            need(number in known, f"unknown {name} {number}")
        need(
            header.layout is not None,
            f"unknown layout of records: result_bits {header.result_bits}, "
            f"move_bits {header.move_bits}, plies_bits {header.plies_bits}",
        )
        # 8
        need(
            length == header.file_length,
            f"{length} bytes, but the header says {header.file_length}",
        )
        return header._replace(text=text)

    def read_index(self, index_length):
        """The bytes of the index, which has so many of them."""
        header, need = self.header, self.need
        # 9
        need(
            header.index_offset + index_length + FOOTER.size == header.file_length
            and header.index_offset % 8 == 0,
            "the index is not where it should be",
        )
        # 10
        footer = self.read(header.file_length - FOOTER.size, FOOTER.size)
        index_checksum, *lengths, magic = FOOTER.unpack(footer)
        need(
            magic == b"ELBATDNE"
            and lengths == [header.index_offset, header.file_length],
            "the footer is damaged",
        )
        # 11
        index = self.read(header.index_offset, index_length)
        self.check(index, index_checksum, "index")
        return index
