"""How far a plan is, on standard error."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from plan import Plan

# Seconds between two lines if nobody watches.
SELDOM = 30.0


class Pace:
    """An estimate of the time left, from the plan's seconds and from how fast they have gone by so far."""

    def __init__(self, left: Plan, cores: int | None) -> None:
        self.costs = [shard.seconds * shard.cores for stage in left.stages for shard in stage.shards]
        self.cores = cores

    def seconds_left(self, finished: int, elapsed: float) -> float | None:
        """With so many shards done after so many seconds. The order of shards is that of the stages."""
        done, left = sum(self.costs[:finished]), sum(self.costs[finished:])
        if done > 0 and elapsed > 0:
            return left * elapsed / done
        return max(left / self.cores - elapsed, 0.0) if self.cores else None


class Progress:
    """Shows one round."""

    def __init__(self, plan: Plan, left: Plan, cores: int | None, out: TextIO = sys.stderr) -> None:
        self.total = len(plan)
        self.before = len(plan) - len(left)
        self.left = left
        self.pace = Pace(left, cores)
        self.out = out
        self.start = time.monotonic()
        self.stage = ""
        self.shown = 0.0
        self.width = 0

    def show(self, finished: int) -> None:
        """So many of the round's shards are done."""
        now = time.monotonic()
        stage = self._stage(finished)
        if not self.out.isatty() and stage == self.stage and now - self.shown < SELDOM:
            return
        self.stage, self.shown = stage, now
        text = f"{self.before + finished} of {self.total} shards done, {stage}"
        seconds = self.pace.seconds_left(finished, now - self.start)
        if seconds is not None and finished < len(self.left):
            text += f", about {spoken(seconds)} left"
        self._write(text)

    def _stage(self, finished: int) -> str:
        """No stage begins before those in front of it are done, so that the number tells."""
        for stage in self.left.stages:
            if finished < len(stage.shards):
                return f"stage {stage.name}"
            finished -= len(stage.shards)
        return "all stages"

    def _write(self, text: str) -> None:
        if self.out.isatty():
            self.out.write("\r" + text.ljust(self.width))
            self.width = len(text)
        else:
            self.out.write(text + "\n")
        self.out.flush()

    def end(self) -> None:
        """Leaves the line to others."""
        if self.width:
            self.out.write("\n")
            self.out.flush()


def spoken(seconds: float) -> str:
    """A time as people say it."""
    for unit, size in [("days", 86400), ("hours", 3600), ("minutes", 60)]:
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(seconds, 1):.0f} seconds"
