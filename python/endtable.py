"""Probe endtable's tables of Collapsi positions.

    from endtable import Table

    with Table("seeds.etb") as table:
        answer = table.probe("0100000808001830:12d27d06b02589e4")
        if answer is not None:
            print("wins" if answer.win else "loses", "in", answer.plies, "plies:", answer.best)

A thin layer over the shared library libendtable, which is looked for where the environment
variable ENDTABLE_LIB says, beside this file, and where the system keeps libraries. Needs no
package beyond the standard library.

Any number of threads may probe one table; only close() must wait until nobody does.
"""

import ctypes
import ctypes.util
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

__all__ = ["Answer", "BadInput", "Error", "Rules", "Table", "TableError", "version"]

_OK, _NOT_FOUND, _BAD_INPUT, _IO = range(4)
_NO_CELL = 0xFF


class Error(Exception):
    """What can go wrong; the message is the library's."""


class BadInput(Error, ValueError):
    """A key or boards that are no position, or tables that do not belong together."""


class TableError(Error, OSError):
    """A file that cannot be read, is no finished table, or is damaged."""


class Answer(NamedTuple):
    """What a table says of a position."""

    turn: int
    """Whose turn it is: 0 for X, 1 for O."""
    win: bool
    """Whether the side to move wins."""
    best: tuple[int, int] | None
    """A best move, from and to, cells numbered row by row from 0; None if the game is over."""
    plies: int
    """Moves of one player until the game ends."""

    def __str__(self) -> str:
        """Turn, win and best move, as the program prints them."""
        best = "ff" if self.best is None else "{:x}{:x}".format(*self.best)
        return f"{self.turn}{int(self.win)}{best}"


Key = str | int
"""A 128-bit key: a text `HI:LO`, two hex numbers, or one number."""

Boards = tuple[int, int, int, int, int, int, int, int]
"""The cells of aces, twos, threes, fours, X, O, the collapsed ones, and the turn."""


class _Answer(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint8) for name in ("status", "win", "turn", "from_", "to", "plies")),
        ("padding", ctypes.c_uint8 * 2),
    ]

    def answer(self) -> Answer:
        best = None if self.from_ == _NO_CELL else (self.from_, self.to)
        return Answer(self.turn, bool(self.win), best, self.plies)


class Rules:
    """How far a pawn goes from its joker."""

    ONE = "one"
    WILD = "wild"
    ALL = (ONE, WILD)


def _find() -> str:
    """The shared library."""
    if path := os.environ.get("ENDTABLE_LIB"):
        return path
    name = {"darwin": "libendtable.dylib", "win32": "endtable.dll"}.get(
        sys.platform, "libendtable.so"
    )
    beside = Path(__file__).resolve().with_name(name)
    if beside.exists():
        return str(beside)
    return ctypes.util.find_library("endtable") or name


def _load() -> ctypes.CDLL:
    """The library, its functions declared as in endtable.h."""
    library = ctypes.CDLL(_find())
    table, answers = ctypes.c_void_p, ctypes.POINTER(_Answer)
    number, numbers = ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)
    paths = ctypes.POINTER(ctypes.c_char_p)
    boards = ctypes.POINTER(ctypes.c_uint16)
    functions = {
        "open": (ctypes.c_int, [paths, ctypes.c_size_t, ctypes.POINTER(table)]),
        "probe": (ctypes.c_int, [table, boards, ctypes.c_uint16, answers]),
        "probe_key": (ctypes.c_int, [table, number, number, answers]),
        "probe_folded": (ctypes.c_int, [table, number, answers]),
        "probe_batch": (ctypes.c_int, [table, numbers, ctypes.c_size_t, answers]),
        "records": (number, [table]),
        "rules": (ctypes.c_int, [table]),
        "close": (None, [table]),
        "last_error": (ctypes.c_char_p, []),
        "version": (ctypes.c_char_p, []),
    }
    for name, (result, arguments) in functions.items():
        function = getattr(library, f"endtable_{name}")
        function.restype, function.argtypes = result, arguments
    return library


_library: ctypes.CDLL | None = None


def _lib() -> ctypes.CDLL:
    """The library, loaded when it is first needed."""
    global _library
    if _library is None:
        _library = _load()
    return _library


def version() -> str:
    """The library's version."""
    return _lib().endtable_version().decode()


def _check(status: int) -> bool:
    """Whether something was found; raises what is an error."""
    if status in (_OK, _NOT_FOUND):
        return status == _OK
    message = _lib().endtable_last_error().decode(errors="replace")
    raise (BadInput if status == _BAD_INPUT else TableError)(message)


def _hex(text: str) -> int:
    """A number of 1 to 16 hex digits: int() alone takes blanks, signs and underscores too."""
    if 1 <= len(text) <= 16 and all(c in "0123456789abcdefABCDEF" for c in text):
        return int(text, 16)
    raise BadInput(f"expected 1 to 16 hex digits, found {text!r}")


def _halves(key: Key) -> tuple[int, int]:
    """The two halves of a key."""
    if isinstance(key, str):
        hi, colon, lo = key.partition(":")
        if not colon:
            raise BadInput(f"a key is two hex numbers parted by a colon, HI:LO, found {key!r}")
        return _hex(hi), _hex(lo)
    if not 0 <= key < 1 << 128:
        raise BadInput(f"a key has 128 bits, found {key:#x}")
    return key >> 64, key & (1 << 64) - 1


class Table:
    """Open tables, searched as one: a path, or several; a folder stands for all *.etb in it.

    Raises TableError if one cannot be read or is no sound table, BadInput if they do not belong
    together.
    """

    def __init__(self, paths: str | os.PathLike | Iterable[str | os.PathLike]):
        self._table = None
        if isinstance(paths, (str, os.PathLike)):
            paths = [paths]
        encoded = [os.fsencode(path) for path in paths]
        if any(b"\0" in path for path in encoded):
            raise BadInput("a path has no zero byte")
        table = ctypes.c_void_p()
        array = (ctypes.c_char_p * len(encoded))(*encoded)
        _check(_lib().endtable_open(array, len(encoded), ctypes.byref(table)))
        self._table = table

    def close(self) -> None:
        """Closes the tables. Twice is fine."""
        table, self._table = self._table, None
        if table is not None:
            _lib().endtable_close(table)

    def __enter__(self) -> "Table":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def __len__(self) -> int:
        """How many records there are."""
        return _lib().endtable_records(self._opened())

    @property
    def rules(self) -> str:
        """How far a pawn goes from its joker, one of Rules."""
        return Rules.ALL[_lib().endtable_rules(self._opened())]

    def probe(self, position: Key | Boards) -> Answer | None:
        """The answer for a key, or for seven boards and the turn; None if it is not there."""
        out = _Answer()
        if isinstance(position, (str, int)):
            status = _lib().endtable_probe_key(self._opened(), *_halves(position), out)
        else:
            *boards, turn = self._numbers(position)
            boards = (ctypes.c_uint16 * 7)(*boards)
            status = _lib().endtable_probe(self._opened(), boards, turn, out)
        return out.answer() if _check(status) else None

    def probe_folded(self, key: str | int) -> Answer | None:
        """The answer for a 64-bit folded key, as it stands in a table of folded keys."""
        number = _hex(key) if isinstance(key, str) else key
        if not 0 <= number < 1 << 64:
            raise BadInput(f"a folded key has 64 bits, found {number:#x}")
        out = _Answer()
        status = _lib().endtable_probe_folded(self._opened(), number, out)
        return out.answer() if _check(status) else None

    def probe_many(self, keys: Iterable[Key]) -> list[Answer | None]:
        """The answers for many keys, in their order; quicker than one by one."""
        halves = [half for key in keys for half in _halves(key)]
        count = len(halves) // 2
        answers = (_Answer * count)()
        array = (ctypes.c_uint64 * len(halves))(*halves)
        _check(_lib().endtable_probe_batch(self._opened(), array, count, answers))
        return [one.answer() if one.status == _OK else None for one in answers]

    @staticmethod
    def _numbers(position: Boards) -> list[int]:
        numbers = list(position)
        if len(numbers) != 8:
            raise BadInput(f"expected seven boards and the turn, found {len(numbers)} numbers")
        for number in numbers:
            if not 0 <= number < 1 << 16:
                raise BadInput(f"a board has 16 bits, found {number:#x}")
        return numbers

    def _opened(self) -> ctypes.c_void_p:
        if self._table is None:
            raise ValueError("the table is closed")
        return self._table
