"""Endgame tablebases for small games: exact answers, from a file or by search.

Open a table, whatever its game, and ask it:

>>> import endtable
>>> with endtable.open("data/collapsi-one-seeds-0-2.etb") as tables:
...     answer = tables.probe("A332/234Jx/3A42/A2AJo x")
>>> answer.result, answer.plies, answer.best
('win', 13, ('73', '74', '76'))

Or search:

>>> endtable.solve("collapsi", "A332/234Jx/3A42/A2AJo x").plies
13

Every game is played alike. A `Position` knows more than its text does, so that play should go on with it:

>>> start = endtable.position("2048", "2,2/0,4")
>>> after = start.play("left")
>>> after.turn, after.moves()
('chance', ['2@1,2', '4@1,2', '2@2,2', '4@2,2'])
"""

from collections.abc import Iterable

from . import _endtable
from ._answers import Answer, Info, Move, Result, Step, Unit
from ._endtable import Position, __version__
from ._errors import Error, InputError, MissingTableError, NotFoundError, TableError
from ._options import Option, given
from ._tables import Path, Tables

__all__ = [
    "Answer",
    "Error",
    "Info",
    "InputError",
    "MissingTableError",
    "Move",
    "NotFoundError",
    "Position",
    "Result",
    "Step",
    "TableError",
    "Tables",
    "Unit",
    "__version__",
    "apply",
    "games",
    "open",
    "position",
    "solve",
]


def games() -> list[str]:
    """The names of all games.

    >>> endtable.games()
    ['collapsi', '2048', 'tak']
    """
    return _endtable.games()


def open(path: Path | Iterable[Path], **options: Option) -> Tables:
    """Opens tables: a file, a folder of them, or several, of any game.

    Options are those of the game that `endtable probe --help` lists, as in `rules="wild"`; a switch is
    True, and a hyphen in a name is an underscore.

    >>> tables = endtable.open("data/collapsi-one-seeds-0-2.etb", rules="one")
    >>> tables.info.game
    'collapsi'
    >>> tables.close()
    """
    return Tables(path, **options)


def position(game: str, text: str, **options: Option) -> Position:
    """Reads a position in any form that the game knows.

    >>> endtable.position("2048", "2,2/0,4").moves()
    ['right', 'down', 'left']
    """
    return _endtable.position(game, text, given(options))


def apply(
    game: str,
    position: str | Position,
    moves: str | Iterable[str],
    **options: Option,
) -> Position:
    """The position after some moves: a list of them, or a text with blanks between.

    >>> endtable.apply("collapsi", "A332/234Jx/3A42/A2AJo x", "73 fb").text
    'A332x/234./3A42o/A2A. x'
    """
    if isinstance(position, str):
        position = _endtable.position(game, position, given(options))
    for move in moves.split() if isinstance(moves, str) else moves:
        position = position.play(move)
    return position


def solve(
    game: str, position: str | Position, *, moves: bool = False, **options: Option
) -> Answer:
    """What a search says of a position; of all its moves, too, if asked for, which may take longer.

    Options are those of the game that `endtable solve --help` lists, as in `rules="wild"` or `depth=3`;
    a switch is True, and a hyphen in a name is an underscore.

    >>> endtable.solve("collapsi", "1", moves=True).best
    ('73', '74', '76')
    >>> endtable.solve("collapsi", "1", rules="wild", no_distance=True).result
    'win'
    """
    return _endtable.solve(game, position, moves, given(options))
