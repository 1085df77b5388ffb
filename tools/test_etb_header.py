#!/usr/bin/env python3
"""Tests of the header and its text: python3 tools/test_etb_header.py"""

import struct
import unittest

from etb.errors import TableError
from etb_testing import UNKNOWN, WORD, Files, writer
from etb_writer import LONG, PLAIN, Description, Record


class Header(Files):
    def data(self, **fields):
        it = Description(**{"text": UNKNOWN} | fields)
        return writer.keyed_table(it, [Record(5, 0, 1, 7, 3)])

    def changed(self, at, form, number):
        """A header with another number, and its checksum put right."""
        data = bytearray(self.data())
        struct.pack_into(form, data, at, number)
        (length,) = struct.unpack_from("<I", data, 12)
        data[length - 8 : length] = writer.checksum(bytes(data[: length - 8]))
        return data

    def test_other_versions(self):
        self.refused(
            self.changed(8, "<H", 1),
            "format version 1, from an older endtable; this program reads version 2; "
            "generate the table again",
        )
        self.refused(self.changed(8, "<H", 3), "format version 3")

    def test_unknown_numbers(self):
        for at, form, number, words in (
            (10, "<H", 2, "unknown kind 2"),
            (16, "<Q", 1, "unknown features 0x1"),
            (24, "B", 0, "unknown codec 0"),
            (25, "B", 7, "unknown value column 7"),
            (26, "B", 3, "unknown compression 3"),
            (27, "B", 12, "unknown length of keys 12"),
            (29, "B", 2, "result_bits 2, move_bits 8, plies_bits 6"),
            (30, "B", 16, "move_bits 16"),
            (31, "B", 13, "plies_bits 13"),
        ):
            self.refused(self.changed(at, form, number), words)

    def test_other_layouts(self):
        for layout in ((1, 10, 4), (2, 8, 6), writer.NYBBLES):
            it = Description(UNKNOWN, layout=layout)
            self.refused(writer.keyed_table(it, []), "layout")
        self.assertEqual(self.open(self.data(layout=LONG)).header.layout.name, "long")

    def test_counts_that_do_not_fit(self):
        for at, form, number, words in (
            (32, "<Q", 2, "as many records"),
            (40, "<Q", 2, "index is not where"),
            (48, "<I", 0, "index entry of block 0"),
            (48, "<I", 1_048_577, "blocks of 1048577 records"),
            (52, "<I", 5, "text's length"),
            (56, "<Q", 8, "index is not where"),
            (64, "<Q", WORD, "the header says"),
        ):
            self.refused(self.changed(at, form, number), words)
        for length in (80, 92, 65_544):
            data = bytearray(self.data())
            struct.pack_into("<I", data, 12, length)
            self.refused(data + bytes(65_544), f"a header of {length} bytes")
            struct.pack_into("<I", data, 12, 60_000)
            self.refused(data, "cut short, in its header")

    def test_the_place_of_the_index(self):
        it = Description(UNKNOWN)
        data = writer.keyed_table(it, [])
        text_end = len(writer.padded(bytes(80) + UNKNOWN)) + 8
        moved = bytearray(data[:text_end] + bytes(8) + data[text_end:])
        for at in (56, 64):
            (number,) = struct.unpack_from("<Q", data, at)
            struct.pack_into("<Q", moved, at, number + 8)
        moved[-24:-8] = moved[56:72]
        moved[text_end - 8 : text_end] = writer.checksum(bytes(moved[: text_end - 8]))
        self.refused(moved, "not behind the blocks")

    def test_what_is_ignored(self):
        for at in (28, 72):  # the layer, and what is reserved
            self.assertEqual(len(self.read(self.changed(at, "B", 9))), 1)

    def test_unfinished(self):
        self.refused(bytes(8) + self.data()[8:], "unfinished")
        self.refused(bytes(79), "not a table")
        self.refused(b"", "not a table")


class TextOfTables(Files):
    def text(self, data):
        it = Description(data, compression=PLAIN)
        return self.open(writer.keyed_table(it, [])).header.text

    def test_entries_and_command(self):
        text = self.text(
            writer.text_of("collapsi", "one", "seeds: 0..10", "rules: one", "exact: ")
        )
        self.assertEqual((text.game, text.rules), ("collapsi", "one"))
        self.assertEqual(text.entries["generator"], "endtable 0.2.0")
        self.assertEqual(
            text.command(),
            "endtable generate collapsi --seeds 0..10 --rules one --exact",
        )

    def test_a_merged_table_has_no_command(self):
        text = self.text(writer.text_of("collapsi", "one", "rules: one", merged=3))
        self.assertEqual(text.entries["merged"], "3")
        self.assertEqual(text.options, {"rules": "one"})
        self.assertIsNone(text.command())

    def test_unknown_names_are_ignored(self):
        text = self.text(b"colour: red: \xc3\xa4\ngame: go\nrules: 9x9\n")
        self.assertEqual(text.entries["colour"], "red: ä")

    def test_other_texts_are_refused(self):
        for data in (
            b"",
            b"game: go\n",
            b"rules: 9x9\n",
            b"game: \nrules: 9x9\n",
            b"game: go\nrules: 9x9\nlicence: none",  # no line feed
            b"game: go\nrules: 9x9\nmore\n",
            b"game: go\nrules: 9x9\n\n",
            b"game: go\nrules: 9x9\ngame: go\n",
            b"game: go\nrules: 9\tx9\n",
            b"game: go\nrules: 9x9\noption a: \xc2\x85\n",
            b"game: go\nrules: 9x9\nmerged: some\n",
            b"game: go\nrules: \xff\n",
        ):
            with self.subTest(data=data), self.assertRaises(TableError):
                self.text(data)


if __name__ == "__main__":
    unittest.main()
