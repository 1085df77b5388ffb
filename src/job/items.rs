//! Items that each give records: solved in parallel, sorted into shards, merged into a table.
//!
//! Records gather in memory until the bound is reached or it is time to save, are sorted, and go to the
//! disk as a shard, the range of items that gave them. At the end the shards are merged.

use std::io::ErrorKind;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use rayon::prelude::*;

use super::work::Stage;
use super::{Ending, FIXED_MEMORY, Run, Step, make_table, merge_shards};
use crate::table::{Description, Kind, Record, TableError, ValueKind};

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
        let value = source.shard_value(description);
        let shards = Description { value, ..description.clone() };
        let mut solved = work.stage("solved", Kind::Keyed, shards)?;
        let total = source.items();
        run.progress.begin("solving", total, solved.done());
        solve_items(source, &mut solved, run)?;
        run.progress.end();
        let value = |record: Record| {
            let value = if description.value == ValueKind::None { 0 } else { record.value };
            Record { value, ..record }
        };
        let done = solved.done();
        let stopped = Step::Stopped { what: source.what(), done, total };
        if done < total {
            return Ok(stopped);
        }
        Ok(merge_shards(&solved, description, run, value)?.map_or(stopped, Step::Done))
    })
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

fn solve_items<S: Source>(source: &S, stage: &mut Stage, run: &Run<'_>) -> Result<(), TableError> {
    let group = group_size() as u64;
    let group_records = group_size() * source.most_records();
    let room = run.memory.saturating_sub(FIXED_MEMORY) as usize / size_of::<Record>();
    // A group's records are in memory twice while they are gathered.
    let full = room.saturating_sub(2 * group_records);
    let mut records = Vec::new();
    let states = Mutex::new(Vec::new());
    loop {
        let gap = stage.gap(source.items());
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
                let left = (source.items() - stage.done()) as usize;
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
