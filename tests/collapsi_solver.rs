//! The solvers against the exhaustive twin, and against what has been published.

mod twin;

use endtable::games::collapsi::{Board, QuickSolver, Rules, Solver, Subgame};
use endtable::random::SplitMix64;
use endtable::value::{Plies, Value};
use rayon::prelude::*;
use twin::collapsi::search::Exhaustive;
use twin::collapsi::{Game, random};

/// Checks both solvers on each board. A solver is used for many boards: what it remembers of one
/// must not show in the next.
fn assert_solved(boards: impl IndexedParallelIterator<Item = (Board, Rules)>) {
    boards.with_max_len(50).for_each_init(
        || (Solver::new(), QuickSolver::new()),
        |(solver, quick), (board, rules)| {
            let game = Game::new(&board, rules);
            let mut twin = Exhaustive::new(&game);
            let value = twin.value(game.root);
            let moves = twin.move_values();
            let lowest = |good: &dyn Fn(Value) -> bool| {
                moves.iter().find(|(_, value)| good(*value)).map(|&(mv, _)| mv)
            };

            let answer = solver.solve(&board, rules);
            assert_eq!(answer.value, value, "{board} {rules}");
            assert_eq!(answer.best, lowest(&|v| v == value), "{board} {rules}");
            assert_eq!(solver.move_values(&board, rules), moves, "{board} {rules}");

            let answer = quick.solve(&Subgame::new(board, rules));
            assert_eq!(answer.win, value.is_win(), "{board} {rules}");
            let best = lowest(&|v| v.is_win() == value.is_win());
            assert_eq!(answer.best, best, "{board} {rules}");
        },
    );
}

fn deals(
    seed: u64,
    count: usize,
    rules: Rules,
) -> impl IndexedParallelIterator<Item = (Board, Rules)> {
    (0..count)
        .into_par_iter()
        .map(move |n| (random::deal(&mut SplitMix64::new(seed + n as u64)), rules))
}

#[test]
fn deals_with_a_joker_worth_one() {
    assert_solved(deals(1_000, 300, Rules::One));
}

#[test]
fn deals_with_a_wild_joker() {
    assert_solved(deals(2_000, 60, Rules::Wild));
}

#[test]
fn positions_from_play() {
    assert_solved((0..4_000).into_par_iter().map(|n| {
        let mut random = SplitMix64::new(3_000 + n as u64);
        let rules = Rules::ALL[n % 2];
        // Two plies at least: with both jokers gone the game is small.
        (random::played(2 + n as u64 / 2 % 12, rules, &mut random), rules)
    }));
}

#[test]
fn positions_of_every_card_count_reachable_or_not() {
    assert_solved((0..3_000).into_par_iter().map(|n| {
        let mut random = SplitMix64::new(10_000 + n as u64);
        (random::state(2 + n / 2 % 13, &mut random), Rules::ALL[n % 2])
    }));
}

/// arXiv 2507.16823, which solves the wild joker: the first player wins 37.5 % of the deals.
#[test]
fn the_first_player_wins_as_often_as_published() {
    let solve =
        |quick: &mut QuickSolver, (board, rules)| quick.solve(&Subgame::new(board, rules)).win;
    let wins = deals(20_000, 8_000, Rules::Wild)
        .map_init(QuickSolver::new, solve)
        .filter(|&win| win)
        .count();
    // The sample's standard deviation is 43.
    assert!(wins.abs_diff(3_000) < 150, "{wins} of 8000");
}

/// The same paper: no forced win under 7 plies, and 6.4 % of the deals last the full 14.
#[test]
fn games_last_as_long_as_published() {
    let solve =
        |solver: &mut Solver, (board, rules): (Board, Rules)| solver.solve(&board, rules).value;
    let values: Vec<Value> = deals(30_000, 800, Rules::Wild).map_init(Solver::new, solve).collect();
    for value in &values {
        assert!((7..=14).contains(&value.plies().0), "{value}");
        assert_eq!(value.is_win(), value.plies().0 % 2 == 1, "{value}: the last move wins");
    }
    let longest = values.iter().filter(|value| value.plies() == Plies(14)).count();
    // 51 are expected; the sample's standard deviation is 7.
    assert!(longest.abs_diff(51) < 25, "{longest} of 800");
}
