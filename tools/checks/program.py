"""Running the program."""

import os
import subprocess

PATIENCE = 600  # seconds for an answer
NAMED = 500  # positions on one command line: the system limits its length

# Exit codes.
DONE, ABSENT, BAD_INPUT = range(3)


class ProgramError(Exception):
    """The program failed, or printed what is not understood."""


class Program:
    def __init__(self, path):
        # A path without a folder would be looked up among the installed commands.
        self.path = os.path.abspath(path)

    def call(self, *arguments, lines=()):
        """Exit code, lines of standard output, standard error."""
        done = subprocess.run(
            [self.path, *map(str, arguments)],
            input="".join(f"{line}\n" for line in lines),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        return done.returncode, done.stdout.splitlines(), done.stderr.strip()

    def run(self, *arguments, lines=(), codes=(DONE,)):
        """The lines of standard output; the exit code must be one of these."""
        code, output, error = self.call(*arguments, lines=lines)
        if code not in codes:
            command = " ".join(map(str, arguments))
            raise ProgramError(f"{command}: exit code {code}\n{error}")
        return output

    def name(self, *arguments, positions, codes=(DONE,)):
        """The output for positions named behind the arguments."""
        output = []
        for at in range(0, len(positions), NAMED):
            some = positions[at : at + NAMED]
            output += self.run(*arguments, *some, codes=codes)
        return output

    def feed(self, *arguments, positions, codes=(DONE,)):
        """The output for positions on standard input, a line for each."""
        output = self.run(*arguments, "--stdin", lines=positions, codes=codes)
        if len(output) != len(positions):
            command = " ".join(map(str, arguments))
            raise ProgramError(
                f"{command} --stdin: {len(output)} lines for {len(positions)} positions"
            )
        return output
