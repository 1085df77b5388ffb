//! `endtable info`: what a table says of itself.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games;
use endtable::table::{
    DENSE_EXTENSION, DenseTable, EXTENSION, Header, Kind, Table, TableError, files_in,
};

use super::Failure;
use super::args::examples;

/// Show what tables say of themselves: game, rules, counts, sizes, how they were made
#[derive(clap::Args)]
struct Args {
    /// The tables, or folders with tables
    #[arg(required = true, value_name = "TABLE")]
    files: Vec<PathBuf>,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("info")).after_help(examples("info", &games::ALL))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let mut out = std::io::stdout().lock();
    for file in files(&args.files)? {
        let header = header(&file)?;
        writeln!(out, "file         {}", file.display())?;
        write_header(&mut out, &header)?;
    }
    Ok(())
}

/// The tables, those of folders one by one.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        for extension in [EXTENSION, DENSE_EXTENSION] {
            files.extend(files_in(path, extension)?);
        }
        if files.len() == before {
            return Err(TableError::MissingTable { name: path.display().to_string() }.into());
        }
    }
    Ok(files)
}

/// The header of a table whose frame is whole: a file cut short does not speak for itself.
fn header(file: &Path) -> Result<Header, TableError> {
    match Table::open(file) {
        Err(TableError::WrongKind { .. }) => Ok(DenseTable::open(file)?.header().clone()),
        table => Ok(table?.header().clone()),
    }
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
