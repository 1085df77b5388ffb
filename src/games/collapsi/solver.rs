//! From a board to an answer: AO* for the exact one.

use super::board::Board;
use super::moves::{Move, Rules};
use super::subgame::{Spot, Subgame};
use crate::solve::{AoStar, Counts};
use crate::value::Value;

/// Solves boards exactly. Keep one for many boards: its memory is used again.
///
/// ```
/// use endtable::value::{Plies, Value};
/// use endtable::games::collapsi::{Rules, Solver, deal_from_seed};
///
/// let answer = Solver::new().solve(&deal_from_seed(1), Rules::One);
/// assert_eq!(answer.value, Value::Win(Plies(13)));
/// assert_eq!(answer.best.unwrap().to_string(), "73");
/// ```
#[derive(Debug, Default)]
pub struct Solver {
    search: AoStar<Spot>,
}

/// What a board is worth, and the best move on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Who wins, and in how many plies.
    pub value: Value,
    /// The best move, of equally good ones the one with the lowest destination. None when the
    /// game is over.
    pub best: Option<Move>,
}

impl Solver {
    /// A solver that knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves a board.
    pub fn solve(&mut self, board: &Board, rules: Rules) -> Answer {
        let game = Subgame::new(*board, rules);
        let value = self.search.solve(&game, game.root());
        let number = self.search.best_move(&game, game.root());
        let best = number.and_then(|number| board.moves(rules).nth(number));
        Answer { value, best }
    }

    /// Every legal move with what it is worth to the one who makes it, by ascending destination.
    pub fn move_values(&mut self, board: &Board, rules: Rules) -> Vec<(Move, Value)> {
        let game = Subgame::new(*board, rules);
        self.search.solve(&game, game.root());
        let values = self.search.move_values(&game, game.root());
        board.moves(rules).zip(values).collect()
    }

    /// How much work the last board took.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.search.counts()
    }
}
