"""Entries of dense tables, as the reader, the program and collapsi.py have them."""

import collapsi
from etb.table import Table

from .answers import collapsi_answers
from .probes_collapsi import disguised


class DenseProbes:
    def __init__(self, program, rng, report):
        self.program, self.rng, self.report = program, rng, report
        self.entries = self.probed = 0

    def compare(self, folder, path, count):
        """Some entries of a layer; `folder` has all layers, which the program needs."""
        with Table(path) as table:
            table.verify()
            self.entries += len(table)
            chosen = self.rng.sample(range(len(table)), min(count, len(table)))
            boards = [next(table.records(number, number + 1)) for number in chosen]
            positions = [
                disguised(self.rng, collapsi.from_boards(list(table.game.board(entry))))
                for entry in boards
            ]
            keys = [collapsi.to_key(position) for position in positions]
            theirs = collapsi_answers(
                self.program.name("probe", folder, "--moves", positions=keys)
            )
            for entry, key, position in zip(boards, keys, positions):
                name = f"{path.name}, {key}"
                solved = collapsi.solve(position, "one").distance
                outcome = table.probe(collapsi.boards(position))
                self.report.equal(f"{name}, entry", solved, entry.plies)
                self.report.equal(
                    f"{name}, found by its number",
                    (position.turn, theirs[key].distance),
                    (outcome.turn, outcome.plies),
                )
                self.probed += 1
