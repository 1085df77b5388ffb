//! The program: parse the command line, run one command, map its failure to an exit code.

mod chart;
mod checksum;
mod cli;
mod json;
#[cfg(feature = "serve")]
mod serve;
mod sets;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::parse().and_then(|matches| cli::run(&matches)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
