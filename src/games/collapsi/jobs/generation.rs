//! Complete tables made, or checked: layers are solved, one from the other.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rayon::prelude::*;

use crate::games::Watch;
use crate::games::collapsi::{CompleteSet, Index, Layer, Rules, Scores, solve_layer, solve_part};
use crate::job::dense::{DenseLayer, Packing, join_layers, make_layer, read_entries};
use crate::job::hands::Hand;
use crate::job::work::remove_work;
use crate::job::{Made, Run};
use crate::table::{DenseTable, Description, TableError};

/// Scores in memory, plies in files.
const PACKING: Packing = Packing { stored: Scores::plies, entry: Scores::score };

/// About a tenth of a second's work of a core: enough that writing it does not show, and little to wait for at
/// the end of a layer.
pub const PART: u64 = 1 << 23;

/// What a layer's file says and where it is.
struct Target {
    layer: Layer,
    path: PathBuf,
    description: Description,
    name: String,
    entries: u64,
    has_file: bool,
}

impl Target {
    fn new(set: &CompleteSet, index: &Index, layer: Layer) -> Self {
        Self {
            layer,
            path: set.path(layer),
            description: set.layers().description(layer),
            name: format!("layer {layer}"),
            entries: index.len(layer.cards()),
            has_file: set.layers().has_file(layer),
        }
    }

    fn dense(&self) -> DenseLayer<'_> {
        DenseLayer {
            path: &self.path,
            description: &self.description,
            layer: self.layer.cards(),
            name: &self.name,
            entries: self.entries,
            part: PART,
            has_file: self.has_file,
        }
    }
}

/// A hand that is not alone, at work.
type Shared<'a> = Option<(&'a Hand<'a>, &'a Run<'a>)>;

/// Makes a complete set, or checks one: solves layers, one from the other.
pub struct Generation<'a> {
    index: &'a Index,
    set: CompleteSet,
    watch: Watch<'a>,
    /// Layers in memory.
    loaded: Vec<(Layer, Arc<Scores>)>,
}

impl<'a> Generation<'a> {
    /// A generation over a set that is there, or is to be made.
    #[must_use]
    pub fn over(set: CompleteSet, index: &'a Index, watch: &Watch<'a>) -> Self {
        Self { index, set, watch: *watch, loaded: Vec::new() }
    }

    /// The index of all layers.
    #[must_use]
    pub fn index(&self) -> &Index {
        self.index
    }

    /// Makes those of some layers that are not there yet, and reports each. Answers how many are there then.
    pub fn run(
        &mut self,
        all: &[Layer],
        hand: &Hand<'_>,
        run: &Run<'_>,
    ) -> Result<u64, TableError> {
        let layers = self.set.layers();
        for (done, &layer) in (0..).zip(all) {
            if run.is_stopped() {
                return Ok(done);
            }
            let is_needed = all.iter().any(|it| it.below() == Some(layer));
            let made = if let Some(bytes) = self.found(layer, hand) {
                if hand.is_alone() {
                    remove_work(&self.set.path(layer), &layers.description(layer))?;
                }
                Some(self.there(layer, bytes))
            } else if !layers.has_file(layer) && self.is_done_above(layer, hand) {
                self.watch.progress.advance(self.index.len(layer.cards()), 0);
                continue;
            } else {
                self.make(layer, is_needed, hand, run)?
            };
            let Some(made) = made else { return Ok(done) };
            self.watch.progress.made(&made);
        }
        let total = all.len() as u64;
        if hand.is_alone() {
            return Ok(total);
        }
        self.loaded.clear();
        let targets = all.iter().map(|&layer| Target::new(&self.set, self.index, layer));
        let targets: Vec<Target> = targets.collect();
        let layers: Vec<DenseLayer<'_>> = targets.iter().map(Target::dense).collect();
        Ok(if join_layers(&layers, hand, run)? { total } else { total.saturating_sub(1) })
    }

    /// The bytes of a layer's file, if that is there; 0 if other hands have made all parts of it.
    fn found(&self, layer: Layer, hand: &Hand<'_>) -> Option<u64> {
        let file = if self.set.layers().has_file(layer) { self.whole(layer) } else { None };
        let target = Target::new(&self.set, self.index, layer);
        file.or_else(|| (!hand.is_alone() && target.dense().lists_parts()).then_some(0))
    }

    /// A layer that is there.
    fn there(&mut self, layer: Layer, bytes: u64) -> Made {
        self.loaded.clear();
        let positions = self.index.len(layer.cards());
        self.watch.progress.advance(positions, 0);
        Made {
            path: (bytes > 0).then(|| self.set.path(layer)),
            name: layer.to_string(),
            positions,
            resumed: positions,
            solving: Duration::ZERO,
            bytes,
        }
    }

    /// Solves a layer and writes its file, if it gets one. `None` when stopped.
    fn make(
        &mut self,
        layer: Layer,
        is_needed: bool,
        hand: &Hand<'_>,
        run: &Run<'_>,
    ) -> Result<Option<Made>, TableError> {
        let target = Target::new(&self.set, self.index, layer);
        let (positions, path) = (target.entries, &target.path);
        let scores = is_needed.then(|| Scores::new(positions)).transpose();
        let mut scores = scores.map_err(TableError::io(path))?;
        let shared = (!hand.is_alone()).then_some((hand, run));
        // The layer below is loaded only if there is something to solve.
        let solve = |entries: &mut [u8], part| {
            let Some(below) = self.below(layer, shared)? else { return Ok(false) };
            let Watch { stop, progress } = self.watch;
            Ok(solve_part(self.index, layer, below.as_deref(), entries, part, stop, progress))
        };
        let kept = scores.as_mut().map(Scores::as_mut_slice);
        let Some(made) = make_layer(target.dense(), hand, kept, PACKING, run, solve)? else {
            return Ok(None);
        };
        self.forget_below(layer);
        self.loaded.extend(scores.map(|scores| (layer, Arc::new(scores))));
        Ok(Some(Made {
            path: (made.bytes > 0).then_some(target.path),
            name: layer.to_string(),
            positions,
            resumed: made.resumed,
            solving: made.solving,
            bytes: made.bytes,
        }))
    }

    /// Whether a layer left out is not needed, because the one above it is there.
    fn is_done_above(&self, layer: Layer, hand: &Hand<'_>) -> bool {
        let above = Layer::new(layer.cards() + 1, Rules::default());
        above.is_some_and(|above| {
            self.set.layers().has_file(above) && self.found(above, hand).is_some()
        })
    }

    /// The length of a layer's file, if it is there and every checksum is right.
    fn whole(&self, layer: Layer) -> Option<u64> {
        let table = self.set.open(layer, self.index).ok()??;
        table.check_blocks().ok()?;
        Some(table.header().file_length)
    }

    /// Solves a layer from the one below it, wherever that comes from. `None` when stopped.
    fn solve(&mut self, layer: Layer) -> Result<Option<Arc<Scores>>, TableError> {
        let Some(below) = self.below(layer, None)? else { return Ok(None) };
        let Watch { stop, progress } = self.watch;
        let solved = solve_layer(self.index, layer, below.as_deref(), stop, progress);
        let solved = solved.map_err(TableError::io(self.set.path(layer)))?;
        Ok(solved.map(|solved| self.keep(layer, solved)))
    }

    /// Keeps a layer in memory for the one above it.
    fn keep(&mut self, layer: Layer, scores: Scores) -> Arc<Scores> {
        let scores = Arc::new(scores);
        self.forget_below(layer);
        self.loaded.push((layer, Arc::clone(&scores)));
        scores
    }

    /// Keeps only what is still needed once a layer is solved.
    fn forget_below(&mut self, layer: Layer) {
        let shared = Layer::LAST_SHARED;
        // The last layer that both rules share is needed once for each.
        self.loaded.retain(|(it, _)| it.cards() == shared && layer.cards() > shared);
    }

    /// The layer below one, if there is any. `None` when stopped.
    fn below(
        &mut self,
        layer: Layer,
        shared: Shared<'_>,
    ) -> Result<Option<Option<Arc<Scores>>>, TableError> {
        match layer.below() {
            None => Ok(Some(None)),
            Some(below) => Ok(self.scores(below, shared)?.map(Some)),
        }
    }

    /// A layer from memory, from its file, from its parts, or solved.
    fn scores(
        &mut self,
        layer: Layer,
        shared: Shared<'_>,
    ) -> Result<Option<Arc<Scores>>, TableError> {
        let of_layer = |(it, scores): &(Layer, Arc<Scores>)| (*it == layer).then(|| scores.clone());
        if let Some(scores) = self.loaded.iter().find_map(of_layer) {
            return Ok(Some(scores));
        }
        match (self.set.open(layer, self.index), shared) {
            (Ok(Some(table)), _) => {
                let Some(scores) = load(&table, self.watch.stop)? else { return Ok(None) };
                let scores = Arc::new(scores);
                self.loaded.push((layer, Arc::clone(&scores)));
                Ok(Some(scores))
            }
            (_, Some((hand, run))) => {
                let made = self.make(layer, true, hand, run)?;
                Ok(made.and_then(|_| self.loaded.iter().find_map(of_layer)))
            }
            (Ok(None), None) => self.solve(layer),
            (Err(error), None) => Err(error),
        }
    }

    /// Solves a layer from the table below it and compares it with its own table. Answers how
    /// many positions differ and the number of the first, `None` when stopped.
    pub fn check(&mut self, layer: Layer) -> Result<Option<Differences>, TableError> {
        let Some(table) = self.set.open(layer, self.index)? else {
            return Ok(Some(Differences::default()));
        };
        // From files only, so that each layer is checked against what others will read.
        self.loaded.clear();
        let Some(scores) = self.solve(layer)? else { return Ok(None) };
        self.loaded.clear();
        let differences = scores
            .as_slice()
            .par_chunks(table.block_entries())
            .enumerate()
            .map(|(block, scores)| {
                let entries = table.block(block)?;
                let first = (block * table.block_entries()) as u64;
                let pairs = (first..).zip(scores.iter().zip(&entries));
                let differ = pairs.filter(|(_, (score, plies))| Scores::plies(**score) != **plies);
                let numbers: Vec<u64> = differ.map(|(number, _)| number).collect();
                Ok(Differences { count: numbers.len() as u64, first: numbers.first().copied() })
            })
            .try_reduce(Differences::default, |one, other| {
                Ok(Differences { count: one.count + other.count, first: one.first.or(other.first) })
            })?;
        Ok(Some(differences))
    }
}

/// How a table differs from what it should say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Differences {
    /// In how many positions.
    pub count: u64,
    /// The number of the first.
    pub first: Option<u64>,
}

/// A table as scores. `None` when stopped.
fn load(table: &DenseTable, stop: &AtomicBool) -> Result<Option<Scores>, TableError> {
    let mut scores = Scores::new(table.len()).map_err(TableError::io(table.path()))?;
    let all = read_entries(table, scores.as_mut_slice(), PACKING.entry, stop)?;
    Ok(all.then_some(scores))
}
