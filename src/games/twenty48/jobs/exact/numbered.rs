//! Layers of boards that can be numbered.

use std::marker::PhantomData;

use super::super::layers::Domain;
use super::super::layers::answers::LayerAnswers;
use super::super::layers::kernel::{Found, Kernel, Positions, Write};
use super::BoardDomain;
use crate::games::twenty48::Board;
use crate::games::twenty48::dense::{Code, NumberedLayer, PositionLayers};
use crate::table::{Table, TableError};

/// A kernel for boards of up to twelve cells.
pub struct Numbered<'a, C> {
    domain: &'a BoardDomain,
    dense: PositionLayers,
    /// The layer at work.
    at: u64,
    /// The type of codes.
    codes: PhantomData<C>,
}

impl<'a, C: Code> Numbered<'a, C> {
    pub fn new(domain: &'a BoardDomain) -> Option<Self> {
        Some(Self { domain, dense: PositionLayers::new(domain.rules)?, at: 0, codes: PhantomData })
    }

    /// Bytes of memory that it takes besides the layers that it gives.
    pub fn bytes(&self) -> u64 {
        self.dense.bytes()
    }

    /// How many numbers all layers have together.
    pub fn numbers(&self) -> u64 {
        self.dense.numbers()
    }

    /// Finds the layer at work, and goes to the next.
    pub fn find(&mut self) -> NumberedLayer {
        let sum = self.domain.sum(self.at);
        self.domain
            .starts()
            .iter()
            .filter(|it| it.sum() == sum)
            .for_each(|&board| self.dense.add(board));
        let layer = self.dense.found();
        self.at += 1;
        self.dense.follow(&layer, self.domain.sum(self.at));
        layer
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
        Ok(Found::Layer(self.dense.found()))
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
        let layer = self.dense.load(self.domain.sum(number), &codes);
        layer.map_err(|error| TableError::Inconsistent { path, what: error.to_string() })
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
        let solved = self.dense.solve(self.domain.sum(number), layer);
        Ok(Some(LayerAnswers::new(solved.codes, solved.values, solved.moves)))
    }
}
