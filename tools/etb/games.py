"""Which game a table is about: who can tell positions from codes.

The game of a table has `name`; `parse`, which reads a position; `probe`, which
looks one up; `answer_line` and `line`, which print an answer and a record. In
keyed tables also `key`, of a record, and `check_record`.
"""

from .collapsi.game import DenseCollapsi, KeyedCollapsi
from .frame import DENSE
from .twenty48 import Boards, Twenty48

COLLAPSI, TWENTY48 = 1, 2
COLLAPSI_RULES = {0: "one", 1: "wild", 255: "one and wild"}


def game_of(table):
    header, need = table.header, table.frame.need
    need(header.game in (COLLAPSI, TWENTY48), f"unknown game {header.game}")
    if header.game == COLLAPSI:
        need(header.rules in COLLAPSI_RULES, f"unknown rules {header.rules}")
        return (DenseCollapsi if header.kind == DENSE else KeyedCollapsi)(table)
    size, objective = header.rules & 15, header.rules >> 4
    need(size <= 8, f"no size of a board has the number {size}")
    boards = Boards(size // 3 + 2, size % 3 + 2)
    need(
        objective != 2 and objective <= boards.highest,
        f"a tile of exponent {objective} cannot be played for",
    )
    return Twenty48(table, boards, {0: "score", 1: "search"}.get(objective, objective))
