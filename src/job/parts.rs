//! Parts of a table: ranges of its records that are merged apart, on any machines, and joined.
//!
//! A part begins where a block of the table does, so that its blocks become the table's as they are. Which
//! codes it has follows from the number of its first record: so many are smaller in all shards together.

use std::cell::Cell;
use std::io::ErrorKind;
use std::iter;
use std::ops::Range;

use super::Run;
use super::work::Stage;
use crate::table::{BLOCK_RECORDS, Description, Header, Table, TableError, Writer, merge_between};

/// The records of a part, of so many.
#[must_use]
pub fn records_of(part: u64, parts: u64, records: u64) -> Range<u64> {
    let block = u64::from(BLOCK_RECORDS);
    let blocks = u128::from(records.div_ceil(block));
    let bound = |part: u64| (blocks * u128::from(part) / u128::from(parts.max(1))) as u64 * block;
    bound(part).min(records)..bound(part + 1).min(records)
}

/// Merges some of the records that shards have, none of them twice, and keeps them as a shard of a stage
/// of parts. `false` when stopped.
///
/// # Errors
/// When a shard is damaged, a record is there twice, or writing fails.
pub fn merge_part(
    shards: &[Table],
    part: Range<u64>,
    parts: &mut Stage,
    run: &Run<'_>,
) -> Result<bool, TableError> {
    let total: u64 = shards.iter().map(|shard| shard.len()).sum();
    let start = code_of(shards, part.start)?;
    let end = if part.end < total { Some(code_of(shards, part.end)?) } else { None };
    run.progress.begin("merging", part.end - part.start, 0);
    let merged = merge_between(shards, start, end).map(|record| match run.is_stopped() {
        true => Err(TableError::io(run.out)(ErrorKind::Interrupted.into())),
        false => record,
    });
    let count = Cell::new(0);
    let counted = merged.inspect(|_| count.set(count.get() + 1));
    let miscounted = iter::once_with(|| {
        let (count, wanted) = (count.get(), part.end - part.start);
        let what = || format!("shards have {count} records where {wanted} are to be");
        let wrong = || TableError::Inconsistent { path: run.out.into(), what: what() };
        (count != wanted).then(|| Err(wrong()))
    });
    match parts.save(part.clone(), counted.chain(miscounted.flatten())) {
        Err(_) if run.is_stopped() => return Ok(false),
        saved => saved?,
    };
    run.progress.end();
    Ok(true)
}

/// The smallest code that so many are smaller than, in all shards together.
fn code_of(shards: &[Table], number: u64) -> Result<u64, TableError> {
    let (mut low, mut high) = (0, u64::MAX);
    while low < high {
        let middle = low + (high - low) / 2;
        let mut smaller = 0;
        for shard in shards {
            // Those up to the code itself.
            smaller += shard.position(middle.saturating_add(1))?;
        }
        match smaller > number {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Ok(low)
}

/// The last stage of jobs whose shards continue each other: they become the table, block by block. Where a
/// shard ends within a block, the next one begins with what that block has, so that every shard begins
/// where a block of the table does. `None` when stopped.
///
/// # Errors
/// When a shard is damaged or does not continue the one before, or writing fails.
pub fn join_shards(
    stage: &Stage,
    description: &Description,
    run: &Run<'_>,
) -> Result<Option<Header>, TableError> {
    let mut shards = stage.open_shards()?;
    shards.retain(|shard| !shard.is_empty());
    run.progress.begin("joining", shards.len() as u64, 0);
    let mut writer = Writer::create(run.out, description.clone())?;
    for (number, shard) in shards.iter().enumerate() {
        let blocks = match shards.get(number + 1) {
            Some(next) => 0..shard.blocks_before(next)?,
            None => 0..shard.blocks(),
        };
        writer.push_blocks(shard, blocks)?;
        run.progress.advance(1, shard.len());
        if run.is_stopped() {
            return Ok(None);
        }
    }
    let header = writer.finish()?;
    run.progress.end();
    Ok(Some(header))
}
