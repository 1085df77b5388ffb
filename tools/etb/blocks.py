"""Blocks of keyed tables as three columns: plain and compressed ones.

A decoder gets a block's index entry, its stored bytes, the layout of meta, the
bytes of a value, and `need`, with which it complains. It gives the codes, the
metas as numbers, and the bytes of the values one behind the other.
"""

import struct

import zstandard

from .frame import up8

WORD = 2**64 - 1
MOST_DIFFERENCE = 10  # bytes of a LEB128 number


def decompress(stored, most, need):
    """The content of exactly one zstd frame, at most so many bytes of it."""
    try:
        # The frame may state its size; then the decompressor believes it.
        need(zstandard.frame_content_size(stored) <= most, "it is too large")
        frame = zstandard.get_frame_parameters(stored)
        need(frame.dict_id == 0, "it needs a dictionary")
        return zstandard.ZstdDecompressor().decompress(
            stored, max_output_size=most, allow_extra_data=False
        )
    except zstandard.ZstdError as error:
        need(False, str(error))


def leb128(data, at, end, need):
    """The number that begins at `at`, and where the next one begins."""
    number = 0
    for i in range(MOST_DIFFERENCE):
        need(at + i < end, "differences are missing")
        byte = data[at + i]
        number |= (byte & 0x7F) << 7 * i
        if byte < 0x80:
            return number, at + i + 1
    need(False, "a difference has more than 10 bytes")


def join_planes(data, n):
    """The bytes of n numbers one behind the other, from their byte planes."""
    return b"".join(data[i::n] for i in range(n))


def decode_compressed(entry, stored, layout, width, need):
    n, m = entry.records, layout.meta_bytes
    most = n * (MOST_DIFFERENCE + m + width)
    data = decompress(stored, most, need)
    end = len(data) - n * (m + width)
    need(end >= 0, "it is too short")

    codes, at = [entry.first_code], 0
    for _ in range(n - 1):
        difference, at = leb128(data, at, end, need)
        need(0 < difference <= WORD, "a difference is out of range")
        codes.append(codes[-1] + difference)
    need(at == end, "bytes behind the differences")

    columns = []
    for column in (layout.result_bytes, layout.move_bytes, width):
        columns.append(join_planes(data[at : at + n * column], n))
        at += n * column
    results = numbers(columns[0], layout.result_bytes, n)
    moves = numbers(columns[1], layout.move_bytes, n)
    return codes, list(map(layout.join, results, moves)), columns[2]


def decode_plain(entry, stored, layout, width, need):
    n, m = entry.records, layout.meta_bytes
    meta_end, values = (8 + m) * n, 8 * n + up8(m * n)
    need(len(stored) == values + up8(width * n), "its length is wrong")
    need(
        not any(stored[meta_end:values]) and not any(stored[values + width * n :]),
        "its padding is not zero",
    )
    codes = list(struct.unpack_from(f"<{n}Q", stored))
    metas = numbers(stored[8 * n : meta_end], m, n)
    return codes, metas, stored[values : values + width * n]


def numbers(data, width, n):
    """n numbers of so many bytes each, of no bytes perhaps."""
    return [
        int.from_bytes(data[width * i : width * (i + 1)], "little") for i in range(n)
    ]
