//! The answers of solved layers, in memory, and how they come out in the order of a table.

use std::collections::VecDeque;
use std::ops::Range;

use rayon::prelude::*;

use crate::games::twenty48::dense::NO_MOVE;
use crate::table::{Meta, Record};

/// The positions of a layer with their answers.
pub struct LayerAnswers<C> {
    codes: Vec<C>,
    values: Vec<f64>,
    /// [`NO_MOVE`] for none.
    moves: Vec<u8>,
    /// Whether the codes ascend.
    sorted: bool,
}

impl<C: Copy + Ord + Into<u64> + Send + Sync> LayerAnswers<C> {
    /// Bytes of memory that a position takes.
    pub const BYTES: u64 = (size_of::<C>() + size_of::<f64>() + 1) as u64;

    /// Columns of the same length, in any order.
    pub fn new(codes: Vec<C>, values: Vec<f64>, moves: Vec<u8>) -> Self {
        Self { codes, values, moves, sorted: false }
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Brings them into the order of their codes.
    fn sort(&mut self) {
        if self.sorted {
            return;
        }
        let mut order: Vec<(C, u32)> = self.codes.iter().copied().zip(0..).collect();
        order.sort_unstable_by_key(|&(code, _)| code);
        self.values = order.iter().map(|&(_, place)| self.values[place as usize]).collect();
        self.moves = order.iter().map(|&(_, place)| self.moves[place as usize]).collect();
        for (code, (sorted, _)) in self.codes.iter_mut().zip(order) {
            *code = sorted;
        }
        self.sorted = true;
    }

    /// The places of the codes from one on, up to another.
    fn between(&self, start: Option<u64>, end: Option<u64>) -> Range<usize> {
        let before = |bound: u64| self.codes.partition_point(|&code| code.into() < bound);
        start.map_or(0, before)..end.map_or(self.codes.len(), before)
    }
}

/// The records of several layers in the order of their codes, part by part, with the metas and values
/// that are made of the answers. The parts are sorted in parallel, a few at a time.
pub fn ordered<'a, C, V>(
    layers: impl IntoParallelIterator<Item = &'a mut LayerAnswers<C>>,
    meta: fn(f64, Option<u8>) -> Meta,
    value: V,
) -> Ordered<'a, C, V>
where
    C: Copy + Ord + Into<u64> + Send + Sync,
    V: Fn(f64) -> u64 + Sync,
{
    let layers: Vec<&LayerAnswers<C>> = layers
        .into_par_iter()
        .map(|layer| {
            layer.sort();
            &*layer
        })
        .collect();
    let codes = layers.iter().flat_map(|layer| &layer.codes);
    let mut sample: Vec<u64> = codes.step_by(SAMPLED).map(|&code| code.into()).collect();
    sample.sort_unstable();
    sample.dedup();
    let bounds = sample.into_iter().step_by(PART / SAMPLED).skip(1).collect();
    Ordered { layers, meta, value, bounds, next: 0, ready: VecDeque::new() }
}

/// About how many records a part has, and of how many one is looked at to find where parts begin.
const PART: usize = 1 << 15;
const SAMPLED: usize = 1 << 10;

/// The iterator of [`ordered`].
pub struct Ordered<'a, C, V> {
    layers: Vec<&'a LayerAnswers<C>>,
    meta: fn(f64, Option<u8>) -> Meta,
    value: V,
    /// The code that each part but the first begins with.
    bounds: Vec<u64>,
    /// The part that comes next.
    next: usize,
    ready: VecDeque<Vec<Record>>,
}

impl<C, V> Ordered<'_, C, V>
where
    C: Copy + Ord + Into<u64> + Send + Sync,
    V: Fn(f64) -> u64 + Sync,
{
    /// Sorts the next parts.
    fn advance(&mut self) {
        let end = (self.bounds.len() + 1).min(self.next + rayon::current_num_threads());
        let parts = (self.next..end).into_par_iter().map(|part| self.part(part));
        let parts: Vec<_> = parts.collect();
        self.ready.extend(parts);
        self.next = end;
    }

    fn part(&self, part: usize) -> Vec<Record> {
        let start = part.checked_sub(1).map(|before| self.bounds[before]);
        let end = self.bounds.get(part).copied();
        let mut order: Vec<(C, u32)> = Vec::with_capacity(PART + PART / 2);
        let mut found: Vec<(f64, u8)> = Vec::with_capacity(PART + PART / 2);
        for layer in &self.layers {
            let range = layer.between(start, end);
            order.extend(layer.codes[range.clone()].iter().copied().zip(order.len() as u32..));
            let values = layer.values[range.clone()].iter().copied();
            found.extend(values.zip(layer.moves[range].iter().copied()));
        }
        // Numbers alone are sorted faster than all that belongs to them.
        order.sort_unstable_by_key(|&(code, _)| code);
        let record = |(code, place): (C, u32)| {
            let (value, best) = found[place as usize];
            let best = (best != NO_MOVE).then_some(best);
            Record { code: code.into(), meta: (self.meta)(value, best), value: (self.value)(value) }
        };
        order.into_iter().map(record).collect()
    }
}

impl<C, V> Iterator for Ordered<'_, C, V>
where
    C: Copy + Ord + Into<u64> + Send + Sync,
    V: Fn(f64) -> u64 + Sync,
{
    type Item = Vec<Record>;

    fn next(&mut self) -> Option<Vec<Record>> {
        if self.ready.is_empty() && self.next <= self.bounds.len() {
            self.advance();
        }
        self.ready.pop_front()
    }
}
