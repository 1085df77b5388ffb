"""Patterns of 2048: afterstates with large tiles, their codes and chances."""

import re
from math import comb
from typing import NamedTuple

from .errors import PositionError

LARGE = 15
CELLS = range(16)
UP, RIGHT, DOWN, LEFT = range(4)

# Name: masks, seeds.
SHIPPED = {
    "44": "unturned ..../..../FFFF/FFFF 0,0,0,0/2,0,0,0/F,F,F,F/F,F,F,F",
    "L3": "..../..../.FFF/.FFF "
    "2,0,0,0/0,0,0,0/2,F,F,F/4,F,F,F 0,0,0,0/0,0,0,2/4,F,F,F/2,F,F,F",
    "442": "..../..../..FF/FFFF "
    "2,0,0,0/0,0,0,0/4,2,F,F/F,F,F,F 0,0,0,0/0,0,0,2/2,4,F,F/F,F,F,F",
    "t": "..../..../F.FF/F.FF ..../F.../F.FF/..FF F.../F.../..FF/..FF "
    "2,0,0,0/0,0,0,0/F,2,F,F/F,4,F,F 0,0,0,0/0,0,0,2/F,4,F,F/F,2,F,F",
    "4421": "..../..../..FF/.FFF "
    "2,0,0,0/0,0,0,0/2,4,F,F/4,F,F,F 2,0,0,0/0,0,0,2/4,2,F,F/2,F,F,F",
    "LL": "..../..../..FF/..FF "
    "2,0,0,0/0,0,0,0/4,2,F,F/2,4,F,F 0,0,0,0/0,0,0,2/2,4,F,F/4,2,F,F",
    "free8": "0,0,0,0/2,0,0,0/F,F,F,F/F,F,F,F",
}


def is_of_pattern(rules):
    """Whether rules of 2048 are those of a pattern."""
    return re.match(r"4x4 [^ ]+ [^ ]", rules) is not None


def symmetry(number):
    """For each cell the one that it is mapped to."""
    images = []
    for cell in CELLS:
        y, x = divmod(cell, 4)
        if number & 4:
            x, y = y, x
        if number & 1:
            x = 3 - x
        if number & 2:
            y = 3 - y
        images.append(4 * y + x)
    return tuple(images)


EIGHT = [symmetry(number) for number in range(8)]


def image_of(cells, symmetry):
    return frozenset(symmetry[cell] for cell in cells)


def turned(board, symmetry):
    """A board is sixteen exponents."""
    image = [0] * 16
    for cell, exponent in enumerate(board):
        image[symmetry[cell]] = exponent
    return tuple(image)


def line_cells(direction, number):
    """The cells of a line, from the side that tiles slide to."""
    cells = range(4)
    if direction in (UP, LEFT):
        order = cells
    else:
        order = reversed(cells)
    if direction in (UP, DOWN):
        return [4 * i + number for i in order]
    return [4 * number + i for i in order]


LINES = [[line_cells(d, n) for n in range(4)] for d in range(4)]


def slide(board, direction):
    after = list(board)
    for cells in LINES[direction]:
        tiles = [board[cell] for cell in cells if board[cell]]
        merged = []
        while tiles:
            tile = tiles.pop(0)
            if tiles and tiles[0] == tile != LARGE:
                tiles.pop(0)
                tile += 1
            merged.append(tile)
        for cell, tile in zip(cells, merged + [0] * 4):
            after[cell] = tile
    return tuple(after)


class Pattern(NamedTuple):
    masks: tuple
    seeds: tuple
    larges: int
    symmetric: bool

    @property
    def symmetries(self):
        if not self.symmetric:
            return EIGHT[:1]
        masks = set(self.masks)
        return [g for g in EIGHT if {image_of(it, g) for it in self.masks} == masks]

    def holds(self, board):
        if not self.masks:
            return True
        return any(all(board[c] == LARGE for c in mask) for mask in self.masks)


def read_pattern(text):
    """The pattern that rules name, None if it is not understood."""
    name, _, drawn = text.partition(" ")
    drawn = drawn or SHIPPED.get(name)
    if not drawn:
        return None
    masks, seeds = [], []
    words = drawn.split()
    symmetric = words[0] != "unturned"
    for word in words if symmetric else words[1:]:
        if "," in word:
            tiles = [tile for row in word.split("/") for tile in row.split(",")]
            exponents = [exponent_of(tile) for tile in tiles]
            if len(tiles) != 16 or None in exponents:
                return None
            seeds.append(tuple(exponents))
        else:
            cells = word.replace("/", "")
            if len(cells) != 16 or set(cells) - {"F", "."}:
                return None
            masks.append(frozenset(c for c in CELLS if cells[c] == "F"))
    counts = {seed.count(LARGE) for seed in seeds}
    if len(counts) != 1:
        return None
    return Pattern(tuple(masks), tuple(seeds), counts.pop(), symmetric)


def exponent_of(tile):
    if tile == "F":
        return LARGE
    if tile == "0":
        return 0
    known = {str(1 << exponent): exponent for exponent in range(1, LARGE)}
    return known.get(tile)


class Part:
    """Some of a frame's free cells, and what can stand on them."""

    def __init__(self, cells, free, base, group):
        self.cells, self.base, self.group = cells, base, group
        self.by_sum = {}
        for number in range(base ** len(cells)):
            digits = self.digits(number)
            room = all(
                sum(1 for d in digits if d >= e) <= free + 2 - e for e in range(2, base)
            )
            if room and self.smallest(digits) == number:
                total = sum(1 << d for d in digits if d)
                self.by_sum.setdefault(total, []).append(number)
        self.ranks = {
            number: (total, rank)
            for total, numbers in self.by_sum.items()
            for rank, number in enumerate(numbers)
        }

    def digits(self, number):
        digits = []
        for _ in self.cells:
            number, digit = divmod(number, self.base)
            digits.append(digit)
        return digits

    def number(self, board):
        number = 0
        for cell in reversed(self.cells):
            number = number * self.base + board[cell]
        return number

    def smallest(self, digits):
        """The smallest image under the group that chooses representatives."""
        board = [0] * 16
        for cell, digit in zip(self.cells, digits):
            board[cell] = digit
        return min(self.number(turned(board, g)) for g in self.group)

    def count(self, total):
        return len(self.by_sum.get(total, ()))


class TooMany(Exception):
    """A part of the cells can hold too much for its contents to be listed."""


class Frame:
    """The boards whose large tiles stand on a mask."""

    def __init__(self, mask, symmetries, base):
        self.mask, self.base = mask, base
        self.own = [g for g in symmetries if image_of(mask, g) == mask]
        free = [cell for cell in CELLS if cell not in mask]
        first, second, seen = [], [], set()
        for cell in free:
            if cell in seen:
                continue
            orbit = {g[cell] for g in self.own}
            seen |= orbit
            part = first if len(first) + len(orbit) <= (len(free) + 1) // 2 else second
            part.extend(orbit)
        if base ** max(len(first), len(second)) > 2**21:
            raise TooMany
        self.first = Part(sorted(first), len(free), base, self.own)
        self.second = Part(sorted(second), len(free), base, EIGHT[:1])
        self.highest = max(self.first.by_sum) + max(self.second.by_sum)

    def length(self, total):
        return self.before(total, total + 1)

    def before(self, total, end):
        """How many numbers belong to contents of the first part below a sum."""
        return sum(
            len(numbers) * self.second.count(total - t)
            for t, numbers in self.first.by_sum.items()
            if t < end and t <= total
        )

    def number(self, board):
        """Sum and number of a board whose large tiles stand on the mask."""
        images = [turned(board, g) for g in self.own]
        least = min(self.first.number(image) for image in images)
        if least not in self.first.ranks:
            return None
        t, rank = self.first.ranks[least]
        found = []
        for image in images:
            if self.first.number(image) != least:
                continue
            content = self.second.number(image)
            if content not in self.second.ranks:
                return None
            rest, second_rank = self.second.ranks[content]
            start = self.before(t + rest, t) + rank * self.second.count(rest)
            found.append((t + rest, start + second_rank))
        return min(found)

    def board(self, total, number):
        for t in sorted(self.first.by_sum):
            firsts = self.first.by_sum[t]
            rest = self.second.count(total - t)
            if number < len(firsts) * rest:
                rank, second_rank = divmod(number, rest)
                board = [LARGE if cell in self.mask else 0 for cell in CELLS]
                second = self.second.by_sum[total - t][second_rank]
                for part, content in ((self.first, firsts[rank]), (self.second, second)):
                    for cell, digit in zip(part.cells, part.digits(content)):
                        board[cell] = digit
                return tuple(board)
            number -= len(firsts) * rest
        return None


class Numbered:
    """Codec 5."""

    def __init__(self, pattern, base):
        self.symmetries = pattern.symmetries
        self.frames, self.views = [], {}
        for mask in pattern.masks:
            for frame in self.frames:
                g = next((g for g in self.symmetries if image_of(mask, g) == frame.mask), None)
                if g is not None:
                    self.views[mask] = frame, g
                    break
            else:
                self.frames.append(Frame(mask, self.symmetries, base))
                self.views[mask] = self.frames[-1], EIGHT[0]
        highest = max(frame.highest for frame in self.frames)
        self.offsets, offset = {}, 0
        for total in range(highest, -1, -2):
            self.offsets[total] = offset
            offset += self.length(total)
        self.end = offset

    def length(self, total):
        return sum(frame.length(total) for frame in self.frames)

    def encode(self, board):
        mask = frozenset(cell for cell in CELLS if board[cell] == LARGE)
        if mask not in self.views:
            return None
        frame, g = self.views[mask]
        found = frame.number(turned(board, g))
        if found is None:
            return None
        total, number = found
        before = self.frames[: self.frames.index(frame)]
        return self.offsets[total] + sum(it.length(total) for it in before) + number

    def decode(self, code):
        if not 0 <= code < self.end:
            return None
        total = min(t for t in self.offsets if self.offsets[t] <= code)
        # Layers without numbers begin where the next one does.
        total = next(
            t for t in sorted(self.offsets) if t >= total and self.length(t)
            and self.offsets[t] <= code < self.offsets[t] + self.length(t)
        )
        number = code - self.offsets[total]
        for frame in self.frames:
            if number < frame.length(total):
                board = frame.board(total, number)
                return board if self.encode(board) == code else None
            number -= frame.length(total)
        return None


class Canonical:
    """Codec 1, for patterns that are not numbered."""

    def __init__(self, pattern, base):
        self.pattern, self.base = pattern, base
        self.symmetries = pattern.symmetries
        self.numbers = base ** (16 - pattern.larges)

    def encode(self, board):
        if board.count(LARGE) != self.pattern.larges or not self.pattern.holds(board):
            return None
        return min(self.plain(turned(board, g)) for g in self.symmetries)

    def plain(self, board):
        larges = [cell for cell in CELLS if board[cell] == LARGE]
        rank = sum(comb(cell, i + 1) for i, cell in enumerate(larges))
        digits = 0
        for exponent in reversed(board):
            if exponent != LARGE:
                digits = digits * self.base + exponent
        return rank * self.numbers + digits

    def decode(self, code):
        rank, digits = divmod(code, self.numbers)
        larges = set()
        for count in range(self.pattern.larges, 0, -1):
            cell = max((c for c in CELLS if comb(c, count) <= rank), default=None)
            if cell is None or cell in larges:
                return None
            rank -= comb(cell, count)
            larges.add(cell)
        if rank:
            return None
        board = []
        for cell in CELLS:
            if cell in larges:
                board.append(LARGE)
            else:
                digits, exponent = divmod(digits, self.base)
                board.append(exponent)
        board = tuple(board)
        return board if self.encode(board) == code else None


def codes_of(pattern, base):
    """The codec's number, and the codec."""
    free = 16 - pattern.larges
    whole = pattern.masks and all(len(mask) == pattern.larges for mask in pattern.masks)
    if whole and free <= 12:
        try:
            numbered = Numbered(pattern, base)
        except TooMany:
            return 1, Canonical(pattern, base)
        if max(map(numbered.length, numbered.offsets)) < 2**31:
            return 5, numbered
    return 1, Canonical(pattern, base)


class PatternGame:
    """Tables of a pattern."""

    def __init__(self, table):
        self.table = table
        header, need = table.header, table.frame.need
        match = re.fullmatch(r"4x4 tile:([0-9]+) (.+)", header.text.rules)
        unknown = f"unknown rules {header.text.rules!r} of 2048"
        need(match is not None, unknown)
        targets = {str(1 << exponent): exponent for exponent in range(3, LARGE)}
        self.target = targets.get(match[1])
        self.pattern = read_pattern(match[2])
        need(None not in (self.target, self.pattern), unknown)
        codec, self.codes = codes_of(self.pattern, self.target)
        need(header.codec == codec, f"codec {header.codec} is not the pattern's")
        need(header.key_bytes == 8, f"keys of {header.key_bytes} bytes")
        need(not header.layout.meta_bytes, "a table of a pattern with meta")
        need(table.column.is_chance, "a table of a pattern without chances")

    def board(self, record):
        board = self.codes.decode(record.code)
        if board is None:
            raise PositionError("no afterstate has this code")
        return board

    def key(self, record):
        return sum(exponent << 4 * i for i, exponent in enumerate(self.board(record)))

    def line(self, record):
        return f"{self.key(record):016x} {self.table.column.text(record.value)}"

    def check_record(self, record):
        board = self.board(record)
        if self.is_won(board):
            raise PositionError("the tile to reach is there")

    def parse(self, text):
        if not re.fullmatch(r"[0-9a-fA-F]{1,16}", text):
            raise PositionError(f"not a board such as fff1fff100000001: {text!r}")
        return int(text, 16)

    def is_won(self, board):
        return any(self.target <= exponent < LARGE for exponent in board)

    def chance(self, after):
        """Of an afterstate of the pattern, None if it is not there."""
        if self.is_won(after):
            return 1.0
        code = self.codes.encode(after)
        record = None if code is None else self.table.get(code)
        return None if record is None else record.value

    def probe(self, board):
        """The chance and the best move of a board of a real game."""
        board = tuple(board >> 4 * cell & 15 for cell in CELLS)
        larges = {cell for cell in CELLS if board[cell] >= self.target}
        if len(larges) < self.pattern.larges:
            raise PositionError("the board is not of the pattern")
        if len(larges) > self.pattern.larges:
            if any(map(self.fits_won(board), EIGHT)):
                return 1.0, None
            raise PositionError("the board is not of the pattern")
        plain = tuple(LARGE if c in larges else e for c, e in enumerate(board))
        answers = []
        for g in EIGHT:
            image = turned(plain, g)
            if self.pattern.holds(image):
                answers.append(self.best(plain, g))
        if not answers:
            raise PositionError("the board is not of the pattern")
        known = [answer for answer in answers if answer is not None]
        return max(known, key=lambda it: it[0]) if known else None

    def fits_won(self, board):
        """Whether the largest tiles fill a mask, of equal ones any."""
        ordered = sorted(board, reverse=True)
        least = ordered[self.pattern.larges - 1]
        able = {cell for cell in CELLS if board[cell] >= least}
        sure = {cell for cell in CELLS if board[cell] > least}

        def fits(g):
            if not self.pattern.masks:
                return True
            back = {g[cell]: cell for cell in CELLS}
            masks = [{back[cell] for cell in mask} for mask in self.pattern.masks]
            return any(
                mask <= able and len(mask | sure) <= self.pattern.larges
                for mask in masks
            )

        return fits

    def best(self, plain, g):
        """The best move of a board, turned by g; None if not all is known."""
        best, move = 0.0, None
        for direction in range(4):
            after = slide(plain, direction)
            image = turned(after, g)
            if after == plain or not self.pattern.holds(image):
                continue
            chance = self.chance(image)
            if chance is None:
                return None
            if move is None or chance > best:
                best, move = chance, direction
        return best, move

    def answer_line(self, board, answer):
        if answer is None:
            return f"{board:016x} -"
        chance, move = answer
        move = "ff" if move is None else f"{move:02x}"
        text = self.table.column.text(chance)
        return f"{board:016x} 0{int(chance > 0)}{move} {text}"
