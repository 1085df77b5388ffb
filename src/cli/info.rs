//! `endtable info`: what a table says of itself.

use std::io::Write;
use std::path::PathBuf;

use endtable::games::collapsi::Rules;
use endtable::games::twenty48;
use endtable::table::{DenseTable, Game, Header, Kind, Table, TableError};

use super::Failure;

/// Show what tables say of themselves: game, rules, counts, sizes, how they were made
#[derive(clap::Args)]
#[command(after_help = "Example:
  endtable info seeds.etb")]
pub struct Args {
    /// The tables
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    for file in &args.files {
        let header = match Table::open(file) {
            Err(TableError::WrongKind { .. }) => DenseTable::open(file)?.header().clone(),
            table => table?.header().clone(),
        };
        writeln!(out, "file         {}", file.display())?;
        write_header(&mut out, &header)?;
    }
    Ok(())
}

fn write_header(out: &mut impl Write, header: &Header) -> std::io::Result<()> {
    let description = &header.description;
    writeln!(out, "game         {}", description.game)?;
    writeln!(out, "rules        {}", rules_name(description.game, description.rules))?;
    if header.kind == Kind::Dense {
        writeln!(out, "layer        {}, dense: an entry for each position, no keys", header.layer)?;
    } else {
        writeln!(out, "positions    {}", description.codec)?;
    }
    writeln!(out, "records      {}", header.records)?;
    if header.kind == Kind::Keyed {
        writeln!(
            out,
            "record       {} bytes: key {}, meta 2, value {}",
            description.record_bytes(),
            description.key_bytes(),
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
    writeln!(out, "command      {}", description.command)?;
    writeln!(out, "licence      {}", description.licence)
}

/// What a game calls its rules.
pub fn rules_name(game: Game, rules: u8) -> String {
    match game {
        Game::Collapsi if rules == u8::MAX => "one and wild".into(),
        Game::Collapsi => Rules::ALL
            .get(usize::from(rules))
            .map_or_else(|| format!("unknown ({rules})"), |rules| rules.to_string()),
        Game::Twenty48 => twenty48::Rules::from_number(rules).map_or_else(
            || format!("unknown ({rules})"),
            |rules| format!("{} {}", rules.size, rules.objective),
        ),
    }
}
