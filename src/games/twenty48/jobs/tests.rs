//! Tables made, stopped, resumed and probed; recipes that make the same table again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::*;
use crate::games::twenty48::{Limit, Settings, Tables};
use crate::job::{Cut, Ending, JobError, Progress, Run, ShardId, Shards as _, work_folder};
use crate::random::SplitMix64;

/// A job that solves the rules that a text names.
pub(in crate::games::twenty48) fn exact(rules: &str, value: Option<ValueKind>) -> ExactPositions {
    ExactPositions::new(rules.parse().unwrap(), None, value).unwrap()
}

/// A job that plays a few games quickly.
pub(in crate::games::twenty48) fn searched(seeds: std::ops::Range<u64>) -> SearchedGames {
    let settings = Settings {
        size: "3x3".parse().unwrap(),
        heuristic: "edges".parse().unwrap(),
        limit: Limit::Depth(1),
        ..Settings::default()
    };
    SearchedGames::new(seeds, settings).unwrap()
}

/// How a table is made.
struct How {
    memory: u64,
    threads: usize,
    save_every: Duration,
    /// Stops after so many steps, and resumes, until it is made.
    stop_after: Option<u64>,
}

const PLAIN: How =
    How { memory: 1 << 30, threads: 2, save_every: Run::SAVE_EVERY, stop_after: None };

/// Asks to stop after some steps, but not any more when all that remains is to write the table.
struct StopAfter<'a> {
    steps: AtomicU64,
    stop: &'a AtomicBool,
}

impl Progress for StopAfter<'_> {
    fn begin(&self, stage: &str, _total: u64, _done: u64) {
        if stage == "merging" {
            self.steps.store(u64::MAX, Ordering::Relaxed);
        }
    }

    fn advance(&self, _steps: u64, _items: u64) {
        if self.steps.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn end(&self) {}
}

/// Makes a table, and says how often it was stopped.
fn make(job: &dyn Job, out: &Path, how: &How) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(how.threads).build().unwrap();
    for stops in 0..1000 {
        let stop = AtomicBool::new(false);
        let steps = AtomicU64::new(how.stop_after.unwrap_or(u64::MAX));
        let progress = StopAfter { steps, stop: &stop };
        let run = Run {
            out,
            memory: how.memory,
            replace: false,
            stop: &stop,
            save_every: how.save_every,
            progress: &progress,
        };
        match pool.install(|| job.run(&run)).unwrap() {
            Ending::Finished => {
                assert!(!work_folder(out).exists());
                return stops;
            }
            Ending::Stopped { done, total, .. } => assert!(done <= total, "{done} of {total}"),
        }
    }
    panic!("it never ends")
}

fn bytes(job: &dyn Job, how: &How) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("table.etb");
    let stops = make(job, &out, how);
    assert_eq!(stops > 0, how.stop_after.is_some());
    fs::read(out).unwrap()
}

/// A table that was made, opened.
pub(in crate::games::twenty48) fn made(job: &dyn Job) -> (tempfile::TempDir, Tables) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("table.etb");
    make(job, &out, &PLAIN);
    (folder, Tables::open(&[out]).unwrap())
}

/// A table of a pattern that was made, in a folder of its own.
pub(in crate::games::twenty48) fn pattern_table(rules: &str) -> (tempfile::TempDir, PathBuf) {
    let job = PatternAfterstates::new(rules.parse().unwrap(), &[], None).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("table.etb");
    make(&job, &out, &PLAIN);
    (folder, out)
}

#[test]
fn published_counts_and_values() {
    for (rules, value, count, start, within) in [
        ("2x2 score", Some(ValueKind::F64), Some(110), 66.96414946, 5e-9),
        ("2x3 score", None, Some(21_752), 480.2583, 5e-5),
        ("3x2 score", None, Some(21_752), 480.2583, 5e-5),
        ("2x2 tile:16", Some(ValueKind::F64), None, 770_009_003.0 / 800_000_000.0, 1e-15),
        ("2x3 tile:128", None, None, 0.0570, 5e-5),
    ] {
        let (_folder, tables) = made(&exact(rules, value));
        let found = tables.set().tables()[0].len();
        assert!(count.is_none_or(|count| count == found), "{rules}: {found}");
        let found = tables.start().unwrap().unwrap();
        assert!((found - start).abs() <= within, "{rules}: {found}");
        assert_eq!(tables.rules().to_string(), rules);
    }
}

#[test]
fn memory_threads_saving_and_stops_leave_no_trace() {
    const FIXED: u64 = crate::job::FIXED_MEMORY;
    // The boards of the second are too many to be numbered.
    for (job, some, little) in [
        (exact("2x3 score", None), FIXED + 20_000, FIXED + 4000),
        (exact("3x4 tile:8", None), FIXED + 2 * 200 * 1000, FIXED + 2 * 200 * 100),
    ] {
        let whole = bytes(&job, &PLAIN);
        for how in [
            How { threads: 1, ..PLAIN },
            How { threads: 5, ..PLAIN },
            How { memory: some, ..PLAIN },
            How { memory: little, ..PLAIN },
            How { memory: 0, threads: 3, ..PLAIN },
            How { save_every: Duration::ZERO, ..PLAIN },
            How { memory: some, save_every: Duration::ZERO, ..PLAIN },
            How { stop_after: Some(9), ..PLAIN },
            How { memory: little, stop_after: Some(30), ..PLAIN },
        ] {
            let How { memory, threads, save_every, stop_after } = how;
            assert!(
                bytes(&job, &how) == whole,
                "{}: {memory} {threads} {save_every:?} {stop_after:?}",
                job.recipe()
            );
        }
    }
}

/// Works on a shard with one thread.
fn work_on(job: &dyn Job, shard: &ShardId, out: &Path) -> Result<Ending, JobError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let stop = AtomicBool::new(false);
    let run = Run {
        out,
        memory: 1 << 30,
        replace: true,
        stop: &stop,
        save_every: Run::SAVE_EVERY,
        progress: &crate::job::Quiet,
    };
    pool.install(|| job.shard(shard, &run))
}

fn pattern(rules: &str, starts: &[&str]) -> Box<dyn Job> {
    let boards: Vec<Board> =
        starts.iter().map(|text| start_board(text, Size::FULL).unwrap()).collect();
    Box::new(PatternAfterstates::new(rules.parse().unwrap(), &boards, None).unwrap())
}

/// Small jobs that have no numbers.
fn sorted_jobs() -> Vec<Box<dyn Job>> {
    let start = start_board("4,2,4,2/2,4,0,0/0,0,0,0/0,0,0,2", Size::FULL).unwrap();
    let board = ExactPositions::new("4x4 tile:8".parse().unwrap(), Some(start), None).unwrap();
    vec![Box::new(board), pattern("4x4 tile:8 six F,F,F,F/F,F,F,F/F,F,0,0/0,0,0,2", &[])]
}

/// Small jobs of all kinds.
fn small_jobs() -> Vec<Box<dyn Job>> {
    let mut jobs: Vec<Box<dyn Job>> = vec![
        Box::new(exact("2x3 score", None)),
        Box::new(exact("3x3 tile:32", None)),
        pattern("4x4 tile:16 L3", &[]),
        pattern("4x4 tile:16 t", &[]),
        pattern(
            "4x4 tile:16 mine FFFF/FF../..../.... F,F,F,F/F,F,0,0/0,0,0,0/0,0,0,2",
            &["64,32,16,128/256,512,2,4/0,8,0,0/0,4,0,2"],
        ),
    ];
    jobs.extend(sorted_jobs());
    jobs
}

/// The stages of a plan whose shards are several.
fn planned(job: &dyn Job, shards: u64) -> Vec<Vec<ShardId>> {
    let plan = job.plan(Cut { shards, cores: 1 }).unwrap();
    let stages: Vec<Vec<ShardId>> = plan.stages.iter().map(|it| it.ids().collect()).collect();
    assert!(stages.len() > 2, "{}", job.recipe());
    stages
}

#[test]
fn sorted_jobs_have_several_hands() {
    for job in sorted_jobs() {
        for name in ["find-", "solve-"] {
            let mut stages = planned(&*job, 3).into_iter();
            assert!(stages.any(|it| it[0].stage.starts_with(name) && it.len() == 3), "{name}");
        }
    }
}

/// The last layers of patterns are empty: where the end is must not depend on what was saved.
#[test]
fn sorted_jobs_are_resumed_from_any_layer() {
    for job in sorted_jobs() {
        let job = &*job;
        let whole = bytes(job, &PLAIN);
        for steps in 1..16 {
            for save_every in [Run::SAVE_EVERY, Duration::ZERO] {
                let folder = tempfile::tempdir().unwrap();
                let out = folder.path().join("table.etb");
                make(job, &out, &How { stop_after: Some(steps), save_every, ..PLAIN });
                assert!(fs::read(out).unwrap() == whole, "{}: {steps}", job.recipe());
            }
        }
    }
}

#[test]
fn plans_make_the_same_tables() {
    for job in small_jobs() {
        let job = &*job;
        let whole = bytes(job, &PLAIN);
        for (hands, order) in [(1, 0), (2, 1), (3, 2), (3, 3), (3, 4)] {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().join("table.etb");
            let stages = planned(job, hands);
            for stage in &stages {
                let finished = |shard: &ShardId| {
                    assert!(matches!(work_on(job, shard, &out).unwrap(), Ending::Finished));
                };
                match order {
                    // One after the other, each twice, all at once, and one of the hands alone.
                    0 | 1 => stage.iter().for_each(finished),
                    2 => stage.iter().chain(stage).rev().for_each(finished),
                    4 if stage[0].stage.contains('-') => finished(&stage[stage.len() - 1]),
                    _ => std::thread::scope(|scope| {
                        for shard in stage.iter().chain(&stage[..1]) {
                            scope.spawn(move || finished(shard));
                        }
                    }),
                }
                assert!(stage.iter().all(|shard| job.is_done(shard, &out)), "{}", stage[0]);
            }
            assert!(fs::read(&out).unwrap() == whole, "{}: {hands} {order}", job.recipe());
            assert!(!work_folder(&out).exists(), "{}", job.recipe());
        }
    }
}

/// All files below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// Flips a bit of some files, cuts others short.
fn damage(files: &[PathBuf], random: &mut SplitMix64) {
    for path in files {
        let mut bytes = fs::read(path).unwrap_or_default();
        match random.next() % 4 {
            _ if bytes.is_empty() => continue,
            0 => bytes.truncate((random.next() % bytes.len() as u64) as usize),
            _ => {
                let at = (random.next() % bytes.len() as u64) as usize;
                bytes[at] ^= 1 << (random.next() % 8);
            }
        }
        fs::write(path, bytes).unwrap();
    }
}

/// Stops a shard after some layers.
fn stop_early(job: &dyn Job, shard: &ShardId, out: &Path, layers: u64) {
    let stop = AtomicBool::new(false);
    let progress = StopAfter { steps: AtomicU64::new(layers), stop: &stop };
    let run = Run {
        out,
        memory: 1 << 30,
        replace: true,
        stop: &stop,
        save_every: Run::SAVE_EVERY,
        progress: &progress,
    };
    job.shard(shard, &run).unwrap();
}

#[test]
fn plans_survive_stops_and_damaged_files() {
    let mut random = SplitMix64::new(20);
    for job in small_jobs() {
        let job = &*job;
        let whole = bytes(job, &PLAIN);
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("table.etb");
        let shards = planned(job, 3).concat();
        let mut damaged = 8;
        let last = shards.last().unwrap();
        while !job.is_done(last, &out) {
            let next = shards.iter().find(|shard| !job.is_done(shard, &out)).unwrap_or(last);
            if random.next().is_multiple_of(2) {
                stop_early(job, next, &out, 1 + random.next() % 9);
            }
            // A file that is missing is said to be, or is made again.
            let _ = work_on(job, next, &out);
            let recipe = work_folder(&out).join("recipe");
            let mut files = files_below(&work_folder(&out));
            files.retain(|path| *path != recipe && random.next().is_multiple_of(3));
            files.sort();
            if damaged > 0 {
                damage(&files, &mut random);
                damaged -= 1;
            }
        }
        assert!(fs::read(&out).unwrap() == whole, "{}", job.recipe());
    }
}

#[test]
fn what_a_shard_needs_must_be_there() {
    let job = exact("3x3 tile:64", None);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("table.etb");
    let shards = planned(&job, 2).concat();
    for shard in &shards[shards.len() / 4..] {
        let error = work_on(&job, shard, &out).unwrap_err().to_string();
        assert!(error.contains("are not there; run what is left of the plan"), "{error}");
        assert!(!job.is_done(shard, &out));
    }
    for name in ["find", "find-0-0", "find-9-3", "solve-0-100000", "found-0-3", "whole"] {
        let shard = ShardId { stage: name.into(), number: 0, of: 1 };
        let error = work_on(&job, &shard, &out).unwrap_err().to_string();
        assert!(error.contains("the job has no such shard"), "{error}");
    }
}

#[test]
fn searched_games_leave_no_trace_of_threads_and_stops() {
    let job = searched(3..40);
    let whole = bytes(&job, &PLAIN);
    assert!(bytes(&job, &How { threads: 1, ..PLAIN }) == whole);
    assert!(bytes(&job, &How { stop_after: Some(2), ..PLAIN }) == whole);
    assert!(bytes(&job, &How { memory: job.least_memory(), ..PLAIN }) == whole);
}

#[test]
fn recipes_make_the_same_jobs_again() {
    let with = |options: &[(&str, &str)]| {
        options.iter().fold(Options::default(), |all, (name, value)| all.with(name, value))
    };
    for (options, printed) in [
        (with(&[("board", "2x3")]), "--board 2x3 --objective score --value f32"),
        (
            with(&[("value", "f64"), ("board", "2x4"), ("objective", "tile:256")]),
            "--board 2x4 --objective tile:256 --value f64",
        ),
        (
            with(&[("board", "2x3"), ("objective", "tile:128"), ("start", "64,32,16/2,2,0")]),
            "--board 2x3 --objective tile:128 --start 0000000000110456 --value chance32",
        ),
        (
            with(&[("board", "3x3"), ("depth", "2"), ("seeds", "0..10")]),
            "--board 3x3 --seeds 0..10 --depth 2 --heuristic sum --cut-off 0.0001",
        ),
        (
            with(&[
                ("board", "4x4"),
                ("seeds", "5..6"),
                ("depth", "0"),
                ("cut-off", "0"),
                ("heuristic", "edges"),
                ("weights", "edge 7"),
            ]),
            "--board 4x4 --seeds 5..6 --depth 0 --heuristic edges --cut-off 0 \
             --weights \"open 20000, edge 7\"",
        ),
    ] {
        let job = Twenty48.job(&options).unwrap();
        assert_eq!(job.recipe().options.to_string(), printed);
        let again = Twenty48.job(&job.recipe().options).unwrap();
        assert_eq!(again.recipe(), job.recipe());
        assert!(job.expect().positions > 0.0 && job.least_memory() > 0);
    }
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    let with = |options: &[(&str, &str)]| {
        options.iter().fold(Options::default(), |all, (name, value)| all.with(name, value))
    };
    for (options, reason) in [
        (with(&[]), "no board"),
        (with(&[("board", "5x5")]), "not a board size"),
        (with(&[("board", "3x3"), ("objective", "tile:3")]), "not an objective"),
        (with(&[("board", "3x3"), ("objective", "search")]), "not an objective"),
        (with(&[("board", "2x2"), ("objective", "tile:64")]), "never seen on a 2x2 board"),
        (with(&[("board", "2x2"), ("start", "32,32/2,2")]), "no game leads to it"),
        (
            with(&[("board", "2x2"), ("start", "16,2/0,0"), ("objective", "tile:16")]),
            "there already",
        ),
        (with(&[("board", "2x2"), ("start", "2,2,2/2,2,2")]), "where the board is 2x2"),
        (with(&[("board", "2x2"), ("value", "chance32")]), "a score is no chance"),
        (with(&[("board", "2x2"), ("value", "u64")]), "expected f32, f64, chance16"),
        (with(&[("board", "2x2"), ("depth", "3")]), "for searched games"),
        (with(&[("board", "2x2"), ("seeds", "0..1")]), "give it"),
        (with(&[("board", "2x2"), ("seeds", "1..1"), ("depth", "1")]), "range is empty"),
        (with(&[("board", "2x2"), ("seeds", "0..1"), ("ms", "5")]), "a clock"),
        (with(&[("board", "2x2"), ("seeds", "0..1"), ("ms", "5"), ("depth", "1")]), "a clock"),
        (
            with(&[("board", "2x2"), ("seeds", "0..1"), ("depth", "1"), ("start", "5")]),
            "no objective",
        ),
        (
            with(&[("board", "2x2"), ("seeds", "0..1"), ("depth", "1"), ("heuristic", "strong")]),
            "for 4x4 boards",
        ),
    ] {
        let error = Twenty48.job(&options).err().unwrap_or_else(|| panic!("{options}"));
        assert!(error.to_string().contains(reason), "{options}: {error}");
    }
}

#[test]
fn what_a_job_expects_is_about_what_it_makes() {
    let job = exact("2x3 score", None);
    let expected = job.expect();
    assert_eq!((expected.positions, expected.exact), (21_752.0, true));
    assert!(expected.memory.is_some() && expected.seconds.is_some());
    assert!(expected.disk > expected.table);
    let made = bytes(&job, &PLAIN).len() as f64;
    assert!((0.5..=2.0).contains(&(expected.table / made)), "{expected:?}, true {made}");
}

#[test]
fn searches_that_differ_are_not_merged() {
    let folder = tempfile::tempdir().unwrap();
    let table = |name: &str, job: SearchedGames| {
        let out = folder.path().join(name);
        make(&job, &out, &PLAIN);
        crate::table::Table::open(out).unwrap()
    };
    let deeper = || {
        let settings = Settings { limit: Limit::Depth(0), ..searched(0..1).settings().clone() };
        SearchedGames::new(9..10, settings).unwrap()
    };
    let tables = [table("a", searched(0..1)), table("b", searched(1..2)), table("c", deeper())];
    Twenty48.check_merge(&tables[..2]).unwrap();
    let error = Twenty48.check_merge(&tables).unwrap_err().to_string();
    let (one, other) = (tables[0].path().display(), tables[2].path().display());
    let expected = format!("{one} and {other} differ in their search: depth 1 and 0");
    assert_eq!(error, expected);
}
