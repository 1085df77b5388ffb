"""Damaged copies of a table, which the reader must refuse."""

from etb.errors import TableError
from etb.table import Table

LENGTHS = 20  # how many shorter copies are tried


class DamageCheck:
    def __init__(self, folder, rng, report):
        self.copy = folder / "damaged"
        self.rng, self.report = rng, report
        self.refused = 0

    def compare(self, name, path, places=None):
        """Changes every byte, one at a time, or so many of them."""
        whole = path.read_bytes()
        with Table(path) as table:
            # The padding is under no checksum.
            padding = range(table.stored.blocks_end(), table.header.index_offset)
        chosen = [at for at in range(len(whole)) if at not in padding]
        if places is not None:
            chosen = self.rng.sample(chosen, places)
        for at in chosen:
            data = bytearray(whole)
            data[at] ^= 1 << self.rng.randrange(8)
            self.must_refuse(f"{name}, byte {at} changed", data)
        for length in self.rng.sample(range(len(whole)), LENGTHS):
            self.must_refuse(f"{name}, cut to {length} bytes", whole[:length])
        self.must_refuse(f"{name}, a byte more", whole + b"\0")
        self.must_refuse(f"{name}, unfinished", bytes(8) + whole[8:])

    def must_refuse(self, what, data):
        # Some file systems bring a file to the disk that is cut to nothing and
        # written again; a new one they need not.
        self.copy.unlink(missing_ok=True)
        self.copy.write_bytes(data)
        try:
            with Table(self.copy) as table:
                for _ in table.records():
                    pass
        except TableError:
            self.refused += 1
        else:
            self.report.differ(f"{what}: not refused")
