"""What the program prints of positions, read.

A line is the key, then turn, win and best move, in 2048 also the value; `-`
behind the key is a position that is not in the table. Below named positions
come what their moves are worth, and more.
"""

from typing import NamedTuple

from .program import ProgramError

ABSENT = "-"
UNREADABLE = "?"
# Lines that `solve --verbose` adds and that tell nothing of the position.
IGNORED = ("nodes", "time")


class CollapsiAnswer(NamedTuple):
    bits: str  # turn, win, best move
    distance: int | None
    moves: dict  # {move: (win, distance)}, those that are known


def collapsi_answers(lines):
    """{key: answer}, None for positions that are not in the table."""
    answers, key = {}, None
    for line in lines:
        match line.split():
            case ["distance", distance]:
                answers[key] = answers[key]._replace(distance=int(distance))
            case ["move", move, result, distance]:
                answers[key].moves[move] = int(result == "win"), int(distance)
            case ["move", _, "unknown"]:
                pass
            case [word, *_] if word in IGNORED:
                pass
            case [key, bits] if bits == ABSENT:
                answers[key] = None
            case [key, bits] if len(bits) == 4:
                answers[key] = CollapsiAnswer(bits, None, {})
            case _:
                raise ProgramError(f"a line is not understood: {line}")
    return answers


class BoardAnswer(NamedTuple):
    win: int
    move: int | None
    value: float
    moves: dict  # {direction: value}, those that are known


def board_answers(lines):
    """The same for boards of 2048."""
    answers, key = {}, None
    for line in lines:
        match line.split():
            case ["move", _, "unknown"]:
                pass
            case ["move", direction, value]:
                answers[key].moves[direction] = float(value)
            case [key, bits] if bits == ABSENT:
                answers[key] = None
            case [key, bits, value] if len(bits) == 4 and bits[0] == "0":
                move = None if bits[2:] == "ff" else int(bits[2:], 16)
                answers[key] = BoardAnswer(int(bits[1]), move, float(value), {})
            case [word] if word == UNREADABLE:
                pass
            case _:
                raise ProgramError(f"a line is not understood: {line}")
    return answers
