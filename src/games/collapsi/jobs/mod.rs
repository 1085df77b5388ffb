//! What can be made of Collapsi: the positions of some deals, all deals, or everything.

mod complete;
mod deals;
mod seeds;

pub(super) use complete::{CompleteJob, Generation};
pub(super) use deals::DealsJob;
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

/// What a table of about so many records takes: the shards, and the table that is made of them.
fn expect_keyed(records: u64, description: &Description) -> Expectation {
    let folded = description.codec.is_folded();
    let shard_bytes = if folded { 14.0 } else { 2.0 };
    let table_bytes = match (description.compression, folded) {
        (Compression::None, _) => 11.0,
        (_, true) => 8.0,
        (_, false) => 2.0,
    };
    let positions = records as f64;
    let table = positions * table_bytes;
    let disk = table + positions * shard_bytes;
    Expectation { positions, table, disk, ..Expectation::default() }
}
