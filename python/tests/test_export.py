"""What `endtable export` writes for NumPy, opened by NumPy, says what the package reads."""

import csv
import unittest
from typing import Any

import numpy
from kinds import KEYED, KINDS, folder, open_kind, run, table


def exported(name: str, *options: str) -> "numpy.ndarray[Any, Any]":
    path = folder() / f"{name}{len(options)}.npy"
    run("export", table(name), "--npy", "--force", "--out", path, *options)
    array = numpy.load(path, mmap_mode="r")
    assert isinstance(array, numpy.memmap)
    return array


def keys(array: "numpy.ndarray[Any, Any]") -> list[str]:
    if "key" in array.dtype.names:
        return [f"{key:016x}" for key in array["key"].tolist()]
    halves = zip(array["key_hi"].tolist(), array["key_lo"].tolist())
    return [f"{hi:016x}:{lo:016x}" for hi, lo in halves]


class Export(unittest.TestCase):
    def test_arrays_are_the_records(self) -> None:
        for kind in KEYED:
            with self.subTest(kind.name), open_kind(kind) as tables:
                array, records = exported(kind.name), numpy.concatenate(list(tables.records()))
                self.assertEqual(keys(array), keys(records))
                for name in set(array.dtype.names) & set(records.dtype.names):
                    self.assertTrue((array[name] == records[name]).all(), name)
                self.assertTrue(((array["best_move"] == b"") == (records["best"] == 65535)).all())

    def test_complete_tables_answer_alike(self) -> None:
        for kind in KINDS:
            if kind.is_folder:
                with open_kind(kind) as tables:
                    array = exported(kind.name, "--layer", "4")
                    rows = tables.probe_many(keys(array))
                    self.assertTrue(rows["found"].all())
                    self.assertTrue((array["result"] == rows["result"]).all())
                    self.assertTrue((array["plies"] == rows["plies"]).all())

    def test_text_has_the_same_columns(self) -> None:
        for kind in KEYED:
            with self.subTest(kind.name):
                array = exported(kind.name)
                rows = list(csv.DictReader(run("export", table(kind.name), "--csv").splitlines()))
                moves = [name.decode() for name in array["best_move"].tolist()]
                self.assertEqual([row["best_move"] for row in rows], moves)
                digits = [key.replace(":", "") for key in keys(array)]
                self.assertEqual([row["key"] for row in rows], [f"0x{key}" for key in digits])
