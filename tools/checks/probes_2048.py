"""2048 boards looked up, by the reader and by the program."""

from math import isclose

import twenty48
from etb.table import Table

from .answers import UNREADABLE, board_answers
from .program import ABSENT, BAD_INPUT

STRANGERS = 10  # boards that are not in a table, asked for each
TILES = (0, 2, 4, 8, 16)


def boards_of(path):
    """All boards of a table, as twenty48.py has them."""
    with Table(path) as table:
        size = table.game.boards.rows, table.game.boards.columns
        keys = [f"{table.game.key(record):x}" for record in table.records()]
    return [twenty48.from_key(key, *size) for key in keys]


class BoardProbes:
    def __init__(self, program, rng, report):
        self.program, self.rng, self.report = program, rng, report
        self.probed = self.absent = 0

    def compare(self, name, path, all_boards, count):
        """Some of all boards, turned and mirrored, and some strangers."""
        known = self.rng.sample(all_boards, min(len(all_boards), count))
        known = [self.rng.choice(twenty48.images(board)) for board in known]
        keys = [twenty48.to_key(board) for board in known]
        named = self.program.name("probe", path, "--moves", positions=keys)
        theirs = board_answers(named)
        with Table(path) as table:
            for key, board in zip(keys, known):
                self.compare_known(f"{name}, {key}", table, board, theirs[key])
            self.compare_strangers(name, table, all_boards)

    def compare_known(self, name, table, board, theirs):
        ours = table.probe(int(twenty48.to_key(board), 16))
        self.probed += 1
        if ours is None or theirs is None:
            self.report.differ(f"{name}: {ours}, the program: {theirs}")
            return
        chances = table.game.is_chance
        expected = theirs.win, theirs.move is None
        self.report.equal(name, expected, (ours.win, ours.move is None))
        if not close(ours.value, theirs.value, chances):
            self.report.differ(f"{name}: {ours}, the program: {theirs.value}")
        elif ours.move != theirs.move and not self.is_as_good(
            ours, board, theirs, chances
        ):
            self.report.differ(f"{name}: {ours}, the program: {theirs}")

    def is_as_good(self, ours, board, theirs, chances):
        """Several moves may be equally good, and a reader may name any of them.

        A table of searched games knows no values of moves; there a board that
        is its own image has moves that are.
        """
        named = theirs.moves.get(twenty48.DIRECTIONS[ours.move])
        if named is not None:
            return close(named, max(theirs.moves.values()), chances)
        return twenty48.images(board).count(board) > 1

    def strangers(self, table, all_boards):
        reachable = {image for board in all_boards for image in twenty48.images(board)}
        rows, columns = table.game.boards.rows, table.game.boards.columns
        found = []
        while len(found) < STRANGERS:
            board = tuple(
                tuple(self.rng.choices(TILES, k=columns)) for _ in range(rows)
            )
            if board not in reachable:
                found.append(board)
        return found

    def compare_strangers(self, name, table, all_boards):
        keys = [twenty48.to_key(it) for it in self.strangers(table, all_boards)]
        # A finished board is told by its tiles, whether games lead to it or not.
        for key in keys:
            ours, finished = (
                table.probe(int(key, 16)),
                table.game.is_finished(int(key, 16)),
            )
            if finished and ours != (1, None, 1) or not finished and ours is not None:
                self.report.differ(f"{name}, {key}: {ours}, finished: {finished}")
            self.absent += 1
        keys = [key for key in keys if not table.game.is_finished(int(key, 16))]
        lines = self.program.feed(
            "probe", table.path, positions=keys, codes=(0, ABSENT, BAD_INPUT)
        )
        for key, line in zip(keys, lines):
            # The program refuses boards that plainly no game leads to.
            if line not in (f"{key} -", UNREADABLE):
                self.report.differ(f"{name}, {key}: {line}, but it is not in the table")


def close(a, b, chances):
    """Chances are printed with nine digits, scores with those of an f32."""
    return abs(a - b) <= 2e-9 or not chances and isclose(a, b, rel_tol=1e-6)
