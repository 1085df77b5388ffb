//! Items that each give records: solved in parallel, sorted into shards, merged into a table.
//!
//! Records gather in memory until the bound is reached or it is time to save, are sorted, and go to the
//! disk as a shard, the range of items that gave them. At the end the shards are merged.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::work::{Stage, WorkFolder};
use super::{
    Cut, Ending, Expectation, FIXED_MEMORY, JobError, Plan, PlannedStage, Run, ShardId, Step,
    finish_table, is_tidy, make_table, merge_shards, unless_finished,
};
use crate::table::{Description, Header, Kind, Record, TableError, ValueKind};

/// What gives the records of a table.
pub trait Source: Sync {
    /// What a thread keeps from one item to the next.
    type State: Send;

    /// Makes that.
    fn start(&self) -> Self::State;

    /// What an item is, in the plural.
    fn what(&self) -> &'static str;

    /// How many items there are.
    fn items(&self) -> u64;

    /// Appends the records of an item, and answers whether these are all: one that takes long ends
    /// early when stopped, and is solved again when the job is resumed.
    ///
    /// # Errors
    /// When they come from a table and that is damaged.
    fn solve(
        &self,
        state: &mut Self::State,
        item: u64,
        stop: &AtomicBool,
        records: &mut Vec<Record>,
    ) -> Result<bool, TableError>;

    /// The most records that one item can give, duplicates counted.
    fn most_records(&self) -> usize;

    /// What shards keep besides what the table will: a source whose codes are not exact remembers
    /// the exact ones there, so that two positions with one code are found out.
    fn shard_value(&self, description: &Description) -> ValueKind {
        description.value
    }
}

/// Makes the table of a source.
///
/// # Errors
/// As of [`make_table`]; and when two items contradict each other.
pub fn generate<S: Source>(
    source: &S,
    description: &Description,
    run: &Run<'_>,
) -> Result<Ending, TableError> {
    make_table(description, run, |work| {
        let total = source.items();
        let mut solved = stage(source, work, 0..total)?;
        run.progress.begin("solving", total, solved.done());
        solve_items(source, &mut solved, 0..total, run)?;
        run.progress.end();
        merge_solved(source, &solved, description, run)
    })
}

/// The stage whose shards hold what items gave: those of some items.
fn stage<S: Source>(source: &S, work: &WorkFolder, items: Range<u64>) -> Result<Stage, TableError> {
    let description = work.description();
    let value = source.shard_value(description);
    let shards = Description { value, ..description.clone() };
    work.stage_within(SOLVED, Kind::Keyed, shards, items)
}

/// The last stage: the shards become the table, if they have all items.
fn merge_solved<S: Source>(
    source: &S,
    solved: &Stage,
    description: &Description,
    run: &Run<'_>,
) -> Result<Step<Header>, TableError> {
    let value = |record: Record| {
        let value = if description.value == ValueKind::None { 0 } else { record.value };
        Record { value, ..record }
    };
    let (done, total) = (solved.done(), source.items());
    let stopped = Step::Stopped { what: source.what(), done, total };
    if done < total {
        return Ok(stopped);
    }
    Ok(merge_shards(solved, description, run, value)?.map_or(stopped, Step::Done))
}

/// The stages of a plan.
const SOLVED: &str = "solved";
const TABLE: &str = "table";

/// The share of a job's time that the last stage takes.
const MERGING: f64 = 0.15;

/// The plan of a source, of which this is expected on the current threads.
#[must_use]
pub fn plan<S: Source>(source: &S, expected: &Expectation, cut: Cut) -> Plan {
    let shards = cut.shards.clamp(1, source.items().max(1));
    let threads = rayon::current_num_threads() as f64;
    let seconds = expected.seconds.unwrap_or(0.0) * threads;
    let shard_bytes = (expected.disk - expected.table).max(0.0) as u64;
    let each = source.items().div_ceil(shards).min(1 << 32) * source.most_records() as u64;
    let records = (each * size_of::<Record>() as u64).min(MOST_MEMORY);
    let stage = |name: &str, shards, cores, memory, share: f64, reads, writes| PlannedStage {
        name: name.into(),
        shards,
        cores,
        memory,
        seconds: seconds * share,
        reads,
        writes,
    };
    let memory = least_memory_on(source, cut.cores as usize) + records;
    Plan {
        file: "table.etb".into(),
        stages: vec![
            stage(SOLVED, shards, cut.cores, memory, 1.0 - MERGING, 0, shard_bytes),
            stage(TABLE, 1, 1, 1 << 30, MERGING, shard_bytes, expected.table as u64),
        ],
    }
}

/// Memory for the records of a shard: with more of them, it writes several files.
const MOST_MEMORY: u64 = 1 << 30;

/// Does what a shard of such a plan has to do.
///
/// # Errors
/// When there is no such shard, the last one finds that others are not done, or reading or writing fails.
pub fn shard<S: Source>(
    source: &S,
    description: &Description,
    shard: &ShardId,
    run: &Run<'_>,
) -> Result<Ending, JobError> {
    unless_finished(description, run, || match shard.stage.as_str() {
        SOLVED => {
            let work = WorkFolder::open(run.out, description)?;
            let items = shard.part(source.items());
            let mut solved = stage(source, &work, items.clone())?;
            let total = items.end - items.start;
            run.progress.begin("solving", total, solved.done());
            // What is saved now and then would have other names the next time.
            let run = &Run { save_every: Duration::MAX, ..*run };
            solve_items(source, &mut solved, items.clone(), run)?;
            run.progress.end();
            if solved.gap_within(items).is_empty() {
                return Ok(Ending::Finished);
            }
            Ok(Ending::Stopped { what: source.what(), done: solved.done(), total })
        }
        TABLE => Ok(finish_table(description, run, |work| {
            let solved = stage(source, work, 0..source.items())?;
            let gap = solved.gap(source.items());
            if !gap.is_empty() {
                return Err(work.incomplete(source.what(), &gap));
            }
            merge_solved(source, &solved, description, run)
        })?),
        _ => Err(shard.unknown()),
    })
}

/// Whether what a shard of such a plan makes is there.
#[must_use]
pub fn is_done<S: Source>(
    source: &S,
    description: &Description,
    shard: &ShardId,
    out: &Path,
) -> bool {
    if shard.stage != SOLVED {
        return is_tidy(description, out);
    }
    let items = shard.part(source.items());
    let work = WorkFolder::existing(out, description);
    work.and_then(|work| stage(source, &work, items.clone()).ok())
        .is_some_and(|solved| solved.gap_within(items).is_empty())
}

/// The least memory with which a source can be generated.
#[must_use]
pub fn least_memory<S: Source>(source: &S) -> u64 {
    least_memory_on(source, rayon::current_num_threads())
}

fn least_memory_on<S: Source>(source: &S, threads: usize) -> u64 {
    let at_work = 2 * threads * source.most_records() * size_of::<Record>();
    FIXED_MEMORY + 2 * at_work as u64
}

/// Solves those of some items that are not done.
fn solve_items<S: Source>(
    source: &S,
    stage: &mut Stage,
    items: Range<u64>,
    run: &Run<'_>,
) -> Result<(), TableError> {
    let room = run.memory.saturating_sub(FIXED_MEMORY) as usize / size_of::<Record>();
    // Every thread has the records of an item, and may add as many when there is just no more room.
    let at_work = rayon::current_num_threads() * source.most_records();
    let full = room.saturating_sub(2 * at_work);
    let left = (items.end - items.start) as usize;
    let most = left.saturating_mul(source.most_records()).min(full + at_work);
    let states = Mutex::new(Vec::new());
    let mut gathered = Gathered::default();
    loop {
        let gap = stage.gap_within(items.clone());
        if gap.is_empty() || run.is_stopped() {
            return Ok(());
        }
        let no_room = |_| TableError::io(run.out)(ErrorKind::OutOfMemory.into());
        gathered.records.try_reserve_exact(most).map_err(no_room)?;
        let begun = Instant::now();
        let goes_on = |records: usize| {
            let is_time = records > 0 && begun.elapsed() >= run.save_every;
            records <= full && !is_time && !run.is_stopped()
        };
        let done = gathered.solve(source, &states, gap.clone(), goes_on, run)?;
        if !done.is_empty() {
            stage.save_unsorted(done, &mut gathered.records)?;
        }
    }
}

/// What items gave.
#[derive(Default)]
struct Gathered {
    records: Vec<Record>,
    /// The items that gave them, in the order in which they were solved, and how many each gave.
    items: Vec<(u64, usize)>,
}

impl Gathered {
    /// Solves items, the first ones first, on all threads, as long as it goes on with so many records.
    /// Answers which are done.
    fn solve<S: Source>(
        &mut self,
        source: &S,
        states: &Mutex<Vec<S::State>>,
        items: Range<u64>,
        goes_on: impl Fn(usize) -> bool + Sync,
        run: &Run<'_>,
    ) -> Result<Range<u64>, TableError> {
        self.records.clear();
        self.items.clear();
        let (next, gathered) = (Mutex::new(items.clone()), Mutex::new(self));
        let results = rayon::broadcast(|_| -> Result<(), TableError> {
            // States stay for the next time: making one takes long.
            let mut state = locked(states).pop().unwrap_or_else(|| source.start());
            let mut records = Vec::new();
            while goes_on(locked(&gathered).records.len()) {
                let item = locked(&next).next();
                let Some(item) = item else { break };
                records.clear();
                if !source.solve(&mut state, item, run.stop, &mut records)? {
                    break;
                }
                let mut gathered = locked(&gathered);
                gathered.records.extend_from_slice(&records);
                gathered.items.push((item, records.len()));
                run.progress.advance(1, records.len() as u64);
            }
            locked(states).push(state);
            Ok(())
        });
        results.into_iter().collect::<Result<(), _>>()?;
        let gathered = gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(gathered.keep_first(items.start))
    }

    /// Keeps the items from the first on up to one that was stopped, and answers which they are.
    fn keep_first(&mut self, first: u64) -> Range<u64> {
        let mut solved: Vec<u64> = self.items.iter().map(|&(item, _)| item).collect();
        solved.sort_unstable();
        let end = (first..).zip(&solved).find(|&(item, &it)| item != it);
        let end = end.map_or(first + solved.len() as u64, |(item, _)| item);
        if solved.last().is_some_and(|&last| last >= end) {
            let (mut at, mut kept) = (0, Vec::new());
            for &(item, count) in &self.items {
                if item < end {
                    kept.extend_from_slice(&self.records[at..at + count]);
                }
                at += count;
            }
            self.records = kept;
        }
        first..end
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
