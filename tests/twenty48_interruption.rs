//! Tables of 2048 positions are the same to the byte whatever the memory, the threads and the
//! interruptions.

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use endtable::job::{Ending, Job, Progress, Run};
use harness::commands::generate_2048;
use harness::folder;
use harness::process::Process;
use harness::tables::{exact_2048, pattern_2048, run};

/// The bytes of a table made within a memory bound, its work saved at intervals.
fn generated(job: &dyn Job, memory: u64, save_every: Duration) -> Vec<u8> {
    let folder = folder();
    let out = folder.path().join("table.etb");
    let stop = AtomicBool::new(false);
    match job.run(&Run { memory, save_every, ..run(&out, &stop) }).unwrap() {
        Ending::Finished => {
            assert!(!folder.path().join("table.etb.work").exists());
            fs::read(&out).unwrap()
        }
        stopped => panic!("{stopped:?}"),
    }
}

/// What is needed besides the layers.
const FIXED: u64 = 32 << 20;

/// Everything of a board or of a pattern.
fn job(name: &str, objective: &str) -> Box<dyn Job> {
    match name.contains('x') {
        true => exact_2048(name, objective),
        false => pattern_2048(name, objective),
    }
}

#[test]
fn memory_and_saving_leave_no_trace() {
    for objective in ["score", "tile:32"] {
        let job = exact_2048("2x3", objective);
        let whole = generated(&*job, 1 << 30, Run::SAVE_EVERY);
        // Layers have up to 302 positions; there is memory for some, for one, and for none.
        for memory in [FIXED + 20_000, FIXED + 4000, 0] {
            assert!(generated(&*job, memory, Run::SAVE_EVERY) == whole, "{memory}");
        }
        assert!(generated(&*job, 1 << 30, Duration::ZERO) == whole);
        assert!(generated(&*job, FIXED + 20_000, Duration::ZERO) == whole);
    }
}

#[test]
fn layers_larger_than_memory_give_the_same_file() {
    // Where there is not enough memory for numbers, boards are sorted; where there is not enough for
    // a layer, in pieces.
    for (name, objective) in [("3x4", "tile:8"), ("L3", "tile:8"), ("44", "tile:16")] {
        let job = job(name, objective);
        let whole = generated(&*job, 1 << 30, Run::SAVE_EVERY);
        for positions in [100, 1000, 100_000] {
            let memory = FIXED + 2 * 200 * positions;
            assert!(generated(&*job, memory, Run::SAVE_EVERY) == whole, "{name} {positions}");
        }
        assert!(generated(&*job, 1 << 30, Duration::ZERO) == whole, "{name}");
    }
}

#[test]
fn numbers_and_sorting_give_the_same_files() {
    let patterns = ["L3", "442", "t", "44", "4421", "LL"].map(|name| (name, "tile:16"));
    let others = [("44", "tile:64"), ("3x4", "tile:16"), ("4x3", "tile:16")];
    for (name, objective) in patterns.into_iter().chain(others) {
        let job = job(name, objective);
        let numbered = generated(&*job, 1 << 30, Run::SAVE_EVERY);
        // Not enough for numbers, plenty for sorting.
        let sorted = generated(&*job, FIXED + (1 << 20), Run::SAVE_EVERY);
        assert!(numbered == sorted, "{name} {objective}");
    }
}

#[test]
fn patterns_are_saved_and_resumed_within_any_memory() {
    let job = pattern_2048("L3", "tile:16");
    let whole = generated(&*job, 1 << 30, Run::SAVE_EVERY);
    // With numbers, and room for all layers, for some, and for hardly any.
    for memory in [64 << 20, 46 << 20, 44 << 20] {
        for save_every in [Run::SAVE_EVERY, Duration::ZERO] {
            assert!(generated(&*job, memory, save_every) == whole, "{memory} {save_every:?}");
        }
    }
}

/// Asks to stop after some layers.
struct StopAfter<'a> {
    layers: AtomicU64,
    stop: &'a AtomicBool,
}

impl Progress for StopAfter<'_> {
    fn begin(&self, stage: &str, _total: u64, _done: u64) {
        if stage == "merging" {
            self.layers.store(u64::MAX, Ordering::Relaxed);
        }
    }
    fn advance(&self, _steps: u64, _items: u64) {
        if self.layers.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
    fn end(&self) {}
}

#[test]
fn what_was_stopped_is_resumed() {
    for (name, objective) in [("2x3", "score"), ("3x4", "tile:8"), ("44", "tile:16")] {
        let job = job(name, objective);
        let whole = generated(&*job, 1 << 30, Run::SAVE_EVERY);
        for layers in [1, 2, 3, 30] {
            let folder = folder();
            let out = folder.path().join("table.etb");
            let mut stops = 0;
            loop {
                let stop = AtomicBool::new(false);
                let progress = StopAfter { layers: AtomicU64::new(layers), stop: &stop };
                match job.run(&Run { progress: &progress, ..run(&out, &stop) }).unwrap() {
                    Ending::Finished => break,
                    Ending::Stopped { .. } => stops += 1,
                }
            }
            assert!(stops >= 1);
            assert!(fs::read(&out).unwrap() == whole, "after {stops} stops");
        }
    }
}

/// Set for a process that a test starts and kills: the board, the objective, the memory and the
/// file of a table that is to be made.
const TO_GENERATE: &str = "ENDTABLE_TEST_TO_GENERATE";

/// Generates what the environment asks for, saving at every layer: no command of the program saves
/// as often. Returns whether anything was asked for.
fn generates_for_another_process() -> bool {
    let Ok(named) = std::env::var(TO_GENERATE) else { return false };
    let [size, objective, memory, out] = named.splitn(4, ' ').collect::<Vec<_>>()[..] else {
        panic!("{named}")
    };
    let stop = AtomicBool::new(false);
    let run = Run {
        memory: memory.parse().unwrap(),
        // A process that was not killed in time has made the table already.
        replace: true,
        save_every: Duration::ZERO,
        ..run(Path::new(out), &stop)
    };
    job(size, objective).run(&run).unwrap();
    true
}

/// Kills a generation at some runs of either direction, each time further on, and damages what it
/// has saved last. Then lets it finish.
fn killed_and_damaged(
    size: &str,
    objective: &str,
    memory: u64,
    kills: &[(&str, usize)],
) -> Vec<u8> {
    let folder = folder();
    let out = folder.path().join("table.etb");
    let command = || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "kills_and_damage_leave_no_trace"]);
        command.env(TO_GENERATE, format!("{size} {objective} {memory} {}", out.display()));
        command
    };
    let runs = |kind: &str| -> Vec<PathBuf> {
        let work = fs::read_dir(folder.path().join("table.etb.work"));
        let files = work.into_iter().flatten().flatten().map(|file| file.path());
        let finished = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(kind) && name.ends_with(".etb")
        };
        let mut runs: Vec<_> = files.filter(finished).collect();
        // Looked up once: files are written meanwhile.
        runs.sort_by_cached_key(|path| fs::metadata(path).and_then(|file| file.modified()).ok());
        runs
    };
    let (mut killed, mut damages) = (0, 0);
    for &(kind, count) in kills {
        let mut running = command().start();
        running.wait_for(|| runs(kind).len() >= count);
        killed += usize::from(running.kill().is_none());
        // A run that is cut short or changed is detected.
        if let [.., damaged] = runs(kind).as_slice() {
            let mut bytes = fs::read(damaged).unwrap();
            if count % 2 == 1 {
                bytes.truncate(bytes.len() / 2);
            } else {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
            }
            fs::write(damaged, bytes).unwrap();
            damages += 1;
        }
    }
    assert!(damages + 1 >= kills.len(), "nothing was there to be damaged: {damages}");
    assert!(killed + 1 >= kills.len(), "it was too quick to be killed: {killed}");
    command().run().printed();
    assert!(!folder.path().join("table.etb.work").exists());
    fs::read(&out).unwrap()
}

#[test]
fn kills_and_damage_leave_no_trace() {
    if generates_for_another_process() {
        return;
    }
    let whole = generated(&*exact_2048("2x4", "tile:128"), 1 << 30, Run::SAVE_EVERY);
    let kills = [("states", 5), ("states", 60), ("values", 3), ("values", 40), ("values", 80)];
    assert!(killed_and_damaged("2x4", "tile:128", 1 << 30, &kills) == whole);
    let kills = [("states", 10), ("values", 5), ("values", 20)];
    assert!(killed_and_damaged("2x4", "tile:128", FIXED, &kills) == whole);
    let whole = generated(&*exact_2048("3x4", "tile:8"), 1 << 30, Run::SAVE_EVERY);
    let kills = [("states", 5), ("values", 4), ("values", 7)];
    assert!(killed_and_damaged("3x4", "tile:8", 1 << 30, &kills) == whole);
    let whole = generated(&*pattern_2048("44", "tile:64"), 1 << 30, Run::SAVE_EVERY);
    let kills = [("found", 5), ("found", 30), ("values", 3), ("values", 20), ("front", 1)];
    assert!(killed_and_damaged("44", "tile:64", 1 << 30, &kills) == whole);
}

#[test]
fn threads_leave_no_trace() {
    for (size, objective) in [("2x4", "tile:128"), ("3x4", "tile:8")] {
        let bytes = |threads| {
            let folder = folder();
            let out = folder.path().join("table.etb");
            generate_2048(size, objective, &out).args(["--threads", threads]).run().printed();
            fs::read(out).unwrap()
        };
        let one = bytes("1");
        assert!(bytes("2") == one && bytes("5") == one, "{size} {objective}");
    }
}
