//! `endtable export`: the records of tables for other tools.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command};
use endtable::games::key::Key;
use endtable::games::{self, NumberRange, Records, Row};
use endtable::table::{Layout, ValueKind};
use endtable::value::{Expected, GameResult, Unit};

use super::Failure;
use super::args::examples;
use super::npy;
use super::output::{check_new, write_file};
use super::rows::{Selection, layer_arg, records_arg, with_progress};
use super::signals::stop_flag;

const ABOUT: &str = "Write the records of tables for other tools: CSV, NumPy, flat binary";

const LONG_ABOUT: &str = "\
Write the records of tables for other tools: CSV, NumPy, flat binary

Records are in the table's order. Several tables, or those of a folder, are written one behind the \
other. A complete table has an entry for each position, in the order of their numbers, and stores \
no moves.

--csv: a heading, then a line a record: the position's key as 0x and hex digits; turn (0 or 1), \
result (win, loss or draw, seen by the side to move), best_move (in the game's notation, empty for \
none), plies to the end, value. A column that says nothing in these tables is left out; rules are a \
column where the tables differ in them. Keys and moves are text: pandas.read_csv(FILE, \
dtype={\"best_move\": str}), read.csv(FILE, colClasses=c(key=\"character\", best_move=\"character\")).

--npy: the same columns as a structured array, which numpy.load(FILE, mmap_mode=\"r\") opens: keys \
as numbers (of 128 bits as key_hi and key_lo), result 1, 0 or -1, best_move as bytes.

--raw: key (16 bytes, or 8), meta (2 bytes: bit 0 turn, bit 1 win, bits 2-9 best move, bits 10-15 \
plies; or 4, or none, as the header says), value if the table has one; little-endian, without padding.";

pub fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let path = |name: &'static str| Arg::new(name).value_parser(clap::value_parser!(PathBuf));
    Command::new("export")
        .about(ABOUT)
        .long_about(LONG_ABOUT)
        .after_help(examples("export", &games::ALL))
        .arg(
            path("files")
                .value_name("TABLE")
                .num_args(1..)
                .required(true)
                .help("The tables, or folders with tables"),
        )
        .arg(flag("csv", "Comma-separated text with a heading"))
        .arg(flag("npy", "A structured array for NumPy"))
        .arg(flag("raw", "Flat binary records"))
        .group(ArgGroup::new("form").args(["csv", "npy", "raw"]).required(true))
        .arg(layer_arg())
        .arg(records_arg())
        .arg(
            path("out").long("out").value_name("FILE").help("Where to, standard output by default"),
        )
        .arg(flag("force", "Replace a file that is there").requires("out"))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let out = matches.get_one::<PathBuf>("out");
    if let Some(path) = out {
        check_new(path, matches.get_flag("force"))?;
    }
    let files: Vec<PathBuf> = matches.get_many("files").into_iter().flatten().cloned().collect();
    let layer = matches.get_one::<u8>("layer").copied();
    let selection = Selection::open(&files, layer, matches.get_one::<NumberRange>("records"))?;
    let sheet = Sheet::new(&selection.tables)?;
    if let Some(out) = out.and_then(|path| path.canonicalize().ok())
        && selection
            .tables
            .iter()
            .any(|table| table.path().canonicalize().is_ok_and(|it| it == out))
    {
        return Err(Failure::input(format!("{}: the table that is exported", out.display())));
    }
    let stop = stop_flag()?;
    with_progress(&stop, out.is_none(), |watch| {
        let write = |out: &mut dyn Write| {
            if matches.get_flag("csv") {
                writeln!(out, "{}", sheet.heading())?;
                selection.write(out, watch, |table, row, line| sheet.push_line(table, row, line))
            } else if matches.get_flag("npy") {
                out.write_all(&npy::header(&sheet.fields(), selection.count()?)?)?;
                selection.write(out, watch, |table, row, bytes| sheet.push_item(table, row, bytes))
            } else {
                sheet.check_raw()?;
                selection.write(out, watch, |table, row, bytes| {
                    push_raw(table, row, bytes);
                    Ok(())
                })
            }
        };
        match out {
            Some(path) => write_file(path, write),
            None => write(&mut BufWriter::new(io::stdout().lock())),
        }
    })
}

/// A column of the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Key,
    Rules,
    Turn,
    Result,
    BestMove,
    Plies,
    Value,
}

/// What the records of some tables have in common: the columns of an export.
struct Sheet {
    columns: Vec<Column>,
    /// Bytes of a key.
    key_bytes: u8,
    value: ValueKind,
    /// Whether plies fit into a byte.
    short: bool,
    /// Bytes of the longest text of the rules, and of the longest name of a move.
    rules_length: usize,
    move_length: usize,
}

impl Sheet {
    fn new(tables: &[Records]) -> Result<Self, Failure> {
        let first = &tables[0];
        let alike = |table: &&Records| {
            let described = |table: &Records| {
                let description = &table.header().description;
                (description.recipe.game.clone(), description.key_bytes, description.value)
            };
            described(table) == described(first)
                && table.columns() == first.columns()
                && table.header().description.layout == first.header().description.layout
        };
        if let Some(other) = tables.iter().find(|table| !alike(table)) {
            return Err(Failure::input(format!(
                "{} and {} do not have the same columns: export them one by one",
                first.path().display(),
                other.path().display()
            )));
        }
        let description = &first.header().description;
        let rules = || tables.iter().map(|table| &table.header().description.rules);
        let there = first.columns();
        let columns = [
            (Column::Key, true),
            (Column::Rules, rules().any(|rules| *rules != description.rules)),
            (Column::Turn, there.turn),
            (Column::Result, there.result),
            (Column::BestMove, there.best_move),
            (Column::Plies, there.plies),
            (Column::Value, description.value != ValueKind::None),
        ];
        Ok(Self {
            columns: columns.into_iter().filter(|(_, is_there)| *is_there).map(|it| it.0).collect(),
            key_bytes: description.key_bytes,
            value: description.value,
            short: description.layout != Layout::Long,
            rules_length: rules().map(String::len).max().unwrap_or(0),
            move_length: first.move_names().map(str::len).max().unwrap_or(0),
        })
    }

    /// Refuses rules that raw records cannot tell apart.
    fn check_raw(&self) -> Result<(), Failure> {
        if self.columns.contains(&Column::Rules) {
            return Err(Failure::input(
                "--raw: the tables are of different rules, which raw records do not name: export \
                 them one by one",
            ));
        }
        Ok(())
    }

    fn heading(&self) -> String {
        let names = self.columns.iter().map(|column| match column {
            Column::Key => "key",
            Column::Rules => "rules",
            Column::Turn => "turn",
            Column::Result => "result",
            Column::BestMove => "best_move",
            Column::Plies => "plies",
            Column::Value => "value",
        });
        names.collect::<Vec<_>>().join(",")
    }

    fn push_line(&self, table: &Records, row: &Row, line: &mut Vec<u8>) -> Result<(), Failure> {
        for (number, column) in self.columns.iter().enumerate() {
            if number > 0 {
                line.push(b',');
            }
            match column {
                Column::Key => push_key(row.key, line),
                Column::Rules => line.extend(table.header().description.rules.as_bytes()),
                Column::Turn => line.push(b'0' + row.meta.turn() as u8),
                Column::Result => write!(line, "{}", row.meta.value().result())?,
                Column::BestMove => line.extend(table.best_move(row)?.unwrap_or("").as_bytes()),
                Column::Plies => write!(line, "{}", row.meta.value().plies())?,
                Column::Value => write!(line, "{}", value_text(row.value, self.value))?,
            }
        }
        line.push(b'\n');
        Ok(())
    }

    /// Names and types of the columns, as NumPy has them.
    fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = Vec::new();
        for column in &self.columns {
            match column {
                Column::Key if self.key_bytes == 16 => {
                    fields.extend([("key_hi", "<u8".into()), ("key_lo", "<u8".into())]);
                }
                Column::Key => fields.push(("key", "<u8".into())),
                Column::Rules => fields.push(("rules", format!("|S{}", self.rules_length))),
                Column::Turn => fields.push(("turn", "|u1".into())),
                Column::Result => fields.push(("result", "|i1".into())),
                Column::BestMove => fields.push(("best_move", format!("|S{}", self.move_length))),
                Column::Plies => {
                    fields.push(("plies", if self.short { "|u1" } else { "<u2" }.into()));
                }
                Column::Value => fields.push(("value", value_type(self.value).into())),
            }
        }
        fields
    }

    fn push_item(&self, table: &Records, row: &Row, bytes: &mut Vec<u8>) -> Result<(), Failure> {
        let value = row.meta.value();
        for column in &self.columns {
            match column {
                Column::Key => match row.key {
                    Key::Long(key) => {
                        bytes.extend(key.hi().to_le_bytes());
                        bytes.extend(key.lo().to_le_bytes());
                    }
                    Key::Short(key) => bytes.extend(key.0.to_le_bytes()),
                },
                Column::Rules => {
                    push_padded(&table.header().description.rules, self.rules_length, bytes);
                }
                Column::Turn => bytes.push(row.meta.turn() as u8),
                Column::Result => {
                    let sign: i8 = match value.result() {
                        GameResult::Win => 1,
                        GameResult::Draw => 0,
                        GameResult::Loss => -1,
                    };
                    bytes.extend(sign.to_le_bytes());
                }
                Column::BestMove => {
                    push_padded(table.best_move(row)?.unwrap_or(""), self.move_length, bytes);
                }
                Column::Plies if self.short => bytes.push(value.plies().0 as u8),
                Column::Plies => bytes.extend(value.plies().0.to_le_bytes()),
                Column::Value if self.value.is_chance() => {
                    bytes.extend(self.value.decode(row.value).to_le_bytes());
                }
                Column::Value => {
                    bytes.extend(&row.value.to_le_bytes()[..self.value.bytes()]);
                }
            }
        }
        Ok(())
    }
}

/// The type of a value column, as NumPy calls it. What is no number there becomes one.
fn value_type(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::F32 => "<f4",
        ValueKind::F64 | ValueKind::Chance16 | ValueKind::Chance24 | ValueKind::Chance32 => "<f8",
        ValueKind::U64 | ValueKind::None => "<u8",
    }
}

/// A text in a field of so many bytes.
fn push_padded(text: &str, length: usize, bytes: &mut Vec<u8>) {
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len() + length - text.len(), 0);
}

/// `0x` and all hex digits.
fn push_key(key: Key, line: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let (number, digits) = match key {
        Key::Long(key) => (key.0, 32),
        Key::Short(key) => (key.0.into(), 16),
    };
    line.extend(b"0x");
    let digit = |place| DIGITS[(number >> (4 * place)) as usize & 15];
    line.extend((0..digits).rev().map(digit));
}

/// A record's value in as many digits as it has.
pub fn value_text(bits: u64, kind: ValueKind) -> String {
    if kind == ValueKind::U64 {
        return bits.to_string();
    }
    let (value, precision) = (kind.decode(bits), kind.precision());
    Expected { value, unit: Unit::Score, precision, gain: false }.to_string()
}

/// A flat record, as `docs/FORMAT.md` has it.
fn push_raw(table: &Records, row: &Row, bytes: &mut Vec<u8>) {
    let description = &table.header().description;
    match row.key {
        Key::Long(key) => bytes.extend(key.0.to_le_bytes()),
        Key::Short(key) => bytes.extend(key.0.to_le_bytes()),
    }
    // The entries of dense tables have no meta of their own.
    let layout = match description.layout {
        Layout::Entry => Layout::Short,
        Layout::ByteEntry => Layout::Long,
        layout => layout,
    };
    bytes.extend(&layout.pack(row.meta).to_le_bytes()[..layout.bytes()]);
    bytes.extend(&row.value.to_le_bytes()[..description.value.bytes()]);
}
