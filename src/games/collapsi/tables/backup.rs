//! Every answer of keyed tables, worked out anew from those of the positions after its moves.
//!
//! A probe for each of these would decompress a block for most of them. So the tables are read once,
//! from front to back, into two columns in memory, ten bytes a record, where a position is found in a
//! tenth of a microsecond.

use std::io::ErrorKind;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::keyed::{KeyedTables, record_board};
use crate::games::collapsi::{Board, Mask, Move, value_of_plies};
use crate::games::{GameError, Watch};
use crate::table::{Layout, Meta, Record, Table, TableError};
use crate::value::Value;

/// The records of a table in memory, in the order of their codes.
pub(super) struct Column {
    codes: Vec<u64>,
    metas: Vec<u16>,
    /// One in [`STRETCH`] codes: few enough to stay in a near cache.
    landmarks: Vec<u64>,
}

/// How many codes there are to a landmark.
const STRETCH: usize = 32;

impl Column {
    /// Reads a table, each block checked by the format, and each record by `check`.
    pub fn read(
        table: &Table,
        watch: &Watch<'_>,
        check: impl Fn(usize, &Record) -> Result<(), GameError> + Sync,
    ) -> Result<Self, GameError> {
        let count = table.len() as usize;
        let (mut codes, mut metas) = (zeros(count, table)?, zeros(count, table)?);
        let scan = table.scan()?;
        let length = table.block_len();
        let parts = codes.par_chunks_mut(length).zip(metas.par_chunks_mut(length)).enumerate();
        parts.try_for_each(|(block, (codes, metas))| {
            if watch.stop.load(Ordering::Relaxed) {
                return Err(GameError::Stopped);
            }
            let records = scan.records(block)?;
            for (record, (code, meta)) in records.iter().zip(codes.iter_mut().zip(metas)) {
                check(block, record)?;
                *code = record.code;
                *meta = Layout::Short.pack(record.meta) as u16;
            }
            watch.progress.advance(records.len() as u64, records.len() as u64);
            Ok(())
        })?;
        let landmarks = codes.iter().copied().step_by(STRETCH).collect();
        Ok(Self { codes, metas, landmarks })
    }

    fn get(&self, code: u64) -> Option<Meta> {
        let stretch = self.landmarks.partition_point(|&first| first <= code).checked_sub(1)?;
        let start = stretch * STRETCH;
        let codes = &self.codes[start..self.codes.len().min(start + STRETCH)];
        let place = codes.iter().position(|&there| there == code)?;
        Layout::Short.unpack(self.metas[start + place].into())
    }
}

/// Room for so many numbers, or an error.
fn zeros<T: Clone + Default>(count: usize, table: &Table) -> Result<Vec<T>, TableError> {
    let mut list = Vec::new();
    let no_memory = |_| TableError::io(table.path())(ErrorKind::OutOfMemory.into());
    list.try_reserve_exact(count).map_err(no_memory)?;
    list.resize(count, T::default());
    Ok(list)
}

/// Works out every answer of a table, which is one of those that were read, and compares it.
pub(super) fn check(
    tables: &KeyedTables,
    columns: &[Column],
    number: usize,
    watch: &Watch<'_>,
) -> Result<(), GameError> {
    let backup = Backup { columns, tables };
    let path = tables.set().tables()[number].path();
    let column = &columns[number];
    let parts = column.codes.par_chunks(PART).zip(column.metas.par_chunks(PART));
    let wrong = parts.find_map_first(|(codes, metas)| {
        if watch.stop.load(Ordering::Relaxed) {
            return Some(GameError::Stopped);
        }
        for (&code, &meta) in codes.iter().zip(metas) {
            let meta = Layout::Short.unpack(meta.into()).unwrap_or_default();
            if let Err(what) = backup.check(Record { code, meta, value: 0 }) {
                return Some(GameError::Wrong(format!("{}: {what}", path.display())));
            }
        }
        watch.progress.advance(codes.len() as u64, codes.len() as u64);
        None
    });
    wrong.map_or(Ok(()), Err)
}

/// How many records are checked in one go.
const PART: usize = 1 << 12;

struct Backup<'a> {
    columns: &'a [Column],
    tables: &'a KeyedTables,
}

impl Backup<'_> {
    fn check(&self, record: Record) -> Result<(), String> {
        let board =
            record_board(&record, self.tables.codec()).map_err(|error| error.to_string())?;
        let Some(board) = board else { return Ok(()) };
        let Some((value, best)) = self.backup(&board) else {
            return Err(format!(
                "{board}: positions after its moves are not in the table; \
                 such tables are checked by a sample"
            ));
        };
        let best = best.first().map(|to| Move { from: board.mover(), to });
        let expected = Meta::new(board.turn().bit(), value, best.map(|mv| mv.byte().into()));
        if expected == record.meta {
            return Ok(());
        }
        Err(format!(
            "{board} says {} in {}, but the positions after its moves give {expected} in {}",
            record.meta,
            record.meta.value().plies(),
            value.plies()
        ))
    }

    /// What the positions after its moves make of a board, and the destinations of the best moves;
    /// `None` if they are not all there.
    fn backup(&self, board: &Board) -> Option<(Value, Mask)> {
        let mut found = (value_of_plies(0), Mask(0));
        for to in board.destinations(self.tables.rules()).cells() {
            let after = board.after(to);
            let value = self.get(&after)?.value().before_move();
            let (best, destinations) = &mut found;
            if value > *best || destinations.is_empty() {
                found = (value, to.mask());
            } else if value == *best {
                destinations.0 |= to.mask().0;
            }
        }
        Some(found)
    }

    fn get(&self, board: &Board) -> Option<Meta> {
        let (code, _) = self.tables.stored(board);
        self.columns.iter().find_map(|column| column.get(code))
    }
}
