"""Shards as tasks of HyperQueue, on a server that runs, or on one of our own on this machine."""

from __future__ import annotations

import os
import re
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hyperqueue import Client, Job, LocalCluster
from hyperqueue.cluster import WorkerConfig
from hyperqueue.ffi.protocol import ResourceRequest
from hyperqueue.job import SubmittedJob
from hyperqueue.output import StdioDef
from plan import Plan, Stage, Unusable

# Runs a shard, and again if it was killed by a signal (the shell says so by a code over 128), because
# HyperQueue itself repeats only what ran on a worker that was lost. Once the driver has been stopped, a file
# of its own is gone, and nothing begins any more: HyperQueue's Python package cannot cancel a job.
RUN = """
retries=$1 wanted=$2
shift 2
while [ -e "$wanted" ]; do
    "$@"
    code=$?
    [ $code -gt 128 ] && [ $retries -gt 0 ] || exit $code
    retries=$((retries - 1))
done
echo "not begun: the driver was stopped" >&2
exit 1
"""

# How many workers may be lost under one shard.
CRASH_LIMIT = 20

# As much of what a failed shard said as a person reads.
TAIL = 2000


@contextmanager
def local_cluster(workers: int, cores: int) -> Iterator[LocalCluster]:
    """A server and workers in this process, for as long as the context lasts."""
    with tempfile.TemporaryDirectory(prefix="endtable-hq-") as folder:
        # The workers leave sockets in the folder of temporary files.
        os.environ["TMPDIR"] = folder
        with _no_stdout():
            cluster = LocalCluster(folder)
        with cluster:
            for _ in range(workers):
                cluster.start_worker(WorkerConfig(cores=cores))
            yield cluster


@contextmanager
def _no_stdout() -> Iterator[None]:
    """The server greets on standard output, which is for results."""
    stdout = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)
        os.close(nowhere)


@contextmanager
def asking_the_server() -> Iterator[None]:
    """Names what failed: the package has no type for its errors."""
    try:
        yield
    except Exception as error:
        raise Unusable(f"the HyperQueue server does not answer: {error}; the same command resumes", 3) from error


@dataclass(frozen=True)
class Counts:
    """How far a job is."""

    finished: int
    failed: int
    completed: bool
    """Whether nothing more will come of it: what needed failed tasks is cancelled."""


@dataclass(frozen=True)
class Failure:
    """A shard that failed."""

    shard: str
    error: str
    """What HyperQueue says."""
    stderr: str
    """The end of what the shard said."""


class _Polled(Exception):
    """Leaves the package's wait, which looks only once a second."""


class Submitted:
    """The tasks of one round."""

    def __init__(self, client: Client, job: SubmittedJob, shards: list[str]) -> None:
        self.client = client
        self.job = job
        self.shards = shards

    @property
    def id(self) -> int:
        """The job's number on the server."""
        return self.job.id

    def counts(self) -> Counts:
        """Asks the server."""
        found: list[Counts] = []

        def look(jobs: dict) -> None:
            job = jobs[self.job.id]
            found.append(Counts(job["finished"], job["failed"], job["completed"]))
            raise _Polled

        with asking_the_server():
            try:
                self.client.connection.wait_for_jobs([self.job.id], look)
            except _Polled:
                pass
        return found[0]

    def failures(self) -> list[Failure]:
        """The tasks that failed, not those that were cancelled because they need them."""
        with asking_the_server():
            failed = self.client.get_failed_tasks(self.job)
        return [Failure(self.shards[task], context.error, _tail(context.stderr)) for task, context in failed.items()]


class Submitter:
    """Hands shards to a server, and keeps what they say in a folder of its own beside the plan."""

    def __init__(self, client: Client, plan: Plan, endtable: str, retries: int, memory: bool) -> None:
        self.client = client
        self.endtable = endtable
        self.retries = retries
        self.memory = memory
        name = re.sub(r"[^A-Za-z0-9]", "", socket.gethostname())
        self.folder = tempfile.mkdtemp(prefix=f"driver-{name}-", dir=plan.folder)
        # Others who work on the folder may look into it.
        os.chmod(self.folder, 0o755)
        self.wanted = os.path.join(self.folder, "wanted")
        with open(self.wanted, "w", encoding="utf-8"):
            pass

    def submit(self, left: Plan) -> Submitted:
        """Submits shards. Each needs all of the stage before."""
        job = Job(name=os.path.basename(left.folder), max_fails=None, default_workdir=left.folder)
        before: list = []
        names = []
        for stage in left.stages:
            tasks = []
            for shard in stage.shards:
                command = [self.endtable, "shard", left.path, shard.id]
                tasks.append(
                    job.program(
                        ["sh", "-c", RUN, "shard", str(self.retries), self.wanted, *command],
                        stdout=None,
                        stderr=StdioDef.remove_if_finished(os.path.join(self.folder, shard.id)),
                        deps=before,
                        name=shard.id,
                        resources=self._resources(stage),
                        crash_limit=CRASH_LIMIT,
                    )
                )
                names.append(shard.id)
            before = tasks
        with asking_the_server():
            return Submitted(self.client, self.client.submit(job), names)

    def _resources(self, stage: Stage) -> ResourceRequest:
        """What a shard occupies. A worker that offers no memory would never get one that asks for it."""
        memory = {"mem": -(-stage.memory // 2**20)} if self.memory and stage.memory else {}
        return ResourceRequest(cpus=stage.cores, resources=memory)

    def withdraw(self) -> None:
        """What has not begun never will."""
        os.remove(self.wanted)

    def clear(self) -> None:
        """Removes the folder: nobody will want to read it."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _tail(path: str | None) -> str:
    try:
        with open(path or "", "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - TAIL))
            return file.read().decode(errors="replace").strip()
    except OSError:
        return ""
