"""The examples of docs/CLUSTER.md are run as they stand, and must print what is said."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from jobs import ENDTABLE

PROJECT = pathlib.Path(__file__).parents[2]


def examples() -> list[tuple[str, str]]:
    """The commands of the blocks that begin with ```console, and what stands below each."""
    found: list[tuple[str, str]] = []
    inside = False
    for line in (PROJECT / "docs" / "CLUSTER.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append((line[2:], ""))
        elif inside:
            command, output = found[-1]
            found[-1] = (command, f"{output}{line}\n")
    return found


class Document(unittest.TestCase):
    def test_the_examples(self) -> None:
        path = [str(pathlib.Path(ENDTABLE).parent), str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]
        environment = {**os.environ, "PATH": os.pathsep.join(path)}
        self.assertTrue(examples())
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(PROJECT / "tools", os.path.join(folder, "tools"))
            for command, output in examples():
                done = subprocess.run(
                    ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
                )
                self.assertEqual((done.returncode, done.stdout), (0, output), f"{command}: {done.stderr}")


if __name__ == "__main__":
    unittest.main()
