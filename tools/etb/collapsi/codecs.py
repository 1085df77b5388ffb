"""The four codecs of keyed Collapsi tables: positions as 64-bit codes."""

from functools import cache, lru_cache

from ..errors import PositionError
from .boards import CELLS, DECK, Board, cell_of, check_board, fold, jokers, key_of
from .symmetries import IDENTITY, canonical

# --- Ranks of words --------------------------------------------------------

NO_CARD = 4  # the fifth letter


@cache
def choices(n, left, letters):
    """What may come first in a word of n letters.

    Each choice is a letter, the cards left behind it, and the number of words
    that continue from there.
    """
    found = []
    for letter in range(letters):
        if letter == NO_CARD:
            rest = left
        elif left[letter] > 0:
            rest = (*left[:letter], left[letter] - 1, *left[letter + 1 :])
        else:
            continue
        found.append((letter, rest, count(n - 1, rest, letters)))
    return found


@cache
def count(n, left, letters):
    if n == 0:
        return 1
    return sum(words for _, _, words in choices(n, left, letters))


def rank(word, letters):
    left, r = DECK, 0
    for i, wanted in enumerate(word):
        for letter, rest, words in choices(len(word) - i, left, letters):
            if letter == wanted:
                left = rest
                break
            r += words
    return r


@lru_cache(maxsize=1 << 16)  # many records share a word, above all in exact tables
def unrank(r, n, letters):
    if r >= count(n, DECK, letters):
        raise PositionError("the rank of the cards is too large")
    word, left = [], DECK
    for i in range(n, 0, -1):
        for letter, rest, words in choices(i, left, letters):
            if r < words:
                word.append(letter)
                left = rest
                break
            r -= words
    return word


def letter_at(board, cell):
    for letter, cells in enumerate(board.cards):
        if cells >> cell & 1:
            return letter
    return NO_CARD


def card_sets(cells, word):
    sets = [0] * 5
    for cell, letter in zip(cells, word):
        sets[letter] |= 1 << cell
    return sets[:4]


# --- Codecs ----------------------------------------------------------------


class Canonical:
    """Codec 1."""

    key_bytes = 16

    def stored_form(self, board):
        """The board as it is stored, and the symmetry that leads to it."""
        return canonical(board)

    def encode(self, board):
        cells = [c for c in CELLS if board.alive >> c & 1]
        word = [letter_at(board, c) for c in cells]
        word = [letter for letter in word if letter != NO_CARD]
        return (
            rank(word, 4)
            | board.collapsed << 25
            | board.turn << 41
            | cell_of(board.o) << 42
            | cell_of(board.x) << 46
        )

    def decode(self, code):
        if code >> 50:
            raise PositionError("high bits in the code")
        collapsed, turn = code >> 25 & 0xFFFF, code >> 41 & 1
        o, x = 1 << (code >> 42 & 15), 1 << (code >> 46 & 15)
        if x == o or (x | o) & collapsed:
            raise PositionError("pawns on one cell or on a collapsed one")
        bare = collapsed | jokers(x, o, collapsed, turn)
        cells = [c for c in CELLS if not bare >> c & 1]
        word = unrank(code & 0x1FFFFFF, len(cells), 4)
        return Board(*card_sets(cells, word), x, o, collapsed, turn)

    def key(self, code):
        return key_of(self.decode(code))


class Exact:
    """Codec 2."""

    key_bytes = 16

    def stored_form(self, board):
        return board, IDENTITY

    def encode(self, board):
        return (
            board.turn
            | cell_of(board.o) << 1
            | cell_of(board.x) << 5
            | board.collapsed << 9
            | rank([letter_at(board, c) for c in CELLS], 5) << 25
        )

    def decode(self, code):
        if code >> 62:
            raise PositionError("high bits in the code")
        cards = card_sets(CELLS, unrank(code >> 25, 16, 5))
        o, x = 1 << (code >> 1 & 15), 1 << (code >> 5 & 15)
        return check_board([*cards, x, o, code >> 9 & 0xFFFF, code & 1])

    def key(self, code):
        return key_of(self.decode(code))


class Folded:
    """Codecs 3 and 4: the code is the folded key of the other codec's board."""

    key_bytes = 8

    def __init__(self, unfolded):
        self.stored_form = unfolded.stored_form

    def encode(self, board):
        return fold(key_of(board))

    def decode(self, code):
        """A folded key does not give the position back."""
        return None

    def key(self, code):
        return code


CODECS = {1: Canonical(), 2: Exact(), 3: Folded(Canonical()), 4: Folded(Exact())}
