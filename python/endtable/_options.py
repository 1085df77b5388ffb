"""Keyword arguments as the options of a game."""

import os

Option = str | int | float | os.PathLike[str] | None
"""The value of an option: True for a switch; False and None are as if it were not given."""


def given(options: dict[str, Option]) -> list[tuple[str, str | None]]:
    """Names with hyphens, and values as texts."""
    entries: list[tuple[str, str | None]] = []
    for name, value in options.items():
        name = name.replace("_", "-")
        if value is True:
            entries.append((name, None))
        elif value is not None and value is not False:
            entries.append((name, os.fspath(value) if isinstance(value, os.PathLike) else str(value)))
    return entries
