//! A generation that is killed, stopped, damaged or refused its disk is resumed as if nothing had
//! happened, and its table is the same to the byte.

mod harness;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use endtable::random::SplitMix64;
use harness::commands::generate_seeds;
use harness::folder;
use harness::process::{Done, Process, Running, shell};
use tempfile::TempDir;

/// A run is written every two seeds with one thread and this little memory.
const SEEDS: &str = "0..90";
const LITTLE_MEMORY: &str = "43M";
const KILLS: usize = 30;

struct Generation {
    folder: TempDir,
    seeds: &'static str,
}

impl Generation {
    fn new(seeds: &'static str) -> Self {
        Self { folder: folder(), seeds }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("table.etb")
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("table.etb.work")
    }

    fn command(&self, threads: &str, memory: &str) -> Command {
        let mut command = generate_seeds(self.seeds, self.out());
        command.args(["--threads", threads, "--memory", memory]);
        command
    }

    fn slow(&self) -> Command {
        self.command("1", LITTLE_MEMORY)
    }

    fn runs(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.work()).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "etb")).collect()
    }

    /// Starts the slow command and waits until it has written this many runs.
    fn start(&self, runs: usize) -> Running {
        let mut running = self.slow().start();
        assert!(running.wait_for(|| self.runs().len() >= runs), "it was too quick");
        running
    }

    fn kill_after(&self, runs: usize) {
        assert_eq!(self.start(runs).kill(), None, "it was too quick to be killed");
    }

    fn finish(&self) -> Vec<u8> {
        self.slow().run().printed();
        assert!(!self.work().exists(), "the work folder is removed");
        fs::read(self.out()).unwrap()
    }
}

/// The table of these seeds, made without disturbance, with other threads and other memory.
fn undisturbed(seeds: &'static str) -> Vec<u8> {
    let generation = Generation::new(seeds);
    generation.command("2", "300M").run().printed();
    fs::read(generation.out()).unwrap()
}

#[test]
fn thirty_kills_leave_no_trace() {
    let expected = undisturbed(SEEDS);
    let generation = Generation::new(SEEDS);
    let mut random = SplitMix64::new(0xdead);
    let (mut kills, mut resumed) = (0, 0);
    while kills < KILLS {
        let before = generation.runs().len();
        resumed += usize::from(before > 0);
        let time = Duration::from_millis(10 + random.below(290));
        let mut running = generation.slow().start();
        // However slow the machine is, every other one gets something done.
        if kills % 2 == 0 {
            _ = running.wait_for(|| generation.runs().len() > before);
        }
        match running.kill_after(time) {
            None => kills += 1,
            // On a quick machine it may finish before: then once more from the beginning.
            Some(status) => {
                assert!(status.success(), "after {kills} kills: {status}");
                assert!(fs::read(generation.out()).unwrap() == expected, "after {kills} kills");
                fs::remove_file(generation.out()).unwrap();
            }
        }
    }
    assert!(resumed >= KILLS / 3, "only {resumed} of {KILLS} had something to resume");
    assert!(generation.finish() == expected);
}

#[test]
fn ctrl_c_says_how_to_resume() {
    let seeds = "0..30";
    let generation = Generation::new(seeds);
    for runs in [1, 4, 8] {
        let said = generation.start(runs).interrupt().failed(1);
        assert!(said.contains("of 30 seeds done; what is done is kept in"), "{said}");
        assert!(said.contains("table.etb.work"), "{said}");
        assert!(!generation.out().exists());
        assert!(generation.runs().len() >= runs);
    }
    assert!(generation.finish() == undisturbed(seeds));
}

#[test]
fn another_command_is_refused_with_the_difference() {
    let generation = Generation::new("0..20");
    generation.kill_after(2);
    let runs = generation.runs().len();
    let said = generation.command("1", "200M").args(["--rules", "wild"]).run().failed(2);
    assert!(said.contains("--seeds 0..20 --rules one --positions all"), "{said}");
    assert!(said.contains("--seeds 0..20 --rules wild --positions all"), "{said}");
    assert_eq!(generation.runs().len(), runs, "nothing of the other's work is touched");
}

/// The seeds of a run, as its name says.
fn items(run: &Path) -> Range<u64> {
    let name = run.file_stem().unwrap().to_str().unwrap();
    let (start, end) = name.strip_prefix("solved-").unwrap().split_once('-').unwrap();
    start.parse().unwrap()..end.parse().unwrap()
}

#[test]
fn a_damaged_run_is_made_again() {
    let seeds = "0..20";
    let generation = Generation::new(seeds);
    generation.kill_after(3);
    let damaged = generation.runs().into_iter().find(|path| !items(path).contains(&0)).unwrap();
    let mut bytes = fs::read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    fs::write(&damaged, &bytes).unwrap();
    assert!(generation.finish() == undisturbed(seeds));
}

/// Runs the slow command with no file allowed to grow beyond this many blocks of 512 bytes.
fn limited(generation: &Generation, blocks: usize) -> Done {
    shell(&format!("ulimit -f {blocks} && exec \"$0\" \"$@\""), &generation.slow()).run()
}

fn check_failed_write(generation: &Generation, blocks: usize) {
    let said = limited(generation, blocks).failed(3);
    assert!(said.contains("File too large"), "{said}");
    assert!(said.contains("what is done is kept in"), "{said}");
    assert!(said.contains("the same command resumes from there"), "{said}");
    assert!(!generation.out().exists());
    let partial = |path: &Path| path.to_string_lossy().ends_with(".partial");
    for folder in [generation.folder.path(), &generation.work()] {
        let mut entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        assert!(!entries.any(|path| partial(&path)), "nothing half-written is left");
    }
}

#[test]
fn a_write_that_fails_loses_nothing() {
    let seeds = "0..20";
    let generation = Generation::new(seeds);
    let expected = undisturbed(seeds);
    // First not even a run fits, then every run, but not the table.
    check_failed_write(&generation, 64);
    assert_eq!(generation.runs().len(), 0);
    let blocks = expected.len() / 512 - 64;
    check_failed_write(&generation, blocks);
    assert!(generation.runs().len() > 1);
    assert_eq!(generation.runs().iter().map(|run| items(run).count()).sum::<usize>(), 20);
    assert!(generation.finish() == expected);
}

#[test]
fn a_finished_table_is_replaced_only_by_force() {
    let generation = Generation::new("0..1");
    fs::write(generation.out(), "precious").unwrap();
    let said = generation.slow().run().failed(2);
    assert!(said.contains("exists already; --force replaces it"), "{said}");
    assert_eq!(fs::read(generation.out()).unwrap(), b"precious");
    generation.slow().arg("--force").run().printed();
    assert!(fs::read(generation.out()).unwrap() == undisturbed("0..1"));
}
