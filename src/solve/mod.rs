//! Solvers that are not about one game, and what a game must offer to be solved.

mod ao_star;
pub mod bounded;
pub mod expectimax;
pub mod layered;
mod limits;
pub mod retrograde;

pub use ao_star::{AoStar, Counts};
pub use layered::Solitaire;
pub use limits::Limits;

/// A game of two players who move in turn until one cannot: that one has lost. Every ply leads
/// closer to the end, so that no position comes back.
pub trait TwoPlayer {
    /// A position, told apart from all others of the same game.
    type Position: Copy + Eq + std::hash::Hash;

    /// Appends the positions after each legal move, in the order of the moves, each with what can
    /// be said of it at a glance. Appends nothing when the game is over.
    fn expand(&self, position: Self::Position, children: &mut Vec<Child<Self::Position>>);

    /// The most plies that can still be played.
    fn plies_left(&self, position: Self::Position) -> u8;
}

/// A position after a move.
#[derive(Clone, Copy, Debug)]
pub struct Child<P> {
    /// The position.
    pub position: P,
    /// What is known of it.
    pub estimate: Estimate,
    /// How promising the move is, lowest first; decides between equal estimates.
    pub order: u8,
}

/// What can be said of a position at a glance, as seen by its side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimate {
    /// It wins in so many plies, and no sooner.
    Win(u8),
    /// It loses in so many plies, and no later.
    Loss(u8),
    /// How quickly the game can end either way, at the least.
    AtLeast {
        /// The side to move cannot win in fewer plies than this.
        win: u8,
        /// The side to move cannot lose in fewer plies than this.
        loss: u8,
    },
}
