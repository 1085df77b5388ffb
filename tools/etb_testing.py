"""What the tests of the package etb share: tables that they write and read."""

import struct
import tempfile
import unittest
from pathlib import Path

try:
    import etb_writer as writer
    from etb.table import Table
except ModuleNotFoundError as missing:
    raise unittest.SkipTest(f"{missing}: see tools/requirements.txt") from None
from etb.collapsi.boards import Board
from etb.collapsi.codecs import CODECS
from etb.errors import TableError
from etb_writer import LONG, Description, Record

UNKNOWN = writer.text_of("go", "9x9")  # the text of a game that nobody knows
COMPLETE = writer.text_of("collapsi", "one and wild", "complete: ", "cards: 5")
DEAL = Board(0x5201, 0x2818, 0x0126, 0x0440, 0x0080, 0x8000, 0, 0)  # of seed 1
WORD = 2**64 - 1


def f32(number):
    return struct.pack("<f", number)


class Files(unittest.TestCase):
    """Tests that write files."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "test.etb"

    def write(self, data):
        # Some file systems bring a file to the disk that is cut to nothing and
        # written again; a new one they need not.
        self.path.unlink(missing_ok=True)
        self.path.write_bytes(data)
        return self.path

    def open(self, data):
        table = Table(self.write(data))
        self.addCleanup(table.close)
        return table

    def read(self, data):
        """All records, after every check."""
        with Table(self.write(data)) as table:
            table.verify()
            return [table.line(record) for record in table.records()]

    def refused(self, data, *words):
        with self.assertRaises(TableError) as caught:
            self.read(data)
        for word in words:
            self.assertIn(word, str(caught.exception))


def random_records(rng, layout, value, count):
    """Records of no game: every bit of the layout is used."""
    _, move_bits, plies_bits = layout
    results = range(3 if layout == LONG else 2)
    metas = [
        (
            rng.randrange(2),
            rng.choice(results),
            rng.choice((None, rng.getrandbits(move_bits) & ~1)),
            rng.getrandbits(plies_bits),
        )
        for _ in range(5)
    ]
    # Some metas always come with the same value, as packed blocks like it.
    constant = {meta: rng.randbytes(writer.WIDTHS[value]) for meta in metas[:3]}
    records, codes = [], set()
    spread = rng.choice((2 * count, 2**20, WORD + 1))
    while len(codes) < count:
        codes.add(rng.randrange(spread))
    for code in sorted(codes):
        meta = rng.choice(metas)
        own = f32(rng.random()) if value == 1 else rng.randbytes(writer.WIDTHS[value])
        records.append(Record(code, *meta, constant.get(meta, own)))
    return records


def deal_table(number, **fields):
    """A table of one deal, by the codec of this number."""
    codec = CODECS[number]
    stored, g = codec.stored_form(DEAL)
    move = g.cells[7] << 4 | g.cells[3]
    fields = {"text": writer.text_of("collapsi", "one")} | fields
    it = Description(codec=number, key_bytes=codec.key_bytes, **fields)
    record = Record(codec.encode(stored), 0, 1, move, 13)
    return writer.keyed_table(it, [record])
