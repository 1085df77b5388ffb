//! Every position of the game, layer by layer: each solved from the one below it, each in a file
//! of its own.
//!
//! A generation that was stopped resumes inside the layer where it was; a layer above a finished one
//! is solved from what the file says. Layers that a sparse set leaves out have no file: they are
//! solved when they are needed, in one go, and forgotten.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::games::collapsi::{
    CompleteSet, Index, Layer, LayerSet, Rules, Scores, solve_layer, solve_part,
};
use crate::games::{GameError, Watch};
use crate::job::dense::{DenseLayer, Packing, make_layer, read_entries, remove_work};
use crate::job::{
    Cut, Ending, Expectation, FIXED_MEMORY, Job, JobError, Made, Plan, Progress, Quiet, Run,
    ShardId, Shards, whole_plan,
};
use crate::table::{
    DENSE_EXTENSION, DenseTable, Options, Recipe, TableError, files_in, read_header,
};

/// Scores in memory, plies in files.
const PACKING: Packing = Packing { stored: Scores::plies, entry: Scores::score };

/// About half a second's work, and enough that writing it does not show.
const PART: u64 = 1 << 25;

/// The complete tables, or as many of their layers as are asked for.
#[derive(Debug)]
pub struct CompleteJob {
    layers: LayerSet,
    recipe: Recipe,
    index: Index,
}

impl CompleteJob {
    pub fn new(options: &Options) -> Result<Self, GameError> {
        let layers = LayerSet::from_options(options)?;
        Ok(Self { layers, recipe: layers.recipe(), index: Index::new() })
    }

    fn positions(&self, layer: Option<Layer>) -> u64 {
        layer.map_or(0, |layer| self.index.len(layer.cards()))
    }
}

/// Bytes of a layer's file.
fn layer_bytes(layer: Layer) -> f64 {
    match (layer.cards(), layer.rules()) {
        (15, Some(Rules::Wild)) => 5_538_728.0,
        (16, Some(Rules::Wild)) => 625_256.0,
        (cards, _) => LAYER_BYTES.get(usize::from(cards)).copied().unwrap_or(0.0),
    }
}

/// Bytes of the layers with so many cards, of the rule `one` where it matters.
const LAYER_BYTES: [f64; 17] = [
    0.0,
    0.0,
    272.0,
    304.0,
    928.0,
    7_560.0,
    75_376.0,
    731_568.0,
    5_426_368.0,
    28_811_592.0,
    98_937_464.0,
    211_642_160.0,
    264_486_624.0,
    172_657_848.0,
    45_688_176.0,
    7_777_208.0,
    579_552.0,
];

/// The cards of the largest layer that is solved to tell how long all will take: a fraction of a
/// second.
const MEASURED: u8 = 7;

/// How often each of them is solved.
const MEASUREMENTS: u32 = 3;

/// Seconds that all of a job takes, for one of solving: layers are compressed and written.
const WHOLE: f64 = 3.5;

impl CompleteJob {
    /// How many seconds all layers take, if one takes as long for a position as a small one does. Of
    /// sets that are not much larger it is not worth telling.
    fn measure(&self) -> Option<f64> {
        if self.layers.cards <= MEASURED + 1 {
            return None;
        }
        let mut below: Option<Scores> = None;
        let mut each = 0.0;
        let small = Layer::all().filter(|layer| layer.cards() <= MEASURED);
        for layer in small {
            let going = AtomicBool::new(false);
            let solve = || {
                let start = Instant::now();
                let solved =
                    solve_layer(&self.index, layer, below.as_ref(), &going, &Quiet).ok()?;
                Some((start.elapsed().as_secs_f64(), solved))
            };
            // The shortest of some times: the threads may only just have been started.
            let (mut seconds, solved) = solve()?;
            for _ in 1..MEASUREMENTS {
                seconds = seconds.min(solve()?.0);
            }
            each = seconds / self.positions(Some(layer)) as f64;
            below = solved;
        }
        let all: u64 = self.layers.layers().map(|layer| self.positions(Some(layer))).sum();
        Some(each * all as f64 * WHOLE)
    }
}

impl Shards for CompleteJob {
    fn plan(&self, cut: Cut) -> Result<Plan, JobError> {
        Ok(whole_plan(self, "tables", cut))
    }

    fn shard(&self, _shard: &ShardId, run: &Run<'_>) -> Result<Ending, JobError> {
        self.run(run)
    }

    fn is_done(&self, _shard: &ShardId, out: &Path) -> bool {
        out.is_dir()
    }
}

impl Job for CompleteJob {
    fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The tables are the same on every machine, and so are their sizes. How long they take is told
    /// by small layers.
    fn expect(&self) -> Expectation {
        let files = self.layers.layers().filter(|&layer| self.layers.has_file(layer));
        let (positions, table) = files.fold((0, 0.0), |(positions, table), layer| {
            (positions + self.positions(Some(layer)), table + layer_bytes(layer))
        });
        // The parts of the layer at work are there beside the others.
        let largest = self.layers.layers().map(layer_bytes).fold(0.0, f64::max);
        Expectation {
            positions: positions as f64,
            exact: true,
            table,
            disk: table + largest,
            memory: Some(self.least_memory() as f64),
            seconds: self.measure(),
        }
    }

    /// A layer and the one below it, a byte a position; above the last layer that both rules share,
    /// that one, too.
    fn least_memory(&self) -> u64 {
        let layers = self.layers.layers().map(|layer| {
            let shared = Layer::new(Layer::LAST_SHARED, Rules::default());
            let shared = shared.filter(|shared| layer.cards() > shared.cards() + 1);
            [Some(layer), layer.below(), shared].map(|layer| self.positions(layer)).iter().sum()
        });
        FIXED_MEMORY + layers.max().unwrap_or(0)
    }

    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError> {
        fs::create_dir_all(run.out).map_err(TableError::io(run.out))?;
        for path in files_in(run.out, DENSE_EXTENSION)? {
            // What cannot be read is made again.
            if let Ok(header) = read_header(&path)
                && header.description.recipe != self.recipe
            {
                return Err(JobError::Table(TableError::OtherRecipe {
                    path: run.out.into(),
                    expected: self.recipe.clone().into(),
                    found: header.description.recipe.into(),
                }));
            }
        }
        let set = CompleteSet::new(run.out, self.layers);
        let whole = WholeProgress { shown: run.progress };
        let run = &Run { progress: &whole, ..*run };
        let watch = Watch { stop: run.stop, progress: run.progress };
        let all = self.layers.layers().map(|layer| self.positions(Some(layer))).sum();
        whole.shown.begin("solving", all, 0);
        let made = Generation::over(set, &watch).run(run);
        whole.shown.end();
        let (done, total) = made?;
        if done == total {
            return Ok(Ending::Finished);
        }
        Ok(Ending::Stopped { what: "layers", done, total })
    }
}

/// Shows one bar for all layers, of which each goes its own length: a layer has as many steps as
/// positions.
struct WholeProgress<'a> {
    shown: &'a dyn Progress,
}

impl Progress for WholeProgress<'_> {
    fn begin(&self, stage: &str, _total: u64, done: u64) {
        self.shown.at(stage);
        self.shown.advance(done, 0);
    }

    fn advance(&self, steps: u64, items: u64) {
        self.shown.advance(steps, items);
    }

    fn end(&self) {}

    fn made(&self, made: &Made) {
        self.shown.made(made);
    }
}

/// Makes a complete set, or checks one: solves layers, one from the other.
pub struct Generation<'a> {
    index: Index,
    set: CompleteSet,
    watch: Watch<'a>,
    /// Layers in memory.
    loaded: Vec<(Layer, Arc<Scores>)>,
}

impl<'a> Generation<'a> {
    /// A generation over a set that is there, or is to be made.
    #[must_use]
    pub fn over(set: CompleteSet, watch: &Watch<'a>) -> Self {
        Self { index: Index::new(), set, watch: *watch, loaded: Vec::new() }
    }

    /// The index of all layers.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Makes every layer that is not there yet, and reports each. Answers how many are there then,
    /// and how many there are to be.
    fn run(&mut self, run: &Run<'_>) -> Result<(u64, u64), TableError> {
        let layers = self.set.layers();
        let total = layers.layers().count() as u64;
        for (done, layer) in (0..).zip(layers.layers()) {
            if run.is_stopped() {
                return Ok((done, total));
            }
            let made = if layers.has_file(layer) {
                match self.whole(layer) {
                    Some(bytes) => {
                        remove_work(&self.set.path(layer), &layers.description(layer))?;
                        Some(self.there(layer, bytes))
                    }
                    None => self.make(layer, run)?,
                }
            } else if self.is_done_above(layer) {
                self.watch.progress.advance(self.index.len(layer.cards()), 0);
                continue;
            } else {
                self.pass(layer)?
            };
            let Some(made) = made else { return Ok((done, total)) };
            self.watch.progress.made(&made);
        }
        Ok((total, total))
    }

    /// A layer whose file is there.
    fn there(&mut self, layer: Layer, bytes: u64) -> Made {
        self.loaded.clear();
        let positions = self.index.len(layer.cards());
        self.watch.progress.advance(positions, 0);
        Made {
            path: Some(self.set.path(layer)),
            name: layer.to_string(),
            positions,
            resumed: positions,
            solving: Duration::ZERO,
            bytes,
        }
    }

    /// Solves a layer that gets no file. `None` when stopped.
    fn pass(&mut self, layer: Layer) -> Result<Option<Made>, TableError> {
        let start = Instant::now();
        let solved = self.solve(layer)?;
        let solving = start.elapsed();
        Ok(solved.map(|scores| Made {
            path: None,
            name: layer.to_string(),
            positions: scores.as_slice().len() as u64,
            resumed: 0,
            solving,
            bytes: 0,
        }))
    }

    /// Solves a layer and writes its file. `None` when stopped.
    fn make(&mut self, layer: Layer, run: &Run<'_>) -> Result<Option<Made>, TableError> {
        let Some(below) = self.below(layer)? else { return Ok(None) };
        let positions = self.index.len(layer.cards());
        let path = self.set.path(layer);
        let mut scores = Scores::new(positions).map_err(TableError::io(&path))?;
        let name = format!("layer {layer}");
        let target = DenseLayer {
            path: &path,
            description: &self.set.layers().description(layer),
            layer: layer.cards(),
            name: &name,
            part: PART,
        };
        let (index, watch) = (&self.index, self.watch);
        let solve = |entries: &mut [u8], part| {
            let below = below.as_deref();
            solve_part(index, layer, below, entries, part, watch.stop, watch.progress)
        };
        let made = make_layer(target, scores.as_mut_slice(), PACKING, run, solve)?;
        let Some(made) = made else { return Ok(None) };
        self.keep(layer, scores);
        Ok(Some(Made {
            path: Some(path),
            name: layer.to_string(),
            positions,
            resumed: made.resumed,
            solving: made.solving,
            bytes: made.header.file_length,
        }))
    }

    /// Whether a layer left out is not needed, because the one above it is on the disk.
    fn is_done_above(&self, layer: Layer) -> bool {
        let above = Layer::new(layer.cards() + 1, Rules::default());
        above.is_some_and(|above| self.set.layers().has_file(above) && self.whole(above).is_some())
    }

    /// The length of a layer's file, if it is there and every checksum is right.
    fn whole(&self, layer: Layer) -> Option<u64> {
        let table = self.set.open(layer, &self.index).ok()??;
        table.check_blocks().ok()?;
        Some(table.header().file_length)
    }

    /// Solves a layer from the one below it, wherever that comes from. `None` when stopped.
    fn solve(&mut self, layer: Layer) -> Result<Option<Arc<Scores>>, TableError> {
        let Some(below) = self.below(layer)? else { return Ok(None) };
        let Watch { stop, progress } = self.watch;
        let solved = solve_layer(&self.index, layer, below.as_deref(), stop, progress);
        let solved = solved.map_err(TableError::io(self.set.path(layer)))?;
        Ok(solved.map(|solved| self.keep(layer, solved)))
    }

    /// Keeps a layer in memory for the one above it, and only what else is still needed.
    fn keep(&mut self, layer: Layer, scores: Scores) -> Arc<Scores> {
        let scores = Arc::new(scores);
        let shared = Layer::LAST_SHARED;
        // The last layer that both rules share is needed once for each.
        self.loaded.retain(|(it, _)| it.cards() == shared && layer.cards() > shared);
        self.loaded.push((layer, Arc::clone(&scores)));
        scores
    }

    /// The layer below one, if there is any. `None` when stopped.
    fn below(&mut self, layer: Layer) -> Result<Option<Option<Arc<Scores>>>, TableError> {
        match layer.below() {
            None => Ok(Some(None)),
            Some(below) => Ok(self.scores(below)?.map(Some)),
        }
    }

    /// A layer from memory, from its file, or solved.
    fn scores(&mut self, layer: Layer) -> Result<Option<Arc<Scores>>, TableError> {
        if let Some((_, scores)) = self.loaded.iter().find(|(it, _)| *it == layer) {
            return Ok(Some(Arc::clone(scores)));
        }
        match self.set.open(layer, &self.index)? {
            None => self.solve(layer),
            Some(table) => {
                let Some(scores) = load(&table, self.watch.stop)? else { return Ok(None) };
                let scores = Arc::new(scores);
                self.loaded.push((layer, Arc::clone(&scores)));
                Ok(Some(scores))
            }
        }
    }

    /// Solves a layer from the table below it and compares it with its own table. Answers how
    /// many positions differ and the number of the first, `None` when stopped.
    pub fn check(&mut self, layer: Layer) -> Result<Option<Differences>, TableError> {
        let Some(table) = self.set.open(layer, &self.index)? else {
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
