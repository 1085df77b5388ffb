//! All deals up to symmetry as records, read off the complete tables.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::collapsi::record;
use crate::games::collapsi::{Layer, Mask};
use crate::probe::{CollapsiComplete, best};
use crate::progress::Progress;
use crate::table::{Codec, Record, TableError};

/// Numbers of the index that a thread takes at a time: neighbours share the blocks they read.
const PIECE: u64 = 4096;

/// The record of every deal in canonical form, in the order of a table. `None` when stopped.
///
/// # Errors
/// When a table is damaged.
pub fn deal_records(
    tables: &CollapsiComplete,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Option<Vec<Record>>, TableError> {
    let deals = tables.index().len(Layer::MOST);
    progress.begin("deals", deals, 0);
    let pieces: Vec<Vec<Record>> = (0..deals.div_ceil(PIECE))
        .into_par_iter()
        .map(|piece| {
            if stop.load(Ordering::Relaxed) {
                return Ok(Vec::new());
            }
            let numbers = piece * PIECE..((piece + 1) * PIECE).min(deals);
            let count = numbers.end - numbers.start;
            let records = numbers.map(|number| deal_record(tables, number)).collect();
            progress.advance(count, count);
            records
        })
        .collect::<Result<_, TableError>>()?;
    progress.end();
    let mut records = pieces.concat();
    records.par_sort_unstable();
    // The index has some deals twice.
    records.dedup();
    Ok((!stop.load(Ordering::Relaxed)).then_some(records))
}

fn deal_record(tables: &CollapsiComplete, number: u64) -> Result<Record, TableError> {
    let deal = tables.index().unrank(Layer::MOST, number).expect("a number of the index");
    let moves = tables.moves(&deal)?;
    let value = best(&moves).value;
    let keep = moves.iter().filter(|(_, it)| *it == value);
    let destinations = Mask(keep.fold(0, |set, (mv, _)| set | mv.to.mask().0));
    Ok(record(&deal, value, destinations, Codec::Canonical))
}
