"""Differences that were found."""

SHOWN = 10  # differences before a check stops


class TooMany(Exception):
    """No more differences are looked for."""


class Report:
    def __init__(self):
        self.differences = []

    def differ(self, text):
        self.differences.append(text)
        if len(self.differences) >= SHOWN:
            raise TooMany

    def equal(self, name, program, python):
        """Compares a fact as the program and as Python has it."""
        if program != python:
            self.differ(f"{name}: program {program!r}, Python {python!r}")
