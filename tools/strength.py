"""How well 4x4 2048 is played: games by the hundred, beside published results.

Usage: python3 tools/strength.py ENDTABLE [--games 200] [--seed 900000] [--out out/strength] [NAME…]

Plays the games of every player below, or of those named, in shards of ten, and prints a table. What is
finished stays in the folder and is not played again, so that it can be stopped at any time; several
machines can share the work if each has its own range of seeds and their files come together in the end.
"""

import argparse
import json
import os
import subprocess
import sys

SHARD = 10

# The tables that fit 2 GB: the targets of each pattern.
TABLES = [("L3", 512), ("L3", 256), ("L3", 128), ("442", 256)]

# Name, options, with tables or not.
PLAYERS = [
    ("depth-3", "--depth 3 --cut-off 0.003", False),
    ("depth-4-tables", "--depth 4 --cut-off 0.004", True),
    ("depth-4-fine-tables", "--depth 4 --cut-off 0.0005", True),
]

# Program, tables, mean score, share of games with a 32768 and a 65536, moves a second on one core; from
# the projects' own pages and papers.
PUBLISHED = [
    ("2048EndgameTablebase", "10 TB", "772,353", "86.1 %", "8.4 %", "11"),
    ("macroxue/2048-ai, depth 5", "18 GB", "660,650", "74.8 %", "2.7 %", "594"),
    ("macroxue/2048-ai, depth 3", "18 GB", "493,058", "52.5 %", "1.3 %", "6,461"),
    ("macroxue/2048-ai, depth 3", "2.6 GB", "417,381", "37.8 %", "1.0 %", "5,000"),
    ("TDL2048+, 6-ply", "none", "625,377", "72 %", "0.02 %", "–"),
    ("Jaskowski 2018, 1 s a move", "none", "609,104", "69 %", "0", "1"),
]


def make_tables(endtable, folder):
    """Generates the tables that are missing."""
    os.makedirs(folder, exist_ok=True)
    for pattern, target in TABLES:
        path = os.path.join(folder, f"{pattern}-{target}.etb")
        if not os.path.exists(path):
            # L3 to 512 takes ten times as long with less memory.
            options = ["--pattern", pattern, "--objective", f"tile:{target}", "--memory", "3G"]
            subprocess.run([endtable, "generate", "2048", *options, "--out", path], check=True)
    sizes = (os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder))
    return sum(sizes)


def play(endtable, options, first, count, path):
    """Plays some games, unless they have been played."""
    if os.path.exists(path):
        return
    command = [endtable, "play", "2048", *options, "--seed", str(first), "--games", str(count)]
    partial = path + ".partial"
    with open(partial, "w", encoding="utf-8") as out:
        subprocess.run([*command, "--threads", "1", "--json"], stdout=out, check=True)
    os.rename(partial, path)


def summary(endtable, paths):
    """What all games together came to."""
    printed = subprocess.run(
        [endtable, "play", "2048", "--json", "--merge", *paths], check=True, capture_output=True, text=True
    )
    return json.loads(printed.stdout)


def row(name, tables, found):
    """A line of the table."""
    games, scores = found["games"], found["scores"]
    reached = {tile["tile"]: tile for tile in found["tiles"]}

    def share(tile):
        if tile not in reached:
            return "0"
        low, high = (100 * reached[tile][end] for end in ("low", "high"))
        return f"{100 * reached[tile]['games'] / games:.1f} % ({low:.1f} to {high:.1f})"

    mean = f"{scores['mean']:,.0f} ± {scores.get('within', 0):,.0f}"
    from_tables = f"{100 * found['table_moves'] / found['moves']:.1f} %"
    speed = f"{found['moves_per_second']:,.0f}"
    cells = [f"endtable {name}", str(games), tables, mean, share(16384), share(32768), share(65536)]
    return "| " + " | ".join([*cells, from_tables, speed]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("endtable")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which players; all by default")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=900_000)
    parser.add_argument("--out", default="out/strength")
    given = parser.parse_intermixed_args()
    if given.games < 1:
        parser.error("--games: at least one")
    known = [name for name, _, _ in PLAYERS]
    for name in given.names:
        if name not in known:
            parser.error(f"{name}: no player; there are {', '.join(known)}")
    chosen = [player for player in PLAYERS if player[0] in (given.names or known)]
    folder = os.path.join(given.out, "tables")
    size = make_tables(given.endtable, folder) if any(tables for _, _, tables in chosen) else 0
    rows = []
    for name, options, tables in chosen:
        options = options.split() + (["--tables", folder] if tables else [])
        results = os.path.join(given.out, name)
        os.makedirs(results, exist_ok=True)
        paths = []
        for first in range(given.seed, given.seed + given.games, SHARD):
            count = min(SHARD, given.seed + given.games - first)
            paths.append(os.path.join(results, f"{first}-{count}.json"))
            play(given.endtable, options, first, count, paths[-1])
        held = f"{size / 1e9:.2f} GB" if tables else "none"
        rows.append(row(name, held, summary(given.endtable, paths)))
    print("| player | games | tables | mean score | 16384 | 32768 | 65536 | moves from tables | moves/s, one core |")
    print("|---|--:|---|--:|--:|--:|--:|--:|--:|")
    for line in rows:
        print(line)
    for program, tables, mean, large, larger, speed in PUBLISHED:
        print(f"| {program}, published | | {tables} | {mean} | | {large} | {larger} | | {speed} |")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped; what is finished is not played again")
    except subprocess.CalledProcessError as error:
        sys.exit(f"{' '.join(error.cmd[:3])}: failed with {error.returncode}")
