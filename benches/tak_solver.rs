//! How fast forced wins of Tak are found, with exact lengths: `cargo bench --bench tak_solver`, or
//! `make bench`.
//!
//! The positions are those of tests/tak/forced_wins.txt. Times are of one core. Those that two provers of
//! another program solve, too, stand beside its time on a machine of the same kind; its lengths are upper
//! bounds, ours are minimal, so that everything shorter is disproved as well. Give a time limit a
//! position in seconds as ENDTABLE_LIMIT, 60 by default.

mod measure;

use std::time::{Duration, Instant};

use endtable::games::tak::{Board, Goal, Grid, Packed, Question, size_of};
use endtable::solve::Limits;
use endtable::value::Worth;
use measure::{core_timed, load, machine};

/// What another program's provers take for the positions that both of them solve, in seconds.
const TAKTICIAN: f64 = 30.9;

fn main() {
    let limit = std::env::var("ENDTABLE_LIMIT").ok().and_then(|limit| limit.parse().ok());
    let limit = Duration::from_secs(limit.unwrap_or(60));
    println!("machine: {}; load {}\n", machine(), load());
    print_openings();
    let text = include_str!("../tests/tak/forced_wins.txt");
    let (mut both, mut all, mut unsolved) = (0.0, 0.0, 0);
    println!("{:<56}{:>10}  {:<26}known", "position", "time", "found");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, set, _, known, tps, _] = fields[..] else { panic!("{line}") };
        if known == "open" {
            continue;
        }
        let plies = known.rsplit([' ', '=']).next().and_then(|plies| plies.parse().ok());
        let (worth, time) = ask(tps, Goal::Any, plies.unwrap_or(15), limit);
        println!("{name:<56}{:>8.3} s  {:<26}{known}", time.as_secs_f64(), worth.to_string());
        all += time.as_secs_f64();
        if set == "both" {
            both += time.as_secs_f64();
            unsolved += usize::from(!worth.is_win());
        }
    }
    println!("\nall of them: {all:.1} s");
    println!(
        "those that both provers of taktician solve: {both:.1} s, {unsolved} not solved within {limit:?}; \
         taktician {TAKTICIAN} s; goal 8 s"
    );
}

/// 3x3 from the empty board, and by the first move.
fn print_openings() {
    let rows = [
        ("3x3, the empty board", "x3/x3/x3 1 1", 0),
        ("3x3, first stone in the centre", "x3/x,2,x/x3 2 1", 1),
        ("3x3, first stone on an edge", "x3/x3/x,2,x 2 1", 1),
        ("3x3, first stone in a corner", "x3/x3/2,x2 2 1", 1),
    ];
    println!("{:<40}{:>10}  {:<14}{:>10}  roads only", "from the start", "time", "found", "time");
    for (name, tps, made) in rows {
        let (worth, time) = ask(tps, Goal::Any, 15 - made, Duration::MAX);
        let (road, road_time) = ask(tps, Goal::Road, 21 - made, Duration::MAX);
        println!(
            "{name:<40}{:>8.3} s  {:<14}{:>8.3} s  {road}",
            time.as_secs_f64(),
            worth.to_string(),
            road_time.as_secs_f64()
        );
    }
    println!();
}

/// What a position is worth, and the processor time that it took.
fn ask(tps: &str, goal: Goal, plies: u8, limit: Duration) -> (Worth, Duration) {
    match size_of(tps) {
        Ok(3) => ask_sized::<Grid<3>>(tps, goal, plies, limit),
        Ok(4) => ask_sized::<Grid<4>>(tps, goal, plies, limit),
        Ok(5) => ask_sized::<Grid<5>>(tps, goal, plies, limit),
        Ok(6) => ask_sized::<Grid<6>>(tps, goal, plies, limit),
        other => panic!("{tps}: {other:?}"),
    }
}

fn ask_sized<S: Packed>(tps: &str, goal: Goal, plies: u8, limit: Duration) -> (Worth, Duration) {
    let board: Board<S> = tps.parse().unwrap_or_else(|error| panic!("{tps}: {error}"));
    let question = Question { goal, plies, parallel: false };
    let deadline = Instant::now().checked_add(limit);
    let limits = Limits { stop: None, deadline };
    core_timed(|| question.ask(&board, false, limits).worth)
}
