//! `endtable man`: the manual, a page for each command.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use clap_mangen::Man;

use super::Failure;
use super::output::{say, write_file};

/// Write the manual into a folder, a page for each command
///
/// They are endtable.1, endtable-solve.1, endtable-solve-GAME.1 and so on. `make install` puts them where `man` finds them.
#[derive(clap::Args)]
#[command(after_help = "Example:
  endtable man ~/.local/share/man/man1")]
struct Args {
    /// The folder, which is made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("man"))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let Args { folder } = Args::from_arg_matches(matches).map_err(Failure::input)?;
    fs::create_dir_all(&folder).map_err(|error| Failure::about(&folder, &error))?;
    let mut command = super::command().disable_help_subcommand(true);
    command.build();
    let pages = write_pages(&command, &folder)?;
    say(format_args!("{}: {pages} pages", folder.display()))
}

/// Writes the page of a command and those of its subcommands; answers how many there are.
fn write_pages(command: &Command, folder: &Path) -> Result<u64, Failure> {
    let page = Man::new(command.clone()).source(concat!("endtable ", env!("CARGO_PKG_VERSION")));
    write_file(&folder.join(page.get_filename()), |mut out| Ok(page.render(&mut out)?))?;
    let mut pages = 1;
    for subcommand in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        pages += write_pages(subcommand, folder)?;
    }
    Ok(pages)
}
