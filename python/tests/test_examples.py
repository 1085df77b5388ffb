"""The example programs in Rust, C and Python print the same lines."""

import functools
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from kinds import DEAL, KINDS, ROOT, SHIPPED, TARGET, folder, games, open_kind, table

CARGO = os.environ.get("CARGO", "cargo")


def run(command: list[str]) -> tuple[int, str, str]:
    """Exit code, output, and what else it has to say, without the program's name."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = done.stderr.removeprefix("best_line").removeprefix(".py")
    return done.returncode, done.stdout, said


def cargo(*args: str) -> None:
    environment = os.environ | {"CARGO_TARGET_DIR": str(TARGET)}
    command = [CARGO, *args, "--release", "--locked", "--quiet"]
    subprocess.run(command, check=True, cwd=ROOT, env=environment)


def in_python() -> list[str]:
    return [sys.executable, str(ROOT / "examples" / "best_line.py")]


@functools.cache
def in_rust() -> Path:
    cargo("build", "--example", "best_line")
    return TARGET / "release" / "examples" / "best_line"


@functools.cache
def in_c() -> Path | None:
    """The program in C; None without a compiler."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None or sys.platform == "win32":
        return None
    cargo("build", "-p", "endtable-ffi")
    program = folder() / "best_line"
    command = [compiler, ROOT / "examples" / "best_line.c", "-I", ROOT / "ffi" / "include"]
    command += [TARGET / "release" / "libendtable_c.a", "-lpthread", "-ldl", "-lm", "-o", program]
    subprocess.run(list(map(str, command)), check=True)
    return program


class Examples(unittest.TestCase):
    def compare(self, path: Path, position: str, options: list[str]) -> tuple[int, str, str]:
        expected = run([*in_python(), str(path), position, *options])
        self.assertEqual(run([str(in_rust()), str(path), position, *options])[:2], expected[:2])
        if (program := in_c()) is not None:
            in_c_words = [";".join(options)] if options else []
            self.assertEqual(run([str(program), str(path), position, *in_c_words])[:2], expected[:2])
        return expected

    def test_they_print_the_same_line(self) -> None:
        for kind in KINDS:
            with self.subTest(kind.name), open_kind(kind) as tables:
                asked = [position.text for position in games(kind, tables, 2)][-6:] + kind.starts[:1]
                options = [name if value is True else f"{name}={value}" for name, value in kind.options.items()]
                for text in asked if kind.name != "complete" else asked[:-1]:
                    self.compare(table(kind.name), text, options)

    def test_the_end_is_told(self) -> None:
        code, moves, said = self.compare(SHIPPED, DEAL, [])
        self.assertEqual((code, len(moves.split()), said), (0, 13, "the end: x wins\n"))

    def test_what_is_wrong_is_told(self) -> None:
        self.assertEqual(self.compare(SHIPPED, "2", [])[0], 1)
        self.assertEqual(self.compare(SHIPPED, "no position", [])[0], 2)
        self.assertEqual(self.compare(SHIPPED, "1", ["rules=wild"])[0], 2)
        self.assertEqual(self.compare(ROOT / "no-such.etb", "1", [])[0], 3)
        self.assertEqual(self.compare(Path(__file__), "1", [])[0], 3)


if __name__ == "__main__":
    unittest.main()
