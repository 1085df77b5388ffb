#!/usr/bin/env python3
"""Endgame patterns of 2048, solved a second time, as plainly as possible.

This file is the independent referee of the fast program: it shares no code
with it and was written from the rules alone.

A board is a tuple of sixteen tiles, row by row, 0 for an empty cell and "F" for
a large tile. A large tile slides but never merges. A move is a slide that
changes the board and after which the cells of at least one mask are all large
tiles; without masks any slide that changes it. After a move the board is an
afterstate: with a tile of the target on it the game is won; otherwise a new
tile comes on a random empty cell, a 2 with chance 9/10, else a 4. Without a
move the game is lost.

    python3 tools/patterns.py 44 64
"""

import argparse

DIRECTIONS = ("up", "right", "down", "left")
LARGE = "F"

PATTERNS = {
    "44": (["..../..../FFFF/FFFF"], ["0,0,0,0/2,0,0,0/F,F,F,F/F,F,F,F"]),
    "L3": (
        ["..../..../.FFF/.FFF"],
        ["2,0,0,0/0,0,0,0/2,F,F,F/4,F,F,F", "0,0,0,0/0,0,0,2/4,F,F,F/2,F,F,F"],
    ),
}


def board_of(text):
    tiles = [tile for row in text.split("/") for tile in row.split(",")]
    return tuple(LARGE if tile == LARGE else int(tile) for tile in tiles)


def mask_of(text):
    cells = text.replace("/", "")
    return tuple(cell for cell in range(16) if cells[cell] == LARGE)


def from_key(key):
    """The board of a key in hex, whose large tiles are exponents of 15."""
    number = int(key, 16)
    exponents = [number >> 4 * cell & 15 for cell in range(16)]
    return tuple(LARGE if e == 15 else 2**e if e else 0 for e in exponents)


def to_key(board):
    exponents = [15 if t == LARGE else t.bit_length() - 1 if t else 0 for t in board]
    return f"{sum(e << 4 * cell for cell, e in enumerate(exponents)):016x}"


def merged(line):
    """A line after sliding towards its first cell."""
    tiles, after = [tile for tile in line if tile], []
    while tiles:
        tile = tiles.pop(0)
        if tiles and tile != LARGE and tiles[0] == tile:
            tiles.pop(0)
            tile *= 2
        after.append(tile)
    return tuple(after + [0] * (4 - len(after)))


LINES = {}  # what becomes of lines, once it is known


def slid_line(line):
    if line not in LINES:
        LINES[line] = merged(line)
    return LINES[line]


def rows(board):
    return [board[4 * y : 4 * y + 4] for y in range(4)]


def of_rows(some):
    return tuple(tile for row in some for tile in row)


def transposed(board):
    return of_rows(zip(*rows(board)))


def mirrored(board):
    return of_rows(row[::-1] for row in rows(board))


def slide(board, direction):
    if direction in ("up", "down"):
        other = "left" if direction == "up" else "right"
        return transposed(slide(transposed(board), other))
    if direction == "right":
        return mirrored(slide(mirrored(board), "left"))
    return of_rows(slid_line(row) for row in rows(board))


def images(board):
    """The board under the eight symmetries of a square, always in one order."""
    found = []
    for start in (board, transposed(board)):
        flipped = mirrored(start)
        for it in (start, flipped):
            found += [it, of_rows(reversed(rows(it)))]
    return found


class Endgame:
    """A pattern and a tile to reach."""

    def __init__(self, masks, seeds, target, symmetric=True):
        self.masks = [mask_of(mask) for mask in masks]
        self.seeds = [board_of(seed) for seed in seeds]
        self.target = target
        drawn = {tuple(int(c in mask) for c in range(16)) for mask in self.masks}
        most = 8 if symmetric else 1
        self.own = [i for i in range(most) if {images(it)[i] for it in drawn} == drawn]
        self.chances = {}  # of afterstates

    def canonical(self, board):
        """One board for all that the pattern's own symmetries make alike."""
        if len(self.own) == 1:
            return board
        found = images(board)
        return min((found[i] for i in self.own), key=to_key)

    def is_legal(self, after):
        if not self.masks:
            return True
        return any(all(after[c] == LARGE for c in mask) for mask in self.masks)

    def is_won(self, board):
        return any(tile != LARGE and tile >= self.target for tile in board)

    def moves(self, board):
        """The afterstate of every legal move."""
        found = {}
        for direction in DIRECTIONS:
            after = slide(board, direction)
            if after != board and self.is_legal(after):
                found[direction] = after
        return found

    def solve(self):
        """The chance of every afterstate that follows the seeds and is not won."""
        total = lambda board: sum(tile for tile in board if tile != LARGE)
        layers = {}
        for seed in self.seeds:
            layers.setdefault(total(seed), {})[self.canonical(seed)] = None
        sums, following = sorted(layers), {}
        while sums:
            now = sums.pop(0)
            for after in layers[now]:
                following[after] = spawns = []
                for cell in range(16):
                    if after[cell]:
                        continue
                    for tile in (2, 4):
                        board = (*after[:cell], tile, *after[cell + 1 :])
                        reached = set()
                        for it in self.moves(board).values():
                            won = self.is_won(it)
                            it = None if won else self.canonical(it)
                            if not won:
                                layers.setdefault(now + tile, {})[it] = None
                                if now + tile not in sums:
                                    sums = sorted([*sums, now + tile])
                            reached.add(it)
                        spawns.append((tile, reached))
        self.chances = {None: 1.0}
        for now in sorted(layers, reverse=True):
            for after in layers[now]:
                mean = 0.0
                for tile, reached in following[after]:
                    best = max((self.chances[it] for it in reached), default=0.0)
                    mean += (0.9 if tile == 2 else 0.1) * best
                self.chances[after] = mean / (len(following[after]) / 2)
        del self.chances[None]
        return self.chances

    def chance(self, after):
        """Of an afterstate that was solved, or is won."""
        return 1.0 if self.is_won(after) else self.chances[self.canonical(after)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pattern", choices=PATTERNS)
    parser.add_argument("target", type=int, help="the tile to reach")
    arguments = parser.parse_args()
    endgame = Endgame(*PATTERNS[arguments.pattern], arguments.target)
    print(f"{len(endgame.solve())} afterstates")
    for seed in endgame.seeds:
        print(f"{to_key(seed)} {endgame.chance(seed):.10f}")


if __name__ == "__main__":
    main()
