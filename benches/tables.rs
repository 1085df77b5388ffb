//! How fast tables are made and probed: `cargo bench --bench tables`, or `make bench`.
//!
//! Generation is timed through the program, from the seeds to the finished file. Probes are timed
//! one by one, on one thread, of random positions of that file, which is in the system's cache;
//! each figure stands beside its target. The last table is why blocks and zstd are set as they
//! are. Other stores with the same records are in `benches/peers`.

mod measure;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use endtable::games::collapsi::{Board, Enumerator, KeyedTables, Rules, Subgame, deal_from_seed};
use endtable::random::SplitMix64;
use endtable::table::{Layout, Record, Table, TableSet};
use measure::{
    Each, Process, core_timed, grouped, load, machine, median, micros, millions, run, time_each,
};
use rayon::prelude::*;
use zstd::bulk::{Compressor, Decompressor};

const SEEDS: u64 = 200;
const RUNS: usize = 3;
const PROBES: usize = 200_000;
const BATCH: usize = 1_000_000;
const MEMORY_BOUND: u64 = 1 << 30;

fn main() {
    println!("machine: {}; load {}", machine(), load());
    println!("table:   generate collapsi --seeds 0..{SEEDS} --rules one, the default settings\n");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the folder is cargo's");
    let compressed = print_generation(folder.path());
    let uncompressed = folder.path().join("uncompressed.etb");
    generate(SEEDS, &["--uncompressed"], &uncompressed);
    println!();
    print_probes(&compressed, &uncompressed);
    println!();
    print_options(&compressed);
}

/// Generates tables of more and more seeds, and answers where the largest is.
fn print_generation(folder: &Path) -> PathBuf {
    print!("{:<6}{:>11}{:>9}{:>10}", "seeds", "positions", "time", "rate");
    print!("{:>8}{:>7}{:>11}{:>10}", "target", "of it", "core time", "a core");
    println!("{:>13}{:>10}{:>7}{:>9}", "peak memory", "bound", "of it", "B/rec");
    let mut path = PathBuf::new();
    for seeds in [SEEDS / 4, SEEDS / 2, SEEDS] {
        path = folder.join(format!("{seeds}.etb"));
        let positions = count_positions(seeds);
        let runs: Vec<Process> = (0..RUNS).map(|_| generate(seeds, &[], &path)).collect();
        let time = median(runs.iter().map(|run| run.time));
        let core_time = median(runs.iter().map(|run| run.core_time));
        let memory = runs.iter().map(|run| run.peak_memory).max().unwrap_or(0);
        let table = open(&path);
        let rate = positions as f64 / time.as_secs_f64() / 2e6;
        print!("{seeds:<6}{:>11}{:>9}", grouped(positions), seconds(time));
        print!("{:>10}{:>8}{:>7}", millions(positions, time), "2 M/s", percent(rate));
        print!("{:>11}{:>10}", seconds(core_time), millions(positions, core_time));
        print!("{:>9} MiB{:>6} MiB", memory >> 20, MEMORY_BOUND >> 20);
        let bytes = table.header().file_length as f64 / table.len() as f64;
        println!("{:>7}{bytes:>9.2}", percent(memory as f64 / MEMORY_BOUND as f64));
    }
    println!("Positions enumerated and solved, before those that deals share are counted once.");
    println!(
        "Medians of {RUNS} runs, from process start to exit; core time is what the cores worked,"
    );
    println!("whatever else ran. The target for size is 3 bytes a record.");
    path
}

/// How many positions can be reached from all of the deals.
fn count_positions(seeds: u64) -> u64 {
    let count = |enumerator: &mut Enumerator, seed| {
        let mut positions = 0;
        enumerator.solve(&deal_from_seed(seed), Rules::One, |_| positions += 1);
        positions
    };
    (0..seeds).into_par_iter().map_init(Enumerator::new, count).sum()
}

fn generate(seeds: u64, flags: &[&str], out: &Path) -> Process {
    let mut command = Command::new(env!("CARGO_BIN_EXE_endtable"));
    command
        .args(["generate", "collapsi", "--rules", "one", "--force", "--seeds"])
        .arg(format!("0..{seeds}"))
        .args(flags)
        .arg("--out")
        .arg(out);
    run(command.stdout(Stdio::null()).stderr(Stdio::null()))
}

fn print_probes(compressed: &Path, uncompressed: &Path) {
    let records = random_records(&open(compressed), PROBES);
    let present: Vec<Board> = records.iter().map(|record| board(record.code)).collect();
    print!("{:<36}{:<14}{:>9}", "probe of a random position", "table", "median");
    println!("{:>9}{:>7}{:>10}", "target", "of it", "99 %");
    for (name, path, target) in [
        ("compressed", compressed, Duration::from_micros(5)),
        ("uncompressed", uncompressed, Duration::from_nanos(700)),
    ] {
        let tables = KeyedTables::new(TableSet::open(&[path]).expect("just made"));
        let tables = tables.expect("a Collapsi table");
        let table = &tables.set().tables()[0];
        let absent = absent_boards(&tables);
        let by_code = |boards: &[Board]| {
            let codes: Vec<u64> =
                boards.iter().map(|board| board.canonical().board.code()).collect();
            time_each(&codes, |code| table.get(code))
        };
        let by_board = |boards: &[Board]| {
            let boards: Vec<&Board> = boards.iter().collect();
            time_each(&boards, |board| tables.probe(board))
        };
        print_probe("by code, present", name, by_code(&present), target);
        print_probe("by code, absent", name, by_code(&absent), target);
        print_probe("by board, present", name, by_board(&present), target);
        print_probe("by board, absent", name, by_board(&absent), target);
    }
    println!("By board: the board is brought into canonical form and its code found first.\n");

    print!("{:<36}{:<14}{:>11}", "a million sorted probes at once", "table", "rate");
    println!("{:>9}{:>7}", "target", "of it");
    for (name, path) in [("compressed", compressed), ("uncompressed", uncompressed)] {
        let table = open(path);
        let mut codes: Vec<u64> =
            random_records(&table, BATCH).iter().map(|record| record.code).collect();
        codes.sort_unstable();
        let time = median((0..RUNS).map(|_| core_timed(|| table.get_many(&codes)).1));
        let rate = BATCH as f64 / time.as_secs_f64() / 1e6;
        print!("{:<36}{name:<14}", "by code, present");
        println!("{:>11}{:>9}{:>7}", millions(BATCH as u64, time), "1 M/s", percent(rate));
    }
    println!("On one core, by the time that it worked.");
}

fn print_probe(what: &str, table: &str, time: Each, target: Duration) {
    let share = percent(time.median.as_secs_f64() / target.as_secs_f64());
    print!("{what:<36}{table:<14}{:>9}{:>9}", micros(time.median), micros(target));
    println!("{share:>7}{:>10}", micros(time.percentile_99));
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn open(path: &Path) -> Table {
    Table::open(path).expect("just made")
}

fn all_records(table: &Table) -> Vec<Record> {
    table.records().collect::<Result<_, _>>().expect("not damaged")
}

fn random_records(table: &Table, count: usize) -> Vec<Record> {
    let records = all_records(table);
    let mut random = SplitMix64::new(0);
    (0..count).map(|_| records[random.below(records.len() as u64) as usize]).collect()
}

fn board(code: u64) -> Board {
    Board::from_code(code).expect("the table has it")
}

/// Random positions of deals that are not in the table, but for those that are.
fn absent_boards(tables: &KeyedTables) -> Vec<Board> {
    let mut random = SplitMix64::new(1);
    let mut enumerator = Enumerator::new();
    let mut boards = Vec::new();
    for seed in SEEDS..SEEDS + 20 {
        let deal = deal_from_seed(seed);
        let game = Subgame::new(deal, Rules::One);
        enumerator.solve(&deal, Rules::One, |solved| {
            let board = game.board_at(solved.spot);
            if tables.probe(&board).expect("not damaged").is_none() {
                boards.push(board);
            }
        });
    }
    (0..PROBES).map(|_| boards[random.below(boards.len() as u64) as usize]).collect()
}

/// Why blocks have 256 records and zstd level 1: what else there is.
fn print_options(path: &Path) {
    const LEVELS: [i32; 4] = [1, 3, 9, 19];
    const BLOCKS: [usize; 5] = [64, 128, 256, 512, 1024];
    const INDEX_ENTRY: usize = 32;
    // Stretches from all over the table.
    let records = all_records(&open(path));
    let sample: Vec<&[Record]> = records.chunks_exact(BLOCKS[4]).step_by(20).collect();

    print!("{:<18}", "records a block");
    LEVELS.iter().for_each(|level| print!("{:>26}", format!("zstd level {level}")));
    println!();
    for size in BLOCKS {
        print!("{size:<18}");
        let blocks: Vec<&[Record]> = sample.iter().flat_map(|part| part.chunks(size)).collect();
        for level in LEVELS {
            let encode = |zstd: &mut Compressor, block: &&[Record]| {
                zstd.compress(&columns(block)).expect("there is memory")
            };
            let new = || Compressor::new(level).expect("a level of zstd");
            let encoded: Vec<Vec<u8>> = blocks.par_iter().map_init(new, encode).collect();
            let bytes = encoded.iter().map(|block| block.len() + INDEX_ENTRY).sum::<usize>();
            let bytes = bytes as f64 / (sample.len() * BLOCKS[4]) as f64;
            let mut zstd = Decompressor::new().expect("there is memory");
            let mut plain = vec![0; 12 * size];
            let encoded: Vec<&[u8]> = encoded.iter().map(Vec::as_slice).collect();
            let time = time_each(&encoded, |block| {
                let length = zstd.decompress_to_buffer(block, &mut plain[..]).expect("not damaged");
                black_box(sum(&plain[..length - 2 * size]))
            });
            print!("{:>26}", format!("{bytes:.2} B {:>9}", micros(time.median)));
        }
        println!();
    }
    println!(
        "Bytes a record, its share of the index included, and the time to take a block apart."
    );
}

/// The columns of a block, as `docs/FORMAT.md` has them.
fn columns(records: &[Record]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for two in records.windows(2) {
        let mut difference = two[1].code - two[0].code;
        while difference >= 0x80 {
            bytes.push(difference as u8 | 0x80);
            difference >>= 7;
        }
        bytes.push(difference as u8);
    }
    let metas: Vec<u32> = records.iter().map(|record| Layout::Short.pack(record.meta)).collect();
    bytes.extend(metas.iter().map(|meta| (meta & 3 | meta >> 10 << 2) as u8));
    bytes.extend(metas.iter().map(|meta| (meta >> 2) as u8));
    bytes
}

/// Adds up the differences in a column.
fn sum(column: &[u8]) -> u64 {
    let (mut sum, mut difference, mut shift) = (0u64, 0, 0);
    for &byte in column {
        difference |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            sum = black_box(sum + difference);
            (difference, shift) = (0, 0);
        }
    }
    sum
}
