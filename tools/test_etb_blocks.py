#!/usr/bin/env python3
"""Tests of blocks that no right writer writes: python3 tools/test_etb_blocks.py"""

import struct
import unittest

from etb_testing import f32, writer  # first: it skips the tests without packages
from etb_writer import PLAIN, Description, Record

from etb.blocks import decode_compressed, decode_plain
from etb.keyed import Entry
from etb.packed import Packed, decode_packed
from etb.record import KEYED_LAYOUTS

SHORT, LONG, _ = KEYED_LAYOUTS


class Damaged(Exception):
    pass


def need(holds, message):
    if not holds:
        raise Damaged(message)


def decode(how, stored, records=2, first_code=100, layout=SHORT, width=0):
    entry = Entry(first_code, 0, len(stored), records, 0)
    return how(entry, stored, layout, width, need)


class Compressed(unittest.TestCase):
    def content(self, data, **fields):
        return decode(decode_compressed, writer.compress(bytes.fromhex(data)), **fields)

    def refused(self, data, words, **fields):
        with self.subTest(data=data), self.assertRaisesRegex(Damaged, words):
            self.content(data, **fields)

    def test_a_right_one(self):
        self.assertEqual(self.content("05 0102 0304"), ([100, 105], [13, 18], b""))

    def test_differences(self):
        for data, words in (
            ("0102 0304", "missing"),
            ("85 0102 0304", "missing"),  # continued, but there is no more
            ("05 01 0102 0304", "bytes behind"),
            ("00 0102 0304", "out of range"),
            ("ffffffffffffffffff02 0102 0304", "out of range"),  # above 2^64
            ("8080808080808080808000 0102 0304", "10 bytes"),
        ):
            self.refused(data, words)
        largest = "ffffffffffffffffff01 0102 0304"
        self.assertEqual(self.content(largest, first_code=0)[0], [0, 2**64 - 1])

    def test_sizes(self):
        self.refused("01", "too short")
        self.refused("", "too short", records=1)
        self.refused("05 0102 0304", "too short", layout=LONG)
        self.refused("05 0102 0304", "too short", width=4)
        self.refused("01" * 25, "too large")  # 24 are the most of two records

    def test_frames(self):
        whole = writer.compress(bytes.fromhex("0501020304"))
        dictionary = bytes.fromhex("28b52ffd 21 07 05 290000 0501020304")
        for stored in (b"", whole[:-1], whole + b"\0", whole + whole, bytes(20)):
            with self.subTest(stored=stored.hex()), self.assertRaises(Damaged):
                decode(decode_compressed, stored)
        with self.assertRaisesRegex(Damaged, "dictionary"):
            decode(decode_compressed, dictionary)


class Plain(unittest.TestCase):
    def test_lengths_and_zeros(self):
        it = Description(b"", value=1, compression=PLAIN)
        records = [Record(100 + i, 0, 1, 3, 5, f32(i)) for i in range(3)]
        whole = writer.plain_block(it, records)
        fields = {"records": 3, "width": 4}
        codes, _, values = decode(decode_plain, whole, **fields)
        self.assertEqual((codes, len(values)), ([100, 101, 102], 12))
        for stored in (whole[:-8], whole + bytes(8), whole[:-1] + b"\1"):
            with self.subTest(stored=stored.hex()), self.assertRaises(Damaged):
                decode(decode_plain, stored, **fields)
        behind_metas = bytearray(whole)
        behind_metas[3 * 8 + 3 * 2] = 1
        with self.assertRaises(Damaged):
            decode(decode_plain, bytes(behind_metas), **fields)


class PackedBlocks(unittest.TestCase):
    """Changes of the packed block of docs/FORMAT.md."""

    WHOLE = bytes.fromhex(
        "04 02 0300 0200 0100  9933801800000000  4089dcfe0c050000"
        "5654160000000000  0101000000000000  0200 fc03 0600"
        "5c8fa241 00000000  9a999940 00000041  0000"
    )
    FIELDS = {"records": 11, "first_code": 281, "width": 4}

    def changed(self, at, form, *numbers):
        data = bytearray(self.WHOLE)
        struct.pack_into(form, data, at, *numbers)
        return bytes(data)

    def refused(self, stored, words, **fields):
        with self.subTest(stored=stored.hex()):
            with self.assertRaisesRegex(Damaged, words):
                decode(decode_packed, stored, **self.FIELDS | fields)

    def test_the_right_one(self):
        codes, metas, values = decode(decode_packed, self.WHOLE, **self.FIELDS)
        self.assertEqual((codes[0], codes[-1], len(values)), (281, 574, 44))
        self.assertEqual(metas[:5], [6, 0x3FC, 0x3FC, 0x3FC, 2])

    def test_the_head(self):
        for at, form, number, words in (
            (0, "B", 64, "head makes no sense"),
            (1, "B", 17, "head makes no sense"),
            (2, "<H", 0, "head makes no sense"),
            (4, "<H", 4, "head makes no sense"),  # more constants than metas
            (6, "<H", 0, "unused is set"),  # the low parts are taken from high
            (6, "<H", 99, "too short"),
        ):
            self.refused(self.changed(at, form, number), words)

    def test_the_parts(self):
        self.refused(b"", "no head")
        self.refused(self.WHOLE[:-8], "too short")
        self.refused(self.WHOLE + bytes(8), "bytes behind")
        self.refused(self.changed(62, "B", 1), "bytes behind")
        self.refused(self.changed(8, "<Q", 0x19803399), "as many ones")
        self.refused(self.changed(23, "B", 0x80), "unused is set")
        self.refused(self.changed(24, "B", 0x57), "no such meta")
        # Record 8 has a value of its own, but two of the others claim both.
        self.refused(self.changed(32, "<Q", 0b11), "one too many")
        self.refused(self.WHOLE, "unused is set", records=10)

    def test_a_look_up_checks_what_it_uses(self):
        def find(stored, code):
            entry = Entry(281, 0, len(stored), 11, 0)
            packed = Packed(entry, stored, SHORT, 4, need)
            i = packed.find(code)
            return None if i is None else packed.answer(i)

        self.assertEqual(find(self.WHOLE, 533), (6, f32(8)))
        for code in (282, 532, 534, 575, 10**6, 2**64 - 1):
            self.assertIsNone(find(self.WHOLE, code))
        # All ones: more of them than there are records.
        ones = self.changed(8, "<Q", 2**64 - 1)
        with self.assertRaises(Damaged):
            packed = Packed(Entry(281, 0, len(ones), 11, 0), ones, SHORT, 4, need)
            packed.answer(63)


if __name__ == "__main__":
    unittest.main()
