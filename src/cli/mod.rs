//! The commands, one file each, and what they have in common: how they fail.

mod chart;
mod complete;
mod dump;
mod export;
mod generate;
mod info;
mod input;
mod keys;
mod longest;
mod merge;
mod output;
mod play;
mod probe;
mod progress;
mod search;
mod solve;
mod stats;
mod twenty48;
mod verify;
mod watch;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use endtable::table::{Table, TableError};

/// Endgame tablebases for small games: solve positions, generate tables, probe them.
#[derive(Parser)]
#[command(name = "endtable", version, propagate_version = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Solve(solve::Args),
    Generate(generate::Args),
    Probe(probe::Args),
    Info(info::Args),
    Verify(verify::Args),
    Merge(merge::Args),
    Stats(stats::Args),
    Longest(longest::Args),
    Play(play::Args),
    Export(export::Args),
    Dump(dump::Args),
    Keys(keys::Args),
}

impl Cli {
    /// Runs the command.
    pub fn run(self) -> Result<(), Failure> {
        let done = match self.command {
            Command::Solve(args) => solve::run(&args),
            Command::Generate(args) => generate::run(&args),
            Command::Probe(args) => probe::run(&args),
            Command::Info(args) => info::run(&args),
            Command::Verify(args) => verify::run(&args),
            Command::Merge(args) => merge::run(&args),
            Command::Stats(args) => stats::run(&args),
            Command::Longest(args) => longest::run(&args),
            Command::Play(args) => play::run(&args),
            Command::Export(args) => export::run(&args),
            Command::Dump(args) => dump::run(&args),
            Command::Keys(args) => keys::run(&args),
        };
        match done {
            // Whoever reads our output has had enough of it.
            Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            done => done,
        }
    }
}

/// Says what is wrong, on standard error; if that is closed, nobody wants to hear it.
pub fn complain(message: impl Display) {
    _ = writeln!(io::stderr(), "endtable: {message}");
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

    /// The code to exit with.
    pub fn exit_code(&self) -> ExitCode {
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
            TableError::Mixed { paths, what: what @ "rules", first, second } => {
                // A table knows its rules by number only.
                let game = Table::open(&paths.0).map(|table| table.header().description.game);
                let name = |number: String| match (&game, number.parse()) {
                    (Ok(game), Ok(rules)) => info::rules_name(*game, rules),
                    _ => number,
                };
                let (first, second) = (name(first), name(second));
                Self::input(TableError::Mixed { paths, what, first, second })
            }
            TableError::Exists { .. }
            | TableError::NotAFile { .. }
            | TableError::OtherCommand { .. }
            | TableError::OtherGame { .. }
            | TableError::Mixed { .. } => Self::input(error),
            TableError::Conflict { .. } => Self::Check(error.to_string()),
            TableError::Io { path, source } => Self::about(&path, &source),
            error => Self::Io(io::Error::other(error)),
        }
    }
}
