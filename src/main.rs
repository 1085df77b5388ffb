//! The program: parse the command line, run one command, map its failure to an exit code.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Usage errors exit with 2 inside `get_matches`, as ours do.
    match cli::run(&cli::command().get_matches()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if let Some(message) = failure.message() {
                cli::complain(message);
            }
            failure.exit_code()
        }
    }
}
