//! Bounded proofs: can one player force a win within so many plies?
//!
//! # Why bounded
//! In a game whose positions can come back, "this position was seen above" says nothing of its value,
//! and a proof that leans on it may be false. A question that carries the plies that are left cannot
//! come back: each ply takes one away. So the search asks only such questions, for 1, 2, 3 … plies, and
//! the first that is answered with yes gives the exact length: the one before was answered with no.
//!
//! # The search
//! One player, the attacker, tries to win within the plies that are left; the other holds out. Where
//! the attacker moves one move is enough, where the defender does all must fail: an AND/OR tree, gone
//! through depth first. The game looks at every position first ([`Duel::attack`], [`Duel::defend`]):
//! it may see the outcome at a glance, and it leaves out moves only if they cannot matter.
//!
//! Many wins are rows of threats, each to be answered at once, and are found in a narrow tree that has
//! no other moves of the attacker. So wherever the attacker moves these are tried first, for all plies
//! that are left, and then everything.
//!
//! # What is remembered
//! For a position the most plies within which the attacker fails, the fewest within which he wins, and
//! the move that showed it, under the position's exact key: two positions are never taken for one.
//! When memory is full what took the least work is forgotten.

mod deepening;
mod memory;
mod search;

pub use deepening::{Found, Sides, Solution};
pub use memory::Memory;
pub use search::{Search, Stopped};

use std::hash::Hash;

/// A game as one player, the attacker, sees it, who tries to win within some plies.
pub trait Duel: Sync {
    /// A position.
    type Position: Copy + Send + Sync;
    /// A move.
    type Move: Copy + Eq + Send + Sync;
    /// Tells positions apart, the side to move included. Positions of one key have one value.
    type Key: Copy + Eq + Hash + Send + Sync;

    /// The key of a position.
    fn key(&self, position: &Self::Position) -> Self::Key;

    /// The position after a move.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// Appends all legal moves, in the game's order. None when the game is over.
    fn moves(&self, position: &Self::Position, moves: &mut Vec<Self::Move>);

    /// The fewest plies that decide the same: the attacker wins within these if and only if he wins
    /// within `plies`. Where the last ply is the defender's and cannot lose, it need not be looked at.
    fn relevant_plies(&self, _position: &Self::Position, plies: u8, _turn: Turn) -> u8 {
        plies
    }

    /// Looks at a position where the attacker moves. If its outcome is not plain, appends the moves
    /// that may win within the plies, the most promising first; with [`Width::Threats`] only those that
    /// threaten to win with the attacker's next move.
    fn attack(
        &self,
        position: &Self::Position,
        plies: u8,
        width: Width,
        moves: &mut Vec<Self::Move>,
    ) -> Outlook;

    /// Looks at a position where the defender moves. If its outcome is not plain, appends the moves
    /// that may hold out for the plies, the most promising first.
    fn defend(&self, position: &Self::Position, plies: u8, moves: &mut Vec<Self::Move>) -> Outlook;
}

/// Who is to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// The one who tries to win.
    Attacker,
    /// The one who holds out.
    Defender,
}

/// Which moves of the attacker are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// Those that threaten to win at once. What they prove is proved; what they do not is open.
    Threats,
    /// All that can matter.
    All,
}

/// What is plain of a position at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// The attacker wins within the plies.
    Wins,
    /// The attacker does not.
    Fails,
    /// It depends on the moves.
    Open,
}
