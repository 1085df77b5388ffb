//! Layers of a numbered pattern as groups with several hands on each.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use super::super::layers::group_files::Exact;
use super::super::layers::groups::{Layers, Records};
use super::super::layers::rows::{self, Rows};
use super::numbered::{Task, record};
use crate::games::twenty48::dense::{Backward, Bits, Forward, WORTH};
use crate::job::hands::Hand;
use crate::table::{Record, Table, TableError, ValueKind};

type Found = BTreeMap<u64, Bits>;

/// The layers of a pattern at work.
pub(super) struct PatternLayers<'a> {
    pub task: &'a Task<'a>,
    /// How values are stored.
    pub value: ValueKind,
    pub hand: Hand<'a>,
    pub forward: Option<Forward<'a>>,
    pub backward: Option<Backward<'a>>,
}

impl<'a> PatternLayers<'a> {
    pub fn new(task: &'a Task<'a>, value: ValueKind, hand: Hand<'a>) -> Self {
        Self { task, value, hand, forward: None, backward: None }
    }

    /// The code of the first number of a layer.
    fn codes_from(&self, layer: u64) -> u64 {
        self.task.codes.offset(self.task.sum(layer))
    }

    fn backward(&mut self) -> Result<(&mut Backward<'a>, &Hand<'a>), TableError> {
        let backward = self.backward.as_mut().ok_or_else(not_begun)?;
        Ok((backward, &self.hand))
    }
}

/// What is asked of layers that nobody has gone to.
fn not_begun() -> TableError {
    TableError::Inconsistent { path: "".into(), what: "no layer is at work".into() }
}

impl Rows for PatternLayers<'_> {
    fn lengths(&self, layer: u64) -> Vec<u64> {
        vec![self.task.codes.len(self.task.sum(layer))]
    }

    fn sets(layer: &Bits) -> Vec<&Bits> {
        vec![layer]
    }

    fn layer(mut sets: Vec<Bits>) -> Bits {
        sets.pop().unwrap_or_default()
    }
}

impl Layers for PatternLayers<'_> {
    type Layer = Bits;
    type Answers = Vec<f64>;

    const IN_ORDER: bool = true;

    const HAND: u64 = 4 * WORTH;
    const GROUP_BYTES: u64 = 1 << 30;
    const SOLVED_BYTES: u64 = 9;
    const IN_FILES: f64 = 1.1;

    fn most(&self) -> u64 {
        self.task.most_layers()
    }

    fn numbers(&self, layer: u64) -> u64 {
        self.lengths(layer).first().copied().unwrap_or(0)
    }

    fn layer_bytes(&self, layer: u64) -> u64 {
        8 * rows::words_of(self, layer) as u64
    }

    fn bytes_on(&self, threads: usize, _layers: &Range<u64>) -> u64 {
        self.task.layers.bytes_on(threads)
    }

    fn exchanged(&self, layers: &Range<u64>, hands: u64) -> [u64; 2] {
        rows::exchanged(self, layers, hands)
    }

    fn stored<'s>(&'s self, found: &'s Found, some: Range<u64>) -> Records<'s> {
        rows::stored(self, found, some)
    }

    fn stored_len(&self, number: u64, _layer: &Bits) -> u64 {
        rows::words_of(self, number) as u64
    }

    fn load(&self, layers: Range<u64>, shards: &[Table]) -> Result<Found, TableError> {
        rows::load(self, layers, shards)
    }

    fn count(layer: &Bits) -> u64 {
        layer.count() as u64
    }

    fn begin_finding(&mut self, layer: u64) {
        let Task { layers, starts, .. } = *self.task;
        self.forward = Some(Forward::new(layers, starts, self.task.sum(layer)));
    }

    fn find(&mut self) -> Result<Bits, TableError> {
        self.forward.as_mut().ok_or_else(not_begun)?.find(&self.hand)
    }

    fn follow(&mut self, layer: &Bits) -> Result<(), TableError> {
        self.forward.as_mut().ok_or_else(not_begun)?.follow(layer);
        Ok(())
    }

    fn begin_solving(&mut self, layer: u64) {
        self.backward = Some(Backward::new(self.task.layers, self.task.sum(layer)));
    }

    fn recall(
        &mut self,
        layer: u64,
        found: &Found,
        exact: Exact,
        path: &Path,
    ) -> Result<(), TableError> {
        let set = &found[&layer];
        if !set.iter().map(u64::from).eq(exact.iter().map(|&(number, _)| number)) {
            let what = format!("has no values of layer {layer}");
            return Err(TableError::Inconsistent { path: path.into(), what });
        }
        let (backward, _) = self.backward()?;
        backward.recall(set, exact.into_iter().map(|(_, value)| value));
        Ok(())
    }

    fn solve(&mut self, layer: u64, found: &Found) -> Result<Vec<f64>, TableError> {
        let (backward, hand) = self.backward()?;
        let set = &found[&layer];
        Ok(set.select(backward.solve(set, hand)?))
    }

    fn exact(&self, layer: &Bits, answers: &Vec<f64>) -> Exact {
        layer.iter().map(u64::from).zip(answers.iter().copied()).collect()
    }

    fn records<'s>(&'s self, found: &'s Found, solved: &'s mut [(u64, Vec<f64>)]) -> Records<'s> {
        Box::new(solved.iter().flat_map(move |(number, values)| {
            let first = self.codes_from(*number);
            let codes = found[number].iter().map(move |number| first + u64::from(number));
            codes.zip(values).map(|(code, &value)| record(code, self.value.encode_chance(value)))
        }))
    }

    fn last_records(
        &self,
        found: &Found,
        (number, values): &mut (u64, Vec<f64>),
        count: usize,
    ) -> Vec<Record> {
        let (numbers, first) = (found[number].last(count), self.codes_from(*number));
        let values = &values[values.len() - numbers.len()..];
        let encoded = values.iter().map(|&value| self.value.encode_chance(value));
        let codes = numbers.into_iter().map(|number| first + u64::from(number));
        codes.zip(encoded).map(|(code, value)| record(code, value)).collect()
    }
}
