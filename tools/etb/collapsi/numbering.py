"""The number of a position in its layer of a dense table, and back.

Follows the steps of "The number of a position" in docs/FORMAT.md. Cells are
labels here: relabelled so that neighbours differ in one bit of four.
"""

from bisect import bisect_right
from functools import cache
from itertools import accumulate, combinations, permutations, product
from typing import NamedTuple

from ..errors import PositionError
from .boards import CELLS, DECK, Board, cell_of
from .symmetries import Symmetry, union

FEWEST, MOST = 2, 16  # cards of a layer
LAST_SHARED = 14  # with more cards a pawn stands on its joker
JOKER = 4  # behind the four cards
OTHERS = (1, 3, 7, 15)

GRAY = (0, 1, 3, 2)
LABELS = Symmetry([4 * GRAY[c // 4] + GRAY[c % 4] for c in CELLS])
CELLS_OF_LABELS = Symmetry([LABELS.back(label) for label in CELLS])


class Cards(NamedTuple):
    """A position: the alive cells, the four sets of cards, the pawns' cells."""

    alive: int
    cards: tuple
    mover: int
    other: int


def of_board(board):
    cards = tuple(LABELS.image(cells & board.alive) for cells in board.cards)
    pawns = (LABELS.cells[cell_of(pawn)] for pawn in (board.mover, board.other))
    return Cards(LABELS.image(board.alive), cards, *pawns)


def to_board(position):
    """The board with X to move."""
    image = CELLS_OF_LABELS.image
    x, o = image(1 << position.mover), image(1 << position.other)
    collapsed = 0xFFFF & ~image(position.alive)
    return Board(*map(image, position.cards), x, o, collapsed, 0)


def moved(position, g):
    return Cards(
        g.image(position.alive),
        tuple(map(g.image, position.cards)),
        g.cells[position.mover],
        g.cells[position.other],
    )


# --- Masks -----------------------------------------------------------------


def squeeze(mask, onto):
    """The bits of `mask` at the places of `onto`, moved together."""
    squeezed = place = 0
    for x in CELLS:
        if onto >> x & 1:
            squeezed |= (mask >> x & 1) << place
            place += 1
    return squeezed


def spread(squeezed, onto):
    """What `squeeze` made `squeezed` of."""
    mask = 0
    for x in CELLS:
        if onto >> x & 1:
            mask |= (squeezed & 1) << x
            squeezed >>= 1
    return mask


@cache
def masks_of(n, size):
    """All masks of `size` bits with n ones, increasing."""
    return sorted(map(union, combinations(range(size), n)))


def sigma(p):
    """Moves bit i of a label to bit p[i]."""
    return Symmetry([sum((x >> i & 1) << p[i] for i in range(4)) for x in CELLS])


SIGMAS = [sigma(p) for p in permutations(range(4))]
SHIFTS = [Symmetry([x ^ mover for x in CELLS]) for mover in CELLS]


# --- Steps 1 and 2: groups -------------------------------------------------


def turn(position):
    """Step 1: the mover on cell 0, the other's ones at the low end."""
    position = moved(position, SHIFTS[position.mover])
    other = (1 << position.other.bit_count()) - 1
    fitting = [g for g in SIGMAS if g.cells[position.other] == other]
    # max gives the first of equals, so the smallest s.
    return moved(position, max(fitting, key=lambda g: g.image(position.alive)))


class Group:
    """The positions of a layer that have their alive cells and pawns in common."""

    def __init__(self, alive, other):
        self.alive, self.other = alive, other
        self.cells = alive & ~1 & ~(1 << other)
        self.size = self.cells.bit_count()
        self.symmetries = [
            g for g in SIGMAS if g.cells[other] == other and g.image(alive) == alive
        ]
        # |L(n)|, for the count of the group's entries.
        self.ace_sets = [len(self.aces(n)) for n in range(DECK[0] + 1)]

    def smallest_aces(self, aces):
        """The smallest image of the aces, squeezed, and the first that gives it."""
        images = [squeeze(g.image(aces), self.cells) for g in self.symmetries]
        least = min(images)
        return least, self.symmetries[images.index(least)]

    def aces(self, n):
        """L(n): the squeezed sets of n aces that are smallest of their images."""
        if len(self.symmetries) == 1:
            return masks_of(n, self.size)
        return [
            squeezed
            for squeezed in masks_of(n, self.size)
            if self.smallest_aces(spread(squeezed, self.cells))[0] == squeezed
        ]


def groups(cards):
    """Step 2: all groups of a layer, in order."""
    found = []
    for other in OTHERS:
        keeping = [g for g in SIGMAS if g.cells[other] == other]
        pawns = 1 | 1 << other
        cells = 0xFFFF & ~pawns
        for squeezed in reversed(masks_of(cards - 2, 14)):
            alive = pawns | spread(squeezed, cells)
            if all(g.image(alive) <= alive for g in keeping):
                found.append(Group(alive, other))
    return found


# --- Steps 3 to 7: inside a group ------------------------------------------


def sections(cards):
    """Step 3: the pawns' cards, and what is left for the other cells."""
    movers = range(4) if cards <= LAST_SHARED else [JOKER]
    others = range(4) if cards < MOST else [JOKER]
    for under in product(movers, others):
        left = tuple(DECK[card] - under.count(card) for card in range(4))
        yield under, left


@cache
def fours(r, left):
    """Step 7: the fours of a row of r cells; R(r) is how many there are."""
    return [
        mask
        for mask in range(1 << r)
        if mask.bit_count() <= left[3] and r - mask.bit_count() <= left[1]
    ]


@cache
def rows(m, left):
    """Step 6: the rows of a block of m cells, and where each begins.

    Behind the last comes the size of the block, B(m).
    """
    if m > left[1] + left[2] + left[3]:
        return [], [0]
    masks = [
        mask
        for mask in range(1 << m)
        if m - mask.bit_count() <= left[2] and row_size(mask, left)
    ]
    return masks, list(accumulate((row_size(mask, left) for mask in masks), initial=0))


def row_size(mask, left):
    r = mask.bit_count()
    return len(fours(r, left)) if r <= left[1] + left[3] else 0


def block_size(m, left):
    return rows(m, left)[1][-1]


class Layer:
    """The positions with so many cards, numbered."""

    def __init__(self, cards):
        self.cards = cards
        self.groups = groups(cards)
        self._places = {(g.alive, g.other): i for i, g in enumerate(self.groups)}
        sizes = (self.group_size(group) for group in self.groups)
        *self._starts, self.size = accumulate(sizes, initial=0)

    def group_size(self, group):
        return sum(self.section_size(group, left) for _, left in sections(self.cards))

    def section_size(self, group, left):
        return sum(size for _, size in self.runs(group, left))

    def runs(self, group, left):
        """Step 5: for each number of aces, it and the entries of its blocks."""
        for n in range(min(left[0], group.size) + 1):
            yield n, group.ace_sets[n] * block_size(group.size - n, left)

    def rank(self, position):
        """The number of a position."""
        position = turn(position)
        place = self._places[position.alive, position.other]
        group, number = self.groups[place], self._starts[place]
        pawns = (1 << position.mover, 1 << position.other)
        under = tuple(card_on(pawn, position.cards) for pawn in pawns)
        for section, left in sections(self.cards):
            if section == under:
                return number + self._rank_cards(group, left, position)
            number += self.section_size(group, left)
        raise PositionError("no such cards under the pawns in this layer")

    def _rank_cards(self, group, left, position):
        aces = position.cards[0] & group.cells
        squeezed, g = group.smallest_aces(aces)
        aces, two, _, four = (g.image(c) & group.cells for c in position.cards)
        n, number = aces.bit_count(), 0
        for before, size in self.runs(group, left):
            if before == n:
                break
            number += size
        bare = group.cells & ~aces
        m = group.size - n
        number += group.aces(n).index(squeezed) * block_size(m, left)
        masks, starts = rows(m, left)
        row = two | four
        number += starts[masks.index(squeeze(row, bare))]
        return number + fours(row.bit_count(), left).index(squeeze(four, row))

    def unrank(self, number):
        """A position with this number, the mover on cell 0."""
        if not 0 <= number < self.size:
            raise PositionError(f"no position has the number {number}")
        place = bisect_right(self._starts, number) - 1
        group, number = self.groups[place], number - self._starts[place]
        for under, left in sections(self.cards):
            size = self.section_size(group, left)
            if number < size:
                break
            number -= size
        sets = self._unrank_cards(group, left, number)
        for card, pawn in zip(under, (1, 1 << group.other)):
            if card != JOKER:
                sets[card] |= pawn
        return Cards(group.alive, tuple(sets), 0, group.other)

    def _unrank_cards(self, group, left, number):
        for n, size in self.runs(group, left):
            if number < size:
                break
            number -= size
        place, number = divmod(number, block_size(group.size - n, left))
        aces = spread(group.aces(n)[place], group.cells)
        bare = group.cells & ~aces
        masks, starts = rows(group.size - n, left)
        place = bisect_right(starts, number) - 1
        row = spread(masks[place], bare)
        number -= starts[place]
        four = spread(fours(row.bit_count(), left)[number], row)
        return [aces, row & ~four, bare & ~row, four]


def card_on(pawn, cards):
    for card, cells in enumerate(cards):
        if cells & pawn:
            return card
    return JOKER


@cache
def layer(cards):
    """The numbering of a layer, made when it is first asked for."""
    return Layer(cards)
