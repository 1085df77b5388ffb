//! Making the tables of a small game: layer by layer, from the one with the most stones down.
//!
//! A layer is solved as a whole, from the one above it, and gets its file when it is done. A generation that
//! was stopped keeps the finished layers and begins the next one anew.
//!
//! The shards of a stage are hands, which solve its layers together and write their files by parts.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::dense::{Numbering, StoneLayer};
use super::sharing;
use super::tables::{LayerTable, SmallGame};
use crate::job::dense::{DenseLayer, Packing, join_layers, read_entries, write_layer};
use crate::job::hands::Hand;
use crate::job::work::{Lock, WorkFolder, remove_work};
use crate::job::{
    Cut, Ending, Expectation, FIXED_MEMORY, Job, JobError, Made, Plan, PlannedStage, Quiet, Run,
    ShardId, Shards, Stopwatch, work_folder,
};
use crate::solve::retrograde;
use crate::table::{DENSE_EXTENSION, DenseTable, Recipe, TableError, files_in, read_header};

/// The tables of a small game.
#[derive(Debug)]
pub struct LayersJob {
    game: SmallGame,
    recipe: Recipe,
    /// Each after the one that it is solved from.
    layers: Vec<(u8, Numbering)>,
}

/// Bytes of a file for a number, about.
const FILE_BYTES: f64 = 0.2;

/// How many numbers a game has that is solved to tell how long others of its board take.
const SAMPLE: u64 = 1 << 20;

/// What a number takes in a large game, for a second that it takes in the small one: measured on 3x3 with six flats
/// and 4x4 with four.
const WHOLE: f64 = 0.8;

/// Seconds that a layer takes, however small: its file is brought to the disk.
const A_LAYER: f64 = 5e-3;

impl LayersJob {
    pub fn new(game: SmallGame) -> Self {
        let layers = game.layers().map(|stones| (stones, game.numbering(stones))).collect();
        Self { game, recipe: game.recipe(), layers }
    }

    fn numbers(&self, group: &Group) -> u64 {
        self.layers[group.clone()].iter().map(|(_, numbering)| numbering.numbers()).sum()
    }
}

/// Layers with fewer numbers are worked on together: they take seconds.
const LARGE: u64 = 1 << 23;

/// How many numbers are worth a hand more: about a second's work.
const A_HAND: u64 = 1 << 23;

/// More hands take longer for what each does by itself than they gain.
const MOST_HANDS: u64 = 16;

/// What a number takes every hand by itself, for a second that it takes in all: the layer above is loaded, what
/// is won at once is marked, and what others have found is noted.
const BY_ITSELF: f64 = 0.04;

/// Bytes for a number that hands leave for each other.
const EXCHANGED: f64 = 0.4;

/// About how many entries of a layer hands write at a time.
const PART: u64 = 1 << 22;

/// What the name of a stage begins with, before the most and the fewest stones of its layers.
const STAGE: &str = "layers-";

/// The layers of a stage, by their places in the list of all.
type Group = Range<usize>;

impl LayersJob {
    fn groups(&self) -> Vec<Group> {
        let is_large = |place: usize| self.layers[place].1.numbers() >= LARGE;
        let mut groups: Vec<Group> = Vec::new();
        for place in 0..self.layers.len() {
            match groups.last_mut() {
                Some(group) if !is_large(place) && !is_large(place - 1) => group.end = place + 1,
                _ => groups.push(place..place + 1),
            }
        }
        groups
    }

    /// How many numbers the largest layer has.
    fn largest(&self, group: &Group) -> u64 {
        self.layers[group.clone()].iter().map(|(_, it)| it.numbers()).max().unwrap_or(0)
    }

    fn name(&self, group: &Group) -> String {
        format!("{STAGE}{}-{}", self.layers[group.start].0, self.layers[group.end - 1].0)
    }

    /// The layers of a stage.
    fn group(&self, shard: &ShardId) -> Option<Group> {
        let (first, last) = shard.stage.strip_prefix(STAGE)?.split_once('-')?;
        let place = |stones: &str| {
            let stones: u8 = stones.parse().ok()?;
            self.layers.iter().position(|(it, _)| *it == stones)
        };
        let group = place(first)?..place(last)? + 1;
        (!group.is_empty()).then_some(group)
    }

    /// The stage of some layers, if a number takes so many seconds of one core.
    fn stage(&self, group: &Group, each: f64, cut: Cut) -> PlannedStage {
        let bytes = |group: &Group| FILE_BYTES * self.numbers(group) as f64;
        let hands = 1 + self.largest(group).div_ceil(A_HAND);
        let hands = hands.min(MOST_HANDS).clamp(1, cut.shards.max(1));
        let exchanged = match hands {
            1 => 0.0,
            _ => EXCHANGED * self.numbers(group) as f64,
        };
        // How many hands will be at work is not known before.
        let others = (hands - 1) as f64 / 2.0;
        let by_themselves = BY_ITSELF * each * self.numbers(group) as f64 * others;
        PlannedStage {
            name: self.name(group),
            shards: hands,
            cores: cut.cores,
            memory: self.memory(group),
            seconds: self.core_seconds(group, each) + by_themselves,
            reads: (bytes(&(group.start.saturating_sub(1)..group.start)) + exchanged) as u64,
            // Parts, and the tables that they become.
            writes: (2.0 * bytes(group) + exchanged) as u64,
        }
    }

    /// Seconds of one core that some layers take, about, if a number takes so many.
    fn core_seconds(&self, group: &Group, each: f64) -> f64 {
        A_LAYER * group.len() as f64 + each * self.numbers(group) as f64
    }

    /// Seconds of one core that a number takes, about: those that it takes in a small game on the same board.
    fn measure(&self) -> f64 {
        let games = (2..=self.game.flats).map(|flats| Self::new(SmallGame { flats, ..self.game }));
        let numbers = |job: &Self| job.numbers(&(0..job.layers.len()));
        let fits = games.take_while(|job| numbers(job) <= SAMPLE);
        fits.last().map_or(0.0, |small| WHOLE * small.solve() / numbers(&small) as f64)
    }

    /// Solves all layers, and answers how many seconds of one core that took.
    fn solve(&self) -> f64 {
        let watch = Stopwatch::start();
        let going = AtomicBool::new(false);
        let mut above: Option<Solved<'_>> = None;
        for (_, numbering) in &self.layers {
            let above_it = above.as_ref().map(|(it, entries)| (*it, &entries[..]));
            let layer = StoneLayer { numbering, above: above_it };
            // It is not stopped, and no win is too long.
            let entries = retrograde::solve(&layer, &going, |_| ()).unwrap_or_default();
            above = Some((numbering, entries));
        }
        watch.seconds() * rayon::current_num_threads() as f64
    }

    /// Bytes of memory that some layers take, if one hand has all of it to do: three bytes for a number, what
    /// is decided at the distance at work, and the entries of the layer above.
    fn memory(&self, group: &Group) -> u64 {
        let numbers = |place: usize| self.layers[place].1.numbers();
        let above = |place: usize| place.checked_sub(1).map_or(0, numbers);
        let layers = group.clone().map(|place| 4 * numbers(place) + above(place));
        FIXED_MEMORY + layers.max().unwrap_or(0)
    }

    fn path(folder: &Path, stones: u8) -> PathBuf {
        folder.join(SmallGame::file_name(stones))
    }

    fn are_there(&self, group: &Group, folder: &Path) -> bool {
        let mut layers = self.layers[group.clone()].iter();
        layers.all(|(stones, _)| self.whole(&Self::path(folder, *stones), *stones).is_some())
    }

    /// The layer that the first of a group is solved from, which an earlier stage has made. One that is
    /// damaged counts as not done.
    fn above(&self, group: &Group, folder: &Path) -> Result<Option<Finished<'_>>, TableError> {
        let Some(place) = group.start.checked_sub(1) else { return Ok(None) };
        let (stones, numbering) = &self.layers[place];
        let path = Self::path(folder, *stones);
        if let Some(table) = self.whole(&path, *stones) {
            return Ok(Some((numbering, table)));
        }
        let what = match fs::remove_file(&path) {
            Ok(()) => "was damaged and is removed; run what is left of the plan",
            Err(_) => "is not there; run what is left of the plan",
        };
        Err(TableError::Inconsistent { path, what: what.into() })
    }
}

impl Shards for LayersJob {
    fn plan(&self, cut: Cut) -> Result<Plan, JobError> {
        let each = self.measure();
        let stages = self.groups().iter().map(|group| self.stage(group, each, cut)).collect();
        Ok(Plan { file: "tables".into(), stages })
    }

    fn shard(&self, shard: &ShardId, run: &Run<'_>) -> Result<Ending, JobError> {
        let group = self.group(shard).ok_or_else(|| shard.unknown())?;
        self.open_folder(run.out)?;
        if self.are_there(&group, run.out) {
            return Ok(Ending::Finished);
        }
        let layers = &self.layers[group.clone()];
        let (last, _) = layers.last().ok_or_else(|| shard.unknown())?;
        let work = work_folder(&Self::path(run.out, *last));
        let hand = Hand::of(shard, &work, &self.game.description(), run.stop);
        let make = || {
            let above = self.above(&group, run.out)?;
            self.make_group(&group, above, &hand, run)
        };
        // Another hand that is through removes what both work with: what is missing then is made alone.
        let ending = match make().or_else(|error| make().map_err(|_| error)) {
            Err(_) if self.are_there(&group, run.out) => Ending::Finished,
            made => made?,
        };
        if let Ending::Finished = ending {
            for (stones, _) in layers {
                remove_work(&Self::path(run.out, *stones), &self.game.description())?;
            }
        }
        Ok(ending)
    }

    /// The last stage stands for the whole set: nothing is left to do once it is done.
    fn is_done(&self, shard: &ShardId, out: &Path) -> bool {
        let Some(group) = self.group(shard) else { return false };
        let is_last = group.end == self.layers.len();
        self.are_there(&(if is_last { 0..group.end } else { group }), out)
    }
}

impl Job for LayersJob {
    fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    fn expect(&self) -> Expectation {
        let all = 0..self.layers.len();
        let numbers = self.numbers(&all) as f64;
        let table = FILE_BYTES * numbers;
        let threads = rayon::current_num_threads() as f64;
        Expectation {
            positions: numbers,
            exact: false,
            table,
            disk: table,
            memory: Some(self.least_memory() as f64),
            seconds: Some(self.core_seconds(&all, self.measure()) / threads),
        }
    }

    fn least_memory(&self) -> u64 {
        self.memory(&(0..self.layers.len()))
    }

    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError> {
        self.open_folder(run.out)?;
        self.make_group(&(0..self.layers.len()), None, &Hand::alone(run.stop), run)
    }
}

/// A layer that is solved: its numbering and entries.
type Solved<'a> = (&'a Numbering, Vec<u8>);

/// A layer whose file is there.
type Finished<'a> = (&'a Numbering, DenseTable);

impl LayersJob {
    /// Makes the folder, and refuses one with the tables of another game.
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

    /// Makes some layers, the first from a finished one.
    fn make_group(
        &self,
        group: &Group,
        above: Option<Finished<'_>>,
        hand: &Hand<'_>,
        run: &Run<'_>,
    ) -> Result<Ending, JobError> {
        run.progress.begin("solving", self.numbers(group), 0);
        let made = self.make_all(group, above, hand, run);
        run.progress.end();
        let (done, total) = (made?, group.len() as u64);
        if done == total {
            return Ok(Ending::Finished);
        }
        Ok(Ending::Stopped { what: "layers", done, total })
    }

    /// Makes every layer that is not there yet, and reports each. Answers how many are there then.
    fn make_all<'a>(
        &'a self,
        group: &Group,
        mut there: Option<Finished<'a>>,
        hand: &Hand<'_>,
        run: &Run<'_>,
    ) -> Result<u64, JobError> {
        // A finished layer is loaded only if the next one is not there.
        let mut above: Option<Solved<'_>> = None;
        for (done, (stones, numbering)) in (0..).zip(&self.layers[group.clone()]) {
            if run.is_stopped() {
                return Ok(done);
            }
            let path = Self::path(run.out, *stones);
            if let Some(table) = self.whole(&path, *stones) {
                if hand.is_alone() {
                    remove_work(&path, &self.game.description())?;
                }
                run.progress.advance(numbering.numbers(), 0);
                run.progress.made(&Self::resumed(*stones, &path, &table)?);
                (above, there) = (None, Some((numbering, table)));
                continue;
            }
            if let Some((numbering, table)) = there.take() {
                let Some(entries) = load(&table, run.stop)? else { return Ok(done) };
                above = Some((numbering, entries));
            }
            let start = Instant::now();
            let layer = StoneLayer {
                numbering,
                above: above.as_ref().map(|(it, entries)| (*it, &entries[..])),
            };
            let Some((entries, bytes)) = self.make(*stones, &layer, &path, hand, run)? else {
                return Ok(done);
            };
            run.progress.made(&Made {
                path: Some(path),
                name: stones.to_string(),
                positions: positions(&entries),
                resumed: 0,
                solving: start.elapsed(),
                bytes,
            });
            above = Some((numbering, entries));
        }
        Ok(group.len() as u64)
    }

    /// Solves a layer and writes its file. Answers its entries, and the bytes of the file; `None` when
    /// stopped.
    fn make(
        &self,
        stones: u8,
        layer: &StoneLayer<'_>,
        path: &Path,
        hand: &Hand<'_>,
        run: &Run<'_>,
    ) -> Result<Option<(Vec<u8>, u64)>, JobError> {
        let description = self.game.description();
        let name = format!("{stones} stones");
        run.progress.at(&name);
        let work = WorkFolder::open(path, &description)?;
        let lock = hand.is_alone().then(|| Lock::take(&work, run.progress)).transpose()?;
        let Some(mut entries) = sharing::solve(layer, &name, hand, run)? else { return Ok(None) };
        let file = DenseLayer {
            path,
            description: &description,
            layer: stones,
            name: &name,
            entries: entries.len() as u64,
            part: if hand.is_alone() { u64::MAX } else { PART },
            has_file: true,
        };
        let quietly = Run { progress: &Quiet, ..*run };
        let is_written = write_layer(file, hand, &work, &mut entries, &quietly)?.is_some();
        if !is_written || !hand.is_alone() && !join_layers(&[file], hand, &quietly)? {
            return Ok(None);
        }
        let bytes = DenseTable::open(path)?.header().file_length;
        if lock.is_some() {
            work.remove()?;
        }
        Ok(Some((entries, bytes)))
    }

    /// The table of a layer, if it is there and every checksum is right.
    fn whole(&self, path: &Path, stones: u8) -> Option<DenseTable> {
        if !path.exists() {
            return None;
        }
        let (_, layer) = LayerTable::open(path, Some(self.game)).ok()?;
        (layer.stones == stones && layer.table.check_blocks().is_ok()).then_some(layer.table)
    }

    /// A layer whose file was there.
    fn resumed(stones: u8, path: &Path, table: &DenseTable) -> Result<Made, TableError> {
        let count = |block| Ok(positions(&table.block(block)?));
        let positions =
            (0..table.blocks()).into_par_iter().map(count).sum::<Result<u64, TableError>>()?;
        Ok(Made {
            path: Some(PathBuf::from(path)),
            name: stones.to_string(),
            positions,
            resumed: positions,
            solving: Duration::ZERO,
            bytes: table.header().file_length,
        })
    }
}

/// How many of some numbers are positions.
fn positions(entries: &[u8]) -> u64 {
    entries.iter().filter(|&&entry| entry != retrograde::ABSENT).count() as u64
}

/// The entries of a table. `None` when stopped.
pub fn load(table: &DenseTable, stop: &AtomicBool) -> Result<Option<Vec<u8>>, TableError> {
    let mut entries = vec![0; table.len() as usize];
    let all = read_entries(table, &mut entries, Packing::NONE.entry, stop)?;
    Ok(all.then_some(entries))
}
