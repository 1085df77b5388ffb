"""Opened tables."""

import os
import struct
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

from . import _endtable
from ._answers import Answer, Info, Move, Step
from ._endtable import Position
from ._errors import InputError, NotFoundError
from ._options import Option, given

try:
    import numpy
except ImportError:
    _has_numpy = False
else:
    _has_numpy = True

if TYPE_CHECKING:
    from typing import TypeAlias

    from typing_extensions import Self

    # Without numpy both are lists, and for a type checker without numpy anything.
    Answers: TypeAlias = numpy.ndarray[tuple[int], numpy.dtype[numpy.void]]
    Block: TypeAlias = numpy.ndarray[tuple[int], numpy.dtype[numpy.void]]
    Texts: TypeAlias = numpy.ndarray[tuple[int], numpy.dtype[Any]]

Path = str | os.PathLike[str]

# As the native half writes them, each at a multiple of its size.
_ANSWERS = [("found", "?"), ("result", "i1"), ("plies", "<i2"), ("value", "<f8"), ("best", "S16")]


class Tables:
    """Tables of a game, opened: files and folders of every kind, searched as one.

    Made by `endtable.open`. Threads may share them, and while they are asked, other threads run. They
    are closed by `close`, at the end of a `with`, or when nobody has them any more. A copy shares the
    files and is closed by itself; a pickle opens them again.

    Wherever a position is asked for, it is a text in any form that the game knows, or a `Position`.
    """

    def __init__(self, path: Path | Iterable[Path], **options: Option) -> None:
        paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
        self._paths = [os.fspath(path) for path in paths]
        self._options = options
        self._native = _endtable.Tables(self._paths, given(options))

    def close(self) -> None:
        """Closes the files. What is being asked at the time is answered; later questions raise."""
        self._native.close()

    @property
    def closed(self) -> bool:
        """Whether they are closed."""
        return self._native.closed

    def __enter__(self) -> "Self":
        if self.closed:
            raise InputError("the tables are closed")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __copy__(self) -> "Self":
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy._native = self._native.share()
        return copy

    def __deepcopy__(self, memo: dict[int, Any]) -> "Self":
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopen, (type(self), self._paths, self._options)

    def __repr__(self) -> str:
        closed = "closed, " if self.closed else ""
        return f"<endtable.Tables {closed}{', '.join(map(repr, self._paths))}>"

    @property
    def info(self) -> Info:
        """Their game and rules, and how much there is of them.

        >>> tables.info
        Info(game='collapsi', rules='one', files=1, records=105737)
        """
        return Info(*self._native.info())

    def statistics(self) -> str:
        """What their answers look like together, as a text for people. Reads everything."""
        return self._native.statistics()

    def position(self, text: str) -> Position:
        """Reads a position, as the rules of the tables have it.

        >>> start = tables.position("A332/234Jx/3A42/A2AJo x")
        >>> start.turn, start.over, start.moves()
        ('x', None, ['73', '74', '76', '7b'])
        """
        return self._native.position(text)

    def probe(self, position: str | Position) -> Answer | None:
        """What they say of a position and of each of its moves; None if it is not in them.

        >>> answer = tables.probe("A332/234Jx/3A42/A2AJo x")
        >>> answer.result, answer.plies, answer.best
        ('win', 13, ('73', '74', '76'))
        >>> tables.probe("2") is None
        True
        """
        return self._native.probe(position)

    def moves(self, position: str | Position) -> tuple[Move, ...]:
        """Every legal move with what it is worth to the one who makes it; where chance moves, all that
        may come.

        >>> [(move.move, move.result, move.plies) for move in tables.moves("1")][-1]
        ('7b', 'loss', 12)

        Raises `NotFoundError` if the position is not in the tables.
        """
        answer = self.probe(position)
        if answer is None:
            raise NotFoundError(f"{position}: not in the tables")
        return answer.moves

    def line(self, position: str | Position) -> list[Step]:
        """Best play: each move with the answer to the position in which it is made.

        >>> " ".join(step.move for step in tables.line("1"))
        '73 fe 34 ea 46 ad 6b d2 bc 29 c0 95 01'

        The line goes to the end of the game, or to where chance moves, or to where play repeats itself.
        Raises `NotFoundError` if it leaves the tables before.
        """
        return [Step(move, answer) for move, answer in self._native.line(position)]

    def probe_many(self, positions: "Iterable[str | Position] | Texts") -> "Answers":
        """What they say of many positions, in their order: by all processors at once, and quickest if
        they come in the order of the tables, which is that of `records`.

        The positions are a list or the like, or a numpy array of texts. The answers are a structured
        array of numpy with the fields

        - `found`: whether it is in the tables;
        - `result`: 1 for a win, 0 for a draw, -1 for a loss; where chance plays, 1 if there is something
          to gain and -1 if not;
        - `plies`: how long the game lasts, -1 if that is not known;
        - `value`: what is expected on average, not a number (NaN) if that is not known;
        - `best`: a best move as bytes, empty if there is none.

        >>> answers = tables.probe_many(["0", "1", "2"])
        >>> answers["found"].tolist(), answers["best"].tolist()
        ([True, True, False], [b'e2', b'73', b''])

        Without numpy it is a list of what `probe` says.
        """
        if not _has_numpy:
            answers: Any = [self.probe(position) for position in positions]
            return answers  # type: ignore[no-any-return]
        if isinstance(positions, numpy.ndarray):
            raw = self._probe_array(positions)
        else:
            raw = self._native.probe_list(list(positions))
        return numpy.frombuffer(raw, numpy.dtype(_ANSWERS, align=True))

    def _probe_array(self, positions: "Texts") -> bytearray:
        if positions.ndim != 1:
            raise InputError(f"expected an array of one dimension, found {positions.ndim}")
        kind, width = positions.dtype.kind, positions.dtype.itemsize
        if kind not in "SU" or not width:
            return self._native.probe_list(positions.tolist())
        character = 1 if kind == "S" else 4
        texts = positions.astype(positions.dtype.newbyteorder("="), copy=False)
        return self._native.probe_fixed(texts.tobytes(), width, character)

    def records(self, size: int = 1 << 16) -> "Iterator[Block]":
        """All records, in the order of the tables, so many at a time: what `pandas.DataFrame` takes. Each block is a structured array of numpy with the fields

        - `key`, or where it has 128 bits `key_hi` and `key_lo`;
        - `turn`: 0 for the first player, 1 for the second;
        - `result`: 1 for a win, 0 for a draw, -1 for a loss; where chance plays, 1 if there is something
          to gain and -1 if not;
        - `best`: a best move by its number in the game, 65535 for none; complete tables name none;
        - `plies`: how long the game lasts;
        - `value`: what is expected on average, in tables that have it.

        >>> blocks = tables.records()
        >>> next(blocks).dtype.names
        ('key_hi', 'key_lo', 'turn', 'result', 'best', 'plies')

        Keys and moves are of the stored form of a position: in most tables the canonical one. Several
        tables follow each other, and what more than one of them has comes more than once. Without numpy
        a block is a list of dictionaries.
        """
        return self._blocks(self._native.records(size))

    @staticmethod
    def _blocks(records: _endtable.Records) -> "Iterator[Block]":
        columns = records.columns
        if _has_numpy:
            row = numpy.dtype(columns, align=True)
            for block in records:
                yield numpy.frombuffer(block, row)
            return
        letters = {"<u8": "Q", "u1": "B", "i1": "b", "<u2": "H", "<f8": "2xd"}
        letters_of_all = [letters[kind] for _, kind in columns]
        form = "<" + "".join(letters_of_all) + ("" if "2xd" in letters_of_all else "2x")
        names = [name for name, _ in columns]
        for block in records:
            plain: Any = [dict(zip(names, row)) for row in struct.iter_unpack(form, block)]
            yield plain


def _reopen(kind: type[Tables], paths: list[str], options: dict[str, Option]) -> Tables:
    return kind(paths, **options)
