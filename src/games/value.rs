//! What a position of a two-player game is worth.

use std::fmt;

/// A number of plies, that is, moves of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Plies(pub u8);

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Who wins, as seen by the side to move, and how many plies the game lasts when the winner
/// hurries and the loser holds out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move wins.
    Win(Plies),
    /// The side to move loses.
    Loss(Plies),
}

impl Value {
    /// Whether the side to move wins.
    #[must_use]
    pub const fn is_win(self) -> bool {
        matches!(self, Self::Win(_))
    }

    /// How long the game lasts.
    #[must_use]
    pub const fn plies(self) -> Plies {
        match self {
            Self::Win(plies) | Self::Loss(plies) => plies,
        }
    }

    /// What a move that leads to a position of this value is worth to the one who makes it.
    #[must_use]
    pub const fn before_move(self) -> Self {
        match self {
            Self::Win(Plies(n)) => Self::Loss(Plies(n + 1)),
            Self::Loss(Plies(n)) => Self::Win(Plies(n + 1)),
        }
    }

    /// Larger is better for the side to move: quick wins, slow wins, slow losses, quick losses.
    const fn rank(self) -> i16 {
        match self {
            Self::Win(plies) => 256 - plies.0 as i16,
            Self::Loss(plies) => plies.0 as i16 - 256,
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// `win 9` or `loss 6`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.is_win() { "win" } else { "loss" }, self.plies())
    }
}
