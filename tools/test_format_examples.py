#!/usr/bin/env python3
"""The dumps of docs/FORMAT.md are what its words say.

    python3 tools/test_format_examples.py

The files that the document shows are made a second time, by the writer of these
tests, and read by the package etb. (The program makes them in
tests/format_example.rs.)
"""

import re
import unittest
from pathlib import Path

from etb_testing import Files, f32, writer
from etb_writer import PACKED, PLAIN, Description, Record

DOCUMENT = Path(__file__).parent.parent / "docs" / "FORMAT.md"

DEAL = Record(0x00000800001348D2, 0, 1, 0x03, 13)
DEAL_KEY = 0x01BC2E60F6E8A2B042651B0330011DB0
ROOT = "seeds: 1..2", "rules: one", "positions: root"

OVER = None, 0.0
# Code, key, then the best move (none if the game is over) and its value.
BOARDS = [
    (281, 0x110045, 1, 4.8),
    (317, 0x120045, *OVER),
    (322, 0x120054, *OVER),
    (353, 0x130045, *OVER),
    (357, 0x130053, 0, 20.32),
    (358, 0x130054, *OVER),
    (391, 0x140051, *OVER),
    (392, 0x140052, *OVER),
    (533, 0x220045, 1, 8.0),
    (569, 0x230045, *OVER),
    (574, 0x230054, *OVER),
]
START = "0000000000350031"  # 2 8 / 32 8


def one():
    text = writer.text_of("collapsi", "one", *ROOT)
    return writer.keyed_table(Description(text), [DEAL])


def plain():
    text = writer.text_of("collapsi", "one", *ROOT, "uncompressed: ")
    return writer.keyed_table(Description(text, compression=PLAIN), [DEAL])


def few():
    options = "board: 2x2", "objective: score", f"start: {START}", "value: f32"
    text = writer.text_of("2048", "2x2 score", *options)
    records = [
        Record(code, 0, int(value > 0), move, 0, f32(value))
        for code, _, move, value in BOARDS
    ]
    it = Description(text, value=1, compression=PACKED, key_bytes=8)
    return writer.keyed_table(it, records)


def one_raw():
    it = Description(b"")
    return DEAL_KEY.to_bytes(16, "little") + writer.meta_bytes(it, DEAL)


def few_raw():
    it, data = Description(b""), b""
    for code, key, move, value in BOARDS:
        record = Record(code, 0, int(value > 0), move, 0)
        data += key.to_bytes(8, "little") + writer.meta_bytes(it, record) + f32(value)
    return data


FILES = {
    "one.etb": one(),
    "plain.etb": plain(),
    "few.etb": few(),
    "one.raw": one_raw(),
    "few.raw": few_raw(),
}


def blocks(document, kind):
    """The lines of the fenced blocks that begin with these words."""
    return [
        match.group(1).splitlines()
        for match in re.finditer(rf"^```{kind}\n(.*?)^```$", document, re.M | re.S)
    ]


def dump_lines(document, name):
    """Offset and bytes of every line of the dumps of a file."""
    for lines in blocks(document, f"hexdump {re.escape(name)}"):
        for line in lines:
            offset, rest = line.split(": ", 1)
            shown, meaning = rest.split("   ", 1)
            assert meaning.strip(), line
            yield int(offset, 16), bytes.fromhex(shown)


class Examples(Files):
    def setUp(self):
        super().setUp()
        self.document = DOCUMENT.read_text(encoding="utf-8")

    def test_every_dump_is_of_a_known_file(self):
        names = set(re.findall(r"^```hexdump (.*)$", self.document, re.M))
        self.assertEqual(names, FILES.keys())

    def test_the_bytes(self):
        for name, data in FILES.items():
            for at, shown in dump_lines(self.document, name):
                with self.subTest(file=name, at=f"{at:03x}"):
                    found = data[at : at + len(shown)]
                    self.assertEqual(shown.hex(" "), found.hex(" "))

    def test_what_is_shown_whole(self):
        for name, start in (("one.etb", 0), ("one.raw", 0), ("few.etb", 0x100)):
            lines = [it for it in dump_lines(self.document, name) if it[0] >= start]
            shown = b"".join(data for _, data in lines)
            self.assertEqual(shown.hex(" "), FILES[name][start:].hex(" "))

    def test_the_sizes_that_the_commands_print(self):
        printed = re.findall(
            r"^(\w+\.etb): \d+ positions, (\d+) bytes", self.document, re.M
        )
        sizes = {name: int(size) for name, size in printed}
        tables = {
            name: len(data) for name, data in FILES.items() if name.endswith("etb")
        }
        self.assertEqual(sizes, tables)

    def test_the_reader_agrees(self):
        for name in ("one", "few"):
            table = self.open(FILES[f"{name}.etb"])
            table.verify()
            raw = b"".join(map(table.raw, table.records()))
            self.assertEqual(raw, FILES[f"{name}.raw"])
        listed = [table.line(record) for record in table.records()]
        shown = [
            line
            for lines in blocks(self.document, "console")
            for line in lines
            if re.fullmatch(r"[0-9a-f]{16} \w{4} [0-9.]+", line)
        ]
        self.assertEqual(shown[: len(listed)], listed)
        self.assertEqual(table.probe(0x520042), (1, 0, 8.0))


if __name__ == "__main__":
    unittest.main()
