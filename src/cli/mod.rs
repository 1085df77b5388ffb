//! The commands, one file each, and what they have in common: how they fail.

mod dump;
mod generate;
mod input;
mod keys;
mod progress;
mod solve;

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use endtable::table::TableError;

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
    Dump(dump::Args),
    Keys(keys::Args),
}

impl Cli {
    /// Runs the command.
    pub fn run(self) -> Result<(), Failure> {
        let done = match self.command {
            Command::Solve(args) => solve::run(&args),
            Command::Generate(args) => generate::run(&args),
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
    /// Bad input that has been reported line by line already, exit code 2.
    ReportedInput,
    /// Reading or writing failed, exit code 3.
    Io(io::Error),
}

impl Failure {
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
            Self::ReportedInput => None,
            Self::Io(error) => Some(error.to_string()),
        }
    }

    /// 1 for what was not found or is not right, 2 for bad input, 3 for what went wrong with files.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::NotFound(_) | Self::Check(_) | Self::Stopped(_) => ExitCode::from(1),
            Self::Input(_) | Self::ReportedInput => ExitCode::from(2),
            Self::Io(_) => ExitCode::from(3),
        }
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
            TableError::Exists { .. }
            | TableError::OtherCommand { .. }
            | TableError::Mixed { .. } => Self::input(error),
            TableError::Conflict { .. } => Self::Check(error.to_string()),
            TableError::Io { path, source } => {
                Self::Io(io::Error::new(source.kind(), format!("{}: {source}", path.display())))
            }
            error => Self::Io(io::Error::other(error)),
        }
    }
}
