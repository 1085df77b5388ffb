//! Every position of a small 2048 board with its exact value.
//!
//! Positions fall into layers by the sum of their tiles, which grows by 2 or 4 every turn. Forward,
//! each layer is found from the two before it; backward, each is solved from the two behind it;
//! then the records of all layers become one table. How a layer is found and solved is a kernel's
//! business: [`numbered`] for boards of up to nine cells, [`sorted`] for larger ones.
//!
//! Layers stay in memory as long as they fit. Now and then, what was done since the last time is
//! saved as a sorted run, of positions found in `states`, of positions solved in `values`; so it is
//! when memory is full, and then it is read again when it is needed. Work that is done before it is
//! time to save writes nothing but the table.

mod answers;
mod estimate;
mod kernel;
mod numbered;
mod sorted;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rayon::prelude::*;

pub use answers::meta_of as meta;
pub use estimate::{Expected, expect};

use self::answers::{Answers, ordered};
use self::kernel::{Found, Kernel, Positions};
use self::numbered::Numbered;
use self::sorted::Sorted;
use super::{
    FIXED_MEMORY, Options, Outcome, finished_before, merge_runs, work_folder, write_table,
};
use crate::games::twenty48::{Board, Rules};
use crate::job::Progress;
use crate::table::{
    Description, Header, Meta, Record, Table, TableError, ValueKind, WorkFolder, check_output,
    merge,
};

/// What to solve: everything that can be reached from the starts of a game, or from one position.
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    /// The size of the board and the objective.
    pub rules: Rules,
    /// The position to begin with instead of all starts.
    pub start: Option<Board>,
}

/// The least memory that will do.
#[must_use]
pub fn least_memory(source: &Exact) -> u64 {
    FIXED_MEMORY + Numbered::new(*source).map_or(0, |kernel| kernel.bytes()) + (1 << 20)
}

impl Exact {
    /// The starts in canonical form.
    fn starts(&self) -> Vec<Board> {
        match self.start {
            Some(board) => vec![board.canonical(self.rules.size)],
            None => self.rules.starts().into_iter().map(|(board, _)| board).collect(),
        }
    }

    /// The sum of a layer, of which 0 is the first.
    fn sum(&self, layer: u64) -> u32 {
        self.start.map_or(4, Board::sum) + 2 * layer as u32
    }

    /// The layer of a position.
    fn layer(&self, board: Board) -> u64 {
        u64::from(board.sum().saturating_sub(self.sum(0)) / 2)
    }

    /// The layer of a position that a run holds.
    fn layer_of(&self, code: u64, run: &Table) -> Result<u64, TableError> {
        let board = Board::from_code(code, self.rules.size);
        board.map(|board| self.layer(board)).map_err(|error| TableError::Inconsistent {
            path: run.path().into(),
            what: error.to_string(),
        })
    }
}

/// Generates a table.
///
/// # Errors
/// When the output exists, the work folder is another command's, or writing fails. The work that
/// is done stays, and the same command goes on from there.
pub fn generate(
    source: &Exact,
    description: &Description,
    options: &Options<'_>,
    progress: &dyn Progress,
) -> Result<Outcome, TableError> {
    let folder = work_folder(options.out);
    if !options.force && options.out.is_file() {
        return finished_before(description, options.out, || remove_left(description, &folder));
    }
    check_output(options.out, options.force)?;
    let memory = options.memory.saturating_sub(FIXED_MEMORY);
    match Numbered::new(*source) {
        Some(kernel) => {
            let room = memory.saturating_sub(kernel.bytes());
            Generation::new(*source, kernel, room, description, options, progress)?.run()
        }
        None => {
            let kernel = Sorted::new(*source, memory / 2, &folder);
            Generation::new(*source, kernel, memory / 2, description, options, progress)?.run()
        }
    }
}

/// The work folders inside the work folder.
const STATES: &str = "states";
const VALUES: &str = "values";

fn of_value(description: &Description, value: ValueKind) -> Description {
    Description { value, ..description.clone() }
}

/// Removes the work folder that a finished generation has left.
fn remove_left(description: &Description, folder: &Path) -> Result<(), TableError> {
    for (name, value) in [(STATES, ValueKind::None), (VALUES, ValueKind::F64)] {
        let path = folder.join(name);
        if path.exists() {
            WorkFolder::open(&path, of_value(description, value))?.remove()?;
        }
    }
    remove_folder(folder)
}

/// Removes the folder of the work folders. What somebody else has put there stays.
fn remove_folder(folder: &Path) -> Result<(), TableError> {
    _ = fs::remove_dir_all(folder.join(sorted::SPILLS));
    match fs::remove_dir(folder) {
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
        done => done.map_err(TableError::io(folder)),
    }
}

/// How many blocks of a run are read at a time.
const BLOCKS_READ: usize = 512;

/// Bytes that a position of a run takes while it is written or read again.
const RUN_BYTES: u64 = 16;

/// Layers in memory.
struct Kept<L> {
    layers: BTreeMap<u64, (L, u64)>,
    /// What they take.
    bytes: u64,
}

impl<L> Default for Kept<L> {
    fn default() -> Self {
        Self { layers: BTreeMap::new(), bytes: 0 }
    }
}

impl<L> Kept<L> {
    fn insert(&mut self, number: u64, layer: L, bytes: u64) {
        self.bytes += bytes;
        if let Some((_, before)) = self.layers.insert(number, (layer, bytes)) {
            self.bytes -= before;
        }
    }

    fn remove(&mut self, number: u64) -> Option<L> {
        let (layer, bytes) = self.layers.remove(&number)?;
        self.bytes -= bytes;
        Some(layer)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

/// A generation at work.
struct Generation<'a, K: Kernel> {
    source: Exact,
    kernel: K,
    /// Positions found and saved: item n is layer n.
    states: WorkFolder,
    /// Positions solved and saved: item n is the layer with n layers behind it.
    values: WorkFolder,
    /// Layers found, by number, as far as they are in memory.
    found: Kept<K::Layer>,
    /// Layers solved, by item, as far as they are in memory.
    solved: Kept<Answers<K::Code>>,
    /// Bytes that both may take.
    room: u64,
    /// How many positions a run of `states` may have, if it holds more than one layer.
    run: u64,
    saved: Instant,
    description: &'a Description,
    options: &'a Options<'a>,
    progress: &'a dyn Progress,
}

impl<'a, K: Kernel> Generation<'a, K> {
    fn new(
        source: Exact,
        kernel: K,
        memory: u64,
        description: &'a Description,
        options: &'a Options<'a>,
        progress: &'a dyn Progress,
    ) -> Result<Self, TableError> {
        let folder = work_folder(options.out);
        let open = |name, value| WorkFolder::open(&folder.join(name), of_value(description, value));
        let mut states = open(STATES, ValueKind::None)?;
        let mut values = open(VALUES, ValueKind::F64)?;
        states.keep_first()?;
        values.keep_first()?;
        Ok(Self {
            source,
            kernel,
            states,
            values,
            found: Kept::default(),
            solved: Kept::default(),
            room: memory / 4 * 3,
            run: memory / 4 / RUN_BYTES,
            saved: Instant::now(),
            description,
            options,
            progress,
        })
    }

    fn run(mut self) -> Result<Outcome, TableError> {
        let Some(layers) = self.find()? else {
            let total = estimate::most_layers(&self.source);
            return Ok(Outcome::Stopped { done: self.states.done(), total });
        };
        let header = if self.solve(layers)? { self.finish(layers)? } else { None };
        let Some(header) = header else {
            return Ok(Outcome::Stopped { done: self.values.done(), total: layers });
        };
        self.states.remove()?;
        self.values.remove()?;
        remove_folder(&work_folder(self.options.out))?;
        Ok(Outcome::Finished(header))
    }

    fn is_stopped(&self) -> bool {
        self.options.stop.load(Ordering::Relaxed)
    }

    /// Finds all positions, layer by layer, and answers how many layers there are; `None` when
    /// stopped.
    fn find(&mut self) -> Result<Option<u64>, TableError> {
        let mut layer = self.states.done();
        let most = estimate::most_layers(&self.source).max(layer);
        self.progress.begin("finding", most, layer);
        // What follows the layers that are there already is found again.
        let first = layer.saturating_sub(2);
        self.kernel.begin(first);
        for before in first..layer {
            let positions = self.take(before)?;
            self.kernel.follow(&positions)?;
            if let Some(bytes) = self.kernel.bytes(&positions) {
                self.found.insert(before, positions, bytes);
            }
        }
        let starts = self.source.starts();
        let complete = loop {
            self.progress.at(&format!("sum {}", self.source.sum(layer)));
            let starts = starts.iter().copied().filter(|&it| self.source.layer(it) == layer);
            self.kernel.add(&starts.collect::<Vec<_>>())?;
            let found = self.kernel.found()?;
            if self.is_stopped() {
                break false;
            }
            let found = match found {
                Found::Layer(found) if self.kernel.len(&found) == 0 => break true,
                Found::Layer(found) => found,
                Found::Runs(runs) => {
                    self.save_states(layer)?;
                    let run = self.states.add_sorted(layer + 1, merge(&runs))?;
                    self.kernel.load(layer, Positions::Run(run.into()))?
                }
            };
            self.kernel.follow(&found)?;
            self.progress.advance(1, self.kernel.len(&found));
            if let Some(bytes) = self.kernel.bytes(&found) {
                self.found.insert(layer, found, bytes);
            }
            layer += 1;
            if self.is_full() {
                self.save_states(layer)?;
                self.found.clear();
            } else if self.is_time() {
                self.save_states(layer)?;
            }
        };
        self.progress.end();
        if !complete {
            self.save_states(layer)?;
        }
        Ok(complete.then_some(layer))
    }

    /// Solves all layers, the last one first. `false` when stopped.
    fn solve(&mut self, layers: u64) -> Result<bool, TableError> {
        let first = self.values.done();
        self.progress.begin("solving", layers, first);
        self.kernel.begin(layers - first.min(2));
        for item in first.saturating_sub(2)..first {
            let (_, run) = self.values.run_of(item)?;
            self.kernel.recall(layers - 1 - item, run)?;
        }
        for item in first..layers {
            if self.is_stopped() {
                self.save(layers, item)?;
                self.progress.end();
                return Ok(false);
            }
            let number = layers - 1 - item;
            self.progress.at(&format!("sum {}", self.source.sum(number)));
            let layer = self.take(number)?;
            if self.kernel.bytes(&layer).is_none() {
                self.save(layers, item)?;
            }
            let values = &mut self.values;
            let mut write =
                |records: &mut dyn Iterator<Item = _>| values.add_sorted(item + 1, records);
            if let Some(answers) = self.kernel.solve(number, &layer, &mut write)? {
                let bytes = answers.len() as u64 * Answers::<K::Code>::BYTES;
                self.solved.insert(item, answers, bytes);
            }
            self.progress.advance(1, self.kernel.len(&layer));
            // It stays until it is saved: what is solved may be damaged before it is used.
            if number >= self.states.done()
                && let Some(bytes) = self.kernel.bytes(&layer)
            {
                self.found.insert(number, layer, bytes);
            }
            let is_full = self.is_full();
            if is_full || self.is_time() {
                self.save(layers, item + 1)?;
                (number..layers).for_each(|solved| drop(self.found.remove(solved)));
            }
            if is_full {
                self.solved.clear();
            }
        }
        self.progress.end();
        Ok(true)
    }

    /// Writes the table. `None` when stopped.
    fn finish(&mut self, all: u64) -> Result<Option<Header>, TableError> {
        let Self { description, options, progress, .. } = *self;
        if self.solved.layers.len() as u64 == all {
            let total = self.solved.layers.values().map(|(answers, _)| answers.len() as u64).sum();
            let layers = self.solved.layers.par_iter_mut().map(|(_, (answers, _))| answers);
            let records = ordered(layers, |value| description.value.encode(value));
            let written = write_table(records.map(Ok), total, description, options, progress)?;
            if written.is_none() {
                self.save(all, all)?;
            }
            return Ok(written);
        }
        self.save(all, all)?;
        self.solved.clear();
        let value = |record: Record| {
            let value = description.value.encode(f64::from_bits(record.value));
            Record { value, ..record }
        };
        merge_runs(&self.values, description, options, progress, value)
    }

    /// Whether what is in memory takes all of its room.
    fn is_full(&self) -> bool {
        self.found.bytes + self.solved.bytes > self.room
    }

    /// Whether it is time to save.
    fn is_time(&self) -> bool {
        self.saved.elapsed() >= self.options.save_every
    }

    /// Saves the layers up to `end` that were found since the last time, in runs that can be read
    /// again.
    fn save_states(&mut self, end: u64) -> Result<(), TableError> {
        self.saved = Instant::now();
        while self.states.done() < end {
            let mut codes = Vec::new();
            let mut next = self.states.done();
            while next < end
                && let Some((layer, _)) = self.found.layers.get(&next)
                && (codes.is_empty() || codes.len() as u64 + self.kernel.len(layer) <= self.run)
            {
                codes.extend(self.kernel.codes(next, layer));
                next += 1;
            }
            if codes.is_empty() {
                return Ok(());
            }
            codes.par_sort_unstable();
            let meta = Meta::default();
            let records =
                codes.into_iter().map(|code| Ok(Record { code: code.into(), meta, value: 0 }));
            self.states.add_sorted(next, records)?;
        }
        Ok(())
    }

    /// Saves what was done since the last time: all layers found, and those up to the item `end`
    /// solved. Without the first, the second would not be enough to go on.
    fn save(&mut self, layers: u64, end: u64) -> Result<(), TableError> {
        self.save_states(layers)?;
        self.save_values(end)
    }

    /// Saves the layers up to the item `end` that were solved since the last time.
    fn save_values(&mut self, end: u64) -> Result<(), TableError> {
        self.saved = Instant::now();
        let layers: Vec<_> = self.solved.layers.range_mut(self.values.done()..end).collect();
        if layers.is_empty() {
            return Ok(());
        }
        let layers = layers.into_par_iter().map(|(_, (answers, _))| answers);
        self.values.add_sorted(end, ordered(layers, f64::to_bits).flatten().map(Ok)).map(drop)
    }

    /// A layer that was found. With one that must be read again come all of its run.
    fn take(&mut self, number: u64) -> Result<K::Layer, TableError> {
        if let Some(layer) = self.found.remove(number) {
            return Ok(layer);
        }
        let (items, run) = self.states.run_of(number)?;
        if items.end - items.start == 1 && run.len() > self.kernel.most() {
            return self.kernel.load(number, Positions::Run(run.into()));
        }
        let mut codes: BTreeMap<u64, Vec<u64>> = items.map(|item| (item, Vec::new())).collect();
        let blocks: Vec<usize> = (0..run.blocks()).collect();
        for some in blocks.chunks(BLOCKS_READ) {
            let layers = some.par_iter().map(|&block| {
                let records = run.block_records(block)?.into_iter();
                let records = records.map(|it| Ok((self.source.layer_of(it.code, &run)?, it.code)));
                records.collect::<Result<Vec<_>, TableError>>()
            });
            for block in layers.collect::<Result<Vec<_>, _>>()? {
                for (layer, code) in block {
                    codes.entry(layer).or_default().push(code);
                }
            }
        }
        for (number, codes) in codes {
            let positions = Positions::Codes(codes, run.path().into());
            let layer = self.kernel.load(number, positions)?;
            let bytes = self.kernel.bytes(&layer).unwrap_or(0);
            self.found.insert(number, layer, bytes);
        }
        self.found.remove(number).ok_or_else(|| TableError::Inconsistent {
            path: run.path().into(),
            what: format!("no positions of layer {number}"),
        })
    }
}
