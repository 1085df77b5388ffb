//! Which edition of the complete Collapsi tables to ship: `cargo bench --bench editions`, or
//! `make bench`.
//!
//! The complete tables are generated into a folder under target/, where they stay for the next time.
//! An edition is some of their files; what it lacks is looked up one ply further down, or searched
//! to the end of the game. Random positions, each layer as often as it has positions, and random
//! deals are asked one by one on one thread.

mod measure;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use endtable::games::collapsi::{
    Board, CompleteSet, CompleteTables, Index, Layer, QuickSolver, Rules, Solver, Subgame,
    deal_from_seed,
};
use endtable::table::DenseTable;
use measure::boards::random_boards;
use measure::{load, machine, timed};

/// How long the first round of questions may take, how many there are at the most, and how often each
/// is asked.
const TIME: Duration = Duration::from_secs(1);
const QUESTIONS: usize = 20_000;
const ROUNDS: usize = 3;

fn main() {
    println!("machine: {}; load {}", machine(), load());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("complete");
    let mut generate = Command::new(env!("CARGO_BIN_EXE_endtable"));
    generate.args(["generate", "collapsi", "--complete", "--out"]).arg(&folder);
    assert!(generate.status().expect("the program was built").success());
    let index = Index::new();
    for rules in Rules::ALL {
        println!("\nrule {rules}: microseconds, mean and slowest thousandth");
        println!("{:<14}{:>10}{:>20}{:>20}{:>20}", "edition", "MB", "value", "all moves", "deal");
        let boards = random_boards(&index, QUESTIONS);
        let deals: Vec<Board> = (0..QUESTIONS as u64).map(deal_from_seed).collect();
        let solver = &mut Solver::new();
        let quick = &mut QuickSolver::new();
        print(
            "none, result",
            0,
            [
                asked(&boards, |board| quick.solve(&Subgame::new(*board, rules)).win),
                asked(&boards, |board| {
                    let after = board.moves(rules).map(|mv| board.play(mv, rules).expect("legal"));
                    after.filter(|after| quick.solve(&Subgame::new(*after, rules)).win).count()
                }),
                asked(&deals, |deal| quick.solve(&Subgame::new(*deal, rules)).win),
            ],
        );
        print(
            "none",
            0,
            [
                asked(&boards, |board| solver.solve(board, rules).value),
                asked(&boards, |board| solver.move_values(board, rules).len()),
                asked(&deals, |deal| solver.solve(deal, rules).value),
            ],
        );
        for cards in 8..=Layer::MOST {
            let files = files(&folder, |layer| layer.cards() <= cards);
            print_edition(&format!("--cards {cards}"), &files, rules, &boards, &deals);
        }
        let is_kept = |layer: Layer| !matches!(layer.cards(), 4 | 6 | 8 | 10 | 12);
        print_edition("--sparse", &files(&folder, is_kept), rules, &boards, &deals);
    }
    print_results_only(&folder);
}

/// The files of some layers of the set in a folder.
fn files(folder: &Path, is_kept: impl Fn(Layer) -> bool) -> Vec<PathBuf> {
    let set = CompleteSet::find(folder).expect("just generated");
    Layer::all().filter(|&layer| is_kept(layer)).map(|layer| set.path(layer)).collect()
}

fn print_edition(name: &str, files: &[PathBuf], rules: Rules, boards: &[Board], deals: &[Board]) {
    let bytes = files.iter().map(|file| fs::metadata(file).map_or(0, |file| file.len())).sum();
    let set = CompleteSet::of_files(files).expect("just generated");
    let tables = CompleteTables::of_set(set, rules).expect("just generated");
    print(
        name,
        bytes,
        [
            asked(boards, |board| tables.value(board).expect("sound")),
            asked(boards, |board| tables.moves(board).expect("sound").len()),
            asked(deals, |deal| tables.probe(deal).expect("sound")),
        ],
    );
}

fn print(name: &str, bytes: u64, answers: [Asked; 3]) {
    let answers = answers.map(|Asked { mean, slowest }| {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        format!("{:>10.1}{:>10.0}", micros(mean), micros(slowest))
    });
    println!("{name:<14}{:>10.1}{}", bytes as f64 / 1e6, answers.concat());
}

/// How long answers take.
struct Asked {
    mean: Duration,
    /// The thousandth part of them takes longer.
    slowest: Duration,
}

/// Asks for one after the other until the time is over, then for the same ones again, and takes the
/// shortest time of each: what else the machine does is no part of it.
fn asked<T>(boards: &[Board], mut answer: impl FnMut(&Board) -> T) -> Asked {
    let begun = Instant::now();
    let mut times: Vec<Duration> = Vec::new();
    for board in boards {
        times.push(timed(|| answer(board)));
        if begun.elapsed() > TIME {
            break;
        }
    }
    for _ in 1..ROUNDS {
        for (best, board) in times.iter_mut().zip(boards) {
            *best = timed(|| answer(board)).min(*best);
        }
    }
    times.sort_unstable();
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    Asked { mean, slowest: times[(times.len() - 1) * 999 / 1000] }
}

/// What tables of results only would take: a bit a position, compressed in blocks as the tables
/// are. One block in 64 is looked at.
fn print_results_only(folder: &Path) {
    println!("\nresults only: bits a position, and megabytes");
    let set = CompleteSet::find(folder).expect("just generated");
    let (mut all, mut sparse) = (0.0, 0.0);
    for layer in Layer::all() {
        let table = DenseTable::open(set.path(layer)).expect("just generated");
        let (mut entries, mut bytes) = (0, 0);
        for block in (0..table.blocks()).step_by(64) {
            let plies = table.block(block).expect("sound");
            let bits = |eight: &[u8]| {
                eight.iter().enumerate().fold(0, |bits, (place, plies)| bits | (plies & 1) << place)
            };
            let packed: Vec<u8> = plies.chunks(8).map(bits).collect();
            bytes += zstd::bulk::compress(&packed, 19).expect("it fits").len().min(packed.len());
            entries += plies.len();
        }
        let bits = 8.0 * bytes as f64 / entries as f64;
        let megabytes = bits * table.len() as f64 / 8e6;
        println!("{:<10}{bits:>8.3}{megabytes:>10.1}", layer.to_string());
        all += megabytes;
        sparse += if matches!(layer.cards(), 4 | 6 | 8 | 10 | 12) { 0.0 } else { megabytes };
    }
    println!("{:<10}{all:>18.1}\n{:<10}{sparse:>18.1}", "all", "sparse");
}
