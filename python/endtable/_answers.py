"""What solvers and tables say of positions."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Result = Literal["win", "loss", "draw", "unknown"]
"""How a game ends, as seen by the side to move; unknown if a bounded search did not decide it."""

Unit = Literal["score", "chance", "estimate"]
"""What a value counts: points to come, the chance of success, or what a heuristic makes of it."""


@dataclass(frozen=True)
class Move:
    """A legal move, and what it is worth to the one who makes it: nothing is said if that is not known."""

    move: str
    """The move, in the game's notation."""
    is_best: bool
    """Whether no other is better."""
    result: Result | None
    """How the game ends after it, where games are won and lost."""
    plies: int | None
    """How long the game lasts, this move included."""
    value: float | None
    """What it brings on average, where chance plays."""


@dataclass(frozen=True)
class Answer:
    """What is known of a position. What a game does not have is None."""

    game: str
    """The name of the game."""
    position: str
    """The position in the game's notation."""
    key: str
    """Its key, in hex."""
    turn: str | None
    """The side to move, "chance" where chance moves."""
    result: Result | None
    """How the game ends."""
    plies: int | None
    """How long the game lasts when the winner hurries and the loser holds out."""
    value: float | None
    """What is expected on average."""
    unit: Unit | None
    """What the value counts."""
    searched: int | None
    """How many plies were searched, if the result is unknown."""
    best: tuple[str, ...]
    """Every equally good move, in the game's order, where they are all known; otherwise one."""
    moves: tuple[Move, ...]
    """Every legal move, if moves were asked for; where chance moves, all that may come."""
    source: dict[str, str | int] = field(hash=False)
    """Which table answered, where several may: its name, and what it is of. Empty elsewhere."""


class Step(NamedTuple):
    """A move of a line, and the answer to the position in which it is made."""

    move: str
    answer: Answer


class Info(NamedTuple):
    """How much there is of tables."""

    game: str
    """The name of their game."""
    rules: str
    """The rules that they answer for."""
    files: int
    """How many files were opened."""
    records: int
    """How many records these have together; in complete tables, positions."""
