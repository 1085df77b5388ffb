//! The search of 2048 boards: `cargo bench --bench twenty48_search`, or `make bench`.
//!
//! Twenty positions of all stages of a game, searched on one thread. A position counts for each of
//! the four slides that the search tries on a board, as in nneonneo/2048-ai. Everything is repeated
//! and the shortest core time counts, because whatever else runs makes it only longer.

mod measure;

use std::time::Duration;

use endtable::games::twenty48::{Board, Limit, Search, Settings, Size};
use measure::{core_timed, load, machine, timed};

/// How often everything is repeated, and how often each position is searched under a time limit.
const TIMES: usize = 5;
const LIMITED: usize = 10;

fn main() {
    let boards = boards();
    println!("machine: {}; load {}", machine(), load());
    println!("search:  {} boards, one thread, cut-off 0.0001\n", boards.len());
    println!(
        "{:<10} {:<10} {:>9} {:>15} {:>9}",
        "heuristic", "depth", "ms/move", "positions/move", "M/s"
    );
    for name in ["edges", "sum", "score", "strong"] {
        for (depth, limit, rounds, peer) in [
            ("3", Limit::Depth(3), 20, ""),
            ("5", Limit::Depth(5), 3, "target 6 ms, 2048-ai 19 ms"),
            ("7", Limit::Depth(7), 1, ""),
            ("adaptive", Limit::Adaptive, 1, "target 50 ms, 2048-ai 152 ms"),
        ] {
            let settings =
                Settings { heuristic: name.parse().expect("a name"), limit, ..Settings::default() };
            let (time, evaluated) = search(&settings, &boards, rounds);
            println!(
                "{name:<10} {depth:<10} {:>9.3} {:>15} {:>9.1}   {peer}",
                time.as_secs_f64() * 1e3 / boards.len() as f64,
                evaluated / boards.len() as u64,
                evaluated as f64 / time.as_secs_f64() / 1e6,
            );
        }
    }
    print_limited(&boards);
}

fn boards() -> Vec<Board> {
    let lines = include_str!("twenty48.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| Board::parse(line, Size::FULL).expect("a board")).collect()
}

/// The core time that all boards take together, and how many positions are met.
///
/// The system counts core time in steps of milliseconds, so that several rounds over all boards are
/// timed as one, each with a search of its own.
fn search(settings: &Settings, boards: &[Board], rounds: u32) -> (Duration, u64) {
    let once = |_| {
        let searches: Vec<Search> =
            (0..rounds).map(|_| Search::new(settings).expect("for 4x4")).collect();
        let all = searches.iter().flat_map(|search| boards.iter().map(|&board| search.best(board)));
        core_timed(|| all.map(|choice| choice.expect("a move").evaluated).sum::<u64>())
    };
    let shortest = (0..TIMES).map(once).min_by_key(|&(_, time)| time);
    let (evaluated, time) = shortest.expect("some");
    (time / rounds, evaluated / u64::from(rounds))
}

/// How well a time limit is kept.
fn print_limited(boards: &[Board]) {
    let limit = Duration::from_millis(66);
    let search = Search::new(&Settings { limit: Limit::Time(limit), ..Settings::default() });
    let search = search.expect("for 4x4");
    let mut depths = 0;
    let mut times: Vec<Duration> = Vec::new();
    for &board in boards.iter().cycle().take(LIMITED * boards.len()) {
        times.push(timed(|| depths += u32::from(search.best(board).expect("a move").depth)));
    }
    times.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "\ntime limit 66 ms: median {:.2} ms, 99th percentile {:.2} ms (target 72.6), depth {:.1} on average",
        ms(times[times.len() / 2]),
        ms(times[times.len() * 99 / 100]),
        f64::from(depths) / times.len() as f64,
    );
}
