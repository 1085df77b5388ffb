"""Differences that were found, and how a check begins and ends."""

import argparse
import subprocess
import sys
from contextlib import contextmanager

from .program import ProgramError

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

    @contextmanager
    def judge(self, check, subject):
        """Ends with exit code 1 if what is compared inside differs, or fails."""
        try:
            yield
        except TooMany:
            pass
        except (OSError, subprocess.TimeoutExpired, ProgramError) as error:
            sys.exit(f"{check}: {error}")
        for text in self.differences:
            print(text)
        if self.differences:
            sys.exit(f"{check}: {subject} differ")


def argument_parser(text):
    """Of the arguments that every check has; the text says what it does."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("program", help="path to the endtable program")
    parser.add_argument("--rng", type=int, default=1, help="seed of the random choices")
    return parser
