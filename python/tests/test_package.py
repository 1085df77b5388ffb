"""The package as such: its types, its examples in the documentation, and life without numpy."""

import doctest
import os
import subprocess
import sys
import unittest
from pathlib import Path

import endtable
import endtable._tables
from kinds import ROOT, SHIPPED, folder, table

HERE = Path(__file__).parent


def python(*args: object) -> str:
    """What Python prints, which must succeed."""
    command = [sys.executable, *map(str, args)]
    environment = os.environ | {"MYPY_CACHE_DIR": str(folder() / "mypy")}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env=environment
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


class Types(unittest.TestCase):
    def mypy(self, *args: object) -> None:
        python("-m", "mypy", "--strict", *args)

    def test_the_package(self) -> None:
        self.mypy(HERE.parent / "endtable")

    def test_a_program_that_uses_it(self) -> None:
        self.mypy(HERE / "typed_user.py")
        self.assertIn("win 13", python(HERE / "typed_user.py", SHIPPED))

    def test_the_example(self) -> None:
        self.mypy(ROOT / "examples" / "best_line.py")

    def test_the_stubs_are_of_the_native_half(self) -> None:
        python("-m", "mypy.stubtest", "endtable._endtable")


class Documentation(unittest.TestCase):
    def setUp(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(ROOT)

    def test_the_examples_in_the_documentation(self) -> None:
        with endtable.open(SHIPPED) as tables:
            names = {"endtable": endtable, "tables": tables}
            for module in (endtable, endtable._tables):
                done = doctest.testmod(module, extraglobs=names)
                self.assertTrue(done.attempted and not done.failed, module.__name__)

    def test_the_readme(self) -> None:
        done = doctest.testfile(str(HERE.parent / "README.md"), module_relative=False)
        self.assertTrue(done.attempted and not done.failed)

    def test_everything_is_documented(self) -> None:
        for name in endtable.__all__:
            thing = getattr(endtable, name)
            self.assertTrue(not callable(thing) or name in ("Result", "Unit") or thing.__doc__, name)
        for kind in (endtable.Tables, endtable.Position):
            for name in dir(kind):
                self.assertTrue(name.startswith("_") or getattr(kind, name).__doc__, name)


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None
import endtable
for path in sys.argv[1:]:
    with endtable.open(path) as tables:
        records = [record for block in tables.records(1000) for record in block]
        assert len(records) == tables.info.records
        key = "key" if "key" in records[0] else "key_lo"
        keys = ["".join(f"{record[name]:016x}:" for name in record if "key" in name)[:-1]
                for record in records[::997]]
        answers = tables.probe_many(keys)
        for answer, record in zip(answers, records[::997], strict=True):
            assert answer.value == record.get("value"), (answer, record)
            assert answer.value is not None or answer.plies == record["plies"]
        print(len(answers))
"""


class Plain(unittest.TestCase):
    def test_numpy_is_optional(self) -> None:
        said = python("-c", WITHOUT_NUMPY, SHIPPED, table("score"), table("chance"))
        self.assertEqual(len(said.splitlines()), 3)


if __name__ == "__main__":
    unittest.main()
