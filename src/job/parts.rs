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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::job::hands::tests::description;
    use crate::job::work::WorkFolder;
    use crate::job::{Quiet, merge_shards};
    use crate::random::SplitMix64;
    use crate::table::{Compression, Kind, Meta, Record};

    #[test]
    fn parts_are_whole_blocks_and_leave_nothing_out() {
        for records in [0, 1, 255, 256, 257, 100_000, u64::MAX / 2] {
            for parts in [1, 2, 7, 1000] {
                let mut end = 0;
                for part in (0..parts).map(|part| records_of(part, parts, records)) {
                    assert_eq!(part.start, end);
                    assert!(part.end == records || part.end.is_multiple_of(BLOCK_RECORDS.into()));
                    end = part.end;
                }
                assert_eq!(end, records);
            }
        }
    }

    /// A stage of shards with records from all over, each once.
    fn scattered(work: &WorkFolder, name: &'static str, records: u64) -> Stage {
        let mut random = SplitMix64::new(records);
        let mut shards = vec![Vec::new(); 5];
        let mut code = 0;
        for _ in 0..records {
            code += 1 + random.below(1 << 20);
            let record = Record { code, meta: Meta::default(), value: 0 };
            shards[random.below(5) as usize].push(record);
        }
        let mut stage = work.stage(name, Kind::Keyed, work.description().clone()).unwrap();
        for (number, shard) in (0..).zip(shards) {
            stage.save(number..number + 1, shard.into_iter().map(Ok)).unwrap();
        }
        stage
    }

    fn run<'a>(out: &'a Path, stop: &'a AtomicBool) -> Run<'a> {
        let save_every = Run::SAVE_EVERY;
        Run { out, memory: 1 << 28, replace: true, stop, save_every, progress: &Quiet }
    }

    #[test]
    fn parts_make_the_table_that_merging_makes() {
        let stop = AtomicBool::new(false);
        for compression in [Compression::Packed, Compression::Zstd, Compression::None] {
            let description = Description { compression, ..description() };
            for records in [0, 1, 255, 256, 257, 5000] {
                let folder = tempfile::tempdir().unwrap();
                let out = folder.path().join("table.etb");
                let (run, work) = (run(&out, &stop), WorkFolder::open(&out, &description).unwrap());
                let solved = scattered(&work, "solved", records);
                merge_shards(&solved, &description, &run, |record| record).unwrap().unwrap();
                let expected = fs::read(&out).unwrap();
                for count in [1, 2, 3, 40] {
                    let shards = solved.open_shards().unwrap();
                    let mut parts = work.stage("parts", Kind::Keyed, description.clone()).unwrap();
                    parts.keep(0..0).unwrap();
                    // In any order.
                    for part in (0..count).rev().map(|part| records_of(part, count, records)) {
                        assert!(
                            part.is_empty() || merge_part(&shards, part, &mut parts, &run).unwrap()
                        );
                    }
                    join_shards(&parts, &description, &run).unwrap().unwrap();
                    assert!(fs::read(&out).unwrap() == expected, "{records} in {count} parts");
                }
            }
        }
    }

    #[test]
    fn what_does_not_continue_is_refused() {
        let stop = AtomicBool::new(false);
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("table.etb");
        let (run, work) = (run(&out, &stop), WorkFolder::open(&out, &description()).unwrap());
        // Neither is a part left out, nor do parts overlap.
        let solved = scattered(&work, "solved", 2000);
        assert!(join_shards(&solved, &description(), &run).is_err());
        assert!(!out.exists());
        // A record that is there twice.
        let mut twice = solved.open_shards().unwrap();
        twice.extend(solved.open_shards().unwrap());
        let mut parts = work.stage("parts", Kind::Keyed, description()).unwrap();
        assert!(merge_part(&twice, 0..512, &mut parts, &run).is_err());
        assert_eq!(parts.shard_count(), 0);
    }
}
