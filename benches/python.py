"""How fast the package answers many positions: `make bench` runs it.

A table of Collapsi is made with the program; a million of its positions are asked for, in the order of
the table and in none, as a list and as an array.
"""

import os
import random
import subprocess
import tempfile
import time

import numpy

import endtable

SEEDS = "0..60"
COUNT = 1_000_000
RUNS = 3


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "seeds.etb")
        command = [os.environ["ENDTABLE"], "generate", "collapsi", "--seeds", SEEDS, "--out", path]
        subprocess.run(command, check=True, capture_output=True)
        with endtable.open(path) as tables:
            measure(tables)


def measure(tables: endtable.Tables) -> None:
    keys = [
        f"{high:016x}:{low:016x}"
        for block in tables.records()
        for high, low in zip(block["key_hi"].tolist(), block["key_lo"].tolist())
    ]
    print(f"python:  {len(keys)} positions of Collapsi seeds {SEEDS}, {COUNT} asked for")
    shuffled = random.Random(1).sample(keys, COUNT)
    for name, texts in [("sorted", keys[:COUNT]), ("random", shuffled)]:
        for form, positions in [("list", texts), ("array", numpy.array(texts, "S33"))]:
            rate = COUNT / min(timed(tables, positions) for _ in range(RUNS))
            print(f"probe_many, {name}, {form:<5} {rate:12,.0f} a second (target 1,000,000 sorted)")
    start = time.perf_counter()
    count = sum(len(block) for block in tables.records())
    print(f"records             {count / (time.perf_counter() - start):12,.0f} a second")


def timed(tables: endtable.Tables, positions: "list[str] | numpy.ndarray") -> float:
    start = time.perf_counter()
    answers = tables.probe_many(positions)
    seconds = time.perf_counter() - start
    if not answers["found"].all():
        raise SystemExit("a position of the table is not found in it")
    return seconds


if __name__ == "__main__":
    main()
