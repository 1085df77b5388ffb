//! Layers that are numbered, as records: rows of bits, of which a record is a word that is not 0.

use std::collections::BTreeMap;
use std::ops::Range;

use super::groups::{Layers, Records};
use crate::games::twenty48::dense::Bits;
use crate::table::{Meta, Record, Table, TableError};

/// Layers that are sets of numbers.
pub trait Rows: Layers {
    /// How many numbers each set of a layer has.
    fn lengths(&self, layer: u64) -> Vec<u64>;

    /// The sets of a layer.
    fn sets(layer: &Self::Layer) -> Vec<&Bits>;

    /// The layer with these sets.
    fn layer(sets: Vec<Bits>) -> Self::Layer;
}

/// The words of layers that were found, as records.
pub fn stored<'s, L: Rows>(
    job: &L,
    layers: &'s BTreeMap<u64, L::Layer>,
    some: Range<u64>,
) -> Records<'s> {
    let first = first_word(job, some.start);
    let words = layers.range(some).flat_map(|(_, layer)| L::sets(layer)).flat_map(Bits::words);
    let there = (first..).zip(words).filter(|&(_, &word)| word != 0);
    Box::new(there.map(|(code, &value)| Record { code, meta: Meta::default(), value }))
}

/// Layers from such records.
pub fn load<L: Rows>(
    job: &L,
    layers: Range<u64>,
    shards: &[Table],
) -> Result<BTreeMap<u64, L::Layer>, TableError> {
    let mut words: Vec<Vec<u64>> = layers.clone().map(|it| vec![0; words_of(job, it)]).collect();
    for shard in shards {
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

/// Bytes that a hand reads of what the others have found, and that all write: each piece of a layer leaves a
/// set that is nearly as large as the whole layer.
pub fn exchanged<L: Rows>(job: &L, layers: &Range<u64>, hands: u64) -> [u64; 2] {
    let bytes: u64 = layers.clone().map(|layer| job.layer_bytes(layer)).sum();
    [2 * hands * bytes; 2]
}

/// How many words the sets of a layer have.
pub fn words_of<L: Rows>(job: &L, layer: u64) -> usize {
    job.lengths(layer).iter().map(|length| length.div_ceil(64) as usize).sum()
}

/// The code of the first word of a layer: how many words there are before it.
fn first_word<L: Rows>(job: &L, layer: u64) -> u64 {
    (0..layer).map(|before| words_of(job, before) as u64).sum()
}
