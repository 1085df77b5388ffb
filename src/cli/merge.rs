//! `endtable merge`: several tables become one.

use std::path::PathBuf;
use std::sync::atomic::Ordering;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::{self, Game};
use endtable::table::{
    Description, Recipe, Table, TableError, TableSet, Writer, check_output, merge,
};

use super::Failure;
use super::args::examples;
use super::output::say;
use super::signals::stop_flag;

/// Join tables of one game and one set of rules into one
///
/// A position that several of them have is kept once; if they disagree on it, it is named and
/// nothing is written. Every block that is read is checked. Stopped by Ctrl-C, a kill or a closed
/// terminal, it leaves nothing behind.
#[derive(clap::Args)]
struct Args {
    /// The tables, or folders with tables
    #[arg(required = true, value_name = "TABLE")]
    files: Vec<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace a table that is there
    #[arg(long)]
    force: bool,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("merge")).after_help(examples("merge", &games::ALL))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    check_output(&args.out, args.force)?;
    let set = TableSet::open(&args.files)?;
    let tables = set.tables();
    let game = games::by_name(tables[0].header().description.game());
    if let Some(game) = game {
        game.check_merge(tables)?;
    }
    let description = joined(tables);
    let stop = stop_flag()?;
    let mut writer = Writer::create(&args.out, description)?;
    for record in merge(tables) {
        if stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped("stopped; nothing was written".into()));
        }
        writer.push(record.map_err(|error| name_conflict(error, game, &tables[0]))?)?;
    }
    let header = writer.finish()?;
    say(format_args!(
        "{}: {} records, {} bytes",
        args.out.display(),
        header.records,
        header.file_length
    ))
}

/// Names the position that tables disagree on.
fn name_conflict(error: TableError, game: Option<&'static dyn Game>, table: &Table) -> Failure {
    if let (TableError::Conflict { one, .. }, Some(game)) = (&error, game)
        && let Ok(decoder) = game.decoder(table.header(), table.path())
        && let Ok(key) = decoder.key(one.code)
    {
        return Failure::Check(format!("{key}: {error}"));
    }
    error.into()
}

/// What the joined table says of itself: what its parts have in common, and how many there are.
fn joined(tables: &[Table]) -> Description {
    let descriptions = || tables.iter().map(|table| &table.header().description);
    let first = &tables[0].header().description;
    let recipe = Recipe::joined(descriptions().map(|description| &description.recipe));
    Description {
        generator: Description::this_generator(),
        recipe: recipe.unwrap_or_else(|| first.recipe.clone()),
        ..first.clone()
    }
}
