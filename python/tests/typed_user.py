"""A program that uses all of the package, for a type checker and for the tests to run."""

import sys
from typing import assert_type

import endtable
import numpy


def main(path: str) -> None:
    with endtable.open(path, rules="one") as tables:
        assert_type(tables, endtable.Tables)
        position: endtable.Position = tables.position("1")
        answer: endtable.Answer | None = tables.probe(position)
        assert answer is not None
        result: endtable.Result | None = answer.result
        names: list[str] = [move.move for move in tables.moves("1") if move.is_best]
        steps: list[endtable.Step] = tables.line(position)
        rows: numpy.ndarray[tuple[int], numpy.dtype[numpy.void]] = tables.probe_many(["0", "1"])
        rows = tables.probe_many(numpy.array(["0", "1"]))
        records: int = sum(len(block) for block in tables.records())
        assert records == tables.info.records
        print(result, answer.plies, names, [step.move for step in steps], rows["plies"].tolist())
    after: endtable.Position = endtable.apply("collapsi", position, position.moves()[:1])
    solved: endtable.Answer = endtable.solve("collapsi", after, moves=True, fold64=True)
    try:
        after.play("nowhere")
    except endtable.InputError as error:
        print(solved.result, solved.plies, str(error).splitlines()[0])


if __name__ == "__main__":
    main(sys.argv[1])
