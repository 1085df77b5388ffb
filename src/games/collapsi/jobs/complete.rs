//! Every position of the game, layer by layer: each solved from the one below it, each in a file
//! of its own.
//!
//! A layer is solved in chunks, each of which goes to the disk when it is done. A generation that
//! was stopped goes on with the first chunk that is not there and whole; a layer above a finished
//! one is solved from what the file says. Layers that a sparse set leaves out have no file: they are
//! solved when they are needed, in one go, and forgotten.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::games::collapsi::{Index, Layer, Rules, Scores, solve_layer, solve_part};
use crate::job::Progress;
use crate::table::{
    Codec, Compression, DenseTable, DenseWriter, Description, Game, TableError, ValueKind,
};

/// The ending of dense tables' files.
pub const EXTENSION: &str = "etd";

/// The header's byte for a layer that is the same under all rules.
const ALL_RULES: u8 = 255;

/// About how many positions are solved before they go to the disk: half a second's work, which is
/// what a kill can cost, and enough that waiting for the disk does not show.
const CHUNK: u64 = 1 << 25;

/// Which layers a set of tables has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The most cards, 2 to 16.
    pub cards: u8,
    /// Whether the layers with 4, 6, 8, 10 and 12 cards are left out.
    pub sparse: bool,
}

impl Plan {
    /// The command that makes such a set, without what does not show in its bytes.
    #[must_use]
    pub fn command(self) -> String {
        let sparse = if self.sparse { " --sparse" } else { "" };
        format!("endtable generate collapsi --complete --cards {}{sparse}", self.cards)
    }

    /// The plan that a command follows.
    fn of_command(command: &str) -> Option<Self> {
        let plans = (Layer::FEWEST..=Layer::MOST)
            .flat_map(|cards| [false, true].map(|sparse| Self { cards, sparse }));
        plans.into_iter().find(|plan| plan.command() == command)
    }

    /// The layers, those left out included, each after the one below it.
    pub fn layers(self) -> impl Iterator<Item = Layer> {
        Layer::all().filter(move |layer| layer.cards() <= self.cards)
    }

    /// Whether a layer has a file.
    #[must_use]
    pub fn keeps(self, layer: Layer) -> bool {
        let left_out = self.sparse && matches!(layer.cards(), 4 | 6 | 8 | 10 | 12);
        layer.cards() <= self.cards && !left_out
    }

    fn description(self, layer: Layer) -> Description {
        Description {
            game: Game::Collapsi,
            rules: layer.rules().map_or(ALL_RULES, |rules| rules as u8),
            codec: Codec::Canonical,
            value: ValueKind::None,
            compression: Compression::Zstd,
            generator: Description::this_generator(),
            command: self.command(),
            licence: Description::LICENCE.into(),
        }
    }
}

/// A folder with the tables of a plan.
#[derive(Clone, Debug)]
pub struct CompleteSet {
    folder: PathBuf,
    plan: Plan,
}

impl CompleteSet {
    /// The set that is in a folder, by what the tables there say of themselves. Whether all are
    /// there shows when they are opened.
    ///
    /// # Errors
    /// When there is none, or tables of different sets lie together.
    pub fn find(folder: &Path) -> Result<Self, TableError> {
        let mut found: Option<(PathBuf, String)> = None;
        let mut damaged = None;
        for path in tables_in(folder)? {
            let command = match DenseTable::open(&path) {
                Ok(table) => table.header().description.command.clone(),
                Err(error) => {
                    damaged.get_or_insert(error);
                    continue;
                }
            };
            match &found {
                Some((first, there)) if *there != command => {
                    return Err(TableError::Mixed {
                        paths: (first.clone(), path),
                        what: "the set they belong to",
                        first: there.clone(),
                        second: command,
                    });
                }
                _ => found = Some((path, command)),
            }
        }
        let none = || {
            let name = format!("{}/*.{EXTENSION}", folder.display());
            damaged.unwrap_or(TableError::MissingTable { name })
        };
        let (path, command) = found.ok_or_else(none)?;
        let plan = Plan::of_command(&command).ok_or_else(|| TableError::Inconsistent {
            path,
            what: format!("not of a complete set, but made by `{command}`"),
        })?;
        Ok(Self { folder: folder.into(), plan })
    }

    /// Whether a folder has dense tables in it.
    #[must_use]
    pub fn is_in(folder: &Path) -> bool {
        tables_in(folder).is_ok_and(|tables| !tables.is_empty())
    }

    /// Which layers the set has.
    #[must_use]
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The file of a layer.
    #[must_use]
    pub fn path(&self, layer: Layer) -> PathBuf {
        let cards = layer.cards();
        self.folder.join(match layer.rules() {
            Some(rules) => format!("collapsi-{cards}-{rules}.{EXTENSION}"),
            None => format!("collapsi-{cards:02}.{EXTENSION}"),
        })
    }

    /// The table of a layer, `None` if the plan leaves it out.
    ///
    /// # Errors
    /// When it should be there and is not, is damaged, or is that of another layer.
    pub fn open(&self, layer: Layer, index: &Index) -> Result<Option<DenseTable>, TableError> {
        if !self.plan.keeps(layer) {
            return Ok(None);
        }
        let path = self.path(layer);
        if !path.exists() {
            return Err(TableError::MissingTable { name: path.display().to_string() });
        }
        let table = DenseTable::open(&path)?;
        let (header, expected) = (table.header(), self.plan.description(layer));
        if header.description.command != expected.command {
            return Err(TableError::OtherCommand {
                path: self.folder.clone(),
                expected: expected.command,
                found: header.description.command.clone(),
            });
        }
        let right = header.layer == layer.cards()
            && header.description.rules == expected.rules
            && header.records == index.len(layer.cards());
        if !right {
            let rules = Rules::ALL.get(usize::from(header.description.rules));
            let rules = rules.map_or(String::new(), |rules| format!(" {rules}"));
            return Err(TableError::Inconsistent {
                path,
                what: format!(
                    "the table of layer {}{rules} with {} positions under the name of layer {layer}",
                    header.layer, header.records
                ),
            });
        }
        Ok(Some(table))
    }
}

fn tables_in(folder: &Path) -> Result<Vec<PathBuf>, TableError> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(TableError::io(folder))? {
        let path = entry.map_err(TableError::io(folder))?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// What became of a layer.
#[derive(Clone, Copy, Debug)]
pub struct LayerReport {
    /// The layer.
    pub layer: Layer,
    /// How many positions it has.
    pub positions: u64,
    /// How many of them were on the disk already: all, or as many as a generation that was stopped
    /// had come to.
    pub there: u64,
    /// How long solving the others took.
    pub solving: Duration,
    /// How long its file is, unless it is left out.
    pub bytes: Option<u64>,
}

/// Makes a complete set, or checks one: solves layers, one from the other.
pub struct Generation<'a> {
    index: Index,
    set: CompleteSet,
    stop: &'a AtomicBool,
    progress: &'a dyn Progress,
    /// Layers in memory.
    kept: Vec<(Layer, Arc<Scores>)>,
}

impl<'a> Generation<'a> {
    /// A generation into a folder, which is made if it is not there.
    ///
    /// # Errors
    /// When the folder cannot be made or holds the tables of another plan.
    pub fn new(
        folder: &Path,
        plan: Plan,
        stop: &'a AtomicBool,
        progress: &'a dyn Progress,
    ) -> Result<Self, TableError> {
        fs::create_dir_all(folder).map_err(TableError::io(folder))?;
        for path in tables_in(folder)? {
            // What cannot be opened is made again.
            if let Ok(table) = DenseTable::open(path)
                && table.header().description.command != plan.command()
            {
                return Err(TableError::OtherCommand {
                    path: folder.into(),
                    expected: plan.command(),
                    found: table.header().description.command.clone(),
                });
            }
        }
        Ok(Self::over(CompleteSet { folder: folder.into(), plan }, stop, progress))
    }

    /// A generation over a set that is there, to check it.
    #[must_use]
    pub fn over(set: CompleteSet, stop: &'a AtomicBool, progress: &'a dyn Progress) -> Self {
        Self { index: Index::new(), set, stop, progress, kept: Vec::new() }
    }

    /// The index of all layers.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// About how many bytes the files will take: two bits a position, which is more than most need.
    #[must_use]
    pub fn room_needed(&self) -> u64 {
        let plan = self.set.plan;
        let kept = plan.layers().filter(|&layer| plan.keeps(layer));
        kept.map(|layer| self.index.len(layer.cards()) / 4 + 4096).sum()
    }

    /// Makes every layer that is not there yet, and reports each. `false` when stopped.
    ///
    /// # Errors
    /// When another program makes the same tables, or writing or memory fails. What is done stays,
    /// and the same command goes on from there.
    pub fn run(&mut self, mut report: impl FnMut(LayerReport)) -> Result<bool, TableError> {
        let plan = self.set.plan;
        for layer in plan.layers() {
            let made = if plan.keeps(layer) {
                match self.whole(layer) {
                    Some(bytes) => Some(self.there(layer, bytes)),
                    None => self.make(layer)?,
                }
            } else if self.is_done_above(layer) {
                continue;
            } else {
                self.pass(layer)?
            };
            let Some(made) = made else { return Ok(false) };
            report(made);
        }
        Ok(true)
    }

    /// A layer whose file is there.
    fn there(&mut self, layer: Layer, bytes: u64) -> LayerReport {
        self.kept.clear();
        let positions = self.index.len(layer.cards());
        LayerReport {
            layer,
            positions,
            there: positions,
            solving: Duration::ZERO,
            bytes: Some(bytes),
        }
    }

    /// Solves a layer that gets no file. `None` when stopped.
    fn pass(&mut self, layer: Layer) -> Result<Option<LayerReport>, TableError> {
        let start = Instant::now();
        let solved = self.solve(layer)?;
        let (positions, solving) = (self.index.len(layer.cards()), start.elapsed());
        Ok(solved.map(|_| LayerReport { layer, positions, there: 0, solving, bytes: None }))
    }

    /// Solves a layer and writes its file. `None` when stopped.
    fn make(&mut self, layer: Layer) -> Result<Option<LayerReport>, TableError> {
        let Some(below) = self.below(layer)? else { return Ok(None) };
        let positions = self.index.len(layer.cards());
        let mut scores = Scores::new(positions).map_err(TableError::io(&self.set.folder))?;
        let mut writer = DenseWriter::begin(
            &self.set.path(layer),
            &self.set.plan.description(layer),
            layer.cards(),
            scores.as_mut_slice(),
            Scores::score,
        )?;
        let there = writer.written() as u64;
        self.progress.begin(&format!("layer {layer}"), positions, there);
        let solving = self.make_chunks(layer, below.as_deref(), &mut scores, &mut writer);
        self.progress.end();
        let Some(solving) = solving? else { return Ok(None) };
        let bytes = Some(writer.finish()?.file_length);
        self.keep(layer, scores);
        Ok(Some(LayerReport { layer, positions, there, solving, bytes }))
    }

    /// Solves and writes what is not written yet, chunk by chunk. Answers how long solving took,
    /// `None` when stopped.
    fn make_chunks(
        &self,
        layer: Layer,
        below: Option<&Scores>,
        scores: &mut Scores,
        writer: &mut DenseWriter,
    ) -> Result<Option<Duration>, TableError> {
        let positions = self.index.len(layer.cards());
        let mut solved = writer.written() as u64;
        let mut solving = Duration::ZERO;
        while solved < positions {
            let start = Instant::now();
            let part = solved..(solved + CHUNK).min(positions);
            let (index, stop, progress) = (&self.index, self.stop, self.progress);
            let end = solve_part(index, layer, below, scores, part, stop, progress);
            let Some(end) = end else { return Ok(None) };
            solving += start.elapsed();
            solved = end;
            writer.write(&scores.as_slice()[..end as usize], Scores::plies)?;
        }
        Ok(Some(solving))
    }

    /// Whether a layer left out is not needed, because the one above it is on the disk.
    fn is_done_above(&self, layer: Layer) -> bool {
        let above = Layer::new(layer.cards() + 1, Rules::default());
        above.is_some_and(|above| self.set.plan.keeps(above) && self.whole(above).is_some())
    }

    /// The length of a layer's file, if it is there and every checksum is right.
    fn whole(&self, layer: Layer) -> Option<u64> {
        let table = self.set.open(layer, &self.index).ok()??;
        table.check_blocks().ok()?;
        Some(table.header().file_length)
    }

    /// Solves a layer from the one below it, wherever that comes from. `None` when stopped.
    ///
    /// # Errors
    /// When memory fails, or the table below is damaged.
    pub fn solve(&mut self, layer: Layer) -> Result<Option<Arc<Scores>>, TableError> {
        let Some(below) = self.below(layer)? else { return Ok(None) };
        let solved = solve_layer(&self.index, layer, below.as_deref(), self.stop, self.progress);
        let solved = solved.map_err(TableError::io(&self.set.folder))?;
        Ok(solved.map(|solved| self.keep(layer, solved)))
    }

    /// Keeps a layer in memory for the one above it, and only what else is still needed.
    fn keep(&mut self, layer: Layer, scores: Scores) -> Arc<Scores> {
        let scores = Arc::new(scores);
        // The last layer that both rules share is needed once for each.
        self.kept.retain(|(kept, _)| kept.cards() == 14 && layer.cards() > 14);
        self.kept.push((layer, Arc::clone(&scores)));
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
        if let Some((_, scores)) = self.kept.iter().find(|(kept, _)| *kept == layer) {
            return Ok(Some(Arc::clone(scores)));
        }
        match self.set.open(layer, &self.index)? {
            None => self.solve(layer),
            Some(table) => {
                let scores = Arc::new(read(&table)?);
                self.kept.push((layer, Arc::clone(&scores)));
                Ok(Some(scores))
            }
        }
    }

    /// Solves a layer from the table below it and compares it with its own table. Answers how
    /// many positions differ and the number of the first, `None` when stopped.
    ///
    /// # Errors
    /// When a table is damaged or memory fails.
    pub fn check(&mut self, layer: Layer) -> Result<Option<Differences>, TableError> {
        let Some(table) = self.set.open(layer, &self.index)? else {
            return Ok(Some(Differences::default()));
        };
        // From files only, so that each layer is checked against what others will read.
        self.kept.clear();
        let Some(scores) = self.solve(layer)? else { return Ok(None) };
        self.kept.clear();
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

/// A table as scores.
fn read(table: &DenseTable) -> Result<Scores, TableError> {
    let mut scores = Scores::new(table.len()).map_err(TableError::io(table.path()))?;
    scores.as_mut_slice().par_chunks_mut(table.block_entries()).enumerate().try_for_each(
        |(block, scores)| {
            for (score, plies) in scores.iter_mut().zip(table.block(block)?) {
                *score = Scores::score(plies);
            }
            Ok(())
        },
    )?;
    Ok(scores)
}
