"""Small jobs of every kind, made by the program alone and by shards, and what can go wrong meanwhile."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

ENDTABLE = os.environ["ENDTABLE"]
DRIVER = str(pathlib.Path(__file__).parents[2] / "tools" / "cluster" / "drive.py")

TABLES = {
    "seeds": "collapsi --seeds 0..40",
    "complete": "collapsi --complete --cards 8",
    "3x3": "2048 --board 3x3 --objective tile:128",
    "L3": "2048 --pattern L3 --objective tile:32",
    "tak": "tak --size 3 --flats 3",
    "tak-4": "tak --size 3 --flats 4",
}
GAMES = "2048 --board 2x3 --depth 1 --games 100"
JOBS = [*TABLES, "games"]

# Of games: how long they took.
VARYING = ["seconds", "moves_per_second"]


def endtable(*words: str) -> str:
    """What the program prints. It must not fail."""
    done = subprocess.run([ENDTABLE, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"endtable {' '.join(words)}: {done.returncode}: {done.stderr}")
    return done.stdout


@functools.cache
def made_at_once(job: str) -> dict[str, bytes]:
    """What `generate` or `play` makes: the bytes of its files by their names."""
    if job == "games":
        return {"": games(endtable("play", *GAMES.split(), "--json").splitlines()[-1])}
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        endtable("generate", *TABLES[job].split(), "--out", str(out))
        return contents(out)


def contents(out: pathlib.Path) -> dict[str, bytes]:
    """The bytes of a file, or of those of a folder."""
    if out.is_file():
        return {"": out.read_bytes()}
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def games(line: str) -> bytes:
    """A summary of games, without what it took."""
    summary = json.loads(line)
    return json.dumps({name: summary[name] for name in summary if name not in VARYING}).encode()


class Planned:
    """A job as a plan in a folder."""

    def __init__(self, job: str, folder: pathlib.Path, shards: int = 6) -> None:
        self.job = job
        self.folder = folder
        work = ["play", *GAMES.split()] if job == "games" else ["generate", *TABLES[job].split()]
        endtable("plan", *work, "--shards", str(shards), "--dir", str(folder), "--hq")
        self.plan = json.loads((folder / "plan.json").read_text())

    @property
    def out(self) -> pathlib.Path:
        """What is made."""
        return self.folder / self.plan["out"]

    @property
    def work(self) -> list[pathlib.Path]:
        """Intermediate files, but for those that say whose they are."""
        files = (file for file in self.folder.rglob("*.work/**/*") if file.is_file())
        return sorted({file for file in files if file.name != "recipe"})

    def stages(self) -> list[list[str]]:
        """The shards of each stage."""
        return [[shard["id"] for shard in stage["shards"]] for stage in self.plan["stages"]]

    def shard(self, name: str) -> None:
        """Does a shard."""
        endtable("shard", str(self.folder), name)

    def kill_midway(self, name: str, seconds: float) -> None:
        """Begins a shard, and kills it."""
        with subprocess.Popen([ENDTABLE, "shard", str(self.folder), name], stderr=subprocess.DEVNULL) as process:
            time.sleep(seconds)
            process.kill()

    def made(self) -> dict[str, bytes]:
        """What was made, as `made_at_once` has it."""
        if self.job == "games":
            return {"": games(self.out.read_text())}
        return contents(self.out)

    def left(self) -> list[str]:
        """The shards that are not done."""
        return endtable("shard", str(self.folder)).split()

    def is_shard(self, process: str) -> bool:
        """Whether a process works on one."""
        try:
            words = pathlib.Path("/proc", process, "cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
        return words[0] == ENDTABLE.encode() and words[1:2] == [b"shard"] and words[2].startswith(bytes(self.folder))

    def processes(self) -> list[int]:
        """Those that work on shards."""
        return [int(name) for name in os.listdir("/proc") if name.isdecimal() and self.is_shard(name)]


def start_driver(planned: Planned, *options: str) -> subprocess.Popen[str]:
    """The driver, with two workers unless told otherwise."""
    where = [] if "--server-dir" in options else ["--local", "2"]
    command = [sys.executable, DRIVER, str(planned.folder), *where, "--endtable", ENDTABLE, "--json", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def drive(planned: Planned, *options: str) -> dict:
    """Runs the driver to the end, which must be a good one."""
    with start_driver(planned, *options) as driver:
        stdout, stderr = driver.communicate()
    if driver.returncode != 0:
        raise AssertionError(f"{planned.job}: {driver.returncode}: {stdout}{stderr}")
    return json.loads(stdout)


@contextmanager
def killer(planned: Planned, chance: random.Random, most: int) -> Iterator[list[int]]:
    """Kills shards at work at random, up to so many; the list has those killed."""
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while len(killed) < most and not over.wait(chance.uniform(0.01, 0.25)):
            processes = planned.processes()
            if processes:
                process = chance.choice(processes)
                try:
                    os.kill(process, signal.SIGKILL)
                    killed.append(process)
                except ProcessLookupError:
                    pass

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        over.set()
        thread.join()


def flip(file: pathlib.Path, chance: random.Random) -> None:
    """Changes a byte."""
    data = bytearray(file.read_bytes())
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def truncate(file: pathlib.Path, chance: random.Random) -> None:
    """Leaves only the beginning."""
    os.truncate(file, chance.randrange(file.stat().st_size + 1))


def remove(file: pathlib.Path, _chance: random.Random) -> None:
    """Leaves nothing."""
    file.unlink()


DAMAGES = [flip, truncate, remove]


def wait_until(condition, seconds: float = 30.0) -> bool:
    """Whether something came true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False
