"""Opening a table of any kind."""

from .dense import DenseTable
from .errors import PositionError
from .frame import Frame
from .games import game_of
from .keyed import KeyedTable
from .record import DENSE, KEYED

KINDS = {KEYED: KeyedTable, DENSE: DenseTable}


class Table:
    """An open table: its records, and the game that gives them their meaning.

    `game` is None if this reader does not know it. Then records can be listed
    by their codes, and verified, but no position can be looked up.
    """

    def __init__(self, path):
        self.path = path
        self.frame = Frame(path)
        try:
            self.header = self.frame.header
            self.stored = KINDS[self.header.kind](self.frame)
            self.game = game_of(self.stored)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.frame.close()

    def __len__(self):
        return len(self.stored)

    def records(self, first=0, behind=None):
        """The records with the numbers `first` to `behind` - 1, in order."""
        return self.stored.records(first, behind)

    def known_game(self):
        """The game, for what cannot be done without it."""
        if self.game is None:
            game = self.header.text.game
            raise PositionError(f"this reader does not know the positions of {game}")
        return self.game

    def probe(self, position):
        """What the table says of a position, None if it is not there."""
        return self.known_game().probe(position)

    def line(self, record):
        """A record as a line of a listing."""
        return (self.game or self.stored).line(record)

    def raw(self, record):
        """The record of a keyed table as the raw export has it."""
        stored = self.stored
        key = self.known_game().key(record).to_bytes(self.header.key_bytes, "little")
        meta = stored.layout.pack(record.meta)
        meta = meta.to_bytes(stored.layout.meta_bytes, "little")
        return key + meta + stored.column.encode(record.value)

    def verify(self):
        """Checks every rule of the specification, TableError if one is broken."""
        self.stored.verify(self.game)
