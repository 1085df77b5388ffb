"""What can go wrong, apart from the disk."""


class TableError(Exception):
    """The file is not a table that this reader can trust."""


class PositionError(ValueError):
    """What was given is no position."""
