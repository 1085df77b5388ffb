//! The search of 2048 boards against its naive twin: the same values and moves, whatever the size,
//! the threads, and what was searched before.

mod harness;
mod twin;

use std::sync::Arc;

use endtable::games::twenty48::{Board, Heuristic, Oracle, Settings, Size, TallBoard};
use endtable::random::SplitMix64;
use harness::search::{
    answer, assert_found, boards_of_games, close, exact, heuristic, search, settings,
};
use twin::twenty48::heuristics::{ALL_TERMS, all_terms, edges, sum};
use twin::twenty48::random::full_board;
use twin::twenty48::search::{Expectimax, PlayedOut};
use twin::twenty48::{Grid, random};

/// Heuristics, each with the twin that searches with it.
fn twins(size: Size) -> Vec<(Heuristic, Expectimax)> {
    let weighted = heuristic("sum").with_weights(ALL_TERMS).unwrap();
    vec![
        (heuristic("edges"), Expectimax::new(edges, false)),
        (heuristic("sum"), Expectimax::new(sum, false)),
        (weighted, Expectimax::new(all_terms(size), false)),
        (heuristic("score"), Expectimax::new(|_| 0.0, true)),
    ]
}

#[test]
fn values_are_those_of_the_naive_search() {
    for (depth, boards, most_empty) in [(0, 300, 16), (1, 300, 12), (2, 200, 5), (3, 200, 3)] {
        for (heuristic, naive) in twins(Size::FULL) {
            let search = search(&exact(&heuristic, Size::FULL, depth));
            let mut random = SplitMix64::new(depth.into());
            for _ in 0..boards {
                let board = full_board(&mut random, Size::FULL, most_empty);
                let mut expected = naive.moves(&Grid::new(board, Size::FULL), depth);
                // Two 32768s merge in the game, but not in what is searched.
                let most = expected.into_iter().flatten().fold(0.0, f64::max);
                for (direction, _, score) in TallBoard::from(board).slides(Size::FULL) {
                    expected[direction as usize].get_or_insert(most + f64::from(score));
                }
                assert_found(search.best(board), expected, &format!("{heuristic} {depth} {board}"));
            }
        }
    }
}

#[test]
fn values_on_boards_of_every_size() {
    for size in Size::all() {
        for (heuristic, naive) in twins(size) {
            for depth in 0..3 {
                let search = search(&exact(&heuristic, size, depth));
                let mut random = SplitMix64::new(depth.into());
                for _ in 0..20 {
                    let board = full_board(&mut random, size, 5);
                    let expected = naive.moves(&Grid::new(board, size), depth);
                    let what = format!("{heuristic} {depth} {board} {size}");
                    assert_found(search.best(board), expected, &what);
                }
            }
        }
    }
}

#[test]
fn a_search_to_the_end_is_exact() {
    let size: Size = "2x2".parse().unwrap();
    let search = search(&exact(&heuristic("score"), size, 63));
    let value = |board| search.best(board).map_or(0.0, |choice| choice.value);
    // A published figure: the mean over all starts.
    let mut mean = 0.0;
    for (board, first) in Board(0).spawns(size) {
        for (board, second) in board.spawns(size) {
            mean += first.chance * second.chance * value(board);
        }
    }
    assert!(close(mean, 66.964_149_46), "{mean}");
    let mut naive = PlayedOut::score();
    for text in ["16,8/4,2", "8,8/4,2", "16,4/2,0", "2,16/4,8"] {
        let board = Board::parse(text, size).unwrap();
        assert!(close(value(board), naive.value(&Grid::new(board, size))), "{text}");
    }
}

/// Knows every position whose sum eight divides.
struct Eighth;

impl Oracle for Eighth {
    fn value(&self, board: Board) -> Option<f64> {
        board.sum().is_multiple_of(8).then(|| f64::from(board.sum()))
    }
}

#[test]
fn known_values_are_used_instead_of_searched_ones() {
    let naive = Expectimax::new(|_| 0.0, true).knowing(|grid| {
        let sum: u32 = grid.tiles().sum();
        sum.is_multiple_of(8).then(|| f64::from(sum))
    });
    let mut random = SplitMix64::new(8);
    for depth in 0..3 {
        let oracle = Some(Arc::new(Eighth) as Arc<dyn Oracle>);
        let search = search(&Settings { oracle, ..exact(&heuristic("score"), Size::FULL, depth) });
        for _ in 0..30 {
            let board = random::full_board(&mut random, Size::FULL, 5);
            let expected = naive.moves(&Grid::new(board, Size::FULL), depth);
            assert_found(search.best(board), expected, &format!("{board} {depth}"));
        }
    }
}

/// Knows everything.
struct All;

impl Oracle for All {
    fn value(&self, _: Board) -> Option<f64> {
        Some(1.0)
    }
}

#[test]
fn what_is_known_is_not_searched() {
    let found = [1, 5, 60].map(|depth| {
        let oracle = Some(Arc::new(All) as Arc<dyn Oracle>);
        let search = search(&Settings { oracle, ..exact(&heuristic("score"), Size::FULL, depth) });
        search.best(Board(0x1111)).unwrap()
    });
    for it in found {
        // Four 2s in a row become two 4s, and what follows is worth 1. What follows that is not met.
        assert_eq!((it.value, it.evaluated), (9.0, found[0].evaluated), "{it:?}");
    }
}

#[test]
fn answers_do_not_depend_on_threads_or_on_the_table() {
    let boards = boards_of_games();
    assert!(boards.len() > 40);
    for name in ["edges", "sum", "score", "strong"] {
        let serial = settings(&heuristic(name), Size::FULL, 4);
        let shared = search(&Settings { parallel: true, table_bits: 18, ..serial.clone() });
        let used = search(&serial);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(7).build().unwrap();
        // The last first, so that the table holds something else each time.
        let backwards: Vec<_> = boards.iter().rev().map(|&board| used.best(board)).collect();
        for (&board, before) in boards.iter().zip(backwards.into_iter().rev()) {
            let fresh = search(&Settings { table_bits: 1, ..serial.clone() });
            let fresh = answer(fresh.best(board));
            assert_eq!(answer(before), fresh, "{name} {board}");
            assert_eq!(answer(used.best(board)), fresh, "{name} {board}");
            assert_eq!(answer(pool.install(|| shared.best(board))), fresh, "{name} {board}");
        }
    }
}

#[test]
fn moves_are_those_of_the_game_where_tiles_outgrow_nybbles() {
    for name in ["strong", "sum"] {
        let search = search(&settings(&heuristic(name), Size::FULL, 2));
        for (rows, merges) in [
            // Two 32768s merge: without a gap below them, and with some.
            ("1024,16,32768,8/512,4,32768,16384/256,128,64,8192/2,2,2048,4096", true),
            ("32768,32768,2,4/4,2,4,2/2,4,2,4/4,2,4,2", true),
            // Two of the largest tiles do not.
            ("131072,131072,2,8/2,4,8,16/4,8,16,32/8,16,32,64", false),
        ] {
            let board = TallBoard::parse(rows, Size::FULL).unwrap();
            let Some(choice) = search.best(board) else {
                assert!(!merges && board.is_over(Size::FULL), "{name} {rows}");
                continue;
            };
            let legal: Vec<usize> = board.slides(Size::FULL).map(|(it, ..)| it as usize).collect();
            let valued: Vec<usize> = (0..4).filter(|&it| choice.moves[it].is_some()).collect();
            assert_eq!(valued, legal, "{name} {rows}");
            let after = board.slide(choice.direction, Size::FULL).map(|(after, _)| after.highest());
            assert_eq!(after, Some(16), "{name} {rows}");
        }
    }
}
