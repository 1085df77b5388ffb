//! A layer of a dense table: its entries, solved part by part, by one hand or by several.
//!
//! The parts are the same for everyone: whole blocks, about as many entries as are worth a file. Each goes
//! to the disk as a shard when it is solved, by whichever hand; when all are there, their blocks become the
//! table as they are. So it does not matter who solved which part, when, and in which order.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::Run;
use super::hands::{Hand, Pieces};
use super::work::{Lock, Stage, WorkFolder};
use crate::table::{DenseTable, DenseWriter, Description, Kind, TableError, Unpacking};

/// A layer to be made.
#[derive(Clone, Copy)]
pub struct DenseLayer<'a> {
    /// Its file, or where that would be.
    pub path: &'a Path,
    /// What the file says of itself.
    pub description: &'a Description,
    /// Its number in the header.
    pub layer: u8,
    /// What progress calls it. No other layer of a stage has the name.
    pub name: &'a str,
    /// About how many entries are solved before they go to the disk: what a kill can cost.
    pub part: u64,
    /// Whether it gets a file. One that is left out is solved for the layer after it alone.
    pub has_file: bool,
    /// Whether every entry has to be known at the end. A hand knows those that it has solved anyway.
    pub is_needed: bool,
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
    /// Bytes of its file, 0 if it has none.
    pub bytes: u64,
    /// How many entries an earlier attempt or another hand had finished.
    pub resumed: u64,
    /// How long solving the others took.
    pub solving: Duration,
}

/// Makes a layer's table, or resumes one: `entries` are all of the layer's. `solve` solves a range of them,
/// and as much further as it likes, answers how far that is, and `None` when it was stopped. `None` when
/// stopped.
///
/// # Errors
/// When this hand is to be alone and another program makes the same table, or when reading or writing
/// fails. What is done stays.
pub fn make_layer(
    layer: DenseLayer<'_>,
    hand: &Hand<'_>,
    entries: &mut [u8],
    packing: Packing,
    run: &Run<'_>,
    mut solve: impl FnMut(&mut [u8], Range<u64>) -> Result<Option<u64>, TableError>,
) -> Result<Option<MadeLayer>, TableError> {
    let mut entries = Entries::new(entries, packing, &mut solve);
    if !layer.has_file && hand.is_alone() {
        run.progress.begin(layer.name, entries.total(), 0);
        let solved = entries.solve(0..entries.total());
        run.progress.end();
        let solving = entries.solving;
        return Ok(solved?.then_some(MadeLayer { bytes: 0, resumed: 0, solving }));
    }
    let work = WorkFolder::open(layer.path, layer.description)?;
    let lock = hand.is_alone().then(|| Lock::take(&work, run.progress)).transpose()?;
    let made = make_parts(layer, hand, &work, &mut entries, run);
    run.progress.end();
    let Some(bytes) = made? else { return Ok(None) };
    if lock.is_some() {
        work.remove()?;
    }
    let resumed = entries.total() - entries.made;
    Ok(Some(MadeLayer { bytes, resumed, solving: entries.solving }))
}

/// Writes the table of a layer that was solved as a whole, in the folder of its work. Answers the bytes of
/// its file, `None` when stopped.
///
/// # Errors
/// When reading or writing fails.
pub fn write_layer(
    layer: DenseLayer<'_>,
    hand: &Hand<'_>,
    work: &WorkFolder,
    entries: &mut [u8],
    run: &Run<'_>,
) -> Result<Option<u64>, TableError> {
    let mut solve = |_: &mut [u8], numbers: Range<u64>| Ok(Some(numbers.end));
    let mut entries = Entries::new(entries, Packing::NONE, &mut solve);
    make_parts(layer, hand, work, &mut entries, run)
}

/// Makes what is missing of a layer. Answers the bytes of its file, `None` when stopped.
fn make_parts(
    layer: DenseLayer<'_>,
    hand: &Hand<'_>,
    work: &WorkFolder,
    entries: &mut Entries<'_>,
    run: &Run<'_>,
) -> Result<Option<u64>, TableError> {
    // Layers of one job differ in nothing else.
    let mut shards = layer.description.clone();
    shards.recipe.options = shards.recipe.options.with("layer", layer.layer);
    let stage = work.stage("entries", Kind::Dense, shards)?;
    let total = entries.total();
    run.progress.begin(layer.name, total, stage.done());
    let step = |what: &str| format!("{what}-{}", layer.name.replace(' ', "-"));
    let length = (layer.part / DenseWriter::BLOCK_ENTRIES).max(1) * DenseWriter::BLOCK_ENTRIES;
    if layer.has_file && stage.done() == 0 && total <= length {
        // All at once: nothing is gained by a part.
        let mut whole = Whole { layer, entries, run, bytes: 0 };
        return Ok(hand.share(&step("whole"), 1, &mut whole)?.then_some(whole.bytes));
    }
    let mut parts = Parts { layer, entries, stage, length, run };
    let pieces = total.div_ceil(length);
    if !parts.load_found()? || !hand.share(&step("entries"), pieces, &mut parts)? {
        return Ok(None);
    }
    if !layer.has_file {
        return Ok(Some(0));
    }
    let gap = parts.stage.gap(total);
    if !gap.is_empty() {
        return Err(work.incomplete("entries", &gap));
    }
    let mut join = Join { layer, parts: &parts.stage, total, run, bytes: 0 };
    Ok(hand.share(&step("join"), 1, &mut join)?.then_some(join.bytes))
}

type Solve<'a> = dyn FnMut(&mut [u8], Range<u64>) -> Result<Option<u64>, TableError> + 'a;

/// The entries of a layer in memory, as far as they are known.
struct Entries<'a> {
    all: &'a mut [u8],
    packing: Packing,
    solve: &'a mut Solve<'a>,
    /// The last that were solved: often a few more than were asked for.
    solved: Range<u64>,
    /// How many were asked for and solved.
    made: u64,
    solving: Duration,
}

impl<'a> Entries<'a> {
    fn new(all: &'a mut [u8], packing: Packing, solve: &'a mut Solve<'a>) -> Self {
        Self { all, packing, solve, solved: 0..0, made: 0, solving: Duration::ZERO }
    }

    fn total(&self) -> u64 {
        self.all.len() as u64
    }

    fn of(&mut self, numbers: &Range<u64>) -> &mut [u8] {
        &mut self.all[numbers.start as usize..numbers.end as usize]
    }

    /// Solves some. `false` when stopped.
    fn solve(&mut self, numbers: Range<u64>) -> Result<bool, TableError> {
        let start = Instant::now();
        if !self.solved.contains(&numbers.start) {
            self.solved = numbers.start..numbers.start;
        }
        if self.solved.end < numbers.end {
            match (self.solve)(self.all, self.solved.end..numbers.end)? {
                Some(end) => self.solved.end = end,
                None => return Ok(false),
            }
        }
        self.made += numbers.end - numbers.start;
        self.solving += start.elapsed();
        Ok(true)
    }

    /// Loads some from the table that has them. `false` when stopped.
    fn load(
        &mut self,
        numbers: &Range<u64>,
        table: &DenseTable,
        stop: &AtomicBool,
    ) -> Result<bool, TableError> {
        let entry = self.packing.entry;
        read_entries(table, self.of(numbers), entry, stop)
    }
}

/// The table of a layer, if it is there and every checksum is right.
fn finished(layer: &DenseLayer<'_>, total: u64) -> Option<DenseTable> {
    let table = DenseTable::open(layer.path).ok()?;
    let header = table.header();
    let right = header.description == *layer.description
        && (header.layer, header.records) == (layer.layer, total);
    (right && table.check_blocks().is_ok()).then_some(table)
}

/// How many entries are written between two looks at whether to stop.
const WRITTEN: usize = 1 << 24;

/// A layer that is written at once: its file is the only piece.
struct Whole<'a, 'b> {
    layer: DenseLayer<'a>,
    entries: &'a mut Entries<'b>,
    run: &'a Run<'a>,
    bytes: u64,
}

impl Pieces for Whole<'_, '_> {
    fn take(&mut self, _piece: u64) -> Result<bool, TableError> {
        let total = self.entries.total();
        let Some(table) = finished(&self.layer, total) else { return Ok(false) };
        self.bytes = table.header().file_length;
        Ok(!self.layer.is_needed || self.entries.load(&(0..total), &table, self.run.stop)?)
    }

    fn make(&mut self, _piece: u64) -> Result<bool, TableError> {
        let DenseLayer { path, description, layer, .. } = self.layer;
        if !self.entries.solve(0..self.entries.total())? {
            return Ok(false);
        }
        let mut writer = DenseWriter::create(path, description.clone(), layer)?;
        for some in self.entries.all.chunks(WRITTEN) {
            if self.run.is_stopped() {
                return Ok(false);
            }
            writer.write(some, self.entries.packing.stored)?;
        }
        self.bytes = writer.finish()?.file_length;
        Ok(true)
    }
}

/// The parts of a layer.
struct Parts<'a, 'b> {
    layer: DenseLayer<'a>,
    entries: &'a mut Entries<'b>,
    stage: Stage,
    /// Entries of a part, but for the last.
    length: u64,
    run: &'a Run<'a>,
}

impl Parts<'_, '_> {
    fn numbers(&self, piece: u64) -> Range<u64> {
        let start = piece * self.length;
        start..(start + self.length).min(self.entries.total())
    }

    /// Loads the parts that were found into memory, if they are needed. `false` when stopped.
    fn load_found(&mut self) -> Result<bool, TableError> {
        let total = self.entries.total();
        for (numbers, part) in self.stage.open_entries()? {
            if numbers.end > total {
                let Range { start, end } = numbers;
                return Err(TableError::Inconsistent {
                    path: part.path().into(),
                    what: format!("entries {start} to {end}, which there are not"),
                });
            }
            if self.layer.is_needed && !self.entries.load(&numbers, &part, self.run.stop)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Pieces for Parts<'_, '_> {
    fn take(&mut self, piece: u64) -> Result<bool, TableError> {
        let numbers = self.numbers(piece);
        if self.stage.gap_within(numbers.clone()).is_empty() {
            return Ok(true);
        }
        let Some(part) = self.stage.find_entries(&numbers)? else { return Ok(false) };
        self.run.progress.advance(numbers.end - numbers.start, 0);
        Ok(!self.layer.is_needed || self.entries.load(&numbers, &part, self.run.stop)?)
    }

    fn make(&mut self, piece: u64) -> Result<bool, TableError> {
        let numbers = self.numbers(piece);
        loop {
            let gap = self.stage.gap_within(numbers.clone());
            if gap.is_empty() {
                return Ok(true);
            }
            if !self.entries.solve(gap.clone())? {
                return Ok(false);
            }
            let stored = self.entries.packing.stored;
            self.stage.save_entries(gap.clone(), self.entries.of(&gap), stored)?;
        }
    }
}

/// The parts become the table: the only piece of a step.
struct Join<'a> {
    layer: DenseLayer<'a>,
    parts: &'a Stage,
    total: u64,
    run: &'a Run<'a>,
    bytes: u64,
}

impl Pieces for Join<'_> {
    fn take(&mut self, _piece: u64) -> Result<bool, TableError> {
        let table = finished(&self.layer, self.total);
        self.bytes = table.as_ref().map_or(0, |table| table.header().file_length);
        Ok(table.is_some())
    }

    fn make(&mut self, _piece: u64) -> Result<bool, TableError> {
        let DenseLayer { path, description, layer, .. } = self.layer;
        let mut writer = DenseWriter::create(path, description.clone(), layer)?;
        for (_, part) in self.parts.open_entries()? {
            if self.run.is_stopped() {
                return Ok(false);
            }
            writer.append(&part)?;
        }
        self.bytes = writer.finish()?.file_length;
        Ok(true)
    }
}

/// Blocks that a thread reads in one go.
const READ: usize = 64;

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
    let unpacking = Unpacking::new(entry);
    let pieces = entries.par_chunks_mut(READ * table.block_entries()).enumerate();
    pieces.try_for_each(|(piece, entries)| {
        if is_stopped() {
            return Ok(());
        }
        table.read_blocks(piece * READ, entries, &unpacking)
    })?;
    Ok(!is_stopped())
}
