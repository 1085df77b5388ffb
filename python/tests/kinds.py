"""Every kind of table, made by the program: ENDTABLE in the environment, or the one that was built."""

import atexit
import functools
import json
import os
import random
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import endtable

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
PROGRAM = Path(os.environ.get("ENDTABLE", TARGET / "release" / "endtable")).resolve()
SHIPPED = ROOT / "data" / "collapsi-one-seeds-0-2.etb"
DEAL = "A332/234Jx/3A42/A2AJo x"


@dataclass(frozen=True)
class Kind:
    """How a table is made and opened, and where random games begin; some may not be in it."""

    name: str
    game: str
    job: list[str]
    starts: list[str]
    options: dict[str, Any] = field(default_factory=dict)
    is_folder: bool = False
    # How many positions are asked of each game, its last ones: what is above a table is searched.
    last: int = 100


_DEALS = ["0", "0", "1"]
_BOARDS = ["2,4,0/0,0,0", "2,0,0/0,0,2", "0,2,0/2,0,0"]
KINDS = [
    Kind("canonical", "collapsi", ["--seeds", "0..1"], _DEALS),
    Kind("exact", "collapsi", ["--seeds", "0..1", "--exact"], _DEALS),
    Kind("folded", "collapsi", ["--seeds", "0..1", "--fold64"], _DEALS, {"fold64": True}),
    Kind("exact-folded", "collapsi", ["--seeds", "0..1", "--exact", "--fold64"], _DEALS),
    Kind("plain", "collapsi", ["--seeds", "0..1", "--uncompressed"], _DEALS, {"rules": "one"}),
    Kind(
        "complete",
        "collapsi",
        ["--complete", "--cards", "5"],
        ["0", "1", "2", "3"],
        {"rules": "wild"},
        is_folder=True,
        last=6,
    ),
    Kind("score", "2048", ["--board", "2x3", "--objective", "score"], _BOARDS),
    Kind("chance", "2048", ["--board", "2x3", "--objective", "tile:32"], _BOARDS),
]
KEYED = [kind for kind in KINDS if not kind.is_folder]


@functools.cache
def folder() -> Path:
    """A folder that is removed in the end."""
    made = Path(tempfile.mkdtemp(prefix="endtable-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def run(*args: object, text: str = "", status: int = 0) -> str:
    """What the program prints."""
    command = [str(PROGRAM), *map(str, args)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == status, f"{command}: {done.returncode}\n{done.stderr}"
    return done.stdout


@functools.cache
def table(name: str) -> Path:
    """The table of a kind."""
    kind = next(kind for kind in KINDS if kind.name == name)
    path = folder() / (name if kind.is_folder else f"{name}.etb")
    run("generate", kind.game, *kind.job, "--out", path)
    return path


def open_kind(kind: Kind) -> endtable.Tables:
    """Its table, opened."""
    return endtable.open(table(kind.name), **kind.options)


def flags(options: dict[str, Any]) -> list[str]:
    """Options as the program takes them."""
    both = [(f"--{name}", value) for name, value in options.items()]
    return [word for name, value in both for word in ([name] if value is True else [name, value])]


def games(kind: Kind, tables: endtable.Tables, count: int = 12) -> list[endtable.Position]:
    """The positions of random games in which no chance is next."""
    chosen = random.Random(kind.name)
    positions = []
    for number in range(count):
        game = [tables.position(kind.starts[number % len(kind.starts)])]
        while moves := game[-1].moves():
            game.append(game[-1].play(chosen.choice(moves)))
        positions += [position for position in game[-kind.last :] if position.turn != "chance"]
    return positions


def from_program(kind: Kind, texts: list[str]) -> list[dict[str, Any]]:
    """What the program says of positions."""
    words = ["probe", table(kind.name), "--stdin", "--json", "--moves", *flags(kind.options)]
    command = [str(PROGRAM), *map(str, words)]
    text = "\n".join(texts)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
