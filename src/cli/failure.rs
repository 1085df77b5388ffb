//! How commands fail: what is said, and the exit code.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use endtable::games::GameError;
use endtable::job::JobError;
use endtable::table::TableError;
use serde_json::{Value, json};

/// Whether what is said on standard error is said in objects. Set once, before anything is said.
static AS_OBJECTS: AtomicBool = AtomicBool::new(false);

/// From now on, what is said on standard error is said in objects, one a line.
pub fn complain_as_objects() {
    AS_OBJECTS.store(true, Ordering::Relaxed);
}

/// Says something on standard error; if that is closed, nobody wants to hear it.
fn tell(message: &dyn Display, object: impl FnOnce() -> Value) {
    _ = match AS_OBJECTS.load(Ordering::Relaxed) {
        true => writeln!(io::stderr(), "{}", object()),
        false => writeln!(io::stderr(), "endtable: {}", legible(&message.to_string())),
    };
}

/// A message of which a terminal shows every character: what a file has in it must not steer the
/// terminal.
fn legible(message: &str) -> String {
    let steers = |c: char| {
        c.is_control() && c != '\n'
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut text = String::with_capacity(message.len());
    for c in message.chars() {
        match steers(c) {
            true => text.extend(c.escape_default()),
            false => text.push(c),
        }
    }
    text
}

/// Says what there is to know besides the answer.
pub fn remark(message: impl Display) {
    tell(&message, || json!({ "note": message.to_string() }));
}

/// Says what is wrong.
pub fn complain(message: impl Display) {
    tell(&message, || json!({ "error": message.to_string() }));
}

/// Says what is wrong with a line of the input.
pub fn complain_of_line(number: u64, message: &str) {
    let text = format!("line {number}: {message}");
    tell(&text, || json!({ "line": number, "error": message }));
}

/// Why a command failed. Each kind has its exit code.
#[derive(Debug)]
pub enum Failure {
    /// Not found, exit code 1.
    NotFound(String),
    /// A check failed, exit code 1.
    Check(String),
    /// Stopped before the end, exit code 1.
    Stopped(String),
    /// Bad input or usage, exit code 2.
    Input(String),
    /// Failures that have been reported one by one already, with the exit code of the worst.
    Reported(u8),
    /// Reading or writing failed, exit code 3.
    Io(io::Error),
}

impl Failure {
    /// An error of the operating system about a file.
    pub fn about(path: &Path, error: &io::Error) -> Self {
        Self::Io(io::Error::new(error.kind(), format!("{}: {error}", path.display())))
    }

    /// Bad input, with a sentence about it.
    pub fn input(message: impl Display) -> Self {
        Self::Input(message.to_string())
    }

    /// What to tell the user, unless they have been told.
    pub fn message(&self) -> Option<String> {
        match self {
            Self::NotFound(message)
            | Self::Check(message)
            | Self::Stopped(message)
            | Self::Input(message) => Some(message.clone()),
            Self::Reported(_) => None,
            Self::Io(error) => Some(error.to_string()),
        }
    }

    /// The same with more behind its message.
    #[must_use]
    pub fn with_hint(self, hint: impl Display) -> Self {
        let add = |message: String| format!("{message}{hint}");
        match self {
            Self::NotFound(message) => Self::NotFound(add(message)),
            Self::Check(message) => Self::Check(add(message)),
            Self::Stopped(message) => Self::Stopped(add(message)),
            Self::Input(message) => Self::Input(add(message)),
            Self::Io(error) => Self::Io(io::Error::new(error.kind(), add(error.to_string()))),
            reported @ Self::Reported(_) => reported,
        }
    }

    /// The same about a position that was given, before its message.
    #[must_use]
    pub fn with_context(self, input: &str) -> Self {
        match self {
            Self::Input(message) => Self::Input(format!("{input}: {message}")),
            failure => failure,
        }
    }

    /// 1 for what was not found or is not right, 2 for bad input, 3 for what went wrong with
    /// files.
    fn code(&self) -> u8 {
        match self {
            Self::NotFound(_) | Self::Check(_) | Self::Stopped(_) => 1,
            Self::Input(_) => 2,
            Self::Reported(code) => *code,
            Self::Io(_) => 3,
        }
    }

    /// Says what is wrong, unless that has been said, and gives the code to exit with.
    pub fn report(&self) -> ExitCode {
        if let Some(message) = self.message() {
            tell(&message, || json!({ "error": message, "exit": self.code() }));
        }
        ExitCode::from(self.code())
    }

    /// The same failure, once the user has been told.
    pub fn reported(self) -> Self {
        Self::Reported(self.code())
    }

    /// Of two failures the one that exits with the higher code.
    pub fn worse(one: Option<Self>, other: Self) -> Option<Self> {
        Some(match one {
            Some(one) if one.code() >= other.code() => one,
            _ => other,
        })
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Exists { .. } => Self::input(error).with_hint("; --force replaces it"),
            TableError::NotAFile { .. }
            | TableError::OtherRecipe { .. }
            | TableError::OtherGame { .. }
            | TableError::Mixed { .. } => Self::input(error),
            TableError::Conflict { .. } => Self::Check(error.to_string()),
            TableError::Io { path, source } => Self::about(&path, &source),
            error => Self::Io(io::Error::other(error)),
        }
    }
}

impl From<JobError> for Failure {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Table(error) => error.into(),
            error => Self::Check(error.to_string()),
        }
    }
}

impl From<GameError> for Failure {
    fn from(error: GameError) -> Self {
        match error {
            GameError::Table(error) => error.into(),
            GameError::Job(error) => error.into(),
            GameError::Wrong(message) => Self::Check(message),
            GameError::NotFound(message) => Self::NotFound(message),
            GameError::Stopped => Self::Stopped(error.to_string()),
            GameError::UnknownGame { .. } => Self::Io(io::Error::other(error)),
            error => Self::input(error),
        }
    }
}
