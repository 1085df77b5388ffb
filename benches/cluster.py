"""What it costs to cut a job into shards, and what it gains: `make bench` runs it.

    ENDTABLE=… python benches/cluster.py [NAME…]

Each job is made by `generate` on one thread, and as a plan of 32 shards by the cluster driver with one and
with two workers on this machine; the bytes must be the same. What the plan estimated stands beside what it
took. Then seeds of Collapsi on one and two threads, with little memory and with more, few and many of them, and
3x3 boards on one and two threads. Nothing else should run meanwhile. Without a name all are measured; the names are those of JOBS, and `threads`.
"""

from __future__ import annotations

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ENDTABLE = os.environ["ENDTABLE"]
DRIVER = str(pathlib.Path(__file__).parents[1] / "tools" / "cluster" / "drive.py")
SHARDS = 32

JOBS = {
    "3x4-64": "2048 --board 3x4 --objective tile:64",
    "complete-12": "collapsi --complete --cards 12",
    "L3-256": "2048 --pattern L3 --objective tile:256",
    "tak-6": "tak --size 3 --flats 6",
}
SEEDS = "collapsi --seeds 0..600"
FEW_SEEDS, MANY_SEEDS = 200, 3000


def timed(command: list[str]) -> tuple[float, float]:
    """Seconds on the clock, and of all cores together, children of children included."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    start, before = time.monotonic(), used()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return time.monotonic() - start, used() - before


def contents(out: pathlib.Path) -> list[bytes]:
    """The bytes of a file, or of those of a folder."""
    files = [out] if out.is_file() else sorted(path for path in out.rglob("*") if path.is_file())
    return [file.read_bytes() for file in files]


def plan_of(job: str, folder: pathlib.Path) -> dict:
    """The plan of a job."""
    words = ["plan", "generate", *JOBS[job].split(), "--shards", str(SHARDS), "--dir", str(folder)]
    subprocess.run([ENDTABLE, *words], check=True, capture_output=True)
    return json.loads((folder / "plan.json").read_text())


def measure_job(job: str, folder: pathlib.Path) -> None:
    """One line a way to make it."""
    plan = plan_of(job, folder / "1")
    memory = max(stage["memory"] for stage in plan["stages"])
    out = folder / "generated"
    generate = [ENDTABLE, "generate", *JOBS[job].split(), "--threads", "1", "--out", str(out)]
    alone, _ = timed([*generate, "--memory", str(memory)])
    print(f"{job:<12} generate, one thread  {alone:8.1f} s")
    expected = contents(out)
    seconds = {}
    for workers in [1, 2]:
        planned = folder / str(workers)
        plan_of(job, planned)
        seconds[workers], used = timed(
            [sys.executable, DRIVER, str(planned), "--local", str(workers), "--endtable", ENDTABLE]
        )
        if contents(planned / plan["out"]) != expected:
            raise SystemExit(f"{job}: other bytes than generate's")
        name = "one worker" if workers == 1 else "two workers"
        print(f"{job:<12} {SHARDS} shards, {name:<11} {seconds[workers]:8.1f} s, {used:.1f} core seconds", end="")
        print(f" (the plan: {plan['core_seconds']:.1f}, {100 * (plan['core_seconds'] / used - 1):+.0f} %)")
    print(f"{job:<12} one worker / generate {seconds[1] / alone:8.2f}   (target: at most 1.2)")
    print(f"{job:<12} one / two workers     {seconds[1] / seconds[2]:8.2f}   (target: at least 1.7)")


def measure_threads(folder: pathlib.Path) -> None:
    """Seeds on one machine: more threads and more memory."""
    seconds = {}
    for memory in ["256M", "1G"]:
        for threads in [1, 2]:
            out = folder / f"{memory}-{threads}.etb"
            words = [*SEEDS.split(), "--threads", str(threads), "--memory", memory, "--out", str(out)]
            seconds[memory, threads], _ = timed([ENDTABLE, "generate", *words])
            print(f"seeds 0..600, {memory:>4}, {threads} threads  {seconds[memory, threads]:8.1f} s")
        gain = seconds[memory, 1] / seconds[memory, 2]
        print(f"seeds 0..600, {memory:>4}, one / two  {gain:8.2f}   (target: at least 1.8)")
    boards = []
    for threads in [1, 2]:
        out = folder / f"3x3-{threads}.etb"
        words = ["2048", "--board", "3x3", "--threads", str(threads), "--memory", "4G", "--out", str(out)]
        boards.append(timed([ENDTABLE, "generate", *words])[0])
        print(f"3x3, {threads} threads             {boards[-1]:8.1f} s")
    print(f"3x3, one / two            {boards[0] / boards[1]:8.2f}   (target: at least 1.8)")
    for threads in [1, 2]:
        gain = seconds["256M", threads] / seconds["1G", threads]
        print(f"seeds 0..600, {threads} threads, 256M / 1G {gain:6.2f}   (target: at least 1)")
    each = {}
    for seeds in [FEW_SEEDS, MANY_SEEDS]:
        words = ["collapsi", "--seeds", f"0..{seeds}", "--threads", "2", "--out", str(folder / f"{seeds}.etb")]
        each[seeds] = 1000 * timed([ENDTABLE, "generate", *words])[0] / seeds
        print(f"seeds 0..{seeds:<4}, 2 threads     {each[seeds]:8.2f} ms a seed")
    level = each[MANY_SEEDS] / each[FEW_SEEDS]
    print(f"seeds, {MANY_SEEDS} / {FEW_SEEDS}, a seed  {level:8.2f}   (target: about 1)")


def main() -> None:
    """Measures what was asked for."""
    names = sys.argv[1:] or [*JOBS, "threads"]
    for name in names:
        if name not in [*JOBS, "threads"]:
            raise SystemExit(f"{name}: unknown; there are {', '.join([*JOBS, 'threads'])}")
        with tempfile.TemporaryDirectory() as folder:
            if name == "threads":
                measure_threads(pathlib.Path(folder))
            else:
                measure_job(name, pathlib.Path(folder))


if __name__ == "__main__":
    main()
