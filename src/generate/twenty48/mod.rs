//! Every position of a small 2048 board with its exact value.
//!
//! Positions fall into layers by the sum of their tiles, which grows by 2 or 4 every turn. Forward,
//! each layer is found from the two before it; backward, each is solved from the two behind it;
//! then all records are merged into one table. Every layer goes to the disk as a sorted run: into
//! `states` forward, into `values` backward. One that does not fit into memory is made by merging
//! smaller runs, and is read piece by piece.

mod estimate;
mod layers;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

pub use estimate::{Expected, expect};

use self::layers::{Above, Found, Gather, Layer};
use super::{FIXED_MEMORY, Options, Outcome, merge_runs, work_folder};
use crate::games::twenty48::{Board, Rules, Size};
use crate::games::{Plies, Value};
use crate::progress::Progress;
use crate::solve::layered::{self, Solved, Values};
use crate::table::{
    Description, Meta, Record, Table, TableError, ValueKind, WorkFolder, check_output, merge,
};

/// What to solve: everything that can be reached from the starts of a game, or from one position.
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    /// The size of the board and the objective.
    pub rules: Rules,
    /// The position to begin with instead of all starts.
    pub start: Option<Board>,
}

/// Bytes that a position takes in memory when it is full, all lists together: most of them for
/// the values of the two layers that are looked up.
const BYTES_A_POSITION: u64 = 200;

/// The least memory that will do.
pub const LEAST_MEMORY: u64 = FIXED_MEMORY + (1 << 20);

impl Exact {
    /// The starts in canonical form.
    fn starts(&self) -> Vec<Board> {
        match self.start {
            Some(board) => vec![board.canonical(self.rules.size)],
            None => self.rules.starts().into_iter().map(|(board, _)| board).collect(),
        }
    }

    /// The layer of a position: 0 for the first.
    fn layer(&self, board: Board) -> u64 {
        let first = self.start.map_or(4, Board::sum);
        u64::from(board.sum().saturating_sub(first) / 2)
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
        return finished_before(description, &folder, options.out);
    }
    check_output(options.out, options.force)?;
    let mut work = Generation {
        source: *source,
        states: WorkFolder::open(&folder.join(STATES), of_value(description, ValueKind::None))?,
        values: WorkFolder::open(&folder.join(VALUES), of_value(description, ValueKind::F64))?,
        kept: BTreeMap::new(),
        room: options.memory.saturating_sub(FIXED_MEMORY) / 2 / size_of::<u64>() as u64,
        most: (options.memory.saturating_sub(FIXED_MEMORY) / 2 / BYTES_A_POSITION).max(1) as usize,
        options,
        progress,
    };
    work.states.keep_first()?;
    work.values.keep_first()?;
    if !work.find()? {
        let total = estimate::most_layers(source);
        return Ok(Outcome::Stopped { done: work.states.done(), total });
    }
    let header = if work.solve()? {
        let value = |record: Record| {
            let value = description.value.encode(f64::from_bits(record.value));
            Record { value, ..record }
        };
        merge_runs(&work.values, description, options, progress, value)?
    } else {
        None
    };
    let Some(header) = header else {
        return Ok(Outcome::Stopped { done: work.values.done(), total: work.states.done() });
    };
    work.states.remove()?;
    work.values.remove()?;
    remove_folder(&folder)?;
    Ok(Outcome::Finished(header))
}

/// The work folders inside the work folder.
const STATES: &str = "states";
const VALUES: &str = "values";

fn of_value(description: &Description, value: ValueKind) -> Description {
    Description { value, ..description.clone() }
}

/// A table that is there stays as it is. If this very command made it and was killed before it
/// could remove its work folder, that is done now.
fn finished_before(
    description: &Description,
    folder: &Path,
    out: &Path,
) -> Result<Outcome, TableError> {
    let exists = || TableError::Exists { path: out.into() };
    let table = Table::open(out).map_err(|_| exists())?;
    if !folder.exists() || table.header().description != *description {
        return Err(exists());
    }
    for (name, value) in [(STATES, ValueKind::None), (VALUES, ValueKind::F64)] {
        let path = folder.join(name);
        if path.exists() {
            let work = WorkFolder::open(&path, of_value(description, value));
            work.map_err(|_| exists())?.remove()?;
        }
    }
    remove_folder(folder)?;
    Ok(Outcome::Finished(table.header().clone()))
}

/// Removes the folder of the work folders. What somebody else has put there stays.
fn remove_folder(folder: &Path) -> Result<(), TableError> {
    match fs::remove_dir(folder) {
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
        done => done.map_err(TableError::io(folder)),
    }
}

/// A generation at work.
struct Generation<'a> {
    source: Exact,
    /// Positions found: item n is layer n.
    states: WorkFolder,
    /// Positions solved: item n is the layer with n layers behind it.
    values: WorkFolder,
    /// Layers found just now, so that they need not be read again; they have half of the memory.
    kept: BTreeMap<u64, Vec<u64>>,
    /// How many positions more can be kept.
    room: u64,
    /// The most positions of a layer to have in memory.
    most: usize,
    options: &'a Options<'a>,
    progress: &'a dyn Progress,
}

impl Generation<'_> {
    fn is_stopped(&self) -> bool {
        self.options.stop.load(Ordering::Relaxed)
    }

    /// The layer that is an item of a work folder.
    fn load(&self, work: &WorkFolder, item: u64) -> Result<Layer, TableError> {
        Layer::load(work.run_of(item)?, self.source.rules.size, self.most)
    }

    /// Finds all positions, layer by layer. `false` when stopped.
    fn find(&mut self) -> Result<bool, TableError> {
        let size = self.source.rules.size;
        let spills = work_folder(self.options.out).join("spills");
        let new = || Gather::new(&spills, size, self.most);
        let mut next = [new(), new()];
        let mut layer = self.states.done();
        self.progress.begin("finding", estimate::most_layers(&self.source).max(layer), layer);
        // What follows the layers that are there already is found again.
        for (back, into) in [(2, [None, Some(0)]), (1, [Some(0), Some(1)])] {
            if layer >= back {
                self.expand(&self.load(&self.states, layer - back)?, &mut next, into)?;
            }
        }
        loop {
            let [mut first, second] = next;
            let starts = self.source.starts().into_iter();
            let starts = starts.filter(|&board| self.source.layer(board) == layer);
            first.add(starts.map(|board| board.0).collect())?;
            let found = first.finish()?;
            if found.is_empty() || self.is_stopped() {
                _ = fs::remove_dir_all(&spills);
                self.progress.end();
                return Ok(found.is_empty());
            }
            layer += 1;
            let found = match found {
                Found::Sorted(states) => {
                    let records: Vec<Record> =
                        states.par_iter().map(|&state| unsolved(state, size)).collect();
                    self.states.add_sorted(layer, records.into_iter().map(Ok))?;
                    Layer::Loaded(states)
                }
                Found::Runs(runs) => {
                    let run = self.states.add_sorted(layer, merge(&runs))?;
                    Layer::Stored(run.into())
                }
            };
            next = [second, Gather::new(&spills, size, self.most)];
            self.expand(&found, &mut next, [Some(0), Some(1)])?;
            self.progress.advance(1, found.len());
            if let Layer::Loaded(states) = found
                && self.room >= states.len() as u64
            {
                self.room -= states.len() as u64;
                self.kept.insert(layer - 1, states);
            }
        }
    }

    /// Gathers what follows the positions of a layer, in the layer behind it and in the next but
    /// one, as far as it is wanted.
    fn expand(
        &self,
        layer: &Layer,
        next: &mut [Gather; 2],
        into: [Option<usize>; 2],
    ) -> Result<(), TableError> {
        // A position has some ten followers, which must fit, too.
        for piece in layer.pieces(self.source.rules.size, self.most / 16) {
            let followers = layered::expand(&self.source.rules, &piece?);
            for (followers, into) in followers.into_iter().zip(into) {
                if let Some(into) = into {
                    next[into].add(followers)?;
                }
            }
        }
        Ok(())
    }

    /// Solves all layers, the last one first. `false` when stopped.
    fn solve(&mut self) -> Result<bool, TableError> {
        let Self { source, most, options, .. } = *self;
        let layers = self.states.done();
        let first = self.values.done();
        self.progress.begin("solving", layers, first);
        let mut above = [Above::default(), Above::default()];
        for (item, above) in (0..first).rev().zip(&mut above) {
            *above = Above::load(self.values.run_of(item)?, source.rules.size, most)?;
        }
        for item in first..layers {
            if self.is_stopped() {
                self.progress.end();
                return Ok(false);
            }
            let number = layers - 1 - item;
            let layer = match self.kept.remove(&number) {
                Some(states) => Layer::Loaded(states),
                None => self.load(&self.states, number)?,
            };
            let solved = match &layer {
                Layer::Loaded(states) => {
                    let solved = solve_states(&source, states, &above, options.out)?;
                    let values = || {
                        let pairs = states.iter().zip(&solved);
                        Values::new(pairs.map(|(&state, it)| (state, it.value)))
                    };
                    let records = || -> Vec<Record> {
                        let pairs = states.par_iter().zip(&solved);
                        pairs.map(|(&state, it)| record(&source, state, it)).collect()
                    };
                    let (values, records) = rayon::join(values, records);
                    self.values.add_sorted(item + 1, records.into_iter().map(Ok))?;
                    Above::Loaded(values)
                }
                Layer::Stored(_) => {
                    let solved = layer.pieces(source.rules.size, most / 4).flat_map(|piece| {
                        solve_piece(&source, piece, &above, options.out)
                            .unwrap_or_else(|error| vec![Err(error)])
                    });
                    Above::Stored(self.values.add_sorted(item + 1, solved)?.into())
                }
            };
            let [next, _] = above;
            above = [solved, next];
            self.progress.advance(1, layer.len());
        }
        self.progress.end();
        Ok(true)
    }
}

/// What runs keep of a position that is not solved yet.
fn unsolved(state: u64, size: Size) -> Record {
    Record { code: Board(state).code(size), meta: Meta::default(), value: 0 }
}

/// Solves some positions of a layer.
fn solve_states(
    source: &Exact,
    states: &[u64],
    above: &[Above; 2],
    out: &Path,
) -> Result<Vec<Solved>, TableError> {
    let value = |ahead: usize, state| above[ahead].get(state, source.rules.size);
    // All that follows has been found and solved, unless somebody changed the work folder.
    layered::solve(&source.rules, states, value).ok_or_else(|| TableError::Inconsistent {
        path: work_folder(out),
        what: "positions are missing; remove the folder and begin anew".into(),
    })
}

/// The same for a piece of a stored layer, into records.
fn solve_piece(
    source: &Exact,
    piece: Result<Cow<'_, [u64]>, TableError>,
    above: &[Above; 2],
    out: &Path,
) -> Result<Vec<Result<Record, TableError>>, TableError> {
    let states = piece?;
    let solved = solve_states(source, &states, above, out)?;
    let pairs = states.iter().zip(&solved);
    Ok(pairs.map(|(&state, solved)| Ok(record(source, state, solved))).collect())
}

/// What runs keep of a solved position: its value with all bits.
fn record(source: &Exact, state: u64, solved: &Solved) -> Record {
    Record {
        code: Board(state).code(source.rules.size),
        meta: meta(solved),
        value: solved.value.to_bits(),
    }
}

/// A record's meta: the win bit says that there is still something to gain, or that the goal has
/// been reached. Plies mean nothing here.
#[must_use]
pub fn meta(solved: &Solved) -> Meta {
    let plies = Plies(0);
    let value = if solved.value > 0.0 { Value::Win(plies) } else { Value::Loss(plies) };
    Meta::new(0, value, solved.best.unwrap_or(Meta::NO_MOVE))
}
