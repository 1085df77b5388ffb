//! Layers of boards that can be numbered.

use super::Exact;
use super::answers::Answers;
use super::kernel::{Found, Kernel, Positions, Write};
use crate::games::twenty48::Board;
use crate::games::twenty48::dense::{Dense, DenseLayer};
use crate::table::{Table, TableError};

/// A kernel for boards of up to nine cells.
pub struct Numbered {
    source: Exact,
    dense: Dense,
    /// The layer at work.
    at: u64,
}

impl Numbered {
    pub fn new(source: Exact) -> Option<Self> {
        Some(Self { source, dense: Dense::new(source.rules)?, at: 0 })
    }

    /// Bytes of memory that it takes besides the layers that it gives.
    pub fn bytes(&self) -> u64 {
        self.dense.bytes()
    }

    /// Finds the layer at work, of which these are the starts of any layer, and goes to the next.
    pub fn find(&mut self, starts: &[Board]) -> DenseLayer {
        let sum = self.source.sum(self.at);
        starts.iter().filter(|it| it.sum() == sum).for_each(|&board| self.dense.add(board));
        let layer = self.dense.found();
        self.at += 1;
        self.dense.follow(&layer, self.source.sum(self.at));
        layer
    }
}

impl Kernel for Numbered {
    type Code = u32;
    type Layer = DenseLayer;

    fn begin(&mut self, layer: u64) {
        self.at = layer;
        self.dense.begin(self.source.sum(layer));
    }

    fn add(&mut self, boards: &[Board]) -> Result<(), TableError> {
        boards.iter().for_each(|&board| self.dense.add(board));
        Ok(())
    }

    fn found(&mut self) -> Result<Found<DenseLayer>, TableError> {
        Ok(Found::Layer(self.dense.found()))
    }

    fn follow(&mut self, layer: &DenseLayer) -> Result<(), TableError> {
        self.at += 1;
        self.dense.follow(layer, self.source.sum(self.at));
        Ok(())
    }

    fn load(&mut self, number: u64, positions: Positions) -> Result<DenseLayer, TableError> {
        let (codes, path) = match positions {
            Positions::Codes(codes, path) => (codes, path),
            Positions::Run(run) => {
                let records = run.records().map(|record| Ok(record?.code));
                (records.collect::<Result<_, TableError>>()?, run.path().into())
            }
        };
        let layer = self.dense.load(self.source.sum(number), &codes);
        layer.map_err(|error| TableError::Inconsistent { path, what: error.to_string() })
    }

    fn most(&self) -> u64 {
        u64::MAX
    }

    fn len(&self, layer: &DenseLayer) -> u64 {
        layer.len() as u64
    }

    fn bytes(&self, layer: &DenseLayer) -> Option<u64> {
        Some(layer.bytes() as u64)
    }

    fn codes(&self, number: u64, layer: &DenseLayer) -> Vec<u32> {
        self.dense.codes(self.source.sum(number), layer)
    }

    fn recall(&mut self, number: u64, run: Table) -> Result<(), TableError> {
        let mut values = Vec::new();
        for record in run.records() {
            let record = record?;
            if self.source.layer_of(record.code, &run)? == number {
                values.push((record.code, f64::from_bits(record.value)));
            }
        }
        let done = self.dense.recall(self.source.sum(number), values.into_iter());
        done.map_err(|error| TableError::Inconsistent {
            path: run.path().into(),
            what: error.to_string(),
        })
    }

    fn solve(
        &mut self,
        number: u64,
        layer: &DenseLayer,
        _write: &mut Write<'_>,
    ) -> Result<Option<Answers<u32>>, TableError> {
        let solved = self.dense.solve(self.source.sum(number), layer);
        Ok(Some(Answers::new(solved.codes, solved.values, solved.moves)))
    }
}
