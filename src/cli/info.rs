//! `endtable info`: what a table says of itself.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games;
use endtable::table::{Header, Kind};
use serde_json::Value;

use super::args::examples;
use super::files::{tables_at, whole_header};
use super::{Failure, complain};
use crate::json::{self, Object};

/// Show what tables say of themselves: game, rules, counts, sizes, how they were made
///
/// Every table that cannot be read is named, and the others are shown.
#[derive(clap::Args)]
struct Args {
    /// The tables, or folders with tables
    #[arg(required = true, value_name = "TABLE")]
    files: Vec<PathBuf>,
    /// Print an object for each table, one a line
    #[arg(long)]
    json: bool,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("info")).after_help(examples("info", &games::ALL))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let mut out = std::io::stdout().lock();
    let (mut worst, mut between) = (None, "");
    let mut bad = |failure: Failure| {
        complain(failure.message().unwrap_or_default());
        worst = Failure::worse(worst.take(), failure.reported());
    };
    for path in &args.files {
        let files = tables_at(path).unwrap_or_else(|error| {
            bad(error.into());
            Vec::new()
        });
        for file in files {
            match whole_header(&file) {
                Ok(header) if args.json => {
                    writeln!(out, "{}", Value::Object(object(&file, &header)))?;
                }
                Ok(header) => {
                    writeln!(out, "{between}file         {}", file.display())?;
                    write_header(&mut out, &header)?;
                    between = "\n";
                }
                Err(error) => bad(error.into()),
            }
        }
    }
    worst.map_or(Ok(()), Err)
}

/// Everything that a header says.
fn object(file: &Path, header: &Header) -> Object {
    let description = &header.description;
    let mut object = json::table(&file.display().to_string(), header);
    if header.kind == Kind::Keyed {
        object.insert("record_bytes".into(), description.record_bytes().into());
        object.insert("key_bytes".into(), description.key_bytes.into());
    }
    object.insert("compression".into(), description.compression.to_string().into());
    object.insert("blocks".into(), header.blocks.into());
    object.insert("block_records".into(), header.block_records.into());
    let options = description.recipe.options.iter().map(|(name, value)| {
        // An option without a value is a switch.
        (name.to_owned(), value.map_or(Value::Bool(true), Value::from))
    });
    object.insert("options".into(), Value::Object(options.collect()));
    if let Some(merged) = description.recipe.merged {
        object.insert("merged".into(), merged.into());
    }
    object
}

fn write_header(out: &mut impl Write, header: &Header) -> std::io::Result<()> {
    let description = &header.description;
    writeln!(out, "game         {}", description.game())?;
    writeln!(out, "rules        {}", description.rules)?;
    if header.kind == Kind::Dense {
        writeln!(out, "layer        {}, dense: an entry for each position, no keys", header.layer)?;
    } else {
        writeln!(out, "positions    {}", description.codec)?;
    }
    writeln!(out, "records      {}", header.records)?;
    if header.kind == Kind::Keyed {
        writeln!(
            out,
            "record       {} bytes: key {}, meta {}, value {}",
            description.record_bytes(),
            description.key_bytes,
            description.layout.bytes(),
            description.value.bytes()
        )?;
    }
    writeln!(out, "value        {}", description.value)?;
    writeln!(out, "compression  {}", description.compression)?;
    writeln!(out, "blocks       {} of {} records", header.blocks, header.block_records)?;
    writeln!(out, "size         {} bytes", header.file_length)?;
    let each = header.file_length as f64 / header.records.max(1) as f64;
    writeln!(out, "a record     {each:.2} bytes")?;
    writeln!(out, "generator    {}", description.generator)?;
    writeln!(out, "command      {}", description.recipe)?;
    writeln!(out, "licence      {}", description.licence)
}
