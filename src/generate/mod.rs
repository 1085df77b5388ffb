//! From a list of work to a finished table: solve, sort into runs, merge.
//!
//! The work is a number of items (seeds, say), each of which gives records. Items are solved in
//! parallel, a few at a time; their records gather in memory until the bound is reached, are
//! sorted, and go to the disk as a run. At the end the runs are merged. What the file holds is
//! decided by the records alone, so neither threads nor memory nor interruptions show in it.

pub mod collapsi;
pub mod complete;
pub mod deals;
pub mod searched;
pub mod twenty48;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rayon::prelude::*;

use crate::progress::Progress;
use crate::table::{
    Description, Header, Record, Table, TableError, ValueKind, WorkFolder, Writer, check_output,
    merge,
};

/// What gives the records of a table.
pub trait Source: Sync {
    /// What a thread keeps from one item to the next.
    type State: Send;

    /// Makes that.
    fn start(&self) -> Self::State;

    /// How many items there are.
    fn items(&self) -> u64;

    /// Appends the records of an item.
    ///
    /// # Errors
    /// When they come from a table and that is damaged.
    fn solve(
        &self,
        state: &mut Self::State,
        item: u64,
        records: &mut Vec<Record>,
    ) -> Result<(), TableError>;

    /// The most records that one item can give, duplicates counted.
    fn most_records(&self) -> usize;

    /// What runs keep besides what the table will: a source whose codes are not exact remembers
    /// the exact ones there, so that two positions with one code are found out.
    fn run_value(&self, description: &Description) -> ValueKind {
        description.value
    }
}

/// How to generate.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// Where the table goes.
    pub out: &'a Path,
    /// Bytes of memory to stay within.
    pub memory: u64,
    /// Whether a table that is there may be replaced.
    pub force: bool,
    /// Set to stop: the run in hand is finished first.
    pub stop: &'a AtomicBool,
    /// How long work may go on before it is saved, where that takes time: a kill loses so much.
    pub save_every: Duration,
}

impl Options<'_> {
    /// Seldom enough that saving takes little of the time.
    pub const SAVE_EVERY: Duration = Duration::from_secs(10);
}

/// How a generation ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The table is there.
    Finished(Header),
    /// It was stopped; so many items are done, and the same command goes on from there.
    Stopped {
        /// Items done.
        done: u64,
        /// Items in all.
        total: u64,
    },
}

/// What is needed besides the records in memory: for each thread and for the writer.
const FIXED_MEMORY: u64 = 32 << 20;

/// Generates a table from a source.
///
/// # Errors
/// When the output exists, the work folder is another command's, or writing fails. The work that
/// is done stays, and the same command goes on from there.
pub fn generate<S: Source>(
    source: &S,
    description: &Description,
    options: &Options<'_>,
    progress: &dyn Progress,
) -> Result<Outcome, TableError> {
    let run_value = source.run_value(description);
    let runs = Description { value: run_value, ..description.clone() };
    if !options.force && options.out.is_file() {
        let folder = work_folder(options.out);
        let remove = || WorkFolder::open(&folder, runs)?.remove();
        return finished_before(description, options.out, remove);
    }
    check_output(options.out, options.force)?;
    let mut work = WorkFolder::open(&work_folder(options.out), runs)?;
    let total = source.items();
    progress.begin("solving", total, work.done());
    solve_items(source, &mut work, options, progress)?;
    progress.end();
    if work.done() < total {
        return Ok(Outcome::Stopped { done: work.done(), total });
    }
    let value = |record: Record| {
        let value = if description.value == ValueKind::None { 0 } else { record.value };
        Record { value, ..record }
    };
    let header = merge_runs(&work, description, options, progress, value)?;
    match header {
        Some(header) => {
            work.remove()?;
            Ok(Outcome::Finished(header))
        }
        None => Ok(Outcome::Stopped { done: total, total }),
    }
}

/// A table that is there stays as it is. If this very command made it and was killed before it
/// could remove its work folder, that is done now.
fn finished_before(
    description: &Description,
    out: &Path,
    remove_folder: impl FnOnce() -> Result<(), TableError>,
) -> Result<Outcome, TableError> {
    let exists = || TableError::Exists { path: out.into() };
    let table = Table::open(out).map_err(|_| exists())?;
    if !work_folder(out).exists() || table.header().description != *description {
        return Err(exists());
    }
    remove_folder().map_err(|_| exists())?;
    Ok(Outcome::Finished(table.header().clone()))
}

/// The folder of a table's unfinished work: its name with `.work` behind it.
#[must_use]
pub fn work_folder(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".work");
    name.into()
}

/// The least memory with which a source can be generated.
#[must_use]
pub fn least_memory<S: Source>(source: &S) -> u64 {
    FIXED_MEMORY + 2 * (group_size() * source.most_records() * size_of::<Record>()) as u64
}

/// How many items are solved before the memory bound is looked at again.
fn group_size() -> usize {
    2 * rayon::current_num_threads()
}

fn solve_items<S: Source>(
    source: &S,
    work: &mut WorkFolder,
    options: &Options<'_>,
    progress: &dyn Progress,
) -> Result<(), TableError> {
    let group = group_size() as u64;
    let group_records = group_size() * source.most_records();
    let room = options.memory.saturating_sub(FIXED_MEMORY) as usize / size_of::<Record>();
    // A group's records are in memory twice while they are gathered.
    let full = room.saturating_sub(2 * group_records);
    let mut records = Vec::new();
    let states = Mutex::new(Vec::new());
    let stopped = || options.stop.load(Ordering::Relaxed);
    loop {
        let gap = work.gap(source.items());
        if gap.is_empty() || stopped() {
            return Ok(());
        }
        let mut next = gap.start;
        while next < gap.end && records.len() <= full && !stopped() {
            let end = (next + group).min(gap.end);
            let solved: Vec<Vec<Record>> = (next..end)
                .into_par_iter()
                .map(|item| solve_item(source, &states, item))
                .collect::<Result<_, _>>()?;
            if records.capacity() == 0 {
                let left = (source.items() - work.done()) as usize;
                let most = left.saturating_mul(source.most_records()).min(full + group_records);
                let no_room = |_| TableError::io(options.out)(ErrorKind::OutOfMemory.into());
                records.try_reserve_exact(most).map_err(no_room)?;
            }
            let before = records.len();
            solved.into_iter().for_each(|more| records.extend(more));
            progress.advance(end - next, (records.len() - before) as u64);
            next = end;
        }
        work.add_run(next, &mut records)?;
    }
}

/// The records of one item. States go from hand to hand: making one takes time.
fn solve_item<S: Source>(
    source: &S,
    states: &Mutex<Vec<S::State>>,
    item: u64,
) -> Result<Vec<Record>, TableError> {
    let lock = || states.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let kept = lock().pop();
    let mut state = kept.unwrap_or_else(|| source.start());
    let mut records = Vec::new();
    source.solve(&mut state, item, &mut records)?;
    lock().push(state);
    Ok(records)
}

/// Merges the runs into the table, each record with the value that the table keeps of it. `None`
/// when stopped.
fn merge_runs(
    work: &WorkFolder,
    description: &Description,
    options: &Options<'_>,
    progress: &dyn Progress,
    value: impl Fn(Record) -> Record,
) -> Result<Option<Header>, TableError> {
    let runs = work.open_runs()?;
    let total = runs.iter().map(|run| run.len()).sum();
    let mut records = merge(&runs).map(|record| record.map(&value)).peekable();
    let parts = std::iter::from_fn(|| {
        records.peek()?;
        Some(records.by_ref().take(1 << 15).collect())
    });
    write_table(parts, total, description, options, progress)
}

/// Writes records that come in order, part by part. `None` when stopped.
fn write_table(
    parts: impl Iterator<Item = Result<Vec<Record>, TableError>>,
    total: u64,
    description: &Description,
    options: &Options<'_>,
    progress: &dyn Progress,
) -> Result<Option<Header>, TableError> {
    progress.begin("merging", total, 0);
    let mut writer = Writer::create(options.out, description.clone())?;
    for part in parts {
        let part = part?;
        writer.push_all(&part)?;
        progress.advance(part.len() as u64, part.len() as u64);
        if options.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    let header = writer.finish()?;
    progress.end();
    Ok(Some(header))
}
