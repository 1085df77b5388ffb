//! Tables of Tak: `cargo bench --bench tak_tables`, or `make bench`.
//!
//! 3x3 with six flats is generated through the program, from nothing to finished files. Then positions
//! are probed one by one on one thread, each with what all of its moves are worth: one again and again,
//! so that the blocks are decompressed, and many in turn, each layer as often as it has positions.

mod measure;

use std::process::Command;

use endtable::games::tak::{Board, Grid, Tables};
use endtable::random::SplitMix64;
use measure::{grouped, load, machine, micros, run, time_each};

const PROBES: usize = 2_000;

fn main() {
    println!("machine: {}; load {}", machine(), load());
    println!("tables:  generate tak --size 3 --flats 6\n");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the folder is cargo's");
    let mut command = Command::new(env!("CARGO_BIN_EXE_endtable"));
    command.args(["generate", "tak", "--size", "3", "--flats", "6", "--out"]).arg(folder.path());
    let process = run(&mut command);
    let (wall, core) = (process.time.as_secs_f64(), process.core_time.as_secs_f64());
    println!("\ngenerated in {wall:.1} s (goal 180), {core:.1} core seconds");
    println!("peak memory  {} MiB", process.peak_memory >> 20);
    let tables = Tables::open(&[folder.path()]).expect("just generated");
    let boards = random_boards(&tables);
    println!("numbers      {}", grouped(numbers(&tables)));
    let probe = |board: &Board<Grid<3>>| tables.moves(board).expect("the tables are sound");
    let many = time_each(&boards.iter().collect::<Vec<_>>(), probe);
    println!("a probe with all moves, of positions in turn: median {}", micros(many.median));
    let warm: Vec<_> =
        boards.iter().take(200).map(|board| time_each(&[board; 50], probe)).collect();
    let mut medians: Vec<_> = warm.iter().map(|each| each.median).collect();
    medians.sort_unstable();
    println!("warm, the same again: median {} (goal 10)", micros(medians[medians.len() / 2]));
}

fn numbers(tables: &Tables) -> u64 {
    tables.layers().iter().map(|layer| layer.numbering.numbers()).sum()
}

/// Positions of all layers, each as likely as another.
fn random_boards(tables: &Tables) -> Vec<Board<Grid<3>>> {
    let mut random = SplitMix64::new(1);
    let all = numbers(tables);
    let mut boards = Vec::new();
    while boards.len() < PROBES {
        let mut number = random.below(all);
        for layer in tables.layers() {
            if number < layer.numbering.numbers() {
                boards.extend(layer.numbering.board::<Grid<3>>(number));
                break;
            }
            number -= layer.numbering.numbers();
        }
    }
    boards
}
