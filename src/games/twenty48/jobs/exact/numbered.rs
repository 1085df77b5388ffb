//! Layers of boards that can be numbered.

use std::marker::PhantomData;

use super::super::layers::Domain;
use super::super::layers::answers::LayerAnswers;
use super::super::layers::kernel::{Found, Kernel, Positions, Write};
use super::BoardDomain;
use crate::games::twenty48::Board;
use crate::games::twenty48::dense::{Code, NumberedLayer, PositionLayers};
use crate::job::hands::Hand;
use crate::table::{Table, TableError};

/// A kernel for boards of up to twelve cells.
pub struct Numbered<'a, C> {
    pub(super) domain: &'a BoardDomain,
    pub(super) hand: Hand<'a>,
    pub(super) dense: PositionLayers,
    /// The layer at work.
    at: u64,
    /// The type of codes.
    codes: PhantomData<C>,
}

impl<'a, C: Code> Numbered<'a, C> {
    pub fn new(domain: &'a BoardDomain, hand: Hand<'a>) -> Option<Self> {
        let dense = PositionLayers::new(domain.rules)?;
        Some(Self { domain, hand, dense, at: 0, codes: PhantomData })
    }

    /// Bytes of memory that it takes besides the layers that it gives.
    pub fn bytes(&self) -> u64 {
        self.dense.bytes()
    }

    /// How many numbers all layers have together.
    pub fn numbers(&self) -> u64 {
        self.dense.numbers()
    }

    /// Finds the layer at work, starts included.
    pub fn find(&mut self) -> Result<NumberedLayer, TableError> {
        let sum = self.domain.sum(self.at);
        let starts = self.domain.starts().iter().filter(|it| it.sum() == sum);
        starts.for_each(|&board| self.dense.add(board));
        self.dense.found(sum, &self.hand)
    }
}

impl<C: Code> Kernel for Numbered<'_, C> {
    type Code = C;
    type Layer = NumberedLayer;

    fn begin(&mut self, layer: u64) {
        self.at = layer;
        self.dense.begin(self.domain.sum(layer));
    }

    fn add(&mut self, boards: &[Board]) -> Result<(), TableError> {
        boards.iter().for_each(|&board| self.dense.add(board));
        Ok(())
    }

    fn found(&mut self) -> Result<Found<NumberedLayer>, TableError> {
        self.dense.found(self.domain.sum(self.at), &self.hand).map(Found::Layer)
    }

    fn follow(&mut self, layer: &NumberedLayer) -> Result<(), TableError> {
        self.at += 1;
        self.dense.follow(layer, self.domain.sum(self.at));
        Ok(())
    }

    fn load(&mut self, number: u64, positions: Positions) -> Result<NumberedLayer, TableError> {
        let (codes, path) = match positions {
            Positions::Codes(codes, path) => (codes, path),
            Positions::Shard(shard) => {
                let records = shard.records().map(|record| Ok(record?.code));
                (records.collect::<Result<_, TableError>>()?, shard.path().into())
            }
        };
        self.dense.load(self.domain.sum(number), &codes, &path)
    }

    fn most(&self) -> u64 {
        u64::MAX
    }

    fn len(&self, layer: &NumberedLayer) -> u64 {
        layer.len() as u64
    }

    fn bytes(&self, layer: &NumberedLayer) -> Option<u64> {
        Some(layer.bytes() as u64)
    }

    fn codes(&self, number: u64, layer: &NumberedLayer) -> Vec<C> {
        self.dense.codes(self.domain.sum(number), layer)
    }

    fn recall(&mut self, number: u64, shard: Table) -> Result<(), TableError> {
        let mut values = Vec::new();
        for record in shard.records() {
            let record = record?;
            if self.domain.layer_in(record.code, &shard)? == number {
                values.push((record.code, f64::from_bits(record.value)));
            }
        }
        let done = self.dense.recall(self.domain.sum(number), values.into_iter());
        done.map_err(|error| TableError::Inconsistent {
            path: shard.path().into(),
            what: error.to_string(),
        })
    }

    fn solve(
        &mut self,
        number: u64,
        layer: &NumberedLayer,
        _write: &mut Write<'_>,
    ) -> Result<Option<LayerAnswers<C>>, TableError> {
        let solved = self.dense.solve(self.domain.sum(number), layer, &self.hand)?;
        Ok(Some(LayerAnswers::new(solved.codes, solved.values, solved.moves)))
    }
}
