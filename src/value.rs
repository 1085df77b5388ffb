//! What a position is worth: a result with its distance, or an expected value. No game owns them.

use std::fmt;

/// A number of plies, that is, moves of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Plies(pub u16);

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// How a game ends, as seen by the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GameResult {
    /// The side to move loses.
    Loss,
    /// Nobody wins.
    Draw,
    /// The side to move wins.
    Win,
}

/// `win`, `draw` or `loss`.
impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Win => "win",
        })
    }
}

/// Who wins, as seen by the side to move, and how many plies the game lasts when the winner
/// hurries and the loser holds out.
///
/// Larger is better for the side to move: quick wins, slow wins, draws, slow losses, quick losses.
///
/// ```
/// use endtable::value::{Plies, Value};
///
/// assert!(Value::Win(Plies(3)) > Value::Win(Plies(5)));
/// assert!(Value::Loss(Plies(8)) > Value::Loss(Plies(2)));
/// assert!(Value::Win(Plies(99)) > Value::Draw && Value::Draw > Value::Loss(Plies(99)));
/// assert_eq!(Value::Loss(Plies(8)).before_move(), Value::Win(Plies(9)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move wins.
    Win(Plies),
    /// Neither side can force a win. It has no distance: play may go on for ever.
    Draw,
    /// The side to move loses.
    Loss(Plies),
}

impl Value {
    /// How the game ends.
    #[must_use]
    pub const fn result(self) -> GameResult {
        match self {
            Self::Win(_) => GameResult::Win,
            Self::Draw => GameResult::Draw,
            Self::Loss(_) => GameResult::Loss,
        }
    }

    /// Whether the side to move wins.
    #[must_use]
    pub const fn is_win(self) -> bool {
        matches!(self, Self::Win(_))
    }

    /// How long the game lasts, 0 for a draw.
    #[must_use]
    pub const fn plies(self) -> Plies {
        match self {
            Self::Win(plies) | Self::Loss(plies) => plies,
            Self::Draw => Plies(0),
        }
    }

    /// What a move that leads to a position of this value is worth to the one who makes it.
    #[must_use]
    pub const fn before_move(self) -> Self {
        match self {
            Self::Win(Plies(n)) => Self::Loss(Plies(n + 1)),
            Self::Draw => Self::Draw,
            Self::Loss(Plies(n)) => Self::Win(Plies(n + 1)),
        }
    }

    /// A number that is larger the better the value.
    const fn rank(self) -> i32 {
        match self {
            Self::Win(plies) => (1 << 16) - plies.0 as i32,
            Self::Draw => 0,
            Self::Loss(plies) => plies.0 as i32 - (1 << 16),
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

/// `win 9`, `loss 6` or `draw`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Draw => self.result().fmt(f),
            Self::Win(plies) | Self::Loss(plies) => write!(f, "{} {plies}", self.result()),
        }
    }
}

/// What an expected value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Points still to come.
    Score,
    /// The chance of success, from 0 to 1.
    Chance,
    /// What a heuristic makes of it: to be compared with its like, and with nothing else.
    Estimate,
}

/// `score`, `chance` or `estimate`.
impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Score => "score",
            Self::Chance => "chance",
            Self::Estimate => "estimate",
        })
    }
}

/// How many digits of an expected value mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// As many as tell 32-bit floating point numbers apart.
    Single,
    /// As many as tell 64-bit floating point numbers apart.
    Double,
    /// So many behind the point.
    Fixed(u8),
}

/// An expected value: what play against chance brings on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// The number.
    pub value: f64,
    /// What it counts.
    pub unit: Unit,
    /// How exact it is.
    pub precision: Precision,
    /// Whether there is something to gain, or the goal has been reached: also where the number is
    /// too small for its precision.
    pub gain: bool,
}

/// The number, in as many digits as it has.
impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.precision {
            Precision::Single => (self.value as f32).fmt(f),
            Precision::Double => self.value.fmt(f),
            Precision::Fixed(digits) => write!(f, "{:.*}", usize::from(digits), self.value),
        }
    }
}

/// What a position or a move is worth, whatever the game.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Worth {
    /// A result with its distance.
    Value(Value),
    /// A result whose distance was not asked for.
    Result(GameResult),
    /// An expected value.
    Expected(Expected),
    /// A search of so many plies did not decide it.
    Unknown {
        /// The plies searched.
        searched: Plies,
    },
}

impl Worth {
    /// The result, if it is one.
    #[must_use]
    pub const fn result(&self) -> Option<GameResult> {
        match self {
            Self::Value(value) => Some(value.result()),
            Self::Result(result) => Some(*result),
            Self::Expected(_) | Self::Unknown { .. } => None,
        }
    }

    /// How long the game lasts, if that is known.
    #[must_use]
    pub const fn plies(&self) -> Option<Plies> {
        match self {
            Self::Value(Value::Win(plies) | Value::Loss(plies)) => Some(*plies),
            _ => None,
        }
    }

    /// The win bit of a record: the side to move wins, or there is something to gain.
    #[must_use]
    pub fn is_win(&self) -> bool {
        match self {
            Self::Expected(expected) => expected.gain,
            other => other.result() == Some(GameResult::Win),
        }
    }
}

impl fmt::Display for Worth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => value.fmt(f),
            Self::Result(result) => result.fmt(f),
            Self::Expected(expected) => expected.fmt(f),
            Self::Unknown { searched } => write!(f, "unknown after {searched} plies"),
        }
    }
}
