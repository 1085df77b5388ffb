"""What can go wrong, as exceptions with the library's words."""


class Error(Exception):
    """The base of all exceptions of this package."""


class InputError(Error, ValueError):
    """What was asked makes no sense: no position, no legal move, no such option, closed tables."""


class TableError(Error, OSError):
    """A table cannot be read, or is damaged."""


class MissingTableError(TableError, FileNotFoundError):
    """There is no table."""


class NotFoundError(Error, LookupError):
    """A position is not in the tables."""
