//! What a solver or a table says of a position, whatever the game.

use std::fmt;

use crate::value::Worth;

/// What is known of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What it is worth to the side to move.
    pub worth: Worth,
    /// Every equally good move where they are all known, the one that is printed first; otherwise that
    /// one. Empty when there is none to make.
    pub best: Vec<String>,
    /// Every legal move, if they were asked for.
    pub moves: Vec<MoveAnswer>,
    /// Where the answer comes from, where there are several that could give one.
    pub source: Vec<(&'static str, Field)>,
    /// Moves that the game allows and what answered leaves out, each with the reason.
    pub excluded: Vec<(String, String)>,
    /// What else there is to say: a name and a text each.
    pub notes: Vec<(&'static str, String)>,
}

/// What is known of a move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveAnswer {
    /// The move.
    pub name: String,
    /// What it is worth to the one who makes it, if that is known.
    pub worth: Option<Worth>,
    /// What may follow it by chance: a text and a value each, where that was asked for.
    pub chances: Vec<(String, Option<Worth>)>,
}

/// How much to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What a position is worth, and a best move.
    Best,
    /// What every move is worth, too.
    Moves,
    /// And what may follow every move by chance.
    Chances,
}

impl Detail {
    /// Whether moves are asked for.
    #[must_use]
    pub fn has_moves(self) -> bool {
        self != Self::Best
    }
}

/// A field of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// A text.
    Text(String),
    /// A number.
    Number(u64),
    /// Several, each with its name.
    Group(Vec<(&'static str, Field)>),
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.pad(text),
            Self::Number(number) => number.fmt(f),
            Self::Group(fields) => {
                let each = fields.iter().map(|(name, field)| match field {
                    Self::Group(_) => format!("{name} ({field})"),
                    field => format!("{name} {field}"),
                });
                f.pad(&each.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

impl<T: Into<String>> From<T> for Field {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

impl Answer {
    /// An answer without moves and notes.
    #[must_use]
    pub fn new(worth: Worth, best: impl IntoIterator<Item = String>) -> Self {
        let best = best.into_iter().collect();
        Self {
            worth,
            best,
            moves: Vec::new(),
            source: Vec::new(),
            excluded: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The first of the best moves.
    #[must_use]
    pub fn best(&self) -> Option<&str> {
        self.best.first().map(String::as_str)
    }
}
