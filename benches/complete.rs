//! The complete tables of Collapsi: `cargo bench --bench complete`, or `make bench`.
//!
//! Everything is generated through the program, from nothing to finished files, with both joker
//! rules; then random positions are probed one by one on one thread, each layer as often as it has
//! positions. Takes a few minutes, 2.5 GB of memory and 1 GB of disk.

mod measure;

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use endtable::games::collapsi::{Board, CompleteTables, Layer, Rules};
use endtable::table::Table;
use measure::boards::random_boards;
use measure::{load, machine, micros, run, time_each};

const PROBES: usize = 20_000;
const COLD_PROBES: usize = 500;
const LINES: usize = 1_000_000;

fn main() {
    println!("machine: {}; load {}", machine(), load());
    println!("tables:  generate collapsi --complete\n");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the folder is cargo's");
    print_generation(folder.path());
    print_sizes(folder.path());
    for rules in Rules::ALL {
        let tables = CompleteTables::open(folder.path(), rules).expect("just generated");
        print_published(&tables);
        print_probes(&tables);
        print_lines(&tables, folder.path());
        print_cold(tables, folder.path());
        print_deals(folder.path(), rules);
    }
}

/// All deals up to symmetry as records: 1,982,769 classes, by any way of counting.
fn print_deals(folder: &Path, rules: Rules) {
    let out = folder.join(format!("deals-{rules}.etb"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_endtable"));
    command
        .args(["generate", "collapsi", "--deals", "--rules", &rules.to_string(), "--tables"])
        .arg(folder)
        .arg("--out")
        .arg(&out);
    let process = run(&mut command);
    let (wall, core) = (process.time.as_secs_f64(), process.core_time.as_secs_f64());
    let records = Table::open(&out).expect("just generated").len();
    println!("{records} deals as records in {wall:.1} s, {core:.1} core seconds");
    assert_eq!(records, 1_982_769);
}

fn print_generation(folder: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_endtable"));
    let process = run(command.args(["generate", "collapsi", "--complete", "--out"]).arg(folder));
    let (wall, core) = (process.time.as_secs_f64(), process.core_time.as_secs_f64());
    println!("\ngenerated in {wall:.1} s (target 150, aim 90), {core:.1} core seconds");
    println!("peak memory  {} MiB (target 6144)", process.peak_memory >> 20);
}

fn print_sizes(folder: &Path) {
    let (mut all, mut sparse) = (0, 0);
    for entry in fs::read_dir(folder).expect("just generated").flatten() {
        let bytes = entry.metadata().map_or(0, |file| file.len());
        let name = entry.file_name().into_string().unwrap_or_default();
        let left_out = ["04", "06", "08", "10", "12"].map(|n| format!("collapsi-{n}.etd"));
        all += bytes;
        sparse += if left_out.contains(&name) { 0 } else { bytes };
    }
    println!("all files    {:.1} MB (target 1000)", all as f64 / 1e6);
    println!("sparse       {:.1} MB (target 600)", sparse as f64 / 1e6);
}

/// What others have published about the rule `wild`: 37.5 % of deals are won by the first player,
/// 6.4 % last 14 plies, none fewer than 7.
fn print_published(tables: &CompleteTables) {
    let table = tables.layer(Layer::MOST).expect("the set is complete");
    let (mut deals, mut won, mut longest, mut shortest) = (0u64, 0, 0, u8::MAX);
    tables.index().weights(Layer::MOST, |numbers, weight| {
        for number in numbers {
            let plies = table.get(number).expect("sound").expect("there");
            let weight = u64::from(weight);
            deals += weight;
            won += if plies % 2 == 1 { weight } else { 0 };
            longest += if plies == 14 { weight } else { 0 };
            shortest = shortest.min(plies);
        }
    });
    let share = |part: u64| 100.0 * part as f64 / deals as f64;
    println!(
        "\nrule {}: {deals} deals, {:.2} % won by the first player, {:.2} % last 14 plies, \
         none under {shortest}",
        tables.rules(),
        share(won),
        share(longest)
    );
    if tables.rules() == Rules::Wild {
        let right = (share(won) - 37.5).abs() < 0.05 && (share(longest) - 6.4).abs() < 0.05;
        assert!(right && shortest == 7, "the published figures are 37.5 %, 6.4 % and 7");
        println!("the published figures come out: 37.5 %, 6.4 %, 7");
    }
}

fn print_probes(tables: &CompleteTables) {
    let boards = random_boards(tables.index(), PROBES);
    let value = time_each(&boards, |board| tables.value(&board));
    let moves = time_each(&boards, |board| tables.moves(&board));
    for (name, each, target) in [("value", value, 10), ("all moves", moves, 100)] {
        println!(
            "{name:<10} median {:>9} (target {target}), slowest hundredth {:>9}",
            micros(each.median),
            micros(each.percentile_99)
        );
    }
}

/// A million lines through the program: positions in the order of the tables, and in none.
fn print_lines(tables: &CompleteTables, folder: &Path) {
    let layer = 12;
    let middle = tables.index().len(layer) / 2;
    let neighbours = (middle..).filter_map(|number| tables.index().unrank(layer, number));
    let sorted: Vec<Board> = neighbours.take(LINES).collect();
    let random = random_boards(tables.index(), LINES);
    for (name, boards, target) in [("sorted", sorted, 300_000), ("random", random, 100_000)] {
        let lines: String = boards.iter().map(|board| format!("{}\n", board.key())).collect();
        let path = folder.join("lines");
        fs::write(&path, lines).expect("a file can be written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_endtable"));
        command
            .args(["probe", "--stdin", "--rules", &tables.rules().to_string()])
            .arg(folder)
            .stdin(fs::File::open(&path).expect("just written"))
            .stdout(Stdio::null());
        let process = run(&mut command);
        let rate = LINES as f64 / process.time.as_secs_f64();
        println!(
            "lines, {name:<8} {rate:.0} a second (target {target}), {:.1} core seconds, {} MiB",
            process.core_time.as_secs_f64(),
            process.peak_memory >> 20
        );
        fs::remove_file(&path).expect("just written");
    }
}

/// The same after the system has been asked to forget the files, which it does only when they are
/// not mapped: they are closed first. Opening reads header, index and footer again, not the blocks.
fn print_cold(tables: CompleteTables, folder: &Path) {
    let (boards, rules) = (random_boards(tables.index(), COLD_PROBES), tables.rules());
    drop(tables);
    for entry in fs::read_dir(folder).expect("just generated").flatten() {
        let mut file = std::ffi::OsString::from("of=");
        file.push(entry.path());
        let forgotten = Command::new("dd")
            .arg(file)
            .args(["oflag=nocache", "conv=notrunc,fdatasync", "count=0", "status=none"])
            .status();
        if !forgotten.is_ok_and(|status| status.success()) {
            return println!("cold: not measured, dd cannot drop the files from the cache");
        }
    }
    let tables = CompleteTables::open(folder, rules).expect("just generated");
    let mut times: Vec<Duration> = boards
        .iter()
        .map(|board| {
            let start = Instant::now();
            black_box(tables.value(board).expect("sound"));
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!("value, cold median {}", micros(times[times.len() / 2]));
}
