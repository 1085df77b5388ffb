"""The command line."""

import argparse
import re
import sys

from .errors import PositionError, TableError
from .frame import CODECS, COMPRESSIONS, KINDS
from .record import COLUMNS, DENSE
from .table import Table

# The exit codes are those of the program.
ABSENT, BAD_INPUT, BAD_FILE = 1, 2, 3


def info(table):
    header = table.header
    text = header.text
    facts = {"file": table.path, **text.entries, "kind": KINDS[header.kind]}
    if text.command() is not None:
        facts["command"] = text.command()
    else:
        facts |= {f"option {name}": value for name, value in text.options.items()}
    if header.kind == DENSE:
        facts["layer"] = header.layer
    else:
        facts["positions"] = CODECS[header.codec]
    facts |= {
        "records": header.records,
        "key bytes": header.key_bytes,
        "layout": header.layout.name,
        "value": COLUMNS[header.value].name,
        "compression": COMPRESSIONS[header.compression],
        "blocks": f"{header.blocks} of {header.block_records} records",
        "size": f"{header.file_length} bytes",
    }
    for name, fact in facts.items():
        print(f"{name:<17} {fact}".rstrip())


def dump(table, first, behind):
    for record in table.records(first, behind):
        print(table.line(record))


def probe(table, texts):
    """Whether all of the positions are there."""
    game = table.known_game()
    positions = [game.parse(text) for text in texts]
    answers = [game.probe(position) for position in positions]
    for position, answer in zip(positions, answers):
        print(game.answer_line(position, answer))
    return None not in answers


def verify(table):
    table.verify()
    print(
        f"{table.path}: {len(table)} records in {table.header.blocks} blocks are sound"
    )


def record_range(text):
    if not re.fullmatch(r"[0-9]+\.\.[0-9]+", text):
        raise argparse.ArgumentTypeError(f"not a range such as 0..10: {text!r}")
    first, behind = text.split("..")
    return int(first), int(behind)


def parse_arguments():
    parser = argparse.ArgumentParser(description="Reads endtable's table files.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in (
        ("info", "what the header says"),
        ("dump", "one record a line"),
        ("probe", "look positions up"),
        ("verify", "check every rule of the format"),
    ):
        command = commands.add_parser(name, help=about)
        command.add_argument("table")
        if name == "dump":
            command.add_argument(
                "--records", metavar="A..B", type=record_range, default=(0, None)
            )
        if name == "probe":
            command.add_argument(
                "positions",
                nargs="+",
                metavar="position",
                help="a key HI:LO, or a 2048 board in hex",
            )
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    try:
        with Table(arguments.table) as table:
            match arguments.command:
                case "info":
                    info(table)
                case "dump":
                    dump(table, *arguments.records)
                case "probe":
                    if not probe(table, arguments.positions):
                        sys.exit(ABSENT)
                case "verify":
                    verify(table)
    except PositionError as error:
        print(error, file=sys.stderr)
        sys.exit(BAD_INPUT)
    except (TableError, OSError) as error:
        print(error, file=sys.stderr)
        sys.exit(BAD_FILE)
