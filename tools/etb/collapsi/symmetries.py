"""The 384 symmetries of the Collapsi board, and the canonical form."""

from functools import cache

from .boards import CELLS, Board, cell_of


def are_neighbours(a, b):
    rows, columns = (a // 4 - b // 4) % 4, (a - b) % 4
    return (rows in (1, 3) and columns == 0) or (rows == 0 and columns in (1, 3))


def find_turns():
    """The 24 symmetries that leave cell 0 alone, in the specified order."""
    turns = []

    def search(images):
        n = len(images)
        if n == 16:
            turns.append(images)
            return
        for i in CELLS:
            if i not in images and all(
                are_neighbours(n, c) == are_neighbours(i, images[c]) for c in range(n)
            ):
                search(images + [i])

    search([0])
    return turns


TURNS = find_turns()


class Symmetry:
    """Cell c goes to `cells[c]`."""

    def __init__(self, cells):
        self.cells = cells
        # The image of a set is the union of those of its two bytes: two
        # look-ups, where a check of many records would spend its time.
        self._low, self._high = (
            [union(cells[8 * half + c] for c in bits(byte)) for byte in range(256)]
            for half in range(2)
        )

    def image(self, cells):
        return self._low[cells & 0xFF] | self._high[cells >> 8]

    def back(self, cell):
        """The cell that goes to this one."""
        return self.cells.index(cell)


def bits(number):
    return (i for i in range(number.bit_length()) if number >> i & 1)


def union(cells):
    return sum(1 << cell for cell in cells)


IDENTITY = Symmetry(list(CELLS))


@cache
def symmetry(s, t):
    """Cell s goes to cell 0, then turn t is applied."""
    return Symmetry(
        [TURNS[t][4 * ((c // 4 - s // 4) % 4) + (c - s) % 4] for c in CELLS]
    )


def canonical(board):
    """The canonical board and the symmetry that leads to it."""
    sets = board.other, board.collapsed, *(cells & board.alive for cells in board.cards)
    s = cell_of(board.mover)
    # X's cell is 0 in all of these images; comparing the one bit of O's set is
    # comparing its cell. Of equals, the lowest turn.
    order, t = min(
        ([symmetry(s, t).image(cells) for cells in sets], t) for t in range(len(TURNS))
    )
    o, collapsed, *cards = order
    return Board(*cards, 1, o, collapsed, 0), symmetry(s, t)
