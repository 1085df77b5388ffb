//! `endtable manifest`: what a folder of tables ships with.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::{self, Watch};

use super::args::examples;
use super::files::tables_at;
use super::listing::{MANIFEST, SUMS, check_replaceable, make};
use super::output::{say, write_file};
use super::progress::Shown;
use super::signals::stop_flag;
use super::{Failure, remark};

/// Write what a folder of tables ships with: manifest.json and SHA256SUMS
///
/// manifest.json says of each table in the folder what it is: game, rules, kind, records, bytes,
/// sha256, licence, generator, command. SHA256SUMS has what `sha256sum -c` reads. Both are made
/// anew when they are there, unless they are about something else. `endtable verify DIR` holds the
/// folder against them.
#[derive(clap::Args)]
struct Args {
    /// The folder of the tables
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Replace lists that are about something else, or damaged
    #[arg(long)]
    force: bool,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("manifest")).after_help(examples("manifest", &games::ALL))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let Args { folder, force } = Args::from_arg_matches(matches).map_err(Failure::input)?;
    if !folder.is_dir() {
        return Err(Failure::input(format!("{}: not a folder", folder.display())));
    }
    let count = tables_at(&folder)?.len();
    if !force {
        check_replaceable(&folder)?;
    }
    let (stop, shown) = (stop_flag()?, Shown::new());
    let lists = make(&folder, &Watch { stop: &stop, progress: &shown })?;
    if let Some(work) = unfinished(&folder)? {
        remark(format!("{}: an unfinished job lies beside the tables", work.display()));
    }
    for (name, text) in [MANIFEST, SUMS].into_iter().zip(lists) {
        write(&folder.join(name), &text)?;
    }
    say(format_args!("{}: {count} tables in {MANIFEST} and {SUMS}", folder.display()))
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    write_file(path, |out| Ok(out.write_all(text.as_bytes())?))
}

/// A job in a folder that is not finished.
fn unfinished(folder: &Path) -> Result<Option<PathBuf>, Failure> {
    let is_work = |path: &Path| path.extension().is_some_and(|ending| ending == "work");
    let entries = fs::read_dir(folder).map_err(|error| Failure::about(folder, &error))?;
    let mut works = entries.flatten().map(|entry| entry.path()).filter(|path| is_work(path));
    Ok(works.next())
}
