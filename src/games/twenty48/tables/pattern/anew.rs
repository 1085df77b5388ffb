//! Every chance of a numbered table, worked out anew, layer by layer.
//!
//! Codes begin with the largest sums, so the table is read once, from front to back, in the order in
//! which layers are solved. Each is solved from those before it in the file, and every chance must be
//! the stored one, bit by bit.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::PatternTable;
use crate::games::twenty48::dense::{AfterstateCodes, AfterstateLayers, Backward, Bits};
use crate::games::twenty48::pattern::PatternCodes;
use crate::games::{GameError, Watch};
use crate::table::{Record, Scan, TableError};

/// How many blocks are read at a time.
const BLOCKS_READ: usize = 512;

/// With larger layers records are looked up one by one: it takes longer, and next to no memory.
const MOST_MEMORY: u64 = 2 << 30;

impl PatternTable {
    /// Checks every block and record, and works every chance out anew; `None` if the table is not
    /// numbered, or its layers are too large.
    pub(super) fn check_layers(&self, watch: &Watch<'_>) -> Option<Result<(), GameError>> {
        let PatternCodes::Numbered(codes) = &self.codes else { return None };
        let layers = AfterstateLayers::new(self.rules.pattern(), self.rules.target())?;
        (layers.bytes() <= MOST_MEMORY).then(|| self.solve_anew(codes, &layers, watch))
    }

    fn solve_anew(
        &self,
        codes: &AfterstateCodes,
        layers: &AfterstateLayers,
        watch: &Watch<'_>,
    ) -> Result<(), GameError> {
        let Some(first) = self.table.records().next().transpose()? else { return Ok(()) };
        let mut sum = codes.sum(first.code);
        let scan = self.table.scan()?;
        let mut reader =
            Reader { table: self, scan, codes, watch, block: 0, read: VecDeque::new() };
        // What is there of the two layers behind the one at work.
        let mut named = [2, 4].map(|behind| layers.set(sum + behind, &[]));
        let mut backward = Backward::new(layers, sum);
        loop {
            let Layer { records, set } = reader.layer(sum, layers)?;
            let [two, four] = &named;
            let chances = backward.solve_anew(&set, [two, four]).ok_or_else(|| {
                let (two, four) = (sum + 2, sum + 4);
                self.wrong(format!(
                    "afterstates of sum {two} or {four} are not there, though boards of sum {sum} lead to \
                     them"
                ))
            })?;
            self.compare(&records, chances, codes.offset(sum))?;
            watch.progress.advance(records.len() as u64, records.len() as u64);
            let Some(less) = sum.checked_sub(2).filter(|_| !reader.is_at_end()) else {
                return Ok(());
            };
            sum = less;
            named.rotate_right(1);
            named[0] = set;
        }
    }

    /// Compares the records of a layer with the chances that were worked out, by number.
    fn compare(&self, records: &[Record], chances: &[f64], offset: u64) -> Result<(), GameError> {
        let kind = self.value_kind();
        let differs = |record: &&Record| {
            let chance = chances[(record.code - offset) as usize];
            kind.encode_chance(chance) != record.value
        };
        let Some(record) = records.par_iter().find_first(differs) else { return Ok(()) };
        let chance = chances[(record.code - offset) as usize];
        let board = self.codes.board(record.code).unwrap_or_default();
        let stored = kind.decode(record.value);
        Err(self.wrong(format!("{board} says {stored}, but one step of backup gives {chance}")))
    }
}

/// The records of a layer.
struct Layer {
    records: Vec<Record>,
    set: Bits,
}

/// Reads a table layer by layer.
struct Reader<'a> {
    table: &'a PatternTable,
    scan: Scan<'a>,
    codes: &'a AfterstateCodes,
    watch: &'a Watch<'a>,
    /// The next block.
    block: usize,
    /// What was read and not been given.
    read: VecDeque<Record>,
}

impl Reader<'_> {
    fn is_at_end(&self) -> bool {
        self.read.is_empty() && self.block == self.table.table.blocks()
    }

    /// The records of the layer with a sum.
    fn layer(&mut self, sum: u32, layers: &AfterstateLayers) -> Result<Layer, GameError> {
        let mut records = Vec::new();
        loop {
            if self.read.is_empty() && !self.read_some()? {
                break;
            }
            let belongs = |record: &Record| self.codes.sum(record.code) == sum;
            let count = self.read.partition_point(belongs);
            let no_memory =
                |_| TableError::io(self.table.table.path())(ErrorKind::OutOfMemory.into());
            records.try_reserve(count).map_err(no_memory)?;
            records.extend(self.read.drain(..count));
            if !self.read.is_empty() {
                break;
            }
        }
        let offset = self.codes.offset(sum);
        let numbers: Vec<u64> = records.iter().map(|record| record.code - offset).collect();
        Ok(Layer { records, set: layers.set(sum, &numbers) })
    }

    /// Reads some blocks, and checks what can be told of each record alone.
    fn read_some(&mut self) -> Result<bool, GameError> {
        if self.watch.stop.load(Ordering::Relaxed) {
            return Err(GameError::Stopped);
        }
        let end = self.table.table.blocks().min(self.block + BLOCKS_READ);
        let read = |block| {
            let records = self.scan.records(block)?;
            records.iter().try_for_each(|record| self.table.check_record(record, false))?;
            Ok(records)
        };
        let blocks: Vec<usize> = (self.block..end).collect();
        let blocks = blocks.into_par_iter().map(read).collect::<Result<Vec<_>, GameError>>()?;
        self.read.extend(blocks.into_iter().flatten());
        self.block = end;
        Ok(!self.read.is_empty())
    }
}
