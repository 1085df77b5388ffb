//! 2048 on small boards: `cargo bench --bench twenty48_tables`, or `make bench`.
//!
//! Each table is generated through the library, from nothing to a finished file, on one thread and
//! on two; then the largest through the program, for its memory; then random boards of it are
//! probed one by one on one thread, with all their moves. Takes a minute or two and 500 MB of disk.

mod measure;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use endtable::games::random::SplitMix64;
use endtable::games::twenty48::{Board, Objective, Rules};
use endtable::generate::twenty48::{Exact, expect, generate};
use endtable::generate::{Options, Outcome};
use endtable::probe::Twenty48Tables;
use endtable::progress::Progress;
use endtable::table::{Codec, Compression, Description, Game, Header, Table, TableSet, ValueKind};
use measure::{grouped, load, machine, micros, time_each};

const PROBES: usize = 20_000;

/// The tables, each with what is published of it: the states, where they are, and the value of a
/// random start.
const TABLES: [(&str, &str, Option<u64>, f64); 6] = [
    ("2x3", "score", Some(21_752), 480.2583),
    ("2x4", "tile:256", None, 0.8698),
    ("2x4", "score", Some(4_980_767), 2641.873),
    ("3x3", "tile:512", None, 0.7368),
    ("3x3", "tile:1024", None, 0.0113),
    ("3x3", "score", Some(48_713_519), 5468.486797),
];

fn main() {
    println!("machine: {}; load {}\n", machine(), load());
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the folder is cargo's");
    println!(
        "table          threads      states  expected   bytes a record  seconds  forward  backward  merge"
    );
    for (board, objective, states, value) in TABLES {
        for threads in [1, 2] {
            let out = folder.path().join("table.etb");
            let header = print_generation(&out, board, objective, threads);
            check(&out, &header, states, value);
            if (board, objective, threads) != ("3x3", "score", 2) {
                fs::remove_file(&out).expect("just made");
            }
        }
    }
    print_probes(&folder.path().join("table.etb"));
    print_memory(&folder.path().join("again.etb"));
}

fn print_generation(out: &Path, board: &str, objective: &str, threads: usize) -> Header {
    let rules = Rules {
        size: board.parse().expect("a size"),
        objective: objective.parse().expect("an objective"),
    };
    let value = match rules.objective {
        Objective::Tile(_) => ValueKind::Chance32,
        _ => ValueKind::F32,
    };
    let source = Exact { rules, start: None };
    let description = Description {
        game: Game::Twenty48,
        rules: rules.number(),
        codec: Codec::Canonical,
        value,
        compression: Compression::Packed,
        generator: Description::this_generator(),
        command: format!("benchmark {board} {objective}"),
        licence: Description::LICENCE.into(),
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let stop = AtomicBool::new(false);
    let options = Options {
        out,
        memory: 1 << 30,
        force: false,
        stop: &stop,
        save_every: Options::SAVE_EVERY,
    };
    let stages = Stages::default();
    let expected = pool.install(|| expect(&source, value)).states;
    let start = Instant::now();
    let outcome = pool.install(|| generate(&source, &description, &options, &stages));
    let seconds = start.elapsed().as_secs_f64();
    let Ok(Outcome::Finished(header)) = outcome else { panic!("{outcome:?}") };
    let bytes = header.file_length as f64 / header.records as f64;
    let times = stages.times.into_inner().expect("no thread has panicked");
    let rates = times
        .iter()
        .map(|time| format!("{:>5.2} M/s", header.records as f64 / time.as_secs_f64() / 1e6));
    println!(
        "{board} {objective:<10} {threads:>7} {:>11} {:>8.0} % {bytes:>14.2} {seconds:>8.2}  {}",
        grouped(header.records),
        100.0 * expected / header.records as f64,
        rates.collect::<Vec<_>>().join("  ")
    );
    header
}

/// How long each stage takes.
#[derive(Default)]
struct Stages {
    times: Mutex<Vec<Duration>>,
    begun: Mutex<Option<Instant>>,
}

impl Progress for Stages {
    fn begin(&self, _stage: &str, _total: u64, _done: u64) {
        *self.begun.lock().expect("no thread has panicked") = Some(Instant::now());
    }

    fn advance(&self, _steps: u64, _items: u64) {}

    fn end(&self) {
        if let Some(begun) = self.begun.lock().expect("no thread has panicked").take() {
            self.times.lock().expect("no thread has panicked").push(begun.elapsed());
        }
    }
}

fn check(out: &Path, header: &Header, states: Option<u64>, value: f64) {
    assert!(states.is_none_or(|states| states == header.records), "{header:?}");
    let tables = Twenty48Tables::new(TableSet::open(&[out]).expect("just made")).expect("of 2048");
    let found = tables.start().expect("sound").expect("all starts are there");
    // The last digit that is published.
    assert!((found - value).abs() < if value < 1.0 { 5e-5 } else { 6e-4 }, "{found}, not {value}");
}

fn print_probes(path: &Path) {
    let tables = Twenty48Tables::new(TableSet::open(&[path]).expect("just made")).expect("of 2048");
    let boards = random_boards(&tables);
    let value = time_each(&boards, |board| tables.probe(board));
    let moves = time_each(&boards, |board| tables.moves(board));
    println!("\nprobe of a random 3x3 board, warm, one thread: median, slowest hundredth");
    println!("  value and best move  {}  {}", micros(value.median), micros(value.percentile_99));
    println!("  all four moves       {}  {}", micros(moves.median), micros(moves.percentile_99));
}

fn random_boards(tables: &Twenty48Tables) -> Vec<Board> {
    let table: &Table = &tables.set().tables()[0];
    let mut random = SplitMix64::new(1);
    let numbers = (0..PROBES).map(|_| random.below(table.len()));
    let records = numbers.map(|number| table.records_from(number).next());
    let record = |record: Option<Result<_, _>>| record.expect("in the table").expect("sound");
    records.map(|it| tables.board(&record(it)).expect("a board")).collect()
}

/// The largest table through the program, with the memory that it takes.
fn print_memory(out: &Path) {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_endtable"))
        .args(["generate", "2048", "--board", "3x3", "--objective", "score", "--out"])
        .arg(out)
        .spawn()
        .expect("the program was built");
    let mut peak = String::new();
    while child.try_wait().expect("it is ours").is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        if let Some(line) = status.lines().find_map(|line| line.strip_prefix("VmHWM:")) {
            peak = line.trim().into();
        }
        thread::sleep(Duration::from_millis(20));
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "\ngenerate 2048 --board 3x3 --objective score: {seconds:.1} s, {peak} resident at most"
    );
}
