//! 2048 beyond nine cells: `cargo bench --bench twenty48_patterns`, or `make bench`.
//!
//! First L3 to 128 beside 3x3 to 1024, through the library, for the rates of their stages; then the
//! larger tables through the program, from nothing to a finished file, for their time, size and memory;
//! then random boards of one of them are probed with all their moves. The last two tables take about
//! a quarter of an hour together, and 30 GB of disk: they are left out where there is less.

mod measure;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use endtable::games::Game;
use endtable::games::twenty48::{Board, PatternTables, Size, Twenty48};
use endtable::job::{Ending, Run};
use endtable::random::SplitMix64;
use endtable::table::{Options, read_header};
use measure::stages::Stages;
use measure::{grouped, load, machine, micros, run, time_each};

const PROBES: usize = 20_000;

/// A job's options, and how many afterstates its table is known to have.
type Stage = (&'static [(&'static str, &'static str)], Option<u64>);

/// Tables by their options, with the afterstates that are known to be in them.
const STAGES: [Stage; 2] = [
    (&[("board", "3x3"), ("objective", "tile:1024")], None),
    (&[("pattern", "L3"), ("objective", "tile:128")], Some(36_250_435)),
];

/// Tables through the program: what is made, how much memory, and the disk that must be free.
const TABLES: [(&[&str], &str, u64); 7] = [
    (&["--pattern", "442", "--objective", "tile:256"], "1G", 0),
    (&["--pattern", "L3", "--objective", "tile:256"], "1G", 0),
    (&["--pattern", "L3", "--objective", "tile:512"], "3G", 0),
    (&["--board", "3x4", "--objective", "tile:32"], "4G", 0),
    (&["--board", "3x4", "--objective", "tile:64"], "4G", 0),
    (&["--board", "3x4", "--objective", "tile:128"], "12G", 30 << 30),
    (&["--pattern", "4421", "--objective", "tile:512"], "6G", 30 << 30),
];

fn main() {
    println!("machine: {}; load {}\n", machine(), load());
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the folder is cargo's");
    println!("table                       records  seconds   M/s  forward  backward  writing");
    let rates = STAGES.map(|(options, records)| print_stages(folder.path(), options, records));
    println!("L3 to 128 at {:.2} times the rate of 3x3 to 1024\n", rates[1] / rates[0]);
    println!(
        "table                              records       MB  B a record  seconds  core s   M/s  MiB"
    );
    for (options, memory, disk) in TABLES {
        print_table(folder.path(), options, memory, disk);
    }
    print_probes(folder.path());
}

/// Prints how fast the stages are, and answers records a second.
fn print_stages(folder: &Path, options: &[(&str, &str)], records: Option<u64>) -> f64 {
    let named = options.iter().fold(Options::default(), |all, (name, value)| all.with(name, value));
    let job = Twenty48.job(&named).expect("such a table can be made");
    let (stop, stages) = (AtomicBool::new(false), Stages::default());
    let out = folder.join("stages.etb");
    let settings = Run {
        out: &out,
        memory: 4 << 30,
        replace: false,
        stop: &stop,
        save_every: Run::SAVE_EVERY,
        progress: &stages,
    };
    let start = Instant::now();
    let ending = job.run(&settings);
    let seconds = start.elapsed().as_secs_f64();
    assert!(matches!(ending, Ok(Ending::Finished)), "{ending:?}");
    let header = read_header(&out).expect("just made");
    assert!(records.is_none_or(|records| records == header.records), "{header:?}");
    fs::remove_file(&out).expect("just made");
    let rate = header.records as f64 / seconds / 1e6;
    let rates = stages.rates(header.records).into_iter().map(|rate| format!("{rate:>8.2}"));
    let name: Vec<&str> = options.iter().map(|(_, value)| *value).collect();
    println!(
        "{:<21} {:>13} {seconds:>8.2} {rate:>5.2} {}",
        name.join(" "),
        grouped(header.records),
        rates.collect::<Vec<_>>().join("  ")
    );
    rate
}

fn print_table(folder: &Path, options: &[&str], memory: &str, disk: u64) {
    let name = options.iter().skip(1).step_by(2).copied().collect::<Vec<_>>().join(" ");
    if free_disk(folder) < disk {
        println!("{name:<28} left out: {} GB of disk are not free", disk >> 30);
        return;
    }
    let out = folder.join(format!("{}.etb", name.replace([' ', ':'], "-")));
    let mut command = Command::new(env!("CARGO_BIN_EXE_endtable"));
    command.args(["generate", "2048"]).args(options).args(["--memory", memory, "--out"]);
    command.arg(&out).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let process = run(&mut command);
    let header = read_header(&out).expect("just made");
    let (seconds, records) = (process.time.as_secs_f64(), header.records as f64);
    println!(
        "{name:<28} {:>13} {:>8.1} {:>11.2} {seconds:>8.1} {:>7.1} {:>5.2} {:>4}",
        grouped(header.records),
        header.file_length as f64 / 1e6,
        header.file_length as f64 / records,
        process.core_time.as_secs_f64(),
        records / seconds / 1e6,
        process.peak_memory >> 20
    );
    if name != "L3 tile:256" {
        fs::remove_file(&out).expect("just made");
    }
}

/// Bytes that are free where a folder is, as `df` says; all if it does not.
fn free_disk(folder: &Path) -> u64 {
    let said = Command::new("df").args(["--output=avail", "-B1"]).arg(folder).output();
    let said = said.ok().and_then(|said| String::from_utf8(said.stdout).ok());
    said.and_then(|said| said.lines().nth(1)?.trim().parse().ok()).unwrap_or(u64::MAX)
}

fn print_probes(folder: &Path) {
    let tables = PatternTables::open(&[folder.join("L3-tile-256.etb")]).expect("just made");
    let boards = random_boards(&tables);
    let moves = time_each(&boards, |board| tables.probe(board));
    println!("\nprobe of a random board of L3 to 256, all four moves, warm, one thread:");
    println!(
        "  median {}, slowest hundredth {}",
        micros(moves.median),
        micros(moves.percentile_99)
    );
}

/// Positions of games from the seeds in which random moves are made.
fn random_boards(tables: &PatternTables) -> Vec<Board> {
    let rules = tables.tables()[0].rules();
    let mut random = SplitMix64::new(1);
    let mut boards = Vec::new();
    let mut after = rules.pattern().seeds()[0];
    while boards.len() < PROBES {
        let spawns: Vec<_> = after.spawns(Size::FULL).collect();
        let (board, _) = spawns[random.below(spawns.len() as u64) as usize];
        boards.push(board);
        let moves: Vec<Board> = rules.pattern().slides(board).into_iter().flatten().collect();
        let moves = moves.get(random.below(4) as usize % moves.len().max(1));
        let next = moves.copied().filter(|&next| !rules.is_won(next));
        after = next.unwrap_or(rules.pattern().seeds()[0]);
    }
    boards
}
