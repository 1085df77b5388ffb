#!/usr/bin/env python3
"""Every link in the Markdown files leads somewhere: python3 tools/test_docs.py"""

import os
import re
import unittest
from functools import cache
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
FENCE = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1[`~]*\s*$", re.M | re.S)
BUILT = ("target", "out")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.I)  # https:, mailto:


def documents():
    """The Markdown files of the project, not those of what was built."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [it for it in folders if it not in BUILT and it[0] != "."]
        yield from (Path(folder, name) for name in files if name.endswith(".md"))


def without_code(text):
    """The text without its code, where brackets are no links."""
    text = FENCE.sub("", text)
    return re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", text)


def slug(heading):
    """The anchor that GitHub gives a heading."""
    heading = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


@cache
def anchors(path):
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    found = set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for heading in re.findall(r"^ {0,3}#{1,6} +(.*?) *#*$", text, re.M):
        anchor, number = slug(heading), 0
        while (name := f"{anchor}-{number}" if number else anchor) in found:
            number += 1
        found.add(name)
    return found


def dead_links(path):
    text = without_code(path.read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        if ELSEWHERE.match(link):
            continue
        name, _, anchor = unquote(link).partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists():
            yield f"{link}: no such file"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{link}: no such heading"


class Links(unittest.TestCase):
    def test_every_link_has_a_target(self):
        paths = list(documents())
        self.assertIn(ROOT / "README.md", paths)
        dead = {
            (path.relative_to(ROOT).as_posix(), link)
            for path in paths
            for link in dead_links(path)
        }
        self.assertEqual(dead, set())

    def test_anchors_are_those_of_github(self):
        for heading, anchor in (
            ("2048, codec 1: canonical", "2048-codec-1-canonical"),
            ("Compressed (compression 1)", "compressed-compression-1"),
            ("AO*", "ao"),
            ("What `probe` says", "what-probe-says"),
        ):
            self.assertEqual(slug(heading), anchor)


if __name__ == "__main__":
    unittest.main()
