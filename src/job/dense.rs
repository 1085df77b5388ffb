//! A layer of a dense table: its entries, solved part by part.
//!
//! Each part goes to the disk as a shard when it is done; when all are, their blocks become the
//! table as they are. Parts begin at whole blocks, and may be solved in any order.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::Run;
use super::work::{Lock, Stage, WorkFolder, work_folder};
use crate::table::{DenseTable, DenseWriter, Description, Header, Kind, TableError};

/// A layer to be made.
#[derive(Clone, Copy)]
pub struct DenseLayer<'a> {
    /// Its file.
    pub path: &'a Path,
    /// What the file says of itself.
    pub description: &'a Description,
    /// Its number in the header.
    pub layer: u8,
    /// What progress calls it.
    pub name: &'a str,
    /// About how many entries are solved before they go to the disk: what a kill can cost.
    pub part: u64,
}

/// How entries in memory become what is stored, and back.
#[derive(Clone, Copy)]
pub struct Packing {
    /// What is stored for an entry: a nybble or a byte, as the table's layout has it.
    pub stored: fn(u8) -> u8,
    /// The entry that it stands for.
    pub entry: fn(u8) -> u8,
}

impl Packing {
    /// Entries are stored as they are.
    pub const NONE: Self = Self { stored: |entry| entry, entry: |stored| stored };
}

/// A layer that was made.
#[derive(Clone, Debug)]
pub struct MadeLayer {
    /// The table's header.
    pub header: Header,
    /// How many entries an earlier attempt had finished.
    pub resumed: u64,
    /// How long solving the others took.
    pub solving: Duration,
}

/// Makes a layer's table, or resumes one: `entries` are all of the layer's, and are all known at the
/// end. `solve` solves a range of them, and as much further as it likes, answers how far that is,
/// and `None` when it was stopped. `None` when stopped.
///
/// # Errors
/// When another program makes the same table, or reading or writing fails. What is done stays.
pub fn make_layer(
    layer: DenseLayer<'_>,
    entries: &mut [u8],
    packing: Packing,
    run: &Run<'_>,
    mut solve: impl FnMut(&mut [u8], Range<u64>) -> Option<u64>,
) -> Result<Option<MadeLayer>, TableError> {
    let DenseLayer { path, description, name, .. } = layer;
    let part_length = layer.part.max(DenseWriter::BLOCK_ENTRIES);
    let total = entries.len() as u64;
    let work = WorkFolder::open(path, description)?;
    let _lock = Lock::take(&work, run.progress)?;
    // Layers of one job differ in nothing else.
    let mut shards = description.clone();
    shards.recipe.options = shards.recipe.options.with("layer", layer.layer);
    let mut parts = work.stage("entries", Kind::Dense, shards)?;
    if !load_parts(&parts, entries, packing, run.stop)? {
        return Ok(None);
    }
    let resumed = parts.done();
    run.progress.begin(name, total, resumed);
    let mut solving = Duration::ZERO;
    // How far entries are solved behind the last part.
    let mut solved = 0;
    let mut whole = false;
    loop {
        let gap = parts.gap(total);
        if gap.is_empty() {
            break;
        }
        let start = Instant::now();
        if solved < gap.end.min(gap.start + part_length) {
            let part = gap.start.max(solved)..(gap.start + part_length).min(gap.end);
            match solve(entries, part) {
                Some(end) => solved = end.min(gap.end),
                None => {
                    run.progress.end();
                    return Ok(None);
                }
            }
        }
        solving += start.elapsed();
        if gap.start == 0 && solved == total {
            // All at once: nothing is gained by a part.
            whole = true;
            break;
        }
        let end = match solved == gap.end {
            true => solved,
            false => solved / DenseWriter::BLOCK_ENTRIES * DenseWriter::BLOCK_ENTRIES,
        };
        let numbers = gap.start as usize..end as usize;
        parts.save_entries(gap.start..end, &entries[numbers], packing.stored)?;
    }
    run.progress.end();
    let mut writer = DenseWriter::create(path, description.clone(), layer.layer)?;
    if whole {
        writer.write(entries, packing.stored)?;
    } else {
        for (_, part) in parts.open_entries()? {
            if run.is_stopped() {
                return Ok(None);
            }
            writer.append(&part)?;
        }
    }
    let header = writer.finish()?;
    work.remove()?;
    Ok(Some(MadeLayer { header, resumed, solving }))
}

/// How many entries are written between two looks at whether to stop.
const WRITTEN: usize = 1 << 24;

/// Makes the table of a layer that is solved as a whole, and gives its entries back: what is stored. `None`
/// when stopped.
///
/// # Errors
/// When another program makes the same table, solving or writing fails.
pub fn write_layer<E: From<TableError>>(
    path: &Path,
    description: &Description,
    layer: u8,
    run: &Run<'_>,
    solve: impl FnOnce() -> Result<Option<Vec<u8>>, E>,
) -> Result<Option<Vec<u8>>, E> {
    let work = WorkFolder::open(path, description)?;
    let _lock = Lock::take(&work, run.progress)?;
    let Some(entries) = solve()? else { return Ok(None) };
    let mut writer = DenseWriter::create(path, description.clone(), layer)?;
    for some in entries.chunks(WRITTEN) {
        if run.is_stopped() {
            return Ok(None);
        }
        writer.write(some, Packing::NONE.stored)?;
    }
    writer.finish()?;
    work.remove()?;
    Ok(Some(entries))
}

/// Removes what is left of the work on a layer that is finished: a kill may come between the two.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_work(path: &Path, description: &Description) -> Result<(), TableError> {
    if !work_folder(path).is_dir() {
        return Ok(());
    }
    match WorkFolder::open(path, description) {
        Ok(work) => work.remove(),
        // Not ours.
        Err(_) => Ok(()),
    }
}

/// Loads the parts that are finished into memory. `false` when stopped.
fn load_parts(
    parts: &Stage,
    entries: &mut [u8],
    packing: Packing,
    stop: &AtomicBool,
) -> Result<bool, TableError> {
    for (numbers, part) in parts.open_entries()? {
        let Some(entries) = entries.get_mut(numbers.start as usize..numbers.end as usize) else {
            return Err(TableError::Inconsistent {
                path: part.path().into(),
                what: format!("entries {} to {}, which there are not", numbers.start, numbers.end),
            });
        };
        if !read_entries(&part, entries, packing.entry, stop)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Loads all entries of a table into memory. `false` when stopped.
///
/// # Errors
/// When a block is damaged.
pub fn read_entries(
    table: &DenseTable,
    entries: &mut [u8],
    entry: fn(u8) -> u8,
    stop: &AtomicBool,
) -> Result<bool, TableError> {
    let is_stopped = || stop.load(Ordering::Relaxed);
    let blocks = entries.par_chunks_mut(table.block_entries()).enumerate();
    blocks.try_for_each(|(block, entries)| {
        if is_stopped() {
            return Ok(());
        }
        for (to, stored) in entries.iter_mut().zip(table.block(block)?) {
            *to = entry(stored);
        }
        Ok(())
    })?;
    Ok(!is_stopped())
}
