//! `endtable dump`: a position in all its forms.

use std::fmt::Write as _;
use std::io::{BufWriter, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use endtable::games::collapsi::{Board, Cell, Field, Mask};
use endtable::table::Table;

use super::Failure;
use super::export::{key, value_text};
use super::generate::NumberRange;
use super::input::Input;
use super::output::say;
use super::twenty48::{self, BoardArgs};

/// Show a position in all its forms, or the records of a table
///
/// A position: text, boards, keys, picture. A table: one record a line, in the table's order: the
/// line that `solve` prints for its position, then the plies to the end, or the value if the table
/// has one.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  endtable dump --seed 1
  endtable dump --board 2,4,0/0,2,0/0,0,8
  endtable dump seeds.etb --records 0..10
  endtable dump seeds.etb --prefix 0100")]
pub struct Args {
    /// A table to list
    #[arg(value_name = "FILE", conflicts_with_all = ["Input", "BoardArgs"])]
    file: Option<PathBuf>,
    /// Only the records with these numbers, as in 0..10
    #[arg(long, value_name = "A..B", requires = "file")]
    records: Option<NumberRange>,
    /// Only the records whose key begins with these hex digits
    #[arg(long, value_name = "HEX", requires = "file", value_parser = parse_prefix)]
    prefix: Option<String>,
    #[command(flatten)]
    board: BoardArgs,
    #[command(flatten)]
    input: Input,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    match (&args.file, args.board.board()?) {
        (Some(file), _) => list(args, file),
        (None, Some((board, size))) => say(twenty48::forms(board, size).trim_end()),
        (None, None) => args.input.answer(|| (), |(), board| Ok(forms(&board))),
    }
}

/// Hex digits, with the colon of a 128-bit key where it belongs.
fn parse_prefix(text: &str) -> Result<String, String> {
    let fits = text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':');
    fits.then(|| text.to_ascii_lowercase()).ok_or_else(|| "expected hex digits".into())
}

/// Lists the records of a table.
fn list(args: &Args, file: &Path) -> Result<(), Failure> {
    let table = Table::open(file)?;
    let Range { start, end } = args.records.as_ref().map_or(0..u64::MAX, |range| range.0.clone());
    let prefix = args.prefix.as_deref().unwrap_or_default();
    let description = &table.header().description;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for record in table.records_from(start).take((end - start).try_into().unwrap_or(usize::MAX)) {
        let record = record?;
        let key = key(&record, description)?.to_string();
        if key.starts_with(prefix) {
            match value_text(record.value, description.value) {
                Some(value) => writeln!(out, "{key} {} {value}", record.meta)?,
                None => writeln!(out, "{key} {} {}", record.meta, record.meta.value().plies())?,
            }
        }
    }
    Ok(out.flush()?)
}

fn forms(board: &Board) -> String {
    let canonical = board.canonical().board;
    let mut text = String::new();
    _ = writeln!(text, "position  {board}");
    _ = writeln!(text, "state     {}", board.to_hex());
    _ = writeln!(text, "key       {}", board.key());
    _ = writeln!(text, "folded    {}", board.key().fold());
    _ = writeln!(text, "canonical {} {canonical}", canonical.key());
    text += &bitboards(board);
    text += &board.picture(Mask::EMPTY);
    text
}

/// The seven boards side by side, each with its number in hex above it.
fn bitboards(board: &Board) -> String {
    let (boards, turn) = board.to_raw();
    let mut text = String::new();
    let mut line = |cells: [String; 7]| {
        text += cells.map(|cell| format!("{cell:<9}")).concat().trim_end();
        text += "\n";
    };
    line(std::array::from_fn(|i| Field::ALL[i].to_string()));
    line(boards.map(|board| Mask(board).to_string()));
    for row in 0..4 {
        line(boards.map(|board| {
            let bit = |column| Mask(board).contains(Cell::at(row, column));
            (0..4).map(|column| if bit(column) { '#' } else { '.' }).collect()
        }));
    }
    text + &format!("turn {turn}\n")
}
