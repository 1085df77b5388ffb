//! Counting positions, as move generators are tested.

use super::board::Board;
use super::moves::Move;
use super::size::Size;

/// What a game that ended before the last ply counts for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ended {
    /// Nothing: it leads to no positions.
    #[default]
    Zero,
    /// One: it stays as it is.
    One,
    /// Ends are not looked for: moves are made on.
    On,
}

impl std::str::FromStr for Ended {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "zero" => Ok(Self::Zero),
            "one" => Ok(Self::One),
            "on" => Ok(Self::On),
            _ => Err("expected zero, one or on".into()),
        }
    }
}

impl<S: Size> Board<S> {
    /// How many positions there are after so many plies, those reached in several ways counted as
    /// often. Moves of the last ply are counted, not made.
    #[must_use]
    pub fn perft(&self, plies: u32, ended: Ended) -> u64 {
        let mut board = *self;
        board.count(plies, ended, &mut Vec::new())
    }

    /// Counts with a list of moves whose end is free to use.
    fn count(&mut self, plies: u32, ended: Ended, moves: &mut Vec<Move>) -> u64 {
        if plies == 0 {
            return 1;
        }
        if ended != Ended::On && self.is_over() {
            return u64::from(ended == Ended::One);
        }
        if plies == 1 {
            return self.count_moves();
        }
        let first = moves.len();
        self.push_moves(moves);
        let mut count = 0;
        for number in first..moves.len() {
            let mv = moves[number];
            let undo = self.make(mv);
            count += self.count(plies - 1, ended, moves);
            self.unmake(mv, undo);
        }
        moves.truncate(first);
        count
    }
}
