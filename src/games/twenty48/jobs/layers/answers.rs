//! The answers of solved layers, in memory, and how they come out in the order of a table.

use std::collections::VecDeque;
use std::mem;

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

    /// The values, in the order in which they were given.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Whether codes are still to be given.
    pub fn lacks_codes(&self) -> bool {
        self.codes.len() < self.values.len()
    }

    /// Gives the codes, in the order of the values.
    pub fn give_codes(&mut self, codes: Vec<C>) {
        self.codes = codes;
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Brings them into the order of their codes.
    fn sort(&mut self, room: &mut SortRoom<C>) {
        if self.sorted {
            return;
        }
        room.order.clear();
        room.order.extend(self.codes.iter().copied().zip(0..));
        room.sort_by_code();
        let order = &room.order;
        self.values = order.iter().map(|&(_, place)| self.values[place as usize]).collect();
        self.moves = order.iter().map(|&(_, place)| self.moves[place as usize]).collect();
        for (code, &(sorted, _)) in self.codes.iter_mut().zip(order) {
            *code = sorted;
        }
        self.sorted = true;
    }

    /// How many codes come before a bound, of which it is known that so many do. As parts are short,
    /// it is looked for in longer and longer steps from there, not in the whole layer.
    fn before(&self, bound: u64, known: usize) -> usize {
        let rest = &self.codes[known..];
        let mut step = 1;
        while step < rest.len() && rest[step - 1].into() < bound {
            step *= 2;
        }
        let (from, end) = (step / 2, step.min(rest.len()));
        known + from + rest[from..end].partition_point(|&code| code.into() < bound)
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
        .map_init(SortRoom::default, |room, layer| {
            layer.sort(room);
            &*layer
        })
        .collect();
    let codes = layers.iter().flat_map(|layer| &layer.codes);
    let mut sample: Vec<u64> = codes.step_by(SAMPLED).map(|&code| code.into()).collect();
    sample.sort_unstable();
    sample.dedup();
    let bounds = sample.into_iter().step_by(PART / SAMPLED).skip(1).collect();
    let given = vec![0; layers.len()];
    Ordered { layers, meta, value, bounds, next: 0, given, ready: VecDeque::new() }
}

/// What codes are sorted in. It is used again for other codes: memory that is new costs time.
struct SortRoom<C> {
    /// The codes, each with its place.
    order: Vec<(C, u32)>,
    /// Where they go to, digit by digit.
    sorted: Vec<(C, u32)>,
}

impl<C> Default for SortRoom<C> {
    fn default() -> Self {
        Self { order: Vec::new(), sorted: Vec::new() }
    }
}

impl<C: Copy + Ord + Into<u64>> SortRoom<C> {
    /// Sorts by the bits in which codes differ: the lowest of these first, and the others in turn, which
    /// leaves in order what is in order.
    fn sort_by_code(&mut self) {
        const BITS: u32 = 11;
        let Self { order, sorted } = self;
        if order.len() < 1 << BITS {
            order.sort_unstable_by_key(|&(code, _)| code);
            return;
        }
        let first = order[0];
        let differing =
            order.iter().fold(0, |bits, &(code, _)| bits | (code.into() ^ first.0.into()));
        sorted.resize(order.len(), first);
        for shift in (0..u64::BITS - differing.leading_zeros()).step_by(BITS as usize) {
            let digit = |code: C| (code.into() >> shift) as usize & ((1 << BITS) - 1);
            let mut ends = [0u32; 1 << BITS];
            order.iter().for_each(|&(code, _)| ends[digit(code)] += 1);
            let mut before = 0;
            for end in &mut ends {
                before += mem::replace(end, before);
            }
            for &(code, place) in order.iter() {
                let end = &mut ends[digit(code)];
                sorted[*end as usize] = (code, place);
                *end += 1;
            }
            mem::swap(order, sorted);
        }
    }
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
    /// The part that comes next, and how many positions of each layer are in those before it.
    next: usize,
    given: Vec<usize>,
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
        let parts = (self.next..end).into_par_iter();
        let parts = parts.map_init(SortRoom::default, |room, part| self.part(part, room));
        for (records, given) in parts.collect::<Vec<_>>() {
            self.ready.push_back(records);
            self.given = given;
        }
        self.next = end;
    }

    /// The records of a part, and how many of each layer are in it and in those before it.
    fn part(&self, part: usize, room: &mut SortRoom<C>) -> (Vec<Record>, Vec<usize>) {
        let start = part.checked_sub(1).map(|before| self.bounds[before]);
        let end = self.bounds.get(part).copied();
        room.order.clear();
        room.order.reserve(PART + PART / 2);
        let mut found: Vec<(f64, u8)> = Vec::with_capacity(PART + PART / 2);
        let mut ends = Vec::with_capacity(self.layers.len());
        for (layer, &given) in self.layers.iter().zip(&self.given) {
            let first = start.map_or(0, |bound| layer.before(bound, given));
            let end = end.map_or(layer.len(), |bound| layer.before(bound, first));
            let codes = layer.codes[first..end].iter().copied();
            room.order.extend(codes.zip(room.order.len() as u32..));
            let values = layer.values[first..end].iter().copied();
            found.extend(values.zip(layer.moves[first..end].iter().copied()));
            ends.push(end);
        }
        // Numbers alone are sorted faster than all that belongs to them.
        room.sort_by_code();
        let record = |&(code, place): &(C, u32)| {
            let (value, best) = found[place as usize];
            let best = (best != NO_MOVE).then_some(best);
            Record { code: code.into(), meta: (self.meta)(value, best), value: (self.value)(value) }
        };
        (room.order.iter().map(record).collect(), ends)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;
    use crate::value::Value;

    /// Layers of very different lengths, with codes of so many bits, no code twice.
    fn layers<C: Copy + Ord + Into<u64> + Send + Sync>(
        bits: u32,
        code: fn(u64) -> C,
    ) -> Vec<LayerAnswers<C>> {
        let mut random = SplitMix64::new(u64::from(bits));
        let mut seen = std::collections::HashSet::new();
        let layer = |length: usize| {
            let codes = std::iter::repeat_with(|| random.next() >> (64 - bits));
            let codes: Vec<u64> = codes.filter(|&code| seen.insert(code)).take(length).collect();
            let values = codes.iter().map(|&code| code as f64 / 3.0).collect();
            let moves = codes.iter().map(|&code| (code % 5) as u8).collect();
            LayerAnswers::new(codes.into_iter().map(code).collect(), values, moves)
        };
        [0, 1, 70_000, 2_047, 0, 2_048, 40_000, 3, 90_000].map(layer).into()
    }

    fn check<C: Copy + Ord + Into<u64> + Send + Sync>(bits: u32, code: fn(u64) -> C) {
        let mut some = layers(bits, code);
        let mut expected: Vec<u64> =
            some.iter().flat_map(|layer| &layer.codes).map(|&code| code.into()).collect();
        expected.sort_unstable();
        let meta = |_, best: Option<u8>| Meta::new(0, Value::Draw, best.map(u16::from));
        let parts: Vec<Vec<Record>> = ordered(&mut some, meta, f64::to_bits).collect();
        assert!(parts.len() > 2);
        let found = parts.concat();
        assert!(found.iter().map(|record| record.code).eq(expected));
        for record in found {
            assert_eq!(record.value, (record.code as f64 / 3.0).to_bits());
            assert_eq!(record.meta, meta(0.0, Some((record.code % 5) as u8)));
        }
    }

    #[test]
    fn records_come_in_the_order_of_their_codes() {
        check(19, |code| code as u32);
        check(32, |code| code as u32);
        check(46, |code| code);
        check(64, |code| code);
    }
}
