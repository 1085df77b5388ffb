//! How late boards of 2048 are played: `cargo bench --bench twenty48_late`, or `make bench`.
//!
//! Whole games say little of the last part of a game, because they come there so differently. Here games
//! that are played to depth 1 stop once they have all tiles from 4096 to 16384. Every way to search then
//! goes on from the same boards, and with the same new tiles: how many games make a 32768, and how many moves
//! a second are made on one core.

mod measure;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use endtable::games::twenty48::{Limit, PlayedGame, Search, Settings, Size};
use measure::{core_timed, load, machine};

/// How many games go on, and the seed of the first that is tried.
const GAMES: usize = 400;
const SEED: u64 = 6_000_000;

/// Depth and cut-off of the searches that are compared.
const SEARCHES: [(u8, f64); 3] = [(3, 0.003), (4, 0.004), (4, 0.0005)];

fn main() {
    let games = late_games();
    println!("machine: {}; load {}", machine(), load());
    println!("late:    {GAMES} games with all tiles from 4096 to 16384\n");
    println!("{:>5} {:>8} {:>26} {:>14}", "depth", "cut-off", "with a 32768", "moves/s a core");
    for (depth, cut_off) in SEARCHES {
        let settings = Settings { limit: Limit::Depth(depth), cut_off, ..Settings::default() };
        let (won, moves, time) = play_on(&settings, &games);
        let share = won as f64 / GAMES as f64;
        let within = 1.96 * (share * (1.0 - share) / GAMES as f64).sqrt();
        let share = format!("{won}, {:.1} ± {:.1} %", 100.0 * share, 100.0 * within);
        println!("{depth:>5} {cut_off:>8} {share:>26} {:>14.0}", moves as f64 / time.as_secs_f64());
    }
}

/// Games that have just got there, in the order of their seeds.
fn late_games() -> Vec<PlayedGame> {
    let settings = Settings { limit: Limit::Depth(1), cut_off: 0.0, ..Settings::default() };
    let (seed, found) = (AtomicU64::new(SEED), Mutex::new(Vec::new()));
    on_all_cores(|| {
        let search = Search::new(&settings).expect("for 4x4");
        while found.lock().expect("no panic").len() < GAMES {
            let seed = seed.fetch_add(1, Ordering::Relaxed);
            let mut game = PlayedGame::new(seed, Size::FULL);
            while let Some(choice) = search.best(game.board())
                && !has_all(&game, 12..=14)
            {
                game.play(choice.direction);
            }
            if has_all(&game, 12..=14) {
                found.lock().expect("no panic").push((seed, game));
            }
        }
    });
    let mut games = found.into_inner().expect("no panic");
    games.sort_by_key(|&(seed, _)| seed);
    games.truncate(GAMES);
    games.into_iter().map(|(_, game)| game).collect()
}

/// How many of the games make a 32768, with how many moves, in how much core time.
fn play_on(settings: &Settings, games: &[PlayedGame]) -> (u32, u64, Duration) {
    let (next, sum) = (Mutex::new(games.iter()), Mutex::new((0, 0, Duration::ZERO)));
    on_all_cores(|| {
        let search = Search::new(settings).expect("for 4x4");
        let ((won, moves), time) = core_timed(|| {
            let (mut won, mut moves) = (0, 0);
            while let Some(mut game) = { next.lock().expect("no panic").next().cloned() } {
                while !has_all(&game, 15..=15)
                    && let Some(choice) = search.best(game.board())
                {
                    game.play(choice.direction);
                    moves += 1;
                }
                won += u32::from(has_all(&game, 15..=15));
            }
            (won, moves)
        });
        let mut sum = sum.lock().expect("no panic");
        *sum = (sum.0 + won, sum.1 + moves, sum.2 + time);
    });
    sum.into_inner().expect("no panic")
}

/// Whether a board has all tiles with these exponents.
fn has_all(game: &PlayedGame, exponents: impl IntoIterator<Item = u8>) -> bool {
    let tiles = game.board().exponents();
    exponents.into_iter().all(|exponent| tiles.contains(&exponent))
}

fn on_all_cores(work: impl Fn() + Sync) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(&work);
        }
    });
}
