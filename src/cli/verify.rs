//! `endtable verify`: is a table whole, and is it right?

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::{self, Check, GameError, Watch};
use endtable::table::{Options, Table, TableError};
use rayon::prelude::*;

use super::args::examples;
use super::output::say;
use super::progress::Shown;
use super::signals::stop_flag;
use super::{Failure, complain};

/// Check tables: header, every checksum, the order, the counts, and that each record can be
///
/// With --resolve, some records are also solved anew and compared. With --full, every answer is
/// worked out anew from those that it follows from. Which of the two tables have is their game's
/// business. Every table that is wrong is named, not only the first.
#[derive(clap::Args)]
struct Args {
    /// The tables, or folders of complete tables
    #[arg(required = true, value_name = "TABLE")]
    files: Vec<PathBuf>,
    /// Solve so many records, chosen at random, anew
    #[arg(long, value_name = "N", default_value_t = 0)]
    resolve: u64,
    /// Work every answer out anew from those after it
    #[arg(long, conflicts_with = "resolve")]
    full: bool,
    /// The seed of that choice
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("verify")).after_help(examples("verify", &games::ALL))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let check = match (args.full, args.resolve) {
        (true, _) => Check::Full,
        (false, 0) => Check::Sound,
        (false, count) => Check::Sample { count, seed: args.seed },
    };
    let stop = stop_flag()?;
    let shown = Shown::new();
    let watch = Watch { stop: &stop, progress: &shown };
    let mut worst = None;
    for file in &args.files {
        match verify(file, check, &watch) {
            Ok(()) => {}
            Err(failure @ Failure::Stopped(_)) => return Err(failure),
            Err(failure) => {
                if let Some(message) = failure.message() {
                    complain(message);
                }
                worst = Failure::worse(worst, failure);
            }
        }
    }
    worst.map_or(Ok(()), |failure| Err(failure.reported()))
}

fn verify(file: &Path, check: Check, watch: &Watch<'_>) -> Result<(), Failure> {
    let tables = match games::game_of(file) {
        // What its records mean is not known, but whether they are whole can be told.
        Err(GameError::UnknownGame { .. }) if check == Check::Sound => return verify_frame(file),
        game => game?.open(&[file.into()], &Options::default())?,
    };
    let mut worst = None;
    let mut report = |part: Result<String, GameError>| match part {
        Ok(sentence) => worst = worst.take().or(say(sentence).err()),
        Err(error) => {
            let failure = Failure::from(error);
            complain(failure.message().unwrap_or_default());
            worst = Failure::worse(worst.take(), failure.reported());
        }
    };
    tables.check(check, watch, &mut report)?;
    worst.map_or(Ok(()), Err)
}

/// Checks a table of a game that is not known.
fn verify_frame(file: &Path) -> Result<(), Failure> {
    let table = Table::open(file)?;
    let count = (0..table.blocks())
        .into_par_iter()
        .map(|block| table.verify_block(block))
        .try_reduce(|| 0, |one, other| Ok(one + other))?;
    if count != table.len() {
        let what = format!("{count} records, but the header says {}", table.len());
        return Err(TableError::Inconsistent { path: file.into(), what }.into());
    }
    let (path, blocks, game) = (file.display(), table.blocks(), table.header().description.game());
    say(format_args!(
        "{path}: {count} records in {blocks} blocks are sound; what they say of {game} is not known here"
    ))
}
