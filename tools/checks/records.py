"""Everything that a table holds, as the reader and as the program have it."""

from itertools import zip_longest

from etb.table import Table

LARGEST = 2**64 - 1


class RecordCheck:
    def __init__(self, program, folder, report):
        self.program, self.folder, self.report = program, folder, report
        self.records = 0

    def compare(self, name, path):
        """Compares a keyed table."""
        with Table(path) as table:
            table.verify()
            self.compare_listing(name, table)
            self.compare_raw(name, table)
            self.records += len(table)

    def compare_listing(self, name, table):
        expected = self.program.run("dump", table.path)
        found = (table.line(record) for record in table.records())
        for number, (ours, theirs) in enumerate(zip_longest(found, expected)):
            self.report.equal(f"{name}, record {number}", theirs, ours)

    def compare_raw(self, name, table):
        raw = self.folder / f"{name}.raw"
        self.program.run("export", table.path, "--raw", "--out", raw)
        if b"".join(map(table.raw, table.records())) != raw.read_bytes():
            self.report.differ(f"{name}: the raw export differs")

    def compare_gets(self, name, path, rng, count):
        """What is read record by record must be what is looked up."""
        with Table(path) as table:
            records = {record.code: record for record in table.records()}
            for code in rng.sample(sorted(records), min(len(records), count)):
                for near in (code - 1, code, code + 1):
                    if table.stored.get(near) != records.get(near):
                        self.report.differ(
                            f"{name}: code {near} is not found as stored"
                        )
            if LARGEST not in records and table.stored.get(LARGEST) is not None:
                self.report.differ(f"{name}: a code that is not there is found")

    def compare_again(self, name, path):
        """The options of the text must make the same table again."""
        with Table(path) as table:
            command = table.header.text.command()
        again = self.folder / f"{name}-again"
        self.program.run(*command.split()[1:], "--out", again)
        # Of a complete table, the file of the same layer.
        again = again / path.name if again.is_dir() else again
        if again.read_bytes() != path.read_bytes():
            self.report.differ(f"{name}: another table is made by {command}")

    def compare_merged(self, name, merged, whole, parts):
        """A merged table has the records of its parts, and what they share."""
        with Table(merged) as one, Table(whole) as other:
            if list(one.records()) != list(other.records()):
                self.report.differ(f"{name}: not the records of the parts")
            text = one.header.text
        self.report.equal(
            f"{name}, merged", text.entries.get("merged"), str(len(parts))
        )
        options = []
        for part in parts:
            with Table(part) as table:
                options.append(set(table.header.text.options.items()))
        shared = set.intersection(*options)
        self.report.equal(f"{name}, options", set(text.options.items()), shared)
