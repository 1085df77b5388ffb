//! Every answer of a table of small boards, worked out anew, layer by layer.
//!
//! To look up every board that may follow another takes thirty look-ups a record. The layers of a
//! generation take none: the table is read once, from front to back, its positions are sorted into
//! layers by the sum of their tiles, and each layer is solved from the two behind it.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::Tables;
use super::view::direction;
use crate::games::twenty48::dense::{NO_MOVE, PositionLayers};
use crate::games::{GameError, Watch};
use crate::job::hands::Hand;
use crate::solve::layered::Solved;
use crate::table::{Record, Table, TableError};

/// How many blocks are read at a time.
const BLOCKS_READ: usize = 512;

/// The records of each layer, by the sum of the tiles, in the order of their codes.
type Layers = BTreeMap<u32, Vec<Record>>;

impl Tables {
    /// Checks every block and record of a table, and works every answer out anew. `None` if that
    /// cannot be done layer by layer: the boards are too large, or there are other tables.
    pub(super) fn check_layers(
        &self,
        table: &Table,
        watch: &Watch<'_>,
    ) -> Option<Result<(), GameError>> {
        let dense = PositionLayers::new(self.rules).filter(|_| self.set.tables().len() == 1)?;
        Some(self.layers(table, watch).and_then(|layers| self.solve(dense, table, &layers, watch)))
    }

    /// Reads a table, and checks what can be told of each record alone.
    fn layers(&self, table: &Table, watch: &Watch<'_>) -> Result<Layers, GameError> {
        let scan = table.scan()?;
        let mut layers = Layers::new();
        let blocks: Vec<usize> = (0..table.blocks()).collect();
        for some in blocks.chunks(BLOCKS_READ) {
            let read = |&block: &usize| {
                if watch.stop.load(Ordering::Relaxed) {
                    return Err(GameError::Stopped);
                }
                let records = scan.records(block)?;
                let sum = |record: Record| {
                    self.check_record(table, &record, false)?;
                    Ok((self.board(&record)?.sum(), record))
                };
                records.into_iter().map(sum).collect::<Result<Vec<_>, GameError>>()
            };
            for block in some.par_iter().map(read).collect::<Result<Vec<_>, _>>()? {
                for (sum, record) in block {
                    let layer = layers.entry(sum).or_default();
                    let no_memory = |_| TableError::io(table.path())(ErrorKind::OutOfMemory.into());
                    layer.try_reserve(1).map_err(no_memory)?;
                    layer.push(record);
                }
            }
        }
        Ok(layers)
    }

    fn solve(
        &self,
        mut dense: PositionLayers,
        table: &Table,
        layers: &Layers,
        watch: &Watch<'_>,
    ) -> Result<(), GameError> {
        let (Some((&first, _)), Some((&last, _))) =
            (layers.first_key_value(), layers.last_key_value())
        else {
            return Ok(());
        };
        dense.begin(last + 2);
        let none = Vec::new();
        for sum in (first..=last).rev().filter(|sum| sum % 2 == last % 2) {
            if watch.stop.load(Ordering::Relaxed) {
                return Err(GameError::Stopped);
            }
            let records = layers.get(&sum).unwrap_or(&none);
            let codes: Vec<u64> = records.iter().map(|record| record.code).collect();
            let layer = dense.load(sum, &codes, table.path());
            let layer = layer.map_err(|error| GameError::Wrong(error.to_string()))?;
            dense.forget();
            let solved = dense.solve::<u64>(sum, &layer, &Hand::alone(watch.stop))?;
            let mut order: Vec<(u64, u32)> = solved.codes.iter().copied().zip(0..).collect();
            order.par_sort_unstable();
            let complete = dense.has_all_that_follow(&layer) && order.len() == records.len();
            let agrees = |(record, (code, place)): (&Record, &(u64, u32))| {
                let place = *place as usize;
                let best = solved.moves[place];
                let best = (best != NO_MOVE).then_some(best);
                let same_move = direction(record.meta).map(|it| it as u8) == best;
                let solved = Solved { value: solved.values[place], best };
                // Moves that are as good, and boards that are missing, are looked at one by one.
                let same = complete && same_move && record.code == *code;
                if same && self.agrees_in_value(record, solved) {
                    return Ok(());
                }
                self.check_record(table, record, true)
            };
            match complete {
                true => records.par_iter().zip(&order).try_for_each(agrees)?,
                false => {
                    let check = |record| self.check_record(table, record, true);
                    records.par_iter().try_for_each(check)?;
                }
            }
            watch.progress.advance(records.len() as u64, records.len() as u64);
        }
        Ok(())
    }
}
