"""Writes small tables, for the tests of the reader and of docs/FORMAT.md.

It follows the specification as the reader does, but shares nothing with it, so
that a number read wrongly is not also written wrongly. All bytes are made in
memory; what a test wants to be wrong it can change.
"""

import struct
from typing import NamedTuple

import xxhash
import zstandard

# Bits of result, move, plies.
SHORT, LONG, BARE = (1, 8, 6), (2, 16, 13), (0, 0, 0)
NYBBLES, BYTES = (0, 0, 4), (1, 0, 7)
PLAIN, ZSTD, PACKED = range(3)
WIDTHS = (0, 4, 8, 4, 8, 2, 3)  # bytes of a value, by kind
LEVEL = 1  # of zstd; the program's


class Record(NamedTuple):
    code: int
    turn: int
    result: int
    move: int | None
    plies: int
    value: bytes = b""


class Description(NamedTuple):
    """What a header says, apart from counts."""

    text: bytes
    codec: int = 1
    value: int = 0
    compression: int = ZSTD
    key_bytes: int = 16
    layer: int = 0
    layout: tuple = SHORT
    block_records: int = 256


def checksum(data):
    return struct.pack("<Q", xxhash.xxh3_64_intdigest(data))


def padded(data):
    return data + bytes(-len(data) % 8)


def text_of(game, rules, *options, merged=None):
    """`options` are such as "seeds: 0..10", and "exact: "."""
    lines = [f"game: {game}", f"rules: {rules}"]
    lines += ["generator: endtable 0.2.0", "licence: CC0-1.0"]
    lines += [f"merged: {merged}"] if merged is not None else []
    lines += [f"option {option}" for option in options]
    return "".join(line + "\n" for line in lines).encode()


# --- The file --------------------------------------------------------------


def assemble(kind, it, records, blocks, index_of):
    """A file of these blocks; `index_of` gives the index when their place is known."""
    header_length = len(padded(bytes(80) + it.text)) + 8
    index = index_of(header_length)
    body = b"".join(blocks)
    index_offset = header_length + len(padded(body))
    file_length = index_offset + len(index) + 32
    header = padded(
        struct.pack("<8sHHIQ", b"ENDTABLE", 2, kind, header_length, 0)
        + bytes([it.codec, it.value, it.compression, it.key_bytes, it.layer])
        + bytes(it.layout)
        + struct.pack("<QQII", records, len(blocks), it.block_records, len(it.text))
        + struct.pack("<QQ8x", index_offset, file_length)
        + it.text
    )
    footer = struct.pack("<QQ8s", index_offset, file_length, b"ELBATDNE")
    return b"".join(
        [header, checksum(header), padded(body), index, checksum(index), footer]
    )


def keyed_table(it, records):
    size = it.block_records
    parts = [records[at : at + size] for at in range(0, len(records), size)]
    blocks = [encode_block(it, part) for part in parts]

    def index_of(offset):
        index = b""
        for part, block in zip(parts, blocks):
            fields = part[0].code, offset, len(block), len(part)
            index += struct.pack("<QQII", *fields) + checksum(block)
            offset += len(block)
        return index

    return assemble(0, it, len(records), blocks, index_of)


def dense_table(it, entries):
    pack = bytes if it.layout == BYTES else nybbles
    it = it if it.layout == BYTES else it._replace(layout=NYBBLES)
    size = it.block_records
    parts = [entries[at : at + size] for at in range(0, len(entries), size)]
    blocks = [compress(pack(part)) for part in parts]

    def index_of(offset):
        index = b""
        for block in blocks:
            index += struct.pack("<I", offset) + checksum(block)[:4]
            offset += len(block)
        return index + struct.pack("<II", offset, 0)

    return assemble(1, it, len(entries), blocks, index_of)


def nybbles(entries):
    even = [*entries, 0][: len(entries) + len(entries) % 2]
    return bytes(low | high << 4 for low, high in zip(even[::2], even[1::2]))


# --- Blocks ----------------------------------------------------------------


def compress(data):
    return zstandard.ZstdCompressor(level=LEVEL).compress(data)


def encode_block(it, records):
    encode = {PLAIN: plain_block, ZSTD: zstd_block, PACKED: packed_block}
    return encode[it.compression](it, records)


def meta_number(it, record):
    """Meta as it is stored, and the bytes that it takes."""
    result_bits, move_bits, plies_bits = it.layout
    move = (1 << move_bits) - 1 if record.move is None else record.move
    number = record.turn | record.result << 1 | move << 1 + result_bits
    number |= record.plies << 1 + result_bits + move_bits
    return number, (1 + sum(it.layout)) // 8


def meta_bytes(it, record):
    number, length = meta_number(it, record)
    return number.to_bytes(length, "little")


def leb128(number):
    data = b""
    while number >= 0x80:
        data += bytes([number & 0x7F | 0x80])
        number >>= 7
    return data + bytes([number])


def planes(numbers):
    """The first byte of every number, the second of every number, and so on."""
    return b"".join(map(bytes, zip(*numbers)))


def columns(it, records):
    """What a compressed block is made of."""
    result_bits, move_bits, plies_bits = it.layout
    results, moves = [], []
    for record in records:
        result = record.turn | record.result << 1 | record.plies << 1 + result_bits
        length = (1 + result_bits + plies_bits) // 8
        results.append(result.to_bytes(length, "little"))
        move = (1 << move_bits) - 1 if record.move is None else record.move
        moves.append(move.to_bytes(move_bits // 8, "little"))
    codes = [record.code for record in records]
    differences = b"".join(leb128(b - a) for a, b in zip(codes, codes[1:]))
    values = planes([record.value for record in records])
    return differences + planes(results) + planes(moves) + values


def zstd_block(it, records):
    return compress(columns(it, records))


def plain_block(it, records):
    codes = struct.pack(f"<{len(records)}Q", *(record.code for record in records))
    metas = b"".join(meta_bytes(it, record) for record in records)
    values = b"".join(record.value for record in records)
    return codes + padded(metas) + padded(values)


def row(numbers, bits):
    """Numbers of so many bits each, packed into whole words."""
    packed = sum(number << bits * i for i, number in enumerate(numbers))
    words = (bits * len(numbers) + 63) // 64
    return packed.to_bytes(8 * words, "little")


def packed_block(it, records):
    d = [record.code - records[0].code for record in records]
    n, last = len(records), d[-1]
    low_bits = (last // n).bit_length() - 1 if last >= n else 0
    high_words = ((last >> low_bits) + n + 63) // 64
    high = sum(1 << (each >> low_bits) + i for i, each in enumerate(d))

    values = {}  # the values that come with each meta
    for record in records:
        number, _ = meta_number(it, record)
        values.setdefault(number, set()).add(record.value)
    constant = sorted(number for number, found in values.items() if len(found) == 1)
    metas = constant + sorted(values.keys() - set(constant))
    places = [metas.index(meta_number(it, record)[0]) for record in records]
    meta_bits = (len(metas) - 1).bit_length()
    own = [int(place >= len(constant)) for place in places]

    _, width = meta_number(it, records[0])
    head = bytes([low_bits, meta_bits])
    head += struct.pack("<HHH", len(metas), len(constant), high_words)
    parts = [head, high.to_bytes(8 * high_words, "little")]
    parts.append(row([each & (1 << low_bits) - 1 for each in d], low_bits))
    parts.append(row(places, meta_bits))
    if 0 < len(constant) < len(metas):
        parts.append(row(own, 1))
    parts += [number.to_bytes(width, "little") for number in metas]
    parts += [min(values[number]) for number in constant]
    parts += [record.value for record, has in zip(records, own) if has]
    return padded(b"".join(parts))
