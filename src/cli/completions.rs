//! `endtable completions`: what a shell needs to complete command lines.

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use clap_complete::{Shell, generate};

use super::Failure;
use super::output::say;

/// Print what a shell needs to complete command lines
///
/// `make install` puts one for each shell where it is found by itself.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  endtable completions bash > ~/.local/share/bash-completion/completions/endtable
  endtable completions zsh > _endtable
  endtable completions fish > ~/.config/fish/completions/endtable.fish")]
struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("completions"))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let Args { shell } = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let mut script = Vec::new();
    generate(shell, &mut super::command(), "endtable", &mut script);
    say(String::from_utf8_lossy(&script).trim_end())
}
