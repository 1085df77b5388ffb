"""Opening a table of any kind."""

from .dense import DenseTable
from .frame import DENSE, KEYED, Frame
from .games import game_of
from .keyed import KeyedTable

KINDS = {KEYED: KeyedTable, DENSE: DenseTable}


class Table:
    """An open table: its records, and the game that gives them their meaning."""

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

    def probe(self, position):
        """What the table says of a position, None if it is not there."""
        return self.game.probe(position)

    def line(self, record):
        """A record as a line of a listing."""
        return self.game.line(record)

    def raw(self, record):
        """The record of a keyed table as the raw export has it."""
        stored = self.stored
        key = self.game.key(record).to_bytes(self.header.key_bytes, "little")
        meta = stored.layout.pack(record.meta)
        meta = meta.to_bytes(stored.layout.meta_bytes, "little")
        return key + meta + stored.column.encode(record.value)

    def verify(self):
        """Checks every rule of the specification, TableError if one is broken."""
        self.stored.verify(self.game)
