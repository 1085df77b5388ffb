//! Every position of the game, layer by layer: each solved from the one below it, each in a file
//! of its own.
//!
//! A generation that was stopped resumes inside the layer where it was; a layer above a finished one
//! is solved from what the file says. Layers that a sparse set leaves out have no file: they are
//! solved when they are needed, in one go, and forgotten.

use std::fs;
use std::ops::RangeInclusive;
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
const MEASUREMENTS: u32 = 3;

/// Seconds that a layer takes in all, for one of solving: it is compressed and written.
const WHOLE: f64 = 3.5;

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

    /// Bytes of memory that some layers take, one from the other: a layer and the one below it, a byte a
    /// position; above the last layer that both rules share, that one, too.
    fn memory(&self, layers: impl Iterator<Item = Layer>) -> u64 {
        let layers = layers.map(|layer| {
            let shared = Layer::new(Layer::LAST_SHARED, Rules::default());
            let shared = shared.filter(|shared| layer.cards() > shared.cards() + 1);
            [Some(layer), layer.below(), shared].map(|layer| self.positions(layer)).iter().sum()
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

/// Layers with fewer positions are worked on together: they take seconds.
const LARGE: u64 = 4 * PART;

/// The layers of a stage, by their cards. Where layers are large, it is one: with it only those directly
/// below that are left out and have no file.
type Group = RangeInclusive<u8>;

impl CompleteJob {
    fn groups(&self) -> Vec<Group> {
        let is_large = |cards| self.has_file(cards) && self.index.len(cards) >= LARGE;
        let is_own = |cards| is_large(cards) || !self.has_file(cards) && is_large(cards + 1);
        let mut groups: Vec<Group> = Vec::new();
        // Nobody needs a last layer that is left out.
        for cards in Layer::FEWEST..=self.last() {
            let follows =
                |cards: u8| !self.has_file(cards - 1) || !is_own(cards - 1) && !is_own(cards);
            match groups.last_mut() {
                Some(group) if follows(cards) => *group = *group.start()..=cards,
                _ => groups.push(cards..=cards),
            }
        }
        groups
    }

    fn layers_of(&self, group: &Group) -> Vec<Layer> {
        self.layers.layers().filter(|layer| group.contains(&layer.cards())).collect()
    }

    /// The layers with files that a group is solved from.
    fn below(&self, group: &Group) -> Vec<Layer> {
        let below = self.layers_of(group).into_iter().filter_map(Layer::below);
        let mut below: Vec<Layer> = below.filter(|it| !group.contains(&it.cards())).collect();
        below.dedup();
        below
    }

    /// The stage of a group, if a position takes so many seconds of one core to be solved.
    fn stage(&self, group: &Group, each: f64, cut: Cut) -> PlannedStage {
        let layers = self.layers_of(group);
        let positions = |layer: &Layer| self.positions(Some(*layer)) as f64;
        let work = layers.iter().map(positions).sum::<f64>() * each * WHOLE;
        let below = self.below(group);
        let loading = below.iter().map(positions).sum::<f64>() * each * LOADING;
        let parts = layers.iter().map(|&it| self.positions(Some(it)) / PART).max().unwrap_or(0);
        let hands = hands(cut.shards, parts, work / loading);
        let bytes = layers.iter().map(|&layer| layer_bytes(layer)).sum::<f64>();
        PlannedStage {
            name: name(group),
            shards: hands,
            cores: cut.cores,
            memory: self.memory(layers.into_iter()),
            // Each hand that has something to do loads the layer below. How many have is not known before.
            seconds: work + loading * (1 + hands) as f64 / 2.0,
            reads: below.into_iter().map(layer_bytes).sum::<f64>() as u64,
            // Parts, and the tables that they become.
            writes: 2 * bytes as u64,
        }
    }

    /// The group of a stage: any whose first layer follows from a file, and whose last one has one.
    fn group(&self, shard: &ShardId) -> Option<Group> {
        let (first, last) = shard.stage.strip_prefix(STAGE)?.split_once('-')?;
        let (first, last): (u8, u8) = (first.parse().ok()?, last.parse().ok()?);
        let group = first..=last;
        let begins = first == Layer::FEWEST || first > Layer::FEWEST && self.has_file(first - 1);
        (begins && first <= last && self.has_file(last)).then_some(group)
    }

    fn has_file(&self, cards: u8) -> bool {
        Layer::new(cards, Rules::default()).is_some_and(|layer| self.layers.has_file(layer))
    }

    /// The most cards of a layer with a file.
    fn last(&self) -> u8 {
        let all = Layer::FEWEST..=self.layers.cards;
        all.rev().find(|&cards| self.has_file(cards)).unwrap_or(Layer::FEWEST)
    }

    /// Whether the files of some layers are there and check out.
    fn are_there(&self, mut layers: impl Iterator<Item = Layer>, folder: &Path) -> bool {
        let set = CompleteSet::new(folder, self.layers);
        layers.all(|layer| match set.open(layer, &self.index) {
            Ok(Some(table)) => table.check_blocks().is_ok(),
            Ok(None) => true,
            Err(_) => false,
        })
    }

    /// What to say after a failure: if it is that a file of an earlier stage is not there or damaged, that,
    /// and the file counts as not done.
    fn explain(&self, group: &Group, folder: &Path, error: TableError) -> TableError {
        let set = CompleteSet::new(folder, self.layers);
        let is_unsound = |layer: &Layer| !self.are_there([*layer].into_iter(), folder);
        let unsound = self.below(group).into_iter().find(is_unsound);
        let Some(path) = unsound.map(|layer| set.path(layer)) else { return error };
        let what = match fs::remove_file(&path) {
            Ok(()) => format!("was damaged ({error}) and is removed; run what is left of the plan"),
            Err(_) => "is not there; run what is left of the plan".into(),
        };
        TableError::Inconsistent { path, what }
    }
}

/// What the name of a stage begins with, before the fewest and the most cards of its layers.
const STAGE: &str = "layers-";

fn name(group: &Group) -> String {
    format!("{STAGE}{}-{}", group.start(), group.end())
}

/// How many hands are worth having on a stage whose largest layer has so many parts, and where so many of
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
        let stages = self.groups().iter().map(|group| self.stage(group, each, cut)).collect();
        Ok(Plan { file: "tables".into(), stages })
    }

    fn shard(&self, shard: &ShardId, run: &Run<'_>) -> Result<Ending, JobError> {
        let group = self.group(shard).ok_or_else(|| shard.unknown())?;
        self.open_folder(run.out)?;
        let set = CompleteSet::new(run.out, self.layers);
        let layers = self.layers_of(&group);
        let last = *layers.last().ok_or_else(|| shard.unknown())?;
        let work = work_folder(&set.path(last));
        let hand = Hand::of(shard, &work, &self.layers.description(last), run.stop);
        let are_there = || self.are_there(layers.iter().copied(), run.out);
        let total = layers.len() as u64;
        // Another hand that is through removes what both work with: what is missing then is made alone.
        let made = self.make(&layers, &hand, run).or_else(|_| self.make(&layers, &hand, run));
        let done = match made {
            Ok(done) => done,
            // Another hand was quicker, and has removed what both worked with.
            Err(_) if are_there() => total,
            Err(error) => return Err(self.explain(&group, run.out, error).into()),
        };
        if done < total {
            return Ok(Ending::Stopped { what: "layers", done, total });
        }
        for layer in layers {
            remove_work(&set.path(layer), &self.layers.description(layer))?;
        }
        Ok(Ending::Finished)
    }

    /// The last stage stands for the whole set: nothing is left to do once it is done.
    fn is_done(&self, shard: &ShardId, out: &Path) -> bool {
        let Some(group) = self.group(shard) else { return false };
        let is_last = *group.end() == self.last();
        self.are_there(
            self.layers.layers().filter(|it| is_last || group.contains(&it.cards())),
            out,
        )
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
        self.memory(self.layers.layers())
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
