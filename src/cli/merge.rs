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
