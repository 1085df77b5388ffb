"""Plans as `endtable plan` writes them, and what is left to do of them."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass


class Unusable(Exception):
    """What was given cannot be used: a message, and the exit code that goes with it."""

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Shard:
    """A piece of work: one command."""

    id: str
    seconds: float
    """How long it takes, about."""
    cores: int


@dataclass(frozen=True)
class Stage:
    """Shards that any number of machines may work on once the stages before are done."""

    name: str
    cores: int
    memory: int
    """Bytes of each shard."""
    shards: tuple[Shard, ...]


@dataclass(frozen=True)
class Plan:
    """Stages, one after the other."""

    path: str
    stages: tuple[Stage, ...]

    @property
    def folder(self) -> str:
        """What all machines see."""
        return os.path.dirname(self.path)

    @property
    def cores(self) -> int:
        """Of the largest shard."""
        return max(stage.cores for stage in self.stages)

    def only(self, ids: set[str]) -> Plan:
        """The stages with no more than some shards."""
        stages = []
        for stage in self.stages:
            shards = tuple(shard for shard in stage.shards if shard.id in ids)
            if shards:
                stages.append(Stage(stage.name, stage.cores, stage.memory, shards))
        return Plan(self.path, tuple(stages))

    def __len__(self) -> int:
        return sum(len(stage.shards) for stage in self.stages)


def read_plan(path: str) -> Plan:
    """Reads a plan: the file, or the folder that it is in."""
    path = os.path.realpath(os.path.join(path, "plan.json") if os.path.isdir(path) else path)
    try:
        with open(path, encoding="utf-8") as file:
            text = json.load(file)
        stages = tuple(_stage(stage) for stage in text["stages"])
    except OSError as error:
        raise Unusable(f"{path}: {error.strerror}", 2 if isinstance(error, FileNotFoundError) else 3) from error
    except (ValueError, KeyError, TypeError) as error:
        raise Unusable(f"{path}: no plan; `endtable plan --help` tells how to make one") from error
    if not stages:
        raise Unusable(f"{path}: the plan has no stages")
    return Plan(path, stages)


def _stage(stage: dict) -> Stage:
    cores = int(stage["cores"])
    shards = tuple(Shard(str(shard["id"]), float(shard["seconds"]), cores) for shard in stage["shards"])
    return Stage(str(stage["name"]), cores, int(stage["memory"]), shards)


# How often a question is asked again if the program was killed over it.
ASKED = 5


def ask(endtable: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What the program says of a plan, or of a shard that is done."""
    for last in range(ASKED):
        try:
            asked = subprocess.run([endtable, "shard", *arguments], capture_output=True, text=True, check=False)
        except OSError as error:
            raise Unusable(f"{endtable}: {error.strerror}") from error
        if asked.returncode >= 0 or last + 1 == ASKED:
            break
    return asked


def left_of(plan: Plan, endtable: str) -> Plan:
    """The shards that are not done. The program checks every file for that."""
    asked = ask(endtable, plan.path)
    if asked.returncode != 0:
        raise Unusable(asked.stderr.strip() or f"{endtable} shard: failed", asked.returncode if asked.returncode > 0 else 3)
    return plan.only(set(asked.stdout.split()))
