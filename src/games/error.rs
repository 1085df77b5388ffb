//! What can be wrong with what a game is asked.

use std::path::PathBuf;

use crate::job::JobError;
use crate::table::{OptionError, TableError};

/// Why a game could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GameError {
    /// A text that is no position.
    #[error("{reason}")]
    Position {
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A text that is no legal move.
    #[error("{text}: {reason}")]
    Move {
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An option whose value is not what it should be.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// What was asked for does not go together, or is not offered.
    #[error("{0}")]
    Unsupported(String),
    /// A position of another game.
    #[error("a position of another game")]
    OtherGame,
    /// A table of a game that is not known.
    #[error("{}: a table of {name}, a game that this program does not know", path.display())]
    UnknownGame {
        /// The file.
        path: PathBuf,
        /// The game's name there.
        name: String,
    },
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A job failed.
    #[error(transparent)]
    Job(#[from] JobError),
    /// A table says what is not so.
    #[error("{0}")]
    Wrong(String),
    /// What was asked for is not there.
    #[error("{0}")]
    NotFound(String),
    /// It was stopped before the end.
    #[error("stopped before the end")]
    Stopped,
}

impl GameError {
    /// A text that is no position, and why.
    pub(crate) fn position(text: &str, reason: impl ToString) -> Self {
        Self::Position { text: text.into(), reason: reason.to_string() }
    }

    /// A text that is no legal move, and why.
    pub(crate) fn illegal(text: &str, reason: impl ToString) -> Self {
        Self::Move { text: text.into(), reason: reason.to_string() }
    }

    /// An option's value that will not do, and why.
    pub(crate) fn option(name: &str, value: impl ToString, reason: impl ToString) -> Self {
        Self::Option(OptionError {
            name: name.into(),
            value: value.to_string(),
            reason: reason.to_string(),
        })
    }
}
