//! Layers of boards as groups with several hands on each.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use super::super::layers::Domain;
use super::super::layers::answers::{LayerAnswers, ordered};
use super::super::layers::group_files::Exact;
use super::super::layers::groups::{Layers, Records};
use super::super::layers::kernel::Kernel;
use super::super::layers::rows::{self, Rows};
use super::BoardDomain;
use super::numbered::Numbered;
use crate::games::twenty48::dense::{Bits, NumberedLayer, WORTH};
use crate::table::{Table, TableError};

type Found = BTreeMap<u64, NumberedLayer>;

impl Rows for Numbered<'_, u64> {
    fn lengths(&self, layer: u64) -> Vec<u64> {
        vec![self.dense.length(self.domain.sum(layer)); 2]
    }

    fn sets(layer: &NumberedLayer) -> Vec<&Bits> {
        layer.sets().into()
    }

    fn layer(sets: Vec<Bits>) -> NumberedLayer {
        sets.try_into().map(NumberedLayer::new).unwrap_or_default()
    }
}

impl Layers for Numbered<'_, u64> {
    type Layer = NumberedLayer;
    type Answers = LayerAnswers<u64>;

    const IN_ORDER: bool = false;

    const HAND: u64 = 4 * WORTH;
    const GROUP_BYTES: u64 = 1 << 30;
    const SOLVED_BYTES: u64 = 9;
    /// Positions that were found for the estimate are found once more.
    const IN_FILES: f64 = 1.2;

    fn most(&self) -> u64 {
        self.dense.layers_from(self.domain.first_sum)
    }

    fn numbers(&self, layer: u64) -> u64 {
        self.lengths(layer).first().copied().unwrap_or(0)
    }

    fn layer_bytes(&self, layer: u64) -> u64 {
        8 * rows::words_of(self, layer) as u64
    }

    fn bytes_on(&self, threads: usize, _layers: &Range<u64>) -> u64 {
        self.dense.bytes_on(threads)
    }

    fn exchanged(&self, layers: &Range<u64>, hands: u64) -> [u64; 2] {
        rows::exchanged(self, layers, hands)
    }

    fn stored<'s>(&'s self, found: &'s Found, some: Range<u64>) -> Records<'s> {
        rows::stored(self, found, some)
    }

    fn stored_len(&self, number: u64, _layer: &NumberedLayer) -> u64 {
        rows::words_of(self, number) as u64
    }

    fn load(&self, layers: Range<u64>, shards: &[Table]) -> Result<Found, TableError> {
        rows::load(self, layers, shards)
    }

    fn count(layer: &NumberedLayer) -> u64 {
        layer.len() as u64
    }

    fn begin_finding(&mut self, layer: u64) {
        self.begin(layer);
    }

    fn find(&mut self) -> Result<NumberedLayer, TableError> {
        Numbered::find(self)
    }

    fn follow(&mut self, layer: &NumberedLayer) -> Result<(), TableError> {
        Kernel::follow(self, layer)
    }

    fn begin_solving(&mut self, layer: u64) {
        self.begin(layer + 1);
    }

    fn recall(
        &mut self,
        layer: u64,
        _found: &Found,
        exact: Exact,
        path: &Path,
    ) -> Result<(), TableError> {
        self.dense.recall_numbers(self.domain.sum(layer), &exact, path)
    }

    fn solve(&mut self, layer: u64, found: &Found) -> Result<LayerAnswers<u64>, TableError> {
        let solved = self.dense.solve(self.domain.sum(layer), &found[&layer], &self.hand)?;
        Ok(LayerAnswers::new(solved.codes, solved.values, solved.moves))
    }

    fn exact(&self, layer: &NumberedLayer, answers: &LayerAnswers<u64>) -> Exact {
        let [states, _] = layer.sets();
        states.iter().map(u64::from).zip(answers.values().iter().copied()).collect()
    }

    fn records<'s>(
        &'s self,
        found: &'s Found,
        solved: &'s mut [(u64, LayerAnswers<u64>)],
    ) -> Records<'s> {
        // Of positions that other hands have solved, the codes are not known yet.
        for (number, answers) in solved.iter_mut().filter(|(_, it)| it.lacks_codes()) {
            answers.give_codes(self.codes(*number, &found[number]));
        }
        let layers: Vec<_> = solved.iter_mut().map(|(_, answers)| answers).collect();
        let stored = |value| self.domain.stored(value);
        Box::new(ordered(layers, BoardDomain::meta, stored).flatten())
    }
}
