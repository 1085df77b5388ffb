#!/usr/bin/env python3
"""Tak, written from its rules alone: positions, moves, ends and their notation.

    python3 tools/tak.py "x3/x3/x3 1 1" 4      counts positions after 1 to 4 plies

It shares no code with the program, and is not made to be fast. A stack is the
text that TPS has for it: its stones from the bottom, 1 white and 2 black, then
S if the top stands and C if it is a capstone; an empty square is "". Square
(file, rank), both from 0, is number size * rank + file.
"""

import argparse
from dataclasses import dataclass, replace
from itertools import groupby

FLATS = {3: 10, 4: 15, 5: 21, 6: 30, 7: 40, 8: 50}
CAPS = {3: 0, 4: 0, 5: 1, 6: 1, 7: 2, 8: 2}
DIRECTIONS = {"+": (0, 1), ">": (1, 0), "-": (0, -1), "<": (-1, 0)}
FILES = "abcdefgh"
MARKS = "'*!?"
WHITE, BLACK = 0, 1


class TakError(ValueError):
    """No position, or no legal move."""


@dataclass(frozen=True)
class Position:
    size: int
    stacks: tuple
    ply: int  # moves made before
    flats: tuple  # in reserve, white's and black's
    caps: tuple
    komi: float = 0.0

    @property
    def turn(self):
        return self.ply % 2

    def square(self, file, rank):
        """The number of a square; None off the board."""
        if 0 <= file < self.size and 0 <= rank < self.size:
            return self.size * rank + file
        return None

    def step(self, square, direction):
        right, up = DIRECTIONS[direction]
        return self.square(square % self.size + right, square // self.size + up)


def stones(stack):
    """The colours of a stack from the bottom, as digits."""
    return stack.rstrip("SC")


def kind(stack):
    """What the top is besides a flat: S, C, or nothing."""
    return stack[-1:] if stack[-1:] in ("S", "C") else ""


def owner(stack):
    """Whose a stack is; None if there is none."""
    return int(stones(stack)[-1]) - 1 if stack else None


def start(size, flats=None, caps=None, komi=0.0):
    flats = FLATS[size] if flats is None else flats
    caps = CAPS[size] if caps is None else caps
    return Position(size, ("",) * size**2, 0, (flats,) * 2, (caps,) * 2, komi)


# --- Notation --------------------------------------------------------------


def name(size, square):
    return f"{FILES[square % size]}{square // size + 1}"


def parse(text, flats=None, caps=None, komi=0.0):
    """The position of a TPS text."""
    parts = text.split()
    if len(parts) != 3:
        raise TakError(f"expected three parts, found {len(parts)}")
    ranks = parts[0].split("/")
    size = len(ranks)
    if size not in FLATS:
        raise TakError(f"{size} ranks")
    stacks = [stack for rank in reversed(ranks) for stack in parse_rank(rank, size)]
    if parts[1] not in ("1", "2"):
        raise TakError(f"no player: {parts[1]}")
    if not (parts[2].isascii() and parts[2].isdigit()) or parts[2][0] == "0":
        raise TakError(f"no number of a move: {parts[2]}")
    ply = 2 * (int(parts[2]) - 1) + int(parts[1]) - 1
    empty = start(size, flats, caps, komi)
    on_board = "".join(map(stones, stacks))
    left = [], []
    for player in (WHITE, BLACK):
        placed_caps = sum(owner(s) == player and kind(s) == "C" for s in stacks)
        left[0].append(empty.flats[player] - on_board.count("12"[player]) + placed_caps)
        left[1].append(empty.caps[player] - placed_caps)
    if min(left[0] + left[1]) < 0:
        raise TakError("more stones than there are")
    if ply < 2 and [stack for stack in stacks if stack] != ["2"] * ply:
        raise TakError("not the stones of the first move")
    if ply >= 2 and len(on_board) < 2:
        raise TakError("the first two stones are missing")
    return Position(size, tuple(stacks), ply, tuple(left[0]), tuple(left[1]), komi)


def parse_rank(text, size):
    stacks = []
    for word in text.split(","):
        if word[:1] == "x":
            if word[1:] not in ("", *"12345678"):
                raise TakError(f"no gap: {word}")
            stacks += [""] * int(word[1:] or 1)
            continue
        digits = word[:-1] if word[-1:] in ("S", "C") else word
        if not digits or set(digits) - {"1", "2"}:
            raise TakError(f"no stack: {word}")
        stacks.append(word)
    if len(stacks) != size:
        raise TakError(f"a rank of {len(stacks)} squares on {size}x{size}")
    return stacks


def text(position):
    """The position as TPS."""
    size = position.size
    ranks = []
    for rank in reversed(range(size)):
        words = []
        for empty, group in groupby(
            position.stacks[size * rank : size * (rank + 1)], lambda stack: not stack
        ):
            group = list(group)
            gap = "x" if len(group) == 1 else f"x{len(group)}"
            words += [gap] if empty else group
        ranks.append(",".join(words))
    return f"{'/'.join(ranks)} {position.turn + 1} {position.ply // 2 + 1}"


# --- Moves -----------------------------------------------------------------


def drop_counts(count):
    """Every way to drop so many stones, some on each square."""
    if count == 0:
        yield ()
    for first in range(1, count + 1):
        for rest in drop_counts(count - first):
            yield (first, *rest)


def pattern(drops):
    """The number by which drops are put in order: a bit for the last stone of each square."""
    return sum(1 << (sum(drops[: at + 1]) - 1) for at in range(len(drops)))


def is_free(position, square, direction, drops, top):
    """Whether nothing is in the way of a slide whose top is of a kind."""
    for at, count in enumerate(drops):
        square = position.step(square, direction)
        if square is None:
            return False
        there = kind(position.stacks[square])
        alone = at == len(drops) - 1 and count == 1
        if there == "C" or (there == "S" and not (top == "C" and alone)):
            return False
    return True


def slide_name(position, square, direction, drops):
    count = sum(drops)
    carried = "" if count == 1 else str(count)
    each = "" if len(drops) == 1 else "".join(map(str, drops))
    return f"{carried}{name(position.size, square)}{direction}{each}"


def moves(position):
    """The legal moves as PTN, as if the game was not over, in the program's order."""
    found = []
    turn = position.turn
    kinds = [""] if position.ply < 2 else []
    if position.ply >= 2:
        kinds += ["", "S"] if position.flats[turn] else []
        kinds += ["C"] if position.caps[turn] else []
    for square, stack in enumerate(position.stacks):
        if not stack:
            found += [letter + name(position.size, square) for letter in kinds]
    if position.ply < 2:
        return found
    for square, stack in enumerate(position.stacks):
        if owner(stack) != turn:
            continue
        hand = min(len(stones(stack)), position.size)
        ways = [drops for count in range(1, hand + 1) for drops in drop_counts(count)]
        ways.sort(key=pattern)
        for direction in DIRECTIONS:
            for drops in ways:
                if is_free(position, square, direction, drops, kind(stack)):
                    found.append(slide_name(position, square, direction, drops))
    return found


def parse_move(position, move):
    """(letter, square) of a placing, (square, direction, drops) of a slide. Marks are passed over."""
    plain = move.rstrip(MARKS)
    letter, rest = (plain[0], plain[1:]) if plain[:1] in ("F", "S", "C") else ("", plain)
    digits = [str(number) for number in range(1, position.size + 1)]
    count = None
    if not letter and rest[:1] in digits:
        count, rest = int(rest[0]), rest[1:]
    file, rank, rest = rest[:1], rest[1:2], rest[2:]
    if not file or file not in FILES[: position.size] or rank not in digits:
        raise TakError(f"no square in {move}")
    square = position.size * (int(rank) - 1) + FILES.index(file)
    if not rest and count is None:
        return letter.replace("F", ""), square
    if letter or rest[:1] not in DIRECTIONS or any(digit not in digits for digit in rest[1:]):
        raise TakError(f"no move: {move}")
    drops = tuple(map(int, rest[1:])) or (count or 1,)
    if sum(drops) != (count or 1):
        raise TakError(f"wrong drops: {move}")
    return square, rest[0], drops


def play(position, move):
    """The position after a legal move. Others are refused."""
    parts = parse_move(position, move)
    if end(position) is not None:
        raise TakError("the game is over")
    if written(position, parts) not in moves(position):
        raise TakError(f"not legal: {move}")
    return make(position, move)


def written(position, parts):
    """A move in its short form."""
    if len(parts) == 2:
        return parts[0] + name(position.size, parts[1])
    return slide_name(position, *parts)


def make(position, move):
    """The position after a move that is known to be legal, or would be if the game was not over."""
    parts = parse_move(position, move)
    stacks = list(position.stacks)
    flats, caps = list(position.flats), list(position.caps)
    if len(parts) == 2:
        letter, square = parts
        player = 1 - position.turn if position.ply < 2 else position.turn
        (caps if letter == "C" else flats)[player] -= 1
        stacks[square] = "12"[player] + letter
    else:
        square, direction, drops = parts
        top = kind(stacks[square])
        colours = stones(stacks[square])
        hand = colours[len(colours) - sum(drops) :]
        stacks[square] = colours[: len(colours) - sum(drops)]
        for count in drops:
            square = position.step(square, direction)
            stacks[square] = stones(stacks[square]) + hand[:count]
            hand = hand[count:]
        stacks[square] += top
    return replace(
        position,
        stacks=tuple(stacks),
        ply=position.ply + 1,
        flats=tuple(flats),
        caps=tuple(caps),
    )


# --- Ends ------------------------------------------------------------------


def has_road(position, player):
    size = position.size
    road = {
        square
        for square, stack in enumerate(position.stacks)
        if owner(stack) == player and kind(stack) != "S"
    }
    for first, last in (
        (range(size), range(size * (size - 1), size * size)),
        (range(0, size * size, size), range(size - 1, size * size, size)),
    ):
        reached, todo = set(), [square for square in first if square in road]
        while todo:
            square = todo.pop()
            if square in reached:
                continue
            reached.add(square)
            around = (position.step(square, direction) for direction in DIRECTIONS)
            todo += [square for square in around if square in road]
        if reached & set(last):
            return True
    return False


def flat_counts(position):
    return tuple(
        sum(owner(stack) == player and not kind(stack) for stack in position.stacks)
        for player in (WHITE, BLACK)
    )


def end(position):
    """How the game has ended, as PTN writes it; None if it has not."""
    mover = 1 - position.turn
    for player in (mover, 1 - mover):
        if has_road(position, player):
            return ("R-0", "0-R")[player]
    none_left = (0, 0) in zip(position.flats, position.caps)
    if not all(position.stacks) and not none_left:
        return None
    white, black = flat_counts(position)
    lead = white - black - position.komi
    return "F-0" if lead > 0 else "0-F" if lead < 0 else "1/2-1/2"


def perft(position, plies, ended="zero"):
    """How many positions there are after so many plies; a game that ended before counts for nothing
    (`zero`), for `one`, or is played `on`."""
    if plies == 0:
        return 1
    if ended != "on" and end(position) is not None:
        return int(ended == "one")
    if plies == 1:
        return len(moves(position))
    return sum(perft(make(position, move), plies - 1, ended) for move in moves(position))


# --- Keys and symmetries ---------------------------------------------------


def exact_key(position, caps):
    """The key as a number; `caps` says if the rules have capstones."""
    bits = [position.turn]
    bits += [int(kind(stack) == "S") for stack in position.stacks]
    if caps:
        bits += [int(kind(stack) == "C") for stack in position.stacks]
    for stack in position.stacks:
        bits += [0] * len(stones(stack)) + [1]
    for stack in position.stacks:
        bits += [int(stone == "2") for stone in reversed(stones(stack))]
    return sum(bit << at for at, bit in enumerate(bits))


def below_top(stack):
    """The colours below the top as a number, black 1, the lowest bit next to the top."""
    return sum((stone == "2") << at for at, stone in enumerate(reversed(stones(stack)[:-1])))


def hashed_bytes(position):
    """What is hashed where an exact key is too long."""
    tops = ["2" if owner(s) == BLACK else "1" if s else "" for s in position.stacks]
    kinds = [kind(stack) for stack in position.stacks]
    sets = ([top == "1" for top in tops], [top == "2" for top in tops])
    sets += ([it == "S" for it in kinds], [it == "C" for it in kinds])
    parts = [bytes([position.turn])]
    for members in sets:
        parts.append(sum(member << at for at, member in enumerate(members)).to_bytes(8, "little"))
    parts.append(bytes(len(stones(stack)) for stack in position.stacks))
    for stack in position.stacks:
        if len(stones(stack)) > 1:
            parts.append(below_top(stack).to_bytes(16, "little"))
    return b"".join(parts)


def images(position):
    """The position, turned and mirrored: eight times."""
    size = position.size
    for exchange in (False, True):
        for mirror_files in (False, True):
            for mirror_ranks in (False, True):
                stacks = [""] * size**2
                for square, stack in enumerate(position.stacks):
                    file, rank = square % size, square // size
                    if exchange:
                        file, rank = rank, file
                    if mirror_files:
                        file = size - 1 - file
                    if mirror_ranks:
                        rank = size - 1 - rank
                    stacks[size * rank + file] = stack
                yield replace(position, stacks=tuple(stacks))


def canonical(position):
    """The image that stands for all eight: the smallest by white tops, black tops, standing stones and
    capstones as sets, then heights, then what lies below the tops."""

    def order(image):
        def members(test):
            return sum(test(stack) << at for at, stack in enumerate(image.stacks))

        heights = [len(stones(stack)) for stack in image.stacks]
        below = [below_top(stack) for stack in image.stacks]
        return (
            members(lambda stack: owner(stack) == WHITE),
            members(lambda stack: owner(stack) == BLACK),
            members(lambda stack: kind(stack) == "S"),
            members(lambda stack: kind(stack) == "C"),
            heights,
            below,
        )

    return min(images(position), key=order)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("position", help="a position as TPS")
    parser.add_argument("plies", type=int)
    parser.add_argument("--ended", choices=("zero", "one", "on"), default="zero")
    arguments = parser.parse_args()
    position = parse(arguments.position)
    for plies in range(1, arguments.plies + 1):
        print(plies, perft(position, plies, arguments.ended))


if __name__ == "__main__":
    main()
