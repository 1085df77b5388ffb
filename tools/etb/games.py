"""Which game a table is about: who can tell positions from codes.

The game of a table has `parse`, which reads a position; `probe`, which looks
one up; `answer_line` and `line`, which print an answer and a record. In keyed
tables it also has `key`, of a record, and `check_record`.
"""

from .collapsi.game import DenseCollapsi, KeyedCollapsi
from .record import DENSE, KEYED
from .patterns import PatternGame, is_of_pattern
from .tak import Tak
from .twenty48 import Twenty48

GAMES = {
    ("collapsi", KEYED): KeyedCollapsi,
    ("collapsi", DENSE): DenseCollapsi,
    ("2048", KEYED): Twenty48,
    ("tak", DENSE): Tak,
}


def game_of(table):
    """The game of an open table, None if it is not known here."""
    header = table.header
    if header.text.game == "2048" and is_of_pattern(header.text.rules):
        return PatternGame(table)
    game = GAMES.get((header.text.game, header.kind))
    return game and game(table)
