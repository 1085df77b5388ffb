//! The command line: parse it, call one command, map its failure to an exit code.

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // Usage errors exit with 2 inside `parse`, as ours do.
    match cli::Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(message) = failure.message() {
                cli::complain(message);
            }
            failure.exit_code()
        }
    }
}
