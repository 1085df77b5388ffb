"""Plans on a HyperQueue cluster of two workers, and by plain processes: whatever happens meanwhile, the same
bytes come out that `generate` makes. `make test` runs it."""

from __future__ import annotations

import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
import unittest
from concurrent.futures import ThreadPoolExecutor

from jobs import DAMAGES, ENDTABLE, JOBS, Planned, drive, killer, made_at_once, start_driver, wait_until

# Kills of one job: more than the driver's retries of a shard, fewer than all its rounds could stand.
KILLS = 5


class InAFolder(unittest.TestCase):
    """Plans in a folder that is gone afterwards."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()

    def check(self, planned: Planned) -> None:
        """Everything is done, right, and tidied up."""
        self.assertEqual(planned.left(), [])
        found, expected = planned.made(), made_at_once(planned.job)
        self.assertEqual(found.keys(), expected.keys(), planned.job)
        for name in found:
            self.assertTrue(found[name] == expected[name], f"{planned.job}: {name or planned.out.name} differs")
        names = {path.name for path in planned.folder.iterdir()}
        self.assertEqual(names, {"plan.json", "plan.toml", planned.plan["out"]}, planned.job)


class Jobs(InAFolder):
    """Every kind of job."""

    def test_shards_that_are_killed(self) -> None:
        killed = 0
        for job in JOBS:
            with self.subTest(job):
                chance = random.Random(job)
                planned = Planned(job, self.folder / job)
                with killer(planned, chance, KILLS) as dead:
                    done = drive(planned, "--retries", "1", "--rounds", "6")
                self.check(planned)
                self.assertTrue(done["done"])
                self.assertGreaterEqual(done["submitted"], len(sum(planned.stages(), [])))
                killed += len(dead)
        self.assertGreater(killed, 0)

    def test_files_that_are_damaged_between_two_runs(self) -> None:
        damaged = 0
        for job in JOBS:
            for damage in DAMAGES:
                with self.subTest(job, damage=damage.__name__):
                    chance = random.Random(f"{job} {damage.__name__}")
                    planned = Planned(job, self.folder / f"{job}-{damage.__name__}")
                    *before, last = planned.stages()
                    for shard in sum(before, []):
                        planned.shard(shard)
                    planned.kill_midway(last[0], chance.uniform(0.1, 0.5))
                    files = planned.work
                    for file in chance.sample(files, min(2, len(files))):
                        damage(file, chance)
                        damaged += 1
                    drive(planned)
                    self.check(planned)
        self.assertGreater(damaged, len(DAMAGES))

    def test_plain_processes_in_any_order_each_shard_twice(self) -> None:
        for job in JOBS:
            with self.subTest(job):
                chance = random.Random(f"{job} in any order")
                planned = Planned(job, self.folder / job)
                for stage in planned.stages():
                    twice = 2 * stage
                    chance.shuffle(twice)
                    with ThreadPoolExecutor(2) as two:
                        list(two.map(planned.shard, twice))
                self.check(planned)

    def test_job_files_of_hyperqueue(self) -> None:
        for job in JOBS:
            planned = Planned(job, self.folder / job)
            with open(self.folder / job / "plan.toml", "rb") as file:
                tasks = tomllib.load(file)["task"]
            by_id = {task["id"]: task["command"][-1] for task in tasks}
            self.assertEqual(list(by_id.values()), sum(planned.stages(), []))
            needs: list[str] = []
            for stage in planned.plan["stages"]:
                of_stage = [shard["id"] for shard in stage["shards"]]
                for task in (task for task in tasks if task["command"][-1] in of_stage):
                    self.assertEqual(task["command"][1:3], ["shard", str(planned.folder / "plan.json")])
                    self.assertEqual([by_id[need] for need in task["deps"]], needs)
                    self.assertEqual(task["request"], [{"resources": {"cpus": str(stage["cores"])}}])
                needs = of_stage


class Driver(InAFolder):
    """What the driver does by itself."""

    def test_what_is_done_is_not_submitted_again(self) -> None:
        planned = Planned("seeds", self.folder)
        for shard in planned.stages()[0][:4]:
            planned.shard(shard)
        self.assertEqual(drive(planned)["submitted"], 3)
        self.check(planned)
        self.assertEqual(drive(planned)["submitted"], 0)

    def test_two_drivers_on_one_folder(self) -> None:
        planned = Planned("seeds", self.folder)
        with ThreadPoolExecutor(2) as two:
            list(two.map(lambda _: drive(planned), range(2)))
        self.check(planned)

    def test_a_driver_that_is_stopped_or_killed(self) -> None:
        for how in [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]:
            with self.subTest(how.name):
                planned = Planned("seeds", self.folder / how.name, shards=40)
                with start_driver(planned) as driver:
                    self.assertTrue(wait_until(lambda: len(planned.work) > 3))
                    driver.send_signal(how)
                    _, stderr = driver.communicate()
                if how != signal.SIGKILL:
                    self.assertEqual(driver.returncode, 1)
                    self.assertIn("stopped; the same command resumes", stderr)
                # Those at work end when they have heard of it.
                self.assertTrue(wait_until(lambda: not planned.processes()))
                if how == signal.SIGKILL:
                    for folder in planned.folder.glob("driver-*"):
                        shutil.rmtree(folder)
                self.assertLess(0, len(planned.left()))
                self.assertLess(drive(planned)["submitted"], 41)
                self.check(planned)

    def test_shards_that_cannot_be_done(self) -> None:
        planned = Planned("seeds", self.folder)
        program = self.folder.with_name(self.folder.name + "-endtable")
        self.addCleanup(program.unlink)
        program.write_text(
            f'#!/bin/sh\n[ "$3" != solved.2.6 ] || {{ echo no space left on device >&2; exit 3; }}\nexec {ENDTABLE} "$@"\n'
        )
        program.chmod(0o755)
        with start_driver(planned, "--endtable", str(program), "--rounds", "2") as driver:
            stdout, stderr = driver.communicate()
        self.assertEqual(driver.returncode, 1, stderr)
        self.assertIn('"done": false', stdout)
        self.assertIn('"rounds": 2, "submitted": 9', stdout)
        self.assertIn("shard solved.2.6: ", stderr)
        self.assertIn("no space left on device", stderr)
        self.assertEqual(planned.left(), ["solved.2.6", "table.0.1"])
        for folder in planned.folder.glob("driver-*"):
            self.assertEqual([file.name for file in folder.iterdir()], ["solved.2.6"])

    def test_work_that_does_not_say_whose_it_is(self) -> None:
        planned = Planned("seeds", self.folder)
        planned.shard("solved.0.6")
        work = self.folder / "table.etb.work"
        (work / "recipe").write_bytes(b"\xff")
        with start_driver(planned, "--rounds", "1") as driver:
            _, stderr = driver.communicate()
        self.assertEqual(driver.returncode, 1, stderr)
        self.assertIn(f"remove the folder {work} and begin anew", stderr)
        for folder in [work, *self.folder.glob("driver-*")]:
            shutil.rmtree(folder)
        drive(planned)
        self.check(planned)

    def test_what_cannot_be_used(self) -> None:
        planned = Planned("seeds", self.folder)
        nowhere = str(self.folder / "nowhere")
        for options, code in [
            (["--rounds", "0"], 2),
            (["--memory"], 2),
            (["--endtable", nowhere], 2),
            (["--server-dir", nowhere], 3),
        ]:
            with start_driver(planned, *options) as driver:
                _, stderr = driver.communicate()
            self.assertEqual(driver.returncode, code, stderr)
            self.assertNotIn("Traceback", stderr)
        (self.folder / "plan.json").write_text("{}")
        with start_driver(planned) as driver:
            _, stderr = driver.communicate()
        self.assertEqual(driver.returncode, 2, stderr)
        self.assertIn("no plan", stderr)


class Server(InAFolder):
    """A server that runs already."""

    def setUp(self) -> None:
        super().setUp()
        command = [sys.executable, str(pathlib.Path(__file__).with_name("server.py"))]
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.server.communicate)
        assert self.server.stdout
        self.server_dir = self.server.stdout.readline().strip()

    def test_a_plan_on_it(self) -> None:
        planned = Planned("seeds", self.folder)
        self.assertEqual(drive(planned, "--server-dir", self.server_dir)["submitted"], 7)
        self.check(planned)

    def test_once_stopped_no_shard_begins(self) -> None:
        planned = Planned("seeds", self.folder, shards=40)
        with start_driver(planned, "--server-dir", self.server_dir) as driver:
            self.assertTrue(wait_until(lambda: len(planned.work) > 3))
            driver.send_signal(signal.SIGINT)
            _, stderr = driver.communicate()
        self.assertEqual(driver.returncode, 1)
        self.assertIn("hq job cancel 1", stderr)
        self.assertTrue(wait_until(lambda: not planned.processes()))
        left = planned.left()
        self.assertGreater(len(left), 20)
        self.assertEqual(drive(planned, "--server-dir", self.server_dir)["submitted"], len(left))
        # HyperQueue has made logs of those that were not begun.
        for folder in planned.folder.glob("driver-*"):
            shutil.rmtree(folder)
        self.check(planned)

    def test_a_server_that_goes_away(self) -> None:
        planned = Planned("seeds", self.folder, shards=40)
        with start_driver(planned, "--server-dir", self.server_dir) as driver:
            self.assertTrue(wait_until(lambda: len(planned.work) > 3))
            self.server.kill()
            _, stderr = driver.communicate(timeout=60)
        self.assertEqual(driver.returncode, 3, stderr)
        self.assertNotIn("Traceback", stderr)
        self.assertIn("the same command resumes", stderr)


if __name__ == "__main__":
    unittest.main()
