"""The native half of the package."""

from typing import Any, Final, final

from ._answers import Answer

_Options = list[tuple[str, str | None]]
_Field = str | int | dict[str, "_Field"]

__all__ = ["Position", "Records", "Tables", "__version__", "games", "position", "solve"]

__version__: Final[str]

@final
class Position:
    """A position of a game. It never changes: a move gives another one."""

    @property
    def game(self) -> str:
        """The name of the game."""

    @property
    def text(self) -> str:
        """The position in the game's notation."""

    @property
    def key(self) -> str:
        """Its key, in hex."""

    @property
    def turn(self) -> str | None:
        """The side to move as the game calls it, "chance" where chance moves; None if there is but one."""

    @property
    def over(self) -> str | None:
        """How the game ended, in its own notation; None if it has not."""

    @property
    def fields(self) -> dict[str, _Field]:
        """What tells the position apart, by name: its rules, its text and what else it has."""

    def moves(self) -> list[str]:
        """The legal moves, in the game's order and notation. None are left when the game is over."""

    def play(self, move: str, /) -> Position:
        """The position after a move."""

    def picture(self, move: str | None = None) -> str:
        """A drawing, with a move marked if one is given."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __copy__(self) -> Position: ...
    def __deepcopy__(self, memo: Any, /) -> Position: ...

@final
class Tables:
    def __new__(cls, paths: list[str], options: _Options) -> Tables: ...
    def share(self) -> Tables: ...
    def close(self) -> None: ...
    @property
    def closed(self) -> bool: ...
    def info(self) -> tuple[str, str, int, int]: ...
    def statistics(self) -> str: ...
    def position(self, text: str) -> Position: ...
    def probe(self, position: str | Position) -> Answer | None: ...
    def line(self, position: str | Position) -> list[tuple[str, Answer]]: ...
    def probe_list(self, positions: list[Any]) -> bytearray: ...
    def probe_fixed(self, texts: bytes, width: int, character: int) -> bytearray: ...
    def records(self, size: int) -> Records: ...

@final
class Records:
    @property
    def columns(self) -> list[tuple[str, str]]: ...
    def __iter__(self) -> Records: ...
    def __next__(self) -> bytearray: ...

def games() -> list[str]: ...
def position(name: str, text: str, options: _Options) -> Position: ...
def solve(
    name: str, position: str | Position, moves: bool, options: _Options
) -> Answer: ...
