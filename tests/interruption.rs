//! A generation that is killed, stopped, damaged or refused its disk goes on as if nothing had
//! been, and its table is the same to the byte.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use endtable::games::random::SplitMix64;
use tempfile::TempDir;

const ENDTABLE: &str = env!("CARGO_BIN_EXE_endtable");
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
        Self { folder: tempfile::tempdir().unwrap(), seeds }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("table.etb")
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("table.etb.work")
    }

    fn command(&self, threads: &str, memory: &str) -> Command {
        let mut command = Command::new(ENDTABLE);
        command.args(["generate", "collapsi", "--seeds", self.seeds, "--threads", threads]);
        command.args(["--memory", memory, "--out"]).arg(self.out());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
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

    /// Begins the slow command and waits until it has written so many runs.
    fn begin(&self, runs: usize) -> Child {
        let child = self.slow().spawn().unwrap();
        wait_for(|| self.runs().len() >= runs);
        child
    }

    fn kill_after(&self, runs: usize) {
        let mut child = self.begin(runs);
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "it was too quick to be killed");
    }

    fn finish(&self) -> Vec<u8> {
        let done = self.slow().output().unwrap();
        assert!(done.status.success(), "{}", stderr(&done));
        assert!(!self.work().exists(), "the work folder is removed");
        fs::read(self.out()).unwrap()
    }
}

/// The table of these seeds, made without disturbance, with other threads and other memory.
fn undisturbed(seeds: &'static str) -> Vec<u8> {
    let generation = Generation::new(seeds);
    let done = generation.command("2", "300M").output().unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
    fs::read(generation.out()).unwrap()
}

fn wait_for(mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(120), "waited in vain");
        thread::sleep(Duration::from_millis(1));
    }
}

fn interrupt(child: Child) -> Output {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap()
}

fn stderr(done: &Output) -> String {
    String::from_utf8(done.stderr.clone()).unwrap()
}

/// Lets the program run for some time; answers how it ended, if by itself.
fn run_for(command: &mut Command, time: Duration) -> Option<ExitStatus> {
    let mut child = command.spawn().unwrap();
    thread::sleep(time);
    let ended = child.try_wait().unwrap();
    child.kill().unwrap();
    let status = child.wait().unwrap();
    // It may have come to its end just before the kill.
    ended.or(status.code().map(|_| status))
}

#[test]
fn thirty_kills_leave_no_trace() {
    let expected = undisturbed(SEEDS);
    let generation = Generation::new(SEEDS);
    let mut random = SplitMix64::new(0xdead);
    let (mut kills, mut resumed) = (0, 0);
    while kills < KILLS {
        resumed += usize::from(!generation.runs().is_empty());
        let time = Duration::from_millis(10 + random.below(290));
        match run_for(&mut generation.slow(), time) {
            None => kills += 1,
            // A quick machine comes to the end before: then once more from the beginning.
            Some(status) => {
                assert!(status.success(), "after {kills} kills: {status}");
                assert!(fs::read(generation.out()).unwrap() == expected, "after {kills} kills");
                fs::remove_file(generation.out()).unwrap();
            }
        }
    }
    assert!(resumed >= KILLS / 3, "only {resumed} of {KILLS} had something to go on from");
    assert!(generation.finish() == expected);
}

#[test]
fn ctrl_c_says_how_to_go_on() {
    let seeds = "0..30";
    let generation = Generation::new(seeds);
    for runs in [1, 4, 8] {
        let done = interrupt(generation.begin(runs));
        let said = stderr(&done);
        assert_eq!(done.status.code(), Some(1), "{said}");
        assert!(said.contains("of 30 done; the same command goes on from there"), "{said}");
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
    let done = generation.command("1", "200M").args(["--rules", "wild"]).output().unwrap();
    let said = stderr(&done);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("--seeds 0..20 --rules one --positions all"), "{said}");
    assert!(said.contains("--seeds 0..20 --rules wild --positions all"), "{said}");
    assert_eq!(generation.runs().len(), runs, "nothing of the other's work is touched");
}

#[test]
fn a_damaged_run_is_made_again() {
    let seeds = "0..20";
    let generation = Generation::new(seeds);
    generation.kill_after(3);
    let damaged = generation.work().join("run-2-4.etb");
    let mut bytes = fs::read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    fs::write(&damaged, &bytes).unwrap();
    assert!(generation.finish() == undisturbed(seeds));
}

/// Runs the slow command with no file allowed to grow beyond so many blocks of 512 bytes.
fn limited(generation: &Generation, blocks: usize) -> Output {
    let command = generation.slow();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f \"$0\" && exec \"$@\"", &blocks.to_string(), ENDTABLE]);
    shell.args(command.get_args()).output().unwrap()
}

fn check_failed_write(generation: &Generation, blocks: usize) {
    let done = limited(generation, blocks);
    let said = stderr(&done);
    assert_eq!(done.status.code(), Some(3), "{:?} {said}", done.status);
    assert!(said.contains("File too large"), "{said}");
    assert!(said.contains("what is done is kept in"), "{said}");
    assert!(said.contains("the same command goes on from there"), "{said}");
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
    assert_eq!(generation.runs().len(), 10);
    assert!(generation.finish() == expected);
}

#[test]
fn a_finished_table_is_replaced_only_by_force() {
    let generation = Generation::new("0..1");
    fs::write(generation.out(), "precious").unwrap();
    let done = generation.slow().output().unwrap();
    let said = stderr(&done);
    assert_eq!(done.status.code(), Some(2), "{said}");
    assert!(said.contains("exists already; --force replaces it"), "{said}");
    assert_eq!(fs::read(generation.out()).unwrap(), b"precious");
    let done = generation.slow().arg("--force").output().unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
    assert!(fs::read(generation.out()).unwrap() == undisturbed("0..1"));
}
