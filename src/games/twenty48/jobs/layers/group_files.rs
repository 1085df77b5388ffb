//! What groups of layers leave for each other, and for the table.
//!
//! - `sets`: the layers that were found, as their kind stores them ([`rows`](super::rows), or codes). The
//!   first two layers of a group and the last two have files of their own, for those groups that need no more;
//! - `exact`: the exact values of the last two layers that a group has solved, by number or code;
//! - `solved`: the records of the table. Where its layers follow each other, a file begins with those records
//!   before its own that are in a block of the table with them, so that blocks are taken as they are;
//! - `parts`: where they do not, the same records in the order of the table.

use std::collections::BTreeMap;
use std::ops::Range;

use super::groups::Layers;
use crate::job::work::{Stage, WorkFolder};
use crate::table::{
    BLOCK_RECORDS, Compression, Description, Kind, Layout, Record, TableError, ValueKind,
};

/// The files of groups. What is found is counted by layers, what is solved by *items*: item n is the layer
/// with n layers behind it.
pub struct GroupFiles<'a> {
    pub work: &'a WorkFolder,
    /// How many layers there can be.
    pub most: u64,
    /// Whether files are checked to the last byte by those, too, who only want to know what is there.
    pub thorough: bool,
}

/// The exact values of a layer, by number or code, in order.
pub type Exact = Vec<(u64, f64)>;

impl GroupFiles<'_> {
    /// The same without a look at every byte.
    pub fn listed(&self) -> Self {
        Self { thorough: false, ..*self }
    }

    /// The layers that were found, of some layers.
    pub fn sets(&self, layers: Range<u64>) -> Result<Stage, TableError> {
        self.stage("sets", words(self.work), layers, self.thorough)
    }

    /// The exact values of some items.
    pub fn exact(&self, items: Range<u64>) -> Result<Stage, TableError> {
        self.stage("exact", values(self.work), items, self.thorough)
    }

    fn stage(
        &self,
        name: &'static str,
        description: Description,
        items: Range<u64>,
        thorough: bool,
    ) -> Result<Stage, TableError> {
        match thorough {
            true => self.work.stage_within(name, Kind::Keyed, description, items),
            false => self.work.stage_listed(name, Kind::Keyed, description, items),
        }
    }

    /// The records of some items.
    pub fn solved(&self, items: Range<u64>) -> Result<Stage, TableError> {
        self.stage("solved", self.work.description().clone(), items, self.thorough)
    }

    /// The parts of the table that were merged, by the numbers of their records.
    pub fn parts(&self) -> Result<Stage, TableError> {
        self.parts_within(0..u64::MAX)
    }

    /// The same of some records.
    pub fn parts_within(&self, records: Range<u64>) -> Result<Stage, TableError> {
        self.stage("parts", self.work.description().clone(), records, self.thorough)
    }

    /// The records before those of an item that are in a block of the table with them: the last block of the
    /// file before it, unless that is full.
    pub fn last_part(&self, item: u64) -> Result<Vec<Record>, TableError> {
        let Some(before) = item.checked_sub(1) else { return Ok(Vec::new()) };
        let stage = self.stage("solved", self.work.description().clone(), 0..item, false)?;
        let missing = || self.work.incomplete("solved layers", &(before..item));
        let (_, file) = stage.shard_of(before).map_err(|_| missing())?;
        let Some(last) = file.blocks().checked_sub(1) else { return Ok(Vec::new()) };
        let records = file.block_records(last)?;
        Ok(if records.len() < BLOCK_RECORDS as usize { records } else { Vec::new() })
    }

    /// Those of the last two of some items whose exact values somebody needs.
    pub fn front(&self, items: &Range<u64>) -> Range<u64> {
        match items.end < self.most {
            true => items.end.saturating_sub(2).max(items.start)..items.end,
            false => items.end..items.end,
        }
    }

    /// Loads layers that were found.
    pub fn load_layers<L: Layers>(
        &self,
        job: &L,
        layers: Range<u64>,
    ) -> Result<BTreeMap<u64, L::Layer>, TableError> {
        let load = |thorough| {
            let stage = self.stage("sets", words(self.work), layers.clone(), thorough)?;
            let gap = stage.gap_within(layers.clone());
            if !gap.is_empty() {
                return Err(self.work.incomplete("layers", &gap));
            }
            job.load(layers.clone(), &stage.open_shards()?)
        };
        // Files are checked while they are read. What is damaged is removed, so that it is made again.
        load(false).or_else(|_| load(true))
    }

    /// Loads the exact values of an item.
    pub fn load_exact(&self, item: u64) -> Result<(Exact, std::path::PathBuf), TableError> {
        let stage = self.stage("exact", values(self.work), item..item + 1, true)?;
        if stage.done() == 0 {
            return Err(self.work.incomplete("solved layers", &(item..item + 1)));
        }
        let (_, shard) = stage.shard_of(item)?;
        let known = shard
            .records()
            .map(|record| record.map(|record| (record.code, f64::from_bits(record.value))));
        Ok((known.collect::<Result<_, _>>()?, shard.path().into()))
    }
}

/// What a file of layers that were found says of itself.
fn words(work: &WorkFolder) -> Description {
    bare(work, ValueKind::U64)
}

/// What a file of exact values says of itself.
fn values(work: &WorkFolder) -> Description {
    bare(work, ValueKind::F64)
}

fn bare(work: &WorkFolder, value: ValueKind) -> Description {
    let (layout, compression) = (Layout::Bare, Compression::Zstd);
    Description { layout, value, compression, ..work.description().clone() }
}
