"""Collapsi positions looked up in keyed tables, by the reader and by the program."""

import collapsi
from etb.collapsi.game import move_text
from etb.collapsi.symmetries import symmetry
from etb.table import Table

from .answers import collapsi_answers
from .positions import random_game
from .program import ABSENT, DONE

STRANGERS = 3  # positions that are not in a table, asked for each


def disguised(rng, position):
    """An image of the position under a random symmetry of board and players."""
    g = symmetry(rng.randrange(16), rng.randrange(24))
    *sets, turn = collapsi.boards(position)
    sets = [g.image(cells) for cells in sets]
    if rng.random() < 0.5:
        sets[4], sets[5], turn = sets[5], sets[4], 1 - turn
    return collapsi.from_boards([*sets, turn])


def positions_of_games(rng, deal, count, exact):
    """Positions of random games; unless the table is exact, some of them
    disguised, and without their collapsed cards."""
    found = []
    while len(found) < count:
        found += random_game(rng, "one", deal)
    if exact:
        return found
    return [
        collapsi.forget(disguised(rng, position)) if i % 2 else position
        for i, position in enumerate(found)
    ]


def roots(rng, deals):
    """The deals, as they are and disguised."""
    return [*deals, *(disguised(rng, deal) for deal in deals)]


class CollapsiProbes:
    def __init__(self, program, rng, report):
        self.program, self.rng, self.report = program, rng, report
        self.probed = self.absent = 0

    def compare(self, name, path, known, stranger, rules=None):
        """`known` must be in the table, the game of `stranger` must not.

        With `rules` the moves are solved: tables of deals do not know them.
        """
        keys = [collapsi.to_key(position) for position in known]
        theirs = collapsi_answers(
            self.program.name("probe", path, "--moves", positions=keys)
        )
        solved = theirs
        if rules is not None:
            solve = "solve", "collapsi", "--rules", rules, "--verbose"
            solved = collapsi_answers(self.program.name(*solve, positions=keys))
        strangers = random_game(self.rng, "one", stranger)[:STRANGERS]
        self.compare_lines(name, path, theirs, strangers)
        with Table(path) as table:
            for key, position in zip(keys, known):
                self.compare_known(
                    f"{name}, {key}", table, position, theirs[key], solved[key].moves
                )
            for position in strangers:
                self.compare_stranger(name, table, position)

    def compare_lines(self, name, path, theirs, strangers):
        """On standard input every position has a line, in order."""
        absent = [collapsi.to_key(position) for position in strangers]
        wanted = [f"{key} {answer.bits}" for key, answer in theirs.items()]
        keys = [*theirs, *absent]
        wanted += [f"{key} -" for key in absent]
        lines = self.program.feed("probe", path, positions=keys, codes=(ABSENT,))
        for line, expected in zip(lines, wanted):
            self.report.equal(f"{name}, --stdin", line, expected)
        lines = self.program.feed("probe", path, positions=list(theirs), codes=(DONE,))
        self.report.equal(f"{name}, --stdin", lines == wanted[: len(lines)], True)

    def compare_known(self, name, table, position, theirs, moves):
        ours = table.probe(collapsi.boards(position))
        if ours is None or theirs is None:
            self.report.differ(f"{name}: {ours}, the program: {theirs}")
            return
        win = int(theirs.bits[1])
        expected = position.turn, win, theirs.distance
        self.report.equal(name, expected, (ours.turn, ours.win, ours.plies))
        best = [
            move for move, value in moves.items() if value == (win, theirs.distance)
        ]
        # Several moves may be equally good, and a reader may name any of them.
        for move in (move_text(ours.move), theirs.bits[2:]):
            if move not in (best or ["ff"]):
                self.report.differ(f"{name}: {move} is none of the best moves {best}")
        self.probed += 1

    def compare_stranger(self, name, table, position):
        ours = table.probe(collapsi.boards(position))
        if ours is not None:
            self.report.differ(f"{name}, {collapsi.to_key(position)}: {ours}")
        self.absent += 1
