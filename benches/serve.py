"""How fast the server answers, by wrk on the same machine: `make bench` runs it.

    ENDTABLE=… python benches/serve.py [TABLES]

TABLES is a folder of complete Collapsi tables, by default out/complete, or out/complete-10, as `make`
makes them. Positions of random games, as far as the tables have them, are asked for one after the other:
as pages and as objects.
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from urllib.parse import quote, urlencode
from urllib.request import urlopen

CONNECTIONS = 64
SECONDS = 10
GAMES = 150
MILLION = 1_000_000

# Asks for the addresses of a file in their order, over and over.
SCRIPT = """
local paths = {}
for line in io.lines("PATHS") do paths[#paths + 1] = line end
local next = 0
request = function()
  next = next % #paths + 1
  return wrk.format("GET", paths[next])
end
"""


def main(tables: str | None) -> None:
    wrk = find_wrk()
    folder = tables or next(filter(os.path.isdir, ("out/complete", "out/complete-10")), None)
    if folder is None:
        sys.exit("benches/serve.py: no out/complete here: `make` makes it, or name a folder")
    print(f"serve:  {folder}, wrk with {CONNECTIONS} connections on the same {os.cpu_count()} cores")
    starts = [start_time(folder) for _ in range(5)]
    print(f"start to first answer   {min(starts) * 1000:9.0f} ms       (goal: below 200)")
    with tempfile.TemporaryDirectory() as scratch, Server(folder) as server:
        positions = server.positions()
        print(f"positions               {len(positions):9}")
        script = pathlib.Path(scratch) / "paths.lua"
        for name, prefix in [("API probes", "/api/v1/probe?game=collapsi&moves&position="), ("pages", "/collapsi?position=")]:
            paths = pathlib.Path(scratch) / "paths"
            paths.write_text("".join(prefix + quote(position, safe="/") + "\n" for position in positions))
            script.write_text(SCRIPT.replace("PATHS", str(paths)))
            run(wrk, server, script, 2)
            rate, p99, failed = run(wrk, server, script, SECONDS)
            print(f"{name:<12} a second  {rate:11,.0f}          (goal: over 10,000){failed}")
            print(f"{name:<12} 99th percentile {p99:7.1f} ms       (goal: below 10)")
            before, asked = server.memory(), 0
            while asked < MILLION:
                run(wrk, server, script, SECONDS)
                asked += rate * SECONDS
            grown = server.memory() - before
            print(f"{name:<12} memory over {asked / 1e6:.1f} million  {before / 1024:.1f} MiB, {grown / 1024:+.1f} MiB")


def find_wrk() -> str:
    """The load generator; installed where that can be done."""
    if shutil.which("wrk") is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "wrk"], check=False, capture_output=True)
    return shutil.which("wrk") or sys.exit("benches/serve.py: wrk is missing (Debian: apt-get install wrk)")


def start_time(folder: str) -> float:
    begun = time.perf_counter()
    with Server(folder) as server:
        server.get("probe", position="2x.AA/2A3o2/..../...3 x")
        return time.perf_counter() - begun


def run(wrk: str, server: "Server", script: pathlib.Path, seconds: int) -> tuple[float, float, str]:
    """Answers a second, the 99th percentile in milliseconds, and what went wrong."""
    command = [wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", "--latency", "-s", str(script), server.address]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups()
    scale = {"us": 0.001, "ms": 1, "s": 1000}[unit]
    failed = re.search(r"(Non-2xx.*|Socket errors.*)", text)
    return rate, float(value) * scale, f" {failed[0]}" if failed else ""


class Server:
    """A server with some tables."""

    def __init__(self, folder: str) -> None:
        command = [os.environ["ENDTABLE"], "serve", folder, "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip().rstrip("/")

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()

    def get(self, name: str, **parameters: object) -> dict:
        query = urlencode({"game": "collapsi", **parameters}, doseq=True)
        with urlopen(f"{self.address}/api/v1/{name}?{query}") as answer:
            return json.load(answer)

    def memory(self) -> int:
        """What of it is in memory besides files, in KiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+)", status)[1])

    def positions(self) -> list[str]:
        """Positions of random games, as far as the tables reach."""
        files = [file for table in self.get("tables")["tables"] for file in table["files"]]
        most, chance, found = max(file["layer"] for file in files), random.Random(1), {}
        for seed in range(GAMES):
            shown = self.get("dump", seed=seed)
            while True:
                position = shown["position"]
                cards = sum(card in "A234J" for card in position.split(" ")[0])
                if cards <= most:
                    found[position] = None
                if not shown["moves"]:
                    break
                shown = self.get("apply", position=position, move=chance.choice(shown["moves"]))
        return list(found)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
