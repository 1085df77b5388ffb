"""Boards of patterns looked up, by the reader and by the program."""

from etb.patterns import CELLS, EIGHT, LARGE, turned
from etb.table import Table

from .answers import UNREADABLE
from .program import ABSENT, BAD_INPUT


class PatternProbes:
    def __init__(self, program, rng, report):
        self.program, self.rng, self.report = program, rng, report
        self.probed = 0

    def compare(self, name, path, count):
        """A tile put on some of the table's afterstates, and the board disguised."""
        with Table(path) as table:
            records = self.rng.sample(list(table.records()), min(len(table), count))
            keys = [self.disguised(table.game, record) for record in records]
            lines = self.program.feed(
                "probe", path, positions=keys, codes=(0, ABSENT, BAD_INPUT)
            )
            for key, line in zip(keys, lines):
                answer = table.probe(int(key, 16))
                ours = table.game.answer_line(int(key, 16), answer)
                if line == UNREADABLE or line.split()[2] != ours.split()[2]:
                    self.report.differ(f"{name}, {key}: {line}, the reader: {ours}")
                self.probed += 1

    def disguised(self, game, record):
        board = list(game.board(record))
        cell = self.rng.choice([cell for cell in CELLS if board[cell] == 0])
        board[cell] = self.rng.choice((1, 2))
        real = [
            self.rng.randint(game.target, LARGE) if exponent == LARGE else exponent
            for exponent in board
        ]
        real = turned(real, self.rng.choice(EIGHT))
        return f"{sum(e << 4 * cell for cell, e in enumerate(real)):016x}"
