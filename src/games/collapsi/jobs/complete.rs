//! Every position of the game, layer by layer: each solved from the one below it, each in a file
//! of its own.
//!
//! A generation that was stopped resumes inside the layer where it was; a layer above a finished one
//! is solved from what the file says. Layers that a sparse set leaves out have no file: they are
//! solved when they are needed, in one go, and forgotten.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use rayon::ThreadPoolBuilder;

use super::generation::{Generation, PART};
use crate::games::collapsi::{CompleteSet, Index, Layer, LayerSet, Rules, Scores, solve_layer};
use crate::games::{GameError, Watch};
use crate::job::hands::Hand;
use crate::job::work::remove_work;
use crate::job::{
    Cut, Ending, Expectation, FIXED_MEMORY, Job, JobError, Made, Plan, PlannedStage, Progress,
    Quiet, Run, ShardId, Shards, Stopwatch, work_folder,
};
use crate::table::{DENSE_EXTENSION, Options, Recipe, TableError, files_in, read_header};

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
const MEASUREMENTS: u32 = 5;

/// Seconds that a layer takes in all, for one of solving: it is compressed and written.
const WHOLE: f64 = 2.7;

/// Seconds that a layer takes to be loaded, for one of solving.
const LOADING: f64 = 0.5;

impl CompleteJob {
    /// Seconds that a position takes to be solved on the current threads, if all take as long as those of
    /// a small layer.
    fn measure(&self) -> Option<f64> {
        let mut below: Option<Scores> = None;
        let mut each = 0.0;
        let most = MEASURED.min(self.layers.cards);
        let small = Layer::all().filter(|layer| layer.cards() <= most);
        for layer in small {
            let going = AtomicBool::new(false);
            let solve = || {
                let watch = Stopwatch::start();
                let solved =
                    solve_layer(&self.index, layer, below.as_ref(), &going, &Quiet).ok()?;
                Some((watch.seconds(), solved))
            };
            // The shortest of some times: the threads may only just have been started.
            let (mut seconds, solved) = solve()?;
            for _ in 1..MEASUREMENTS {
                seconds = seconds.min(solve()?.0);
            }
            each = seconds / self.positions(Some(layer)) as f64;
            below = solved;
        }
        Some(each)
    }

    /// How many seconds all layers take. Of sets that are not much larger than what is measured it is not
    /// worth telling.
    fn seconds(&self) -> Option<f64> {
        if self.layers.cards <= MEASURED + 1 {
            return None;
        }
        let all: u64 = self.layers.layers().map(|layer| self.positions(Some(layer))).sum();
        Some(self.measure()? * all as f64 * WHOLE)
    }

    /// Whether another layer follows from a layer.
    fn is_needed(&self, layer: Layer) -> bool {
        self.layers.layers().any(|it| it.below() == Some(layer))
    }

    /// Bytes of memory that the layers take, one from the other: a layer and the one below it, a byte a
    /// position; above the last layer that both rules share, that one, too. Of a layer that no other follows
    /// from, a part.
    fn memory(&self) -> u64 {
        let layers = self.layers.layers().map(|layer| {
            let shared = Layer::new(Layer::LAST_SHARED, Rules::default());
            let shared = shared.filter(|shared| layer.cards() > shared.cards() + 1);
            let most = if self.is_needed(layer) { u64::MAX } else { PART };
            let positions = self.positions(Some(layer)).min(most);
            positions + self.positions(layer.below()) + self.positions(shared)
        });
        FIXED_MEMORY + layers.max().unwrap_or(0)
    }

    /// Makes the folder, and refuses one with other tables.
    fn open_folder(&self, folder: &Path) -> Result<(), TableError> {
        fs::create_dir_all(folder).map_err(TableError::io(folder))?;
        for path in files_in(folder, DENSE_EXTENSION)? {
            // What cannot be read is made again.
            if let Ok(header) = read_header(&path)
                && header.description.recipe != self.recipe
            {
                return Err(TableError::OtherRecipe {
                    path: folder.into(),
                    expected: self.recipe.clone().into(),
                    found: header.description.recipe.into(),
                });
            }
        }
        Ok(())
    }

    /// Makes some layers, each of which follows from the one before or from a file. Answers how many are
    /// there then.
    fn make(&self, layers: &[Layer], hand: &Hand<'_>, run: &Run<'_>) -> Result<u64, TableError> {
        let whole = WholeProgress { shown: run.progress };
        let run = &Run { progress: &whole, ..*run };
        let watch = Watch { stop: run.stop, progress: run.progress };
        let all = layers.iter().map(|&layer| self.positions(Some(layer))).sum();
        whole.shown.begin("solving", all, 0);
        let set = CompleteSet::new(run.out, self.layers);
        let made = Generation::over(set, &self.index, &watch).run(layers, hand, run);
        whole.shown.end();
        made
    }
}

/// The only stage: its shards go through all layers together.
const STAGE: &str = "layers";

impl CompleteJob {
    /// The layers that are worked on: nobody needs a last one that is left out.
    fn worked_on(&self) -> Vec<Layer> {
        let mut layers: Vec<Layer> = self.layers.layers().collect();
        layers.retain(|&layer| self.layers.has_file(layer) || self.is_needed(layer));
        layers
    }

    /// The stage, if a position takes so many seconds of one core to be solved.
    fn stage(&self, each: f64, cut: Cut) -> PlannedStage {
        let layers = self.worked_on();
        let positions = |layer: &Layer| self.positions(Some(*layer)) as f64;
        let work = layers.iter().map(positions).sum::<f64>() * each * WHOLE;
        let needed = || layers.iter().filter(|layer| self.is_needed(**layer));
        let loading = needed().map(positions).sum::<f64>() * each * LOADING;
        let parts = layers.iter().map(|&it| self.positions(Some(it)) / PART).max().unwrap_or(0);
        let hands = hands(cut.shards, parts, work / loading);
        let bytes = |layer: &Layer| layer_bytes(*layer);
        PlannedStage {
            name: STAGE.into(),
            shards: hands,
            cores: cut.cores,
            memory: self.memory(),
            // Each hand loads what the others have made. How many have something to do is not known before.
            seconds: work + loading * (hands - 1) as f64 / 2.0,
            reads: needed().map(bytes).sum::<f64>() as u64,
            // Parts, and the tables that they become.
            writes: 2 * layers.iter().map(bytes).sum::<f64>() as u64,
        }
    }

    /// Makes all layers together with other hands, who meet in the work folder of the last one. Answers how
    /// many are there then.
    fn share(
        &self,
        shard: &ShardId,
        layers: &[Layer],
        last: Layer,
        run: &Run<'_>,
    ) -> Result<u64, TableError> {
        let work = work_folder(&CompleteSet::new(run.out, self.layers).path(last));
        let hand = Hand::of(shard, &work, &self.layers.description(last), run.stop);
        // What was found damaged, or removed by another hand that is through, is made by the second try.
        let made = self.make(layers, &hand, run).or_else(|_| self.make(layers, &hand, run));
        match made {
            // Another hand was quicker, and has removed what both worked with.
            Err(_) if self.are_there(run.out) => Ok(layers.len() as u64),
            made => made,
        }
    }

    /// Whether the files of all layers are there and check out.
    fn are_there(&self, folder: &Path) -> bool {
        let set = CompleteSet::new(folder, self.layers);
        self.layers.layers().all(|layer| match set.open(layer, &self.index) {
            Ok(Some(table)) => table.check_blocks().is_ok(),
            Ok(None) => true,
            Err(_) => false,
        })
    }
}

/// How many hands are worth having on layers of which the largest has so many parts, and where so many of
/// them together load what they need in the time that the work takes.
fn hands(most: u64, parts: u64, loads: f64) -> u64 {
    let most = most.min(loads.min(1e9) as u64).clamp(1, parts.max(1));
    // Not more than it takes to be done in as many rounds.
    parts.max(1).div_ceil(parts.div_ceil(most).max(1))
}

impl Shards for CompleteJob {
    fn plan(&self, cut: Cut) -> Result<Plan, JobError> {
        let one = ThreadPoolBuilder::new().num_threads(1).build();
        let each = one.ok().and_then(|one| one.install(|| self.measure())).unwrap_or(0.0);
        Ok(Plan { file: "tables".into(), stages: vec![self.stage(each, cut)] })
    }

    fn shard(&self, shard: &ShardId, run: &Run<'_>) -> Result<Ending, JobError> {
        let layers = self.worked_on();
        let last = layers.last().filter(|_| shard.stage == STAGE);
        let last = *last.ok_or_else(|| shard.unknown())?;
        self.open_folder(run.out)?;
        let total = layers.len() as u64;
        let done = match self.are_there(run.out) {
            true => total,
            false => self.share(shard, &layers, last, run)?,
        };
        if done < total {
            return Ok(Ending::Stopped { what: "layers", done, total });
        }
        let set = CompleteSet::new(run.out, self.layers);
        for layer in layers {
            remove_work(&set.path(layer), &self.layers.description(layer))?;
        }
        Ok(Ending::Finished)
    }

    fn is_done(&self, shard: &ShardId, out: &Path) -> bool {
        shard.stage == STAGE && self.are_there(out)
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
            seconds: self.seconds(),
        }
    }

    fn least_memory(&self) -> u64 {
        self.memory()
    }

    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError> {
        self.open_folder(run.out)?;
        let layers: Vec<Layer> = self.layers.layers().collect();
        let total = layers.len() as u64;
        let done = self.make(&layers, &Hand::alone(run.stop), run)?;
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
