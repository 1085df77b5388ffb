"""Entries of tables of Tak, as the reader and the program have them."""

from etb.record import DRAW, LOSS, WIN
from etb.table import Table

RESULTS = {WIN: "win", DRAW: "draw", LOSS: "loss"}


class TakProbes:
    def __init__(self, program, rng, report):
        self.program, self.rng, self.report = program, rng, report
        self.entries = self.probed = 0

    def compare(self, folder, path, count):
        """Some entries of a layer; `folder` has all layers, which the program needs for moves."""
        with Table(path) as table:
            table.verify()
            entries = list(table.records())
            self.entries += len(entries)
            chosen = self.rng.sample(entries, min(count, len(entries)))
            texts = [table.game.text(entry.number) for entry in chosen]
            lines = self.program.feed("probe", folder, positions=texts)
            for entry, text, line in zip(chosen, texts, lines):
                plies = "-" if entry.result == DRAW else str(entry.plies)
                ours = "white", RESULTS[entry.result], plies
                self.report.equal(f"{path.name}, {text}", tuple(line.split()[1:4]), ours)
                self.probed += 1
