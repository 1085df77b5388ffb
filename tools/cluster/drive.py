"""Runs a plan on HyperQueue: on a server with workers on many machines, or on this machine alone.

Usage: python3 tools/cluster/drive.py PLAN --server-dir DIR
       python3 tools/cluster/drive.py PLAN --local WORKERS

PLAN is what `endtable plan` wrote, or the folder that it is in, which all machines see under the same path.
Shards that are done are not submitted. Stopped or killed, the same command resumes; and several of them on
one folder do no harm. docs/CLUSTER.md has the rest.

Exit codes: 0 the plan is done; 1 stopped, or some shards failed; 2 bad input or usage; 3 an I/O error, or no
server.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hyperqueue import Client
from plan import Plan, Unusable, ask, left_of, read_plan
from progress import Progress
from tasks import Failure, Submitted, Submitter, asking_the_server, local_cluster

# Seconds between two looks at a job: at first short, because a plan may be.
LOOK = (0.05, 1.0)


@dataclass
class Outcome:
    """What was done."""

    rounds: int = 0
    submitted: int = 0
    failures: list[Failure] | None = None
    """Those of the last round, if shards are left."""


class Driver:
    """Submits what is left of a plan, round after round."""

    def __init__(self, plan: Plan, given: argparse.Namespace) -> None:
        self.plan = plan
        self.given = given
        self.submitter: Submitter | None = None

    def run(self, client: Client) -> Outcome:
        """Works until nothing is left, or the last round is over."""
        outcome = Outcome()
        left = left_of(self.plan, self.given.endtable)
        if not left.stages:
            self._settle()
            return outcome
        self.submitter = Submitter(client, self.plan, self.given.endtable, self.given.retries, self.given.memory)
        try:
            while left.stages and outcome.rounds < self.given.rounds:
                if outcome.rounds:
                    say(f"{len(left)} shards are left; submitting them again")
                left = self._round(self.submitter, left, outcome)
        finally:
            self.submitter.withdraw()
        if not left.stages:
            outcome.failures = None
            self._settle()
        return outcome

    def _settle(self) -> None:
        """Asks the last shard once more what came out: a check may have found something."""
        last = self.plan.stages[-1].shards[-1]
        asked = ask(self.given.endtable, self.plan.path, last.id)
        if asked.returncode != 0:
            raise Unusable(asked.stderr.strip(), asked.returncode if asked.returncode > 0 else 3)

    def _round(self, submitter: Submitter, left: Plan, outcome: Outcome) -> Plan:
        """Submits what is left, and sees what is left then."""
        outcome.rounds += 1
        outcome.submitted += len(left)
        job = submitter.submit(left)
        try:
            self._wait(job, left)
        except KeyboardInterrupt:
            raise Unusable(self._stopped(job), 1) from None
        outcome.failures = job.failures()
        return left_of(self.plan, self.given.endtable)

    def tidy(self, outcome: Outcome | None) -> None:
        """Removes what shards said, unless some failed, or still have a server to work for."""
        stopped_here = outcome is None and self.given.local
        finished = outcome is not None and outcome.failures is None
        if self.submitter and (stopped_here or finished):
            self.submitter.clear()

    def _wait(self, job: Submitted, left: Plan) -> None:
        """Shows how far a job is until nothing more will come of it."""
        cores = self.given.local * self.plan.cores if self.given.local else None
        progress = Progress(self.plan, left, cores)
        pause = LOOK[0]
        try:
            while True:
                counts = job.counts()
                progress.show(counts.finished)
                if counts.completed:
                    return
                time.sleep(pause)
                pause = min(1.2 * pause, LOOK[1])
        finally:
            progress.end()

    def _stopped(self, job: Submitted) -> str:
        text = "stopped; the same command resumes"
        if self.given.local:
            return text
        return f"{text}. Shards at work go on to their end; `hq job cancel {job.id}` ends them at once"


def say(text: str) -> None:
    """A line on standard error."""
    print(f"drive.py: {text}", file=sys.stderr)


def explain(failures: list[Failure], folder: str) -> None:
    """Says which shards failed, and why."""
    for failure in failures:
        say(f"shard {failure.shard}: {failure.error}")
        for line in failure.stderr.splitlines():
            print(f"    {line}", file=sys.stderr)
    names = "; ".join(failure.shard for failure in failures) or "none: all were cancelled"
    say(f"not finished; failed in the last round: {names}. The same command resumes; {folder} has what is done")


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], epilog="Stopped by Ctrl-C or a kill, the same command resumes."
    )
    parser.add_argument("plan", metavar="PLAN", help="the plan, or the folder that it is in")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--server-dir", metavar="DIR", help="the folder of a HyperQueue server that runs")
    where.add_argument(
        "--local", metavar="WORKERS", type=positive, help="start a server here, with so many workers of one shard each"
    )
    parser.add_argument("--endtable", metavar="FILE", help="the program, under a path that all machines know")
    parser.add_argument("--rounds", metavar="N", type=positive, default=3, help="how often what is left is submitted")
    parser.add_argument(
        "--retries", metavar="N", type=natural, default=2, help="how often a shard is repeated that a signal killed"
    )
    parser.add_argument(
        "--memory",
        action="store_true",
        help="ask for memory, too, as the resource mem; workers that `hq worker start` started offer it",
    )
    parser.add_argument("--json", action="store_true", help="print what was done as an object")
    given = parser.parse_args()
    if given.local and given.memory:
        parser.error("--memory: the workers of --local offer none")
    program = shutil.which(given.endtable or "endtable")
    if program is None:
        parser.error(f"{given.endtable or 'endtable'}: no such program; --endtable names it")
    given.endtable = os.path.realpath(program)
    return given


def natural(text: str) -> int:
    """A whole number."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number")
    return int(text)


def positive(text: str) -> int:
    """A whole number, at least 1."""
    number = natural(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: at least 1")
    return number


@contextmanager
def connected(given: argparse.Namespace, plan: Plan) -> Iterator[Client]:
    """A client of a server that runs, or of one of our own."""
    if given.local:
        with local_cluster(given.local, plan.cores) as cluster:
            yield cluster.client()
        return
    with asking_the_server():
        client = Client(given.server_dir)
    yield client


def main() -> int:
    """Runs a plan; the exit code."""
    given = arguments()
    start = time.monotonic()
    plan = read_plan(given.plan)
    driver, outcome = Driver(plan, given), None
    try:
        with connected(given, plan) as client:
            outcome = driver.run(client)
    finally:
        driver.tidy(outcome)
    if given.json:
        seconds = round(time.monotonic() - start, 3)
        done = outcome.failures is None
        print(
            json.dumps({"done": done, "seconds": seconds, "rounds": outcome.rounds, "submitted": outcome.submitted})
        )
    if outcome.failures is not None:
        explain(outcome.failures, plan.folder)
        return 1
    return 0


def interrupt(_signal: int, _frame: object) -> None:
    """A kill is like Ctrl-C."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, interrupt)
    try:
        sys.exit(main())
    except Unusable as error:
        say(str(error))
        sys.exit(error.code)
    except KeyboardInterrupt:
        say("stopped; the same command resumes")
        sys.exit(1)
