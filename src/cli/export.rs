//! `endtable export`: flat records for other tools.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use endtable::probe::{RecordKey, record_key};
use endtable::table::{Description, Record, Table, ValueKind};

use super::Failure;
use super::output::{check_new, write_file};

/// Write a table's records as flat fixed-size records or as CSV
///
/// --raw: key (16 bytes, or 8 when folded), meta (2 bytes: bit 0 turn, bit 1 win, bits 2-9 best
/// move, bits 10-15 plies), value if the table has one; little-endian, without padding, in the
/// table's order. --csv: the same, one record a line, with a heading.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  endtable export seeds.etb --csv > seeds.csv
  endtable export seeds.etb --raw --out seeds.bin")]
pub struct Args {
    /// The table
    #[arg(value_name = "FILE")]
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

pub fn run(args: &Args) -> Result<(), Failure> {
    if let Some(path) = &args.out {
        check_new(path, args.force)?;
    }
    let table = Table::open(&args.file)?;
    match &args.out {
        Some(path) => write_file(path, |mut out| write_records(args, &table, &mut out)),
        None => write_records(args, &table, &mut BufWriter::new(io::stdout().lock())),
    }
}

fn write_records(args: &Args, table: &Table, out: &mut impl Write) -> Result<(), Failure> {
    let description = &table.header().description;
    if args.form.csv {
        let value = if description.value == ValueKind::None { "" } else { ",value" };
        writeln!(out, "key,turn,win,best_move,plies{value}")?;
    }
    for record in table.records() {
        let record = record?;
        let key = key(&record, description)?;
        if args.form.csv {
            write_csv(out, key, &record, description.value)?;
        } else {
            write_raw(out, key, &record, description.value.bytes())?;
        }
    }
    Ok(out.flush()?)
}

/// A record's key; a table whose codes are no positions is damaged.
pub fn key(record: &Record, description: &Description) -> Result<RecordKey, Failure> {
    record_key(record, description).map_err(|error| Failure::Io(io::Error::other(error)))
}

fn write_csv(
    out: &mut impl Write,
    key: RecordKey,
    record: &Record,
    kind: ValueKind,
) -> io::Result<()> {
    let (meta, value) = (record.meta, record.meta.value());
    let win = u8::from(value.is_win());
    write!(out, "{key},{},{win},{:02x},{}", meta.turn(), meta.best_move(), value.plies())?;
    match value_text(record.value, kind) {
        Some(value) => writeln!(out, ",{value}"),
        None => writeln!(out),
    }
}

/// A record's value in as many digits as it has, `None` if the table has none.
pub fn value_text(bits: u64, kind: ValueKind) -> Option<String> {
    match kind {
        ValueKind::None => None,
        ValueKind::U64 => Some(bits.to_string()),
        kind => Some(number_text(kind.decode(bits), kind)),
    }
}

/// A number in as many digits as such a column has of it.
pub fn number_text(number: f64, kind: ValueKind) -> String {
    match kind {
        ValueKind::F32 => (number as f32).to_string(),
        ValueKind::Chance32 => format!("{number:.10}"),
        ValueKind::None | ValueKind::U64 | ValueKind::F64 => number.to_string(),
    }
}

fn write_raw(
    out: &mut impl Write,
    key: RecordKey,
    record: &Record,
    width: usize,
) -> io::Result<()> {
    match key {
        RecordKey::Long(key) => out.write_all(&key.0.to_le_bytes())?,
        RecordKey::Short(key) => out.write_all(&key.0.to_le_bytes())?,
    }
    out.write_all(&record.meta.0.to_le_bytes())?;
    out.write_all(&record.value.to_le_bytes()[..width])
}
