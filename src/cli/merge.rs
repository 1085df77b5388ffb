//! `endtable merge`: several tables become one.

use std::path::PathBuf;

use endtable::probe::record_key;
use endtable::table::{Description, Table, TableError, TableSet, Writer, check_output, merge};

use super::Failure;
use super::output::say;

/// Join tables of one game and one set of rules into one
///
/// A position that several of them have is kept once; if they disagree on it, it is named and
/// nothing is written.
#[derive(clap::Args)]
#[command(after_help = "Example:
  endtable merge a.etb b.etb --out ab.etb")]
pub struct Args {
    /// The tables, or folders with tables
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace a table that is there
    #[arg(long)]
    force: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    check_output(&args.out, args.force)?;
    let set = TableSet::open(&args.files)?;
    let tables = set.tables();
    check_searches(tables)?;
    let description = joined(tables);
    let mut writer = Writer::create(&args.out, description.clone())?;
    for record in merge(tables) {
        let record = record.map_err(|error| match &error {
            TableError::Conflict { one, .. } => match record_key(one, &description) {
                Ok(key) => Failure::Check(format!("{key}: {error}")),
                Err(_) => Failure::from(error),
            },
            _ => Failure::from(error),
        })?;
        writer.push(record)?;
    }
    let header = writer.finish()?;
    say(format_args!(
        "{}: {} records, {} bytes",
        args.out.display(),
        header.records,
        header.file_length
    ))
}

/// Refuses to join what different searches found: nobody could tell which said what.
fn check_searches(tables: &[Table]) -> Result<(), Failure> {
    let mut first: Option<(&Table, String)> = None;
    for table in tables {
        let description = &table.header().description;
        for settings in searches(&description.command) {
            let (one, first) = first.get_or_insert_with(|| (table, settings.clone()));
            if *first != settings {
                return Err(Failure::input(format!(
                    "{} and {} differ in their search: {first} and {settings}",
                    one.path().display(),
                    table.path().display()
                )));
            }
        }
    }
    Ok(())
}

/// The settings of the searches that a command names, or that were joined: all but the seeds.
fn searches(command: &str) -> impl Iterator<Item = String> {
    command.split("endtable generate 2048 ").skip(1).filter_map(|words| {
        let (size, rest) = words.split_once(" --seeds ")?;
        let (_, settings) = rest.split_once(' ')?;
        // What follows belongs to the list of a merge.
        let mut settings = settings;
        loop {
            let end = settings.trim_end_matches(['(', ')', ';', ' ']);
            match end.strip_suffix("endtable merge") {
                Some(shorter) => settings = shorter,
                None => return Some(format!("{size} {end}")),
            }
        }
    })
}

/// What the joined table says of itself: the first one's description, and how all were made.
fn joined(tables: &[Table]) -> Description {
    let first = &tables[0].header().description;
    let commands: Vec<&str> =
        tables.iter().map(|table| table.header().description.command.as_str()).collect();
    Description {
        generator: Description::this_generator(),
        command: format!("endtable merge ({})", commands.join("; ")),
        ..first.clone()
    }
}
