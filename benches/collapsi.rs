//! How fast Collapsi is solved: `cargo bench --bench collapsi`, or `make bench`.
//!
//! A solver is kept from deal to deal for its memory, and forgets what it has solved: every deal is
//! solved cold, on one core. Each time stands beside its target and the figures of other programs,
//! node counts beside those of the depth-first twins of the tests.

mod measure;
#[path = "../tests/twin/mod.rs"]
mod twin;

use std::process::Command;
use std::time::Duration;

use endtable::games::collapsi::{Board, QuickSolver, Rules, Solver, Subgame, deal_from_seed};
use measure::{machine, median, timed};
use rayon::prelude::*;
use twin::collapsi::Game;
use twin::collapsi::search::{DepthFirst, Exhaustive};

const DEALS: u64 = 1_000;
const EXHAUSTIVE_DEALS: u64 = 100;
const PROCESS_RUNS: u64 = 50;

fn main() {
    println!("machine: {}", machine());
    println!("deals:   seeds 0 to {}; each solved cold, on one core\n", DEALS - 1);
    print_times();
    println!();
    print_nodes();
}

fn deals() -> impl Iterator<Item = Board> {
    (0..DEALS).map(deal_from_seed)
}

/// A figure of another program, from FACTS.md.
struct Peer {
    name: &'static str,
    one: Option<Duration>,
    wild: Option<Duration>,
}

/// The prototype and the hobby solver tell win or loss only. The hobby solver's joker rule is not
/// stated; the C++ program plays `one`, the paper `wild`.
const PEERS: [Peer; 4] = [
    Peer {
        name: "prototype",
        one: Some(Duration::from_micros(62)),
        wild: Some(Duration::from_micros(339)),
    },
    Peer {
        name: "hobby solver",
        one: Some(Duration::from_micros(1_500)),
        wild: Some(Duration::from_micros(1_500)),
    },
    Peer { name: "huynd2210 C++", one: Some(Duration::from_micros(27_500)), wild: None },
    Peer { name: "the paper", one: None, wild: Some(Duration::from_millis(20)) },
];

fn print_times() {
    print!("{:<26}{:<6}{:>9}{:>9}{:>7}", "", "rules", "median", "target", "of it");
    for peer in &PEERS {
        print!("{:>17}", peer.name);
    }
    println!();
    let [one, wild] = Rules::ALL;
    let micros = Duration::from_micros;
    print_time("answer with distance", one, time_full(one), micros(1_000));
    print_time("answer with distance", wild, time_full(wild), micros(5_000));
    print_time("win or loss, and a move", one, time_quick(one), micros(60));
    print_time("win or loss, and a move", wild, time_quick(wild), micros(300));
    print_time("`solve collapsi --seed 1`", one, time_process(), micros(20_000));
    println!("Under a program's name: its time for a deal, and how many times as fast this is.");
}

fn print_time(what: &str, rules: Rules, median: Duration, target: Duration) {
    let share = 100.0 * median.as_secs_f64() / target.as_secs_f64();
    print!("{what:<26}{:<6}{:>9}{:>9}", rules.name(), shown(median), shown(target));
    print!("{:>7}", format!("{share:.0} %"));
    for peer in &PEERS {
        let time = if rules == Rules::One { peer.one } else { peer.wild };
        let cell = time.map_or("-".into(), |time| {
            let ratio = time.as_secs_f64() / median.as_secs_f64();
            format!("{} {ratio:6.2}x", shown(time))
        });
        print!("{cell:>17}");
    }
    println!();
}

fn shown(time: Duration) -> String {
    if time < Duration::from_millis(1) {
        format!("{:.0} us", time.as_secs_f64() * 1e6)
    } else {
        format!("{:.1} ms", time.as_secs_f64() * 1e3)
    }
}

fn time_full(rules: Rules) -> Duration {
    let mut solver = Solver::new();
    median(deals().map(|board| timed(|| solver.solve(&board, rules))))
}

fn time_quick(rules: Rules) -> Duration {
    let mut solver = QuickSolver::new();
    median(deals().map(|board| timed(|| solver.solve(&Subgame::new(board, rules)))))
}

/// From process start to exit.
fn time_process() -> Duration {
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_endtable"));
        let output =
            command.args(["solve", "collapsi", "--seed", "1"]).output().expect("cargo built it");
        assert!(output.status.success() && !output.stdout.is_empty(), "{output:?}");
    };
    median((0..PROCESS_RUNS).map(|_| timed(run)))
}

fn print_nodes() {
    println!("{:<40}{:<6}{:>9}{:>9}{:>9}", "nodes expanded", "rules", "mean", "median", "to AO*");
    for rules in Rules::ALL {
        let ao_star = count_nodes(DEALS, |board| {
            let mut solver = Solver::new();
            solver.solve(board, rules);
            solver.counts().expanded
        });
        let depth_first = count_nodes(DEALS, |board| {
            let game = Game::new(board, rules);
            let mut twin = DepthFirst::new(&game);
            twin.wins(game.root);
            twin.expanded()
        });
        let exhaustive = count_nodes(EXHAUSTIVE_DEALS, |board| {
            let game = Game::new(board, rules);
            let mut twin = Exhaustive::new(&game);
            twin.value(game.root);
            twin.expanded()
        });
        print_count("AO*, with distance and best move", rules, &ao_star, &ao_star);
        print_count("depth first, win or loss only", rules, &depth_first, &ao_star);
        print_count("depth first, with distance, no cut-off", rules, &exhaustive, &ao_star);
    }
    println!("The last over the first {EXHAUSTIVE_DEALS} deals.");
}

/// Counting takes no notice of the clock, so it may take every core.
fn count_nodes(deals: u64, count: impl Fn(&Board) -> usize + Sync) -> Vec<usize> {
    (0..deals).into_par_iter().map(|seed| count(&deal_from_seed(seed))).collect()
}

fn print_count(what: &str, rules: Rules, counts: &[usize], ao_star: &[usize]) {
    let ratio = mean(counts) / mean(ao_star);
    print!("{what:<40}{:<6}{:>9.0}", rules.name(), mean(counts));
    println!("{:>9}{:>9}", median(counts.iter().copied()), format!("{ratio:.2}x"));
}

fn mean(counts: &[usize]) -> f64 {
    counts.iter().sum::<usize>() as f64 / counts.len() as f64
}
