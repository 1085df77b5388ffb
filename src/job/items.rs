//! Items that each give records: solved in parallel, sorted into shards, merged into a table.
//!
//! Records gather in memory until the bound is reached or it is time to save, are sorted, and go to the
//! disk as a shard, the range of items that gave them. At the end the shards are merged.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rayon::prelude::*;

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
    let group = GROUP * threads * source.most_records() * size_of::<Record>();
    FIXED_MEMORY + 2 * group as u64
}

/// Items that each thread gets before the memory bound is looked at again.
const GROUP: usize = 2;

/// How many items are solved before the memory bound is looked at again.
fn group_size() -> usize {
    GROUP * rayon::current_num_threads()
}

/// Solves those of some items that are not done.
fn solve_items<S: Source>(
    source: &S,
    stage: &mut Stage,
    items: Range<u64>,
    run: &Run<'_>,
) -> Result<(), TableError> {
    let group = group_size() as u64;
    let group_records = group_size() * source.most_records();
    let room = run.memory.saturating_sub(FIXED_MEMORY) as usize / size_of::<Record>();
    // A group's records are in memory twice while they are gathered.
    let full = room.saturating_sub(2 * group_records);
    let mut records = Vec::new();
    let states = Mutex::new(Vec::new());
    loop {
        let gap = stage.gap_within(items.clone());
        if gap.is_empty() || run.is_stopped() {
            return Ok(());
        }
        let mut next = gap.start;
        let begun = Instant::now();
        let is_time = || begun.elapsed() >= run.save_every;
        while next < gap.end && records.len() <= full && !run.is_stopped() && !is_time() {
            let end = (next + group).min(gap.end);
            let solved: Vec<Option<Vec<Record>>> = (next..end)
                .into_par_iter()
                .map(|item| solve_item(source, &states, item, run.stop))
                .collect::<Result<_, _>>()?;
            if records.capacity() == 0 {
                let left = (items.end - items.start) as usize;
                let most = left.saturating_mul(source.most_records()).min(full + group_records);
                let no_room = |_| TableError::io(run.out)(ErrorKind::OutOfMemory.into());
                records.try_reserve_exact(most).map_err(no_room)?;
            }
            let before = records.len();
            let mut done = 0;
            for more in solved.into_iter().map_while(|records| records) {
                records.extend(more);
                done += 1;
            }
            run.progress.advance(done, (records.len() - before) as u64);
            next += done;
        }
        if next > gap.start {
            stage.save_unsorted(gap.start..next, &mut records)?;
        }
    }
}

/// The records of one item, `None` when stopped. States go from hand to hand: making one takes time.
fn solve_item<S: Source>(
    source: &S,
    states: &Mutex<Vec<S::State>>,
    item: u64,
    stop: &AtomicBool,
) -> Result<Option<Vec<Record>>, TableError> {
    let lock = || states.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let free = lock().pop();
    let mut state = free.unwrap_or_else(|| source.start());
    let mut records = Vec::new();
    let whole = source.solve(&mut state, item, stop, &mut records)?;
    lock().push(state);
    Ok(whole.then_some(records))
}
