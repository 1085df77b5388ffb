//! How fast moves of Tak are generated: `cargo bench --bench tak`, or `make bench`.
//!
//! Perft on one core, a game that ended counting nothing further; the moves of the last ply are counted,
//! not made. Each time stands beside another program's on a machine of the same kind, and beside the
//! goal, which is 0.7 of it.

mod measure;

use std::time::Duration;

use endtable::games::tak::{Board, Ended, Grid, Rules, Size};
use measure::{core_timed, load, machine, median};

/// Each is counted so often, and the median taken.
const RUNS: usize = 5;

/// The share of the other program's time that is the goal.
const GOAL: f64 = 0.7;

fn main() {
    println!("machine: {}; load {}\n", machine(), load());
    println!(
        "{:<22}{:>14}{:>10}{:>10}{:>10}{:>8}{:>14}",
        "perft from the start", "positions", "time", "tiltak", "goal", "ratio", "positions/s"
    );
    print_perft::<Grid<3>>(7, 52_364_896, Some(1.39));
    print_perft::<Grid<4>>(6, 181_954_216, Some(2.06));
    print_perft::<Grid<5>>(5, 187_855_252, Some(1.06));
    print_perft::<Grid<6>>(5, 1_253_506_520, None);
    print_perft::<Grid<3>>(8, 679_639_648, None);
    println!();
    print_published();
}

/// A start, counted. The other program's time is from FACTS.md, in seconds.
fn print_perft<S: Size>(plies: u32, positions: u64, tiltak: Option<f64>) {
    let board = Board::<S>::new(Rules::usual::<S>());
    let time = counted(&board, plies, Ended::Zero, positions).as_secs_f64();
    let n = S::N;
    let seconds = |time: Option<f64>| time.map_or("-".into(), |time| format!("{time:.2} s"));
    let ratio = tiltak.map_or("-".into(), |tiltak| format!("{:.2}", time / tiltak));
    println!(
        "{:<22}{positions:>14}{:>10}{:>10}{:>10}{ratio:>8}{:>14.0}",
        format!("{n}x{n} to {plies}"),
        format!("{time:.3} s"),
        seconds(tiltak),
        seconds(tiltak.map(|tiltak| GOAL * tiltak)),
        positions as f64 / time
    );
}

/// The processor time of a count, which must be right.
fn counted<S: Size>(board: &Board<S>, plies: u32, ended: Ended, positions: u64) -> Duration {
    median((0..RUNS).map(|_| {
        let (count, time) = core_timed(|| board.perft(plies, ended));
        assert_eq!(count, positions, "{board}, {plies} plies");
        time
    }))
}

/// Published counts that are too large for the tests.
fn print_published() {
    for (text, ended, plies, positions) in [
        (
            "2,2,21S,2,2,2/2,x,222221,2,2,x/1,1,2221C,x,111112C,2S/x,1,2S,x2,121211212/\
             1,1,1212S,1S,2,1S/x2,2,1,21,1 1 42",
            Ended::Zero,
            4,
            395_359_484,
        ),
        (
            "x6/x6/x6/x3,111222111222111222111222111222111222111222111222111222111222C,x2/x6/x6 2 31",
            Ended::On,
            4,
            160_643_820,
        ),
        (
            "2S,2S,2S,2S,2S,2S/1S,1S,1S,1S,1S,1S/2S,2S,2S,2S,2S,2S/1S,1S,1S,1S,1S,1S/\
             2S,2S,2S,2S,2S,2S/11,x5 1 20",
            Ended::Zero,
            7,
            130_812_445,
        ),
    ] {
        let board: Board<Grid<6>> = text.parse().expect("a position");
        let (count, time) = core_timed(|| board.perft(plies, ended));
        assert_eq!(count, positions, "{text}");
        println!(
            "{:<22}{positions:>14}{:>10}",
            format!("6x6 position to {plies}"),
            format!("{:.3} s", time.as_secs_f64())
        );
    }
}
