//! `endtable export`: flat records for other tools.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::key::Key;
use endtable::games::{self, Game};
use endtable::table::{Description, Record, Table, TableError, ValueKind};
use endtable::value::{Expected, Unit};

use super::Failure;
use super::args::examples;
use super::output::{check_new, write_file};

/// Write a table's records as flat fixed-size records or as CSV
///
/// --raw: key (16 bytes, or 8 when folded), meta (2 bytes: bit 0 turn, bit 1 win, bits 2-9 best
/// move, bits 10-15 plies), value if the table has one; little-endian, without padding, in the
/// table's order. --csv: the same, one record a line, with a heading.
#[derive(clap::Args)]
struct Args {
    /// The table
    #[arg(value_name = "TABLE")]
    file: PathBuf,
    #[command(flatten)]
    form: Form,
    /// Where to, standard output by default
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace a file that is there
    #[arg(long, requires = "out")]
    force: bool,
}

#[derive(clap::Args)]
#[group(required = true, multiple = false)]
struct Form {
    /// Flat binary records
    #[arg(long)]
    raw: bool,
    /// Comma-separated text
    #[arg(long)]
    csv: bool,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("export")).after_help(examples("export", &games::ALL))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    if let Some(path) = &args.out {
        check_new(path, args.force)?;
    }
    let table = Table::open(&args.file)?;
    let game = games::game_of(&args.file)?;
    match &args.out {
        Some(path) => write_file(path, |mut out| write_records(&args, game, &table, &mut out)),
        None => write_records(&args, game, &table, &mut BufWriter::new(io::stdout().lock())),
    }
}

fn write_records(
    args: &Args,
    game: &dyn Game,
    table: &Table,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let description = &table.header().description;
    if args.form.csv {
        let value = if description.value == ValueKind::None { "" } else { ",value" };
        writeln!(out, "key,turn,win,best_move,plies{value}")?;
    }
    for record in table.records() {
        let record = record?;
        let key = key_of(game, &record, table)?;
        if args.form.csv {
            write_csv(out, key, &record, description.value)?;
        } else {
            write_raw(out, key, &record, description)?;
        }
    }
    Ok(out.flush()?)
}

/// A record's key; a table whose codes are no positions is damaged.
pub fn key_of(game: &dyn Game, record: &Record, table: &Table) -> Result<Key, Failure> {
    game.record_key(record, &table.header().description).map_err(|error| {
        let what = format!("code {:016x}: {error}", record.code);
        TableError::Inconsistent { path: table.path().into(), what }.into()
    })
}

fn write_csv(out: &mut impl Write, key: Key, record: &Record, kind: ValueKind) -> io::Result<()> {
    let (meta, value) = (record.meta, record.meta.value());
    let win = u8::from(value.is_win());
    let best = meta.best_move().unwrap_or(0xff);
    write!(out, "{key},{},{win},{best:02x},{}", meta.turn(), value.plies())?;
    match kind {
        ValueKind::None => writeln!(out),
        kind => writeln!(out, ",{}", value_text(record.value, kind)),
    }
}

/// A record's value in as many digits as it has.
pub fn value_text(bits: u64, kind: ValueKind) -> String {
    if kind == ValueKind::U64 {
        return bits.to_string();
    }
    let (value, precision) = (kind.decode(bits), kind.precision());
    Expected { value, unit: Unit::Score, precision, gain: false }.to_string()
}

fn write_raw(
    out: &mut impl Write,
    key: Key,
    record: &Record,
    description: &Description,
) -> io::Result<()> {
    out.write_all(&key.to_bytes())?;
    let meta = description.layout.pack(record.meta).to_le_bytes();
    out.write_all(&meta[..description.layout.bytes()])?;
    out.write_all(&record.value.to_le_bytes()[..description.value.bytes()])
}
