//! The records of a table file with the keys of their positions, whatever the game and the kind of
//! table: for lists and exports.
//!
//! A table knows codes and numbers; what they stand for its game says, through a [`RecordDecoder`].

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::key::Key;
use super::{GameError, by_name};
use crate::table::{
    DenseTable, Header, Kind, Layout, Meta, OpenFile, Table, TableError, read_header,
};
use crate::value::Value;

/// What a game says of the records of one table.
pub trait RecordDecoder: Send + Sync {
    /// Which parts of the records mean something.
    fn columns(&self) -> Columns;

    /// The key of the position with a code; in a dense table, with a number.
    ///
    /// # Errors
    /// When there is no such position.
    fn key(&self, code: u64) -> Result<Key, GameError>;

    /// What an entry of a dense table says; `None` if it marks a number that no position has.
    ///
    /// # Errors
    /// When the game has no such entries.
    fn entry(&self, entry: u8) -> Result<Option<Value>, GameError> {
        Err(GameError::Wrong(format!("no entry is {entry}")))
    }

    /// The move with a number, in the game's notation; `None` if there is no such move.
    fn move_name(&self, number: u16) -> Option<String>;
}

/// Which parts of a table's records mean something, beside the key and the value: the others are the
/// same in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Whose turn it is.
    pub turn: bool,
    /// Who wins.
    pub result: bool,
    /// The best move.
    pub best_move: bool,
    /// The plies to the end.
    pub plies: bool,
}

/// A record with the key of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The position's key.
    pub key: Key,
    /// Turn, result, best move and plies, as far as the table's [`Columns`] say that it has them.
    pub meta: Meta,
    /// The bits of the value column, 0 in a table that has none.
    pub value: u64,
}

/// An open table file of any game and kind, read by the numbers of its records. Threads may share
/// it, each reading its own part.
///
/// ```no_run
/// use endtable::games::Records;
///
/// let records = Records::open("complete/collapsi-05.etd".as_ref())?;
/// let mut rows = Vec::new();
/// records.read(0..10, &mut rows)?;
/// for row in rows {
///     println!("{} {}", row.key, row.meta.value());
/// }
/// # Ok::<(), endtable::games::GameError>(())
/// ```
pub struct Records {
    table: AnyTable,
    decoder: Box<dyn RecordDecoder>,
    /// By number.
    names: Vec<Option<String>>,
}

enum AnyTable {
    Keyed(Table),
    Dense(DenseTable),
}

impl Records {
    /// Opens a table.
    ///
    /// # Errors
    /// When it is missing, damaged, of a game that is not known, or not what its game makes.
    pub fn open(path: &Path) -> Result<Self, GameError> {
        let table = match read_header(path)?.kind {
            Kind::Keyed => AnyTable::Keyed(Table::open(path)?),
            Kind::Dense => AnyTable::Dense(DenseTable::open(path)?),
        };
        let header = table.file().header();
        let name = header.description.game();
        let unknown = || GameError::UnknownGame { path: path.into(), name: name.into() };
        let decoder = by_name(name).ok_or_else(unknown)?.decoder(header, path)?;
        let [_, move_bits, _] = header.description.layout.bits();
        let numbers = if move_bits == 0 { 0..0 } else { 0..1u32 << move_bits };
        let names = numbers.map(|number| decoder.move_name(number as u16)).collect();
        Ok(Self { table, decoder, names })
    }

    /// What the table says of itself.
    #[must_use]
    pub fn header(&self) -> &Header {
        self.table.file().header()
    }

    /// Where it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.table.file().path()
    }

    /// How many records there are; in a dense table, numbers, of which some may have no position.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.table.file().len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which parts of the records mean something.
    #[must_use]
    pub fn columns(&self) -> Columns {
        self.decoder.columns()
    }

    /// The names of the moves that the records can have.
    pub fn move_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().filter_map(Option::as_deref)
    }

    /// The best move of a row of this table, in the game's notation; `None` where there is none.
    ///
    /// # Errors
    /// When the game has no such move.
    pub fn best_move(&self, row: &Row) -> Result<Option<&str>, GameError> {
        let Some(number) = row.meta.best_move() else { return Ok(None) };
        match self.names.get(usize::from(number)) {
            Some(Some(name)) => Ok(Some(name)),
            _ => Err(self.damaged(format!("{}: no move has the number {number}", row.key))),
        }
    }

    /// How many of these numbers have a record: all that there are, but for those that no position has in
    /// a dense table.
    ///
    /// # Errors
    /// When a block is damaged.
    pub fn count(&self, numbers: Range<u64>) -> Result<u64, GameError> {
        let end = numbers.end.min(self.len());
        let numbers = numbers.start.min(end)..end;
        let AnyTable::Dense(table) = &self.table else { return Ok(numbers.end - numbers.start) };
        if self.header().description.layout != Layout::ByteEntry {
            return Ok(numbers.end - numbers.start);
        }
        let length = table.block_entries() as u64;
        let blocks = numbers.start / length..numbers.end.div_ceil(length);
        let count = |block: u64| {
            let entries = table.block(block as usize)?;
            let numbered = (block * length..).zip(entries);
            let inside = numbered.filter(|(number, _)| numbers.contains(number));
            Ok(inside
                .filter(|&(_, entry)| self.decoder.entry(entry).is_ok_and(|it| it.is_some()))
                .count() as u64)
        };
        blocks.into_par_iter().map(count).sum()
    }

    /// Appends the records with these numbers, in their order, as far as there are such. Quickest
    /// from one block's beginning to another's end.
    ///
    /// # Errors
    /// When a block is damaged, or a record is of no position.
    pub fn read(&self, numbers: Range<u64>, rows: &mut Vec<Row>) -> Result<(), GameError> {
        let end = numbers.end.min(self.len());
        let mut next = numbers.start;
        while next < end {
            next = match &self.table {
                AnyTable::Keyed(table) => {
                    let (block, inside) = part_of_block(next, end, table.block_len());
                    let records = table.block_records(block)?;
                    for (number, record) in (next..).zip(&records[inside]) {
                        let key = self.key(number, record.code)?;
                        rows.push(Row { key, meta: record.meta, value: record.value });
                    }
                    (block as u64 + 1) * table.block_len() as u64
                }
                AnyTable::Dense(table) => {
                    let (block, inside) = part_of_block(next, end, table.block_entries());
                    let entries = table.block(block)?;
                    for (number, &entry) in (next..).zip(&entries[inside]) {
                        let value = self.decoder.entry(entry);
                        let value = value.map_err(|error| self.damaged_at(number, &error))?;
                        let Some(value) = value else { continue };
                        let key = self.key(number, number)?;
                        rows.push(Row { key, meta: Meta::new(0, value, None), value: 0 });
                    }
                    (block as u64 + 1) * table.block_entries() as u64
                }
            };
        }
        Ok(())
    }

    fn key(&self, number: u64, code: u64) -> Result<Key, GameError> {
        let key = self.decoder.key(code);
        key.map_err(|error| self.damaged_at(number, &error))
    }

    fn damaged_at(&self, number: u64, error: &GameError) -> GameError {
        self.damaged(format!("record {number}: {error}"))
    }

    fn damaged(&self, what: String) -> GameError {
        TableError::Inconsistent { path: self.path().into(), what }.into()
    }
}

impl AnyTable {
    fn file(&self) -> &OpenFile {
        match self {
            Self::Keyed(table) => table,
            Self::Dense(table) => table,
        }
    }
}

/// The block that a number is in, and which of its records have numbers from there to an end.
fn part_of_block(start: u64, end: u64, block_len: usize) -> (usize, Range<usize>) {
    let (block, first) = (start as usize / block_len, start as usize % block_len);
    let behind = block_len.min(first + (end - start) as usize);
    (block, first..behind)
}
