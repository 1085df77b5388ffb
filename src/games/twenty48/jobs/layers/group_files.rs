//! What groups of layers leave for each other, and for the table.
//!
//! - `sets`: the layers that were found, as rows of bits: a record is a word of them that is not 0. The first
//!   two layers of a group and the last two have files of their own, for those groups that need no more;
//! - `exact`: the exact values of the last two layers that a group has solved, by number;
//! - `solved`: the records of the table. Where its layers follow each other, a file begins with those records
//!   before its own that are in a block of the table with them, so that blocks are taken as they are;
//! - `parts`: where they do not, the same records in the order of the table.

use std::collections::BTreeMap;
use std::ops::Range;

use super::groups::Layers;
use crate::games::twenty48::dense::Bits;
use crate::job::work::{Stage, WorkFolder};
use crate::table::{
    BLOCK_RECORDS, Compression, Description, Kind, Layout, Meta, Record, TableError, ValueKind,
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

/// The exact values of a layer, by number.
pub type Exact = Vec<(u64, f64)>;

impl GroupFiles<'_> {
    /// The layers that were found, of some layers.
    pub fn sets(&self, layers: Range<u64>) -> Result<Stage, TableError> {
        self.stage("sets", bits(self.work), layers, self.thorough)
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
        let stage = self.stage("sets", bits(self.work), layers.clone(), true)?;
        let gap = stage.gap_within(layers.clone());
        if !gap.is_empty() {
            return Err(self.work.incomplete("layers", &gap));
        }
        let mut words: Vec<Vec<u64>> =
            layers.clone().map(|it| vec![0; words_of(job, it)]).collect();
        for shard in stage.open_shards()? {
            let wrong = || TableError::Inconsistent {
                path: shard.path().into(),
                what: "has words of other layers".into(),
            };
            let (mut at, mut first) = (layers.start, first_word(job, layers.start));
            for record in shard.records() {
                let record = record?;
                while record.code >= first + words_of(job, at) as u64 {
                    first += words_of(job, at) as u64;
                    at += 1;
                    if at >= layers.end {
                        return Err(wrong());
                    }
                }
                let place = record.code.checked_sub(first).ok_or_else(wrong)?;
                words[(at - layers.start) as usize][place as usize] = record.value;
            }
        }
        let layer = |(number, words): (u64, Vec<u64>)| {
            let mut rest = &words[..];
            let lengths = job.lengths(number).into_iter();
            let sets = lengths.map(|length| {
                let words = rest.split_off(..length.div_ceil(64) as usize);
                Bits::from_words(words.unwrap_or_default().to_vec())
            });
            (number, L::layer(sets.collect()))
        };
        Ok((layers.start..).zip(words).map(layer).collect())
    }

    /// The words of layers that were found, as records.
    pub fn words<L: Layers>(
        job: &L,
        layers: &BTreeMap<u64, L::Layer>,
        some: Range<u64>,
    ) -> impl Iterator<Item = Result<Record, TableError>> {
        let first = first_word(job, some.start);
        let words = layers.range(some).flat_map(|(_, layer)| L::sets(layer)).flat_map(Bits::words);
        let there = (first..).zip(words).filter(|&(_, &word)| word != 0);
        there.map(|(code, &value)| Ok(Record { code, meta: Meta::default(), value }))
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

/// What a file of sets says of itself.
fn bits(work: &WorkFolder) -> Description {
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

/// How many words the sets of a layer have.
pub fn words_of<L: Layers>(job: &L, layer: u64) -> usize {
    job.lengths(layer).iter().map(|length| length.div_ceil(64) as usize).sum()
}

/// The code of the first word of a layer: how many words there are before it.
fn first_word<L: Layers>(job: &L, layer: u64) -> u64 {
    (0..layer).map(|before| words_of(job, before) as u64).sum()
}
