//! All deals up to symmetry as records, read off the complete tables.

use super::Source;
use super::collapsi::record;
use crate::games::collapsi::{Layer, Mask};
use crate::probe::{CollapsiComplete, best};
use crate::table::{Codec, Record, TableError};

/// Numbers of the index in an item: neighbours share the blocks they read. Few, since tables that
/// end at fewer cards take their time.
const ITEM: u64 = 64;

/// The deals of complete tables, in canonical form. The index has some of them twice, as it is
/// with positions of seeds.
#[derive(Clone, Copy, Debug)]
pub struct Deals<'a> {
    /// Where the answers come from.
    pub tables: &'a CollapsiComplete,
}

impl Deals<'_> {
    /// How many numbers the index has for them.
    fn numbers(&self) -> u64 {
        self.tables.index().len(Layer::MOST)
    }
}

impl Source for Deals<'_> {
    type State = ();

    fn start(&self) {}

    fn items(&self) -> u64 {
        self.numbers().div_ceil(ITEM)
    }

    fn solve(&self, (): &mut (), item: u64, records: &mut Vec<Record>) -> Result<(), TableError> {
        for number in item * ITEM..((item + 1) * ITEM).min(self.numbers()) {
            records.push(deal_record(self.tables, number)?);
        }
        Ok(())
    }

    fn most_records(&self) -> usize {
        ITEM as usize
    }
}

/// The record of the deal with a number of the index.
///
/// # Errors
/// When a table is damaged.
///
/// # Panics
/// When the index has no such number.
pub fn deal_record(tables: &CollapsiComplete, number: u64) -> Result<Record, TableError> {
    let deal = tables.index().unrank(Layer::MOST, number).expect("a number of the index");
    let moves = tables.moves(&deal)?;
    let value = best(&moves).value;
    let keep = moves.iter().filter(|(_, it)| *it == value);
    let destinations = Mask(keep.fold(0, |set, (mv, _)| set | mv.to.mask().0));
    Ok(record(&deal, value, destinations, Codec::Canonical))
}
