//! What can be made of Collapsi: the positions of some deals, all deals, or everything.

mod complete;
mod deals;
mod generation;
mod seeds;

pub(super) use complete::CompleteJob;
pub(super) use deals::DealsJob;
pub(super) use generation::Generation;
pub use seeds::Positions;
pub(super) use seeds::SeedsJob;

use super::{Collapsi, Rules};
use crate::games::{Game, GameError};
use crate::job::{Expectation, Job};
use crate::table::{Codec, Compression, Description, Layout, Options, Recipe, ValueKind};

/// The job that options describe.
pub(super) fn job(options: &Options) -> Result<Box<dyn Job>, GameError> {
    if options.has("complete") {
        Ok(Box::new(CompleteJob::new(options)?))
    } else if options.has("deals") {
        Ok(Box::new(DealsJob::new(options)?))
    } else {
        Ok(Box::new(SeedsJob::new(options)?))
    }
}

/// What a keyed table says of itself.
fn keyed(options: Options, rules: Rules, codec: Codec) -> Description {
    let plain = options.has("uncompressed");
    Description {
        recipe: Recipe::new(Collapsi.name(), options),
        rules: rules.name().into(),
        codec,
        key_bytes: if codec.is_folded() { 8 } else { 16 },
        layout: Layout::Short,
        value: ValueKind::None,
        compression: if plain { Compression::None } else { Compression::Zstd },
        generator: Description::this_generator(),
        licence: Description::LICENCE.into(),
    }
}

/// The deals that play differently, by any way of counting.
const DEALS: f64 = 1_982_769.0;

/// What a table of about so many records takes, of which each has so many bytes if they are packed:
/// the shards, and the table that is made of them.
fn expect_keyed(positions: f64, packed: f64, description: &Description) -> Expectation {
    let folded = description.codec.is_folded();
    let each = match (description.compression, folded) {
        (Compression::None, _) => 10.1,
        (_, true) => 8.0,
        (_, false) => packed,
    };
    let shard = if folded { 14.0 } else { packed + 0.5 };
    let table = EMPTY_TABLE + positions * each;
    Expectation { positions, table, disk: table + positions * shard, ..Expectation::default() }
}

/// Bytes of a table without records.
const EMPTY_TABLE: f64 = 400.0;
