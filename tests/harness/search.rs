//! Searches of 2048 boards: how tests set them up, on which boards, and what they must find.

use std::sync::LazyLock;

use endtable::games::twenty48::{
    Board, Choice, Heuristic, Limit, PlayedGame, Search, Settings, Size,
};

pub fn heuristic(name: &str) -> Heuristic {
    name.parse().unwrap()
}

/// A search to a depth, with the usual cut-off.
pub fn settings(heuristic: &Heuristic, size: Size, depth: u8) -> Settings {
    Settings {
        size,
        heuristic: heuristic.clone(),
        limit: Limit::Depth(depth),
        table_bits: 14,
        ..Settings::default()
    }
}

/// A search to a depth that cuts nothing off.
pub fn exact(heuristic: &Heuristic, size: Size, depth: u8) -> Settings {
    Settings { cut_off: 0.0, ..settings(heuristic, size, depth) }
}

pub fn search(settings: &Settings) -> Search {
    Search::new(settings).unwrap()
}

/// Boards as games meet them, at all stages of a few games; the last of each is over.
pub fn boards_of_games() -> &'static [Board] {
    static BOARDS: LazyLock<Vec<Board>> = LazyLock::new(|| {
        let search = search(&settings(&heuristic("edges"), Size::FULL, 1));
        let mut boards = Vec::new();
        for seed in 0..4 {
            let mut game = PlayedGame::new(seed, Size::FULL);
            while let Some(choice) = search.best(game.board()) {
                game.play(choice.direction);
                if game.record().moves.len().is_multiple_of(40) {
                    boards.push(game.board().nybbles());
                }
            }
            boards.push(game.board().nybbles());
        }
        boards
    });
    &BOARDS
}

/// The same within rounding.
pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs())
}

/// The search found these values; and the best move, unless another is as good within rounding.
#[track_caller]
pub fn assert_found(choice: Option<Choice>, expected: [Option<f64>; 4], what: &str) {
    let Some(best) = expected.into_iter().flatten().reduce(f64::max) else {
        assert_eq!(choice, None, "{what}");
        return;
    };
    let choice = choice.unwrap_or_else(|| panic!("{what}: no choice"));
    for (found, expected) in choice.moves.into_iter().zip(expected) {
        assert_eq!(found.is_some(), expected.is_some(), "{what}");
        let same = found.zip(expected).is_none_or(|(found, expected)| close(found, expected));
        assert!(same, "{what}: {:?}, not {expected:?}", choice.moves);
    }
    assert!(close(choice.value, best), "{what}: {} is not the best of {expected:?}", choice.value);
    assert!(close(expected[choice.direction as usize].unwrap(), best), "{what}");
}

/// All but how many positions were met: that depends on what the table held.
pub fn answer(choice: Option<Choice>) -> Option<Choice> {
    choice.map(|choice| Choice { evaluated: 0, ..choice })
}

/// The file of weights that `strong` has by default: two networks, each in a frame of its own.
pub const STRONG_WEIGHTS: &[u8] = include_bytes!("../../weights/strong.weights");
