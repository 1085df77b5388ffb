#!/usr/bin/env python3
"""Puts the bytes of files into the hex dumps of docs/FORMAT.md.

    python3 tools/redump.py FOLDER

FOLDER has the files that the document's commands make. Each line of a dump keeps
its offset, its meaning and how many bytes it shows; when a part of a file has
grown, set the offsets first.
"""

import re
import sys
from pathlib import Path

DOCUMENT = Path(__file__).parent.parent / "docs" / "FORMAT.md"


def dump_line(line, data):
    offset, rest = line.split(": ", 1)
    at, shown = int(offset, 16), re.match(r"[0-9a-f]{2}( [0-9a-f]{2})*", rest).group()
    found = data[at : at + len(bytes.fromhex(shown))]
    return f"{offset}: {found.hex(' ')}{rest[len(shown) :]}"


def main():
    folder = Path(sys.argv[1])
    lines, data = [], None
    for line in DOCUMENT.read_text(encoding="utf-8").splitlines():
        if line.startswith("```hexdump "):
            data = (folder / line.removeprefix("```hexdump ")).read_bytes()
        elif line.startswith("```"):
            data = None
        elif data is not None:
            line = dump_line(line, data)
        lines.append(line)
    DOCUMENT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
