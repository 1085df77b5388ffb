//! What finds and solves layers: by number where boards can be numbered, by sorting elsewhere.
//!
//! Both go through the layers in the same way; what stays of them, and where, is the business of the
//! [`Driver`](super::driver::Driver).

use std::path::PathBuf;

use super::answers::LayerAnswers;
use crate::games::twenty48::Board;
use crate::table::{Record, Table, TableError};

/// Finds layers, the first one first, and solves them, the last one first. Layers are numbered
/// from 0.
pub trait Kernel {
    /// The code of a position, no wider than need be.
    type Code: Copy + Ord + Into<u64> + Send + Sync;
    /// A layer's positions.
    type Layer;

    /// Goes to a layer. Nothing is known of it nor of those behind it.
    fn begin(&mut self, layer: u64);

    /// Adds positions to the layer at work.
    fn add(&mut self, boards: &[Board]) -> Result<(), TableError>;

    /// The layer at work: all that was added, and all that follows the layers before.
    fn found(&mut self) -> Result<Found<Self::Layer>, TableError>;

    /// Gathers what follows the positions of the layer at work, and goes to the next one.
    fn follow(&mut self, layer: &Self::Layer) -> Result<(), TableError>;

    /// A layer that was found before.
    fn load(&mut self, number: u64, positions: Positions) -> Result<Self::Layer, TableError>;

    /// The most positions of a layer that are loaded into memory.
    fn most(&self) -> u64;

    /// How many positions a layer has.
    fn len(&self, layer: &Self::Layer) -> u64;

    /// The bytes of memory that a layer takes; `None` if it is on the disk.
    fn bytes(&self, layer: &Self::Layer) -> Option<u64>;

    /// The codes of a layer in memory, in any order.
    fn codes(&self, number: u64, layer: &Self::Layer) -> Vec<Self::Code>;

    /// Takes the values of a layer from its shard. The two last solved come in the order in which
    /// they were solved.
    fn recall(&mut self, number: u64, shard: Table) -> Result<(), TableError>;

    /// Solves a layer, after the two behind it. The records of one on the disk go to `write`, which
    /// makes a shard of them; then nothing is answered.
    fn solve(
        &mut self,
        number: u64,
        layer: &Self::Layer,
        write: &mut Write<'_>,
    ) -> Result<Option<LayerAnswers<Self::Code>>, TableError>;
}

/// Makes a shard of records that come in order.
pub type Write<'a> = dyn FnMut(&mut dyn Iterator<Item = Result<Record, TableError>>) -> Result<Table, TableError>
    + 'a;

/// A layer that was found.
pub enum Found<L> {
    /// In memory.
    Layer(L),
    /// Too long for that: sorted spills, to be merged.
    Spills(Vec<Table>),
}

/// The positions of a layer that was found before.
pub enum Positions {
    /// Their codes, in ascending order, and where they come from.
    Codes(Vec<u64>, PathBuf),
    /// A shard, too long for memory.
    Shard(Box<Table>),
}
