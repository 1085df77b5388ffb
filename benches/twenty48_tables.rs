//! 2048 on small boards: `cargo bench --bench twenty48_tables`, or `make bench`.
//!
//! Each table is generated through the library, from nothing to a finished file, on one thread and
//! on two; then the largest through the program, for its memory; then random boards of it are
//! probed one by one on one thread, with all their moves. Takes a minute or two and 500 MB of disk.

mod measure;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use endtable::games::Game;
use endtable::games::twenty48::{Board, Tables, Twenty48};
use endtable::job::{Ending, Run};
use endtable::random::SplitMix64;
use endtable::table::{Header, Options, Table, read_header};
use measure::stages::Stages;
use measure::{grouped, load, machine, micros, run, time_each};

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
    let options = Options::default().with("board", board).with("objective", objective);
    let job = Twenty48.job(&options).expect("such a table can be made");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let stop = AtomicBool::new(false);
    let stages = Stages::default();
    let settings = Run {
        out,
        memory: 1 << 30,
        replace: false,
        stop: &stop,
        save_every: Run::SAVE_EVERY,
        progress: &stages,
    };
    let expected = pool.install(|| job.expect()).positions;
    let start = Instant::now();
    let ending = pool.install(|| job.run(&settings));
    let seconds = start.elapsed().as_secs_f64();
    assert!(matches!(ending, Ok(Ending::Finished)), "{ending:?}");
    let header = read_header(out).expect("just made");
    let bytes = header.file_length as f64 / header.records as f64;
    let rates = stages.rates(header.records).into_iter().map(|rate| format!("{rate:>5.2} M/s"));
    println!(
        "{board} {objective:<10} {threads:>7} {:>11} {:>8.0} % {bytes:>14.2} {seconds:>8.2}  {}",
        grouped(header.records),
        100.0 * expected / header.records as f64,
        rates.collect::<Vec<_>>().join("  ")
    );
    header
}

fn check(out: &Path, header: &Header, states: Option<u64>, value: f64) {
    assert!(states.is_none_or(|states| states == header.records), "{header:?}");
    let tables = Tables::open(&[out]).expect("just made");
    let found = tables.start().expect("sound").expect("all starts are there");
    // The last digit that is published.
    assert!((found - value).abs() < if value < 1.0 { 5e-5 } else { 6e-4 }, "{found}, not {value}");
}

fn print_probes(path: &Path) {
    let tables = Tables::open(&[path]).expect("just made");
    let boards = random_boards(&tables);
    let value = time_each(&boards, |board| tables.probe(board));
    let moves = time_each(&boards, |board| tables.moves(board));
    println!("\nprobe of a random 3x3 board, warm, one thread: median, slowest hundredth");
    println!("  value and best move  {}  {}", micros(value.median), micros(value.percentile_99));
    println!("  all four moves       {}  {}", micros(moves.median), micros(moves.percentile_99));
}

fn random_boards(tables: &Tables) -> Vec<Board> {
    let table: &Table = &tables.set().tables()[0];
    let mut random = SplitMix64::new(1);
    let numbers = (0..PROBES).map(|_| random.below(table.len()));
    let records = numbers.map(|number| table.records_from(number).next());
    let record = |record: Option<Result<_, _>>| record.expect("in the table").expect("sound");
    records.map(|it| tables.board(&record(it)).expect("a board")).collect()
}

/// The largest table through the program, with the memory that it takes.
fn print_memory(out: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_endtable"));
    command.args(["generate", "2048", "--board", "3x3", "--objective", "score", "--out"]);
    let process = run(command.arg(out));
    println!(
        "\ngenerate 2048 --board 3x3 --objective score: {:.1} s, {} MiB resident at most",
        process.time.as_secs_f64(),
        process.peak_memory >> 20
    );
}
