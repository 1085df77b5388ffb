"""Packed blocks: codes after Elias and Fano, metas as numbers in a list.

They can be searched where they lie, so beside the decoder of a whole block
there is a look-up that touches only what it needs, as the specification has it.
"""

import struct

from .blocks import numbers

HEAD = struct.Struct("<BBHHH")


def decode_packed(entry, stored, layout, width, need):
    block = Packed(entry, stored, layout, width, need)
    codes = block.codes()
    answers = [block.answer(i) for i in range(len(codes))]
    metas = [meta for meta, _ in answers]
    return codes, metas, b"".join(value for _, value in answers)


class Parts:
    """Takes a block's bytes part by part."""

    def __init__(self, stored, need):
        self.stored, self.need = stored, need
        self.at = 0

    def take(self, length):
        start, self.at = self.at, self.at + length
        self.need(self.at <= len(self.stored), "it is too short")
        return self.stored[start : self.at]

    def take_words(self, bits):
        """The words that so many bits take, as one number."""
        row = int.from_bytes(self.take((bits + 63) // 64 * 8), "little")
        self.need(row >> bits == 0, "a bit that should be unused is set")
        return row


class Packed:
    """A packed block, its parts found."""

    def __init__(self, entry, stored, layout, width, need):
        self.first_code, self.n, self.width = entry.first_code, entry.records, width
        self.need = need
        need(len(stored) >= HEAD.size, "it has no head")
        parts = Parts(stored, need)
        self.low_bits, self.meta_bits, metas, self.constants, high_words = HEAD.unpack(
            parts.take(HEAD.size)
        )
        need(
            self.low_bits <= 63
            and self.meta_bits <= 16
            and metas >= 1
            and self.constants <= metas,
            "its head makes no sense",
        )
        self.high_length = 64 * high_words
        self.high = parts.take_words(self.high_length)
        self.low = parts.take_words(self.low_bits * self.n)
        self.numbers = parts.take_words(self.meta_bits * self.n)
        self.own = None
        own_count = self.n if self.constants == 0 else 0
        if 0 < self.constants < metas:
            self.own = parts.take_words(self.n)
            own_count = self.own.bit_count()
        need(metas == 1 or layout.meta_bytes, "it has several metas of no bytes")
        listed = parts.take(layout.meta_bytes * metas)
        self.metas = numbers(listed, layout.meta_bytes, metas)
        self.constant_values = parts.take(width * self.constants)
        self.values = parts.take(width * own_count)
        rest = stored[parts.at :]
        need(len(rest) < 8 and not any(rest), "bytes behind its values")

    def low_part(self, i):
        return self.low >> self.low_bits * i & (1 << self.low_bits) - 1

    def answer(self, i):
        """The meta of a record, and the bytes of its value."""
        self.need(i < self.n, "it has more ones than records")
        number = self.numbers >> self.meta_bits * i & (1 << self.meta_bits) - 1
        self.need(number < len(self.metas), "it has no such meta")
        if self.own is not None:
            self.need(
                (self.own >> i & 1) == (number >= self.constants),
                "a record has no value, or one too many",
            )
        if number < self.constants:
            values, j = self.constant_values, number
        elif self.own is None:
            values, j = self.values, i
        else:
            values, j = self.values, (self.own & (1 << i) - 1).bit_count()
        value = values[self.width * j : self.width * (j + 1)]
        self.need(len(value) == self.width, "it has no such value")
        return self.metas[number], value

    def codes(self):
        self.need(self.high.bit_count() == self.n, "not as many ones as records")
        codes, zeros = [], 0
        for at in range(self.high_length):
            if self.high >> at & 1:
                d = zeros << self.low_bits | self.low_part(len(codes))
                codes.append(self.first_code + d)
            else:
                zeros += 1
        return codes

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
            before = None if h > self.high_length else self.zero(h)
            if before is None:
                return None
            at = before + 1
        wanted = d & (1 << self.low_bits) - 1
        while self.high >> at & 1:
            low = self.low_part(at - h)
            if low >= wanted:
                return at - h if low == wanted else None
            at += 1
        return None
