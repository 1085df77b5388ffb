//! A layer of a dense table: its entries, solved part by part, by one hand or by several.
//!
//! The parts are the same for everyone: whole blocks, about as many entries as are worth a file. Each goes
//! to the disk as a shard when it is solved, by whichever hand; when all are there, their blocks become the
//! table as they are. So it does not matter who solved which part, when, and in which order. A hand that is
//! alone makes the table at once. Several leave that to the end: nobody waits for a table, since the
//! next layer follows from the parts.

use std::cmp::Reverse;
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
    /// How many entries it has.
    pub entries: u64,
    /// About how many entries are solved before they go to the disk: what a kill can cost.
    pub part: u64,
    /// Whether it gets a file. One that is left out is solved for the layer after it alone.
    pub has_file: bool,
}

impl DenseLayer<'_> {
    /// Entries of a part, but for the last: whole blocks.
    fn part_length(&self) -> u64 {
        (self.part / DenseWriter::BLOCK_ENTRIES).max(1) * DenseWriter::BLOCK_ENTRIES
    }

    /// What hands call a step of it.
    fn step(&self, what: &str) -> String {
        format!("{what}-{}", self.name.replace(' ', "-"))
    }

    /// Whether its file is written at once: nothing is gained by a single part.
    fn is_whole(&self) -> bool {
        self.has_file && self.entries <= self.part_length()
    }

    /// What its parts say of themselves: layers of one job differ in nothing but the number.
    fn part_description(&self) -> Description {
        let mut parts = self.description.clone();
        parts.recipe.options = parts.recipe.options.with("layer", self.layer);
        parts
    }

    /// The parts that are there and check out.
    fn parts(&self, work: &WorkFolder) -> Result<Stage, TableError> {
        work.stage(PARTS, Kind::Dense, self.part_description())
    }

    /// Whether all its parts are there, as far as they say themselves: for those who do not read them.
    #[must_use]
    pub fn lists_parts(&self) -> bool {
        let listed = |work: WorkFolder| {
            let all = 0..self.entries;
            work.stage_listed(PARTS, Kind::Dense, self.part_description(), all).ok()
        };
        let parts = WorkFolder::existing(self.path, self.description).and_then(listed);
        parts.is_some_and(|parts| parts.gap(self.entries).is_empty())
    }

    /// Its table, if it is there and every checksum is right.
    fn finished(&self) -> Option<DenseTable> {
        let table = DenseTable::open(self.path).ok()?;
        let header = table.header();
        let right = header.description == *self.description
            && (header.layer, header.records) == (self.layer, self.entries);
        (right && table.check_blocks().is_ok()).then_some(table)
    }

    /// Makes its table of the parts that hands have left, and answers its bytes. `None` when stopped.
    ///
    /// # Errors
    /// When parts are missing or damaged, or writing fails. Damaged ones are removed.
    fn join(&self, run: &Run<'_>) -> Result<Option<u64>, TableError> {
        let work = WorkFolder::open(self.path, self.description)?;
        self.join_parts(&work, &self.parts(&work)?, run)
    }

    fn join_parts(
        &self,
        work: &WorkFolder,
        parts: &Stage,
        run: &Run<'_>,
    ) -> Result<Option<u64>, TableError> {
        let gap = parts.gap(self.entries);
        if !gap.is_empty() {
            return Err(work.incomplete(PARTS, &gap));
        }
        let mut writer = DenseWriter::create(self.path, self.description.clone(), self.layer)?;
        for (_, part) in parts.open_entries()? {
            if run.is_stopped() {
                return Ok(None);
            }
            writer.append(&part)?;
        }
        Ok(Some(writer.finish()?.file_length))
    }
}

/// The stage of the parts in the work folder.
const PARTS: &str = "entries";

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
    /// Bytes of its file, 0 if it has none, or none yet.
    pub bytes: u64,
    /// How many entries an earlier attempt or another hand had finished.
    pub resumed: u64,
    /// How long solving the others took.
    pub solving: Duration,
}

/// Makes a layer's table, or resumes one; several hands leave its parts. `kept` is the room for all of its
/// entries, if they have to be known at the end. `solve` solves a range of them into the room for just
/// these, and answers `false` when it was stopped. `None` when stopped.
///
/// # Errors
/// When this hand is to be alone and another program makes the same table, or when reading or writing
/// fails. What is done stays.
pub fn make_layer(
    layer: DenseLayer<'_>,
    hand: &Hand<'_>,
    kept: Option<&mut [u8]>,
    packing: Packing,
    run: &Run<'_>,
    mut solve: impl FnMut(&mut [u8], Range<u64>) -> Result<bool, TableError>,
) -> Result<Option<MadeLayer>, TableError> {
    let mut entries = Entries::new(kept, packing, &mut solve);
    if !layer.has_file && hand.is_alone() {
        run.progress.begin(layer.name, layer.entries, 0);
        let solved = entries.solve(0..layer.entries).map(|solved| solved.is_some());
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
    let resumed = layer.entries - entries.made;
    Ok(Some(MadeLayer { bytes, resumed, solving: entries.solving }))
}

/// Writes the table of a layer that was solved as a whole, in the folder of its work; several hands leave its
/// parts. Answers the bytes of its file, `None` when stopped.
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
    if hand.is_alone() {
        let mut solve = |_: &mut [u8], _| Ok(true);
        let mut entries = Entries::new(Some(entries), Packing::NONE, &mut solve);
        return make_parts(layer, hand, work, &mut entries, run);
    }
    // What other hands write need not be read.
    let mut solve = |some: &mut [u8], numbers: Range<u64>| {
        some.copy_from_slice(&entries[numbers.start as usize..numbers.end as usize]);
        Ok(true)
    };
    make_parts(layer, hand, work, &mut Entries::new(None, Packing::NONE, &mut solve), run)
}

/// Makes what is missing of a layer. Answers the bytes of its file, `None` when stopped.
fn make_parts(
    layer: DenseLayer<'_>,
    hand: &Hand<'_>,
    work: &WorkFolder,
    entries: &mut Entries<'_>,
    run: &Run<'_>,
) -> Result<Option<u64>, TableError> {
    let stage = layer.parts(work)?;
    run.progress.begin(layer.name, layer.entries, stage.done());
    if layer.is_whole() && stage.done() == 0 {
        let mut whole = Whole { layer, entries, run, bytes: 0 };
        return Ok(hand.share(&layer.step("whole"), 1, &mut whole)?.then_some(whole.bytes));
    }
    let mut parts = Parts { layer, entries, stage, run };
    let pieces = layer.entries.div_ceil(layer.part_length());
    if !parts.load_found()? || !hand.share(&layer.step(PARTS), pieces, &mut parts)? {
        return Ok(None);
    }
    match layer.has_file && hand.is_alone() {
        true => layer.join_parts(work, &parts.stage, run),
        false => Ok(Some(0)),
    }
}

type Solve<'a> = dyn FnMut(&mut [u8], Range<u64>) -> Result<bool, TableError> + 'a;

/// The entries of a layer in memory: all that are known, or those at work.
struct Entries<'a> {
    kept: Option<&'a mut [u8]>,
    /// The room for some entries where they are not kept.
    room: Vec<u8>,
    packing: Packing,
    solve: &'a mut Solve<'a>,
    /// How many were solved.
    made: u64,
    solving: Duration,
}

impl<'a> Entries<'a> {
    fn new(kept: Option<&'a mut [u8]>, packing: Packing, solve: &'a mut Solve<'a>) -> Self {
        Self { kept, room: Vec::new(), packing, solve, made: 0, solving: Duration::ZERO }
    }

    /// Solves some. `None` when stopped.
    fn solve(&mut self, numbers: Range<u64>) -> Result<Option<&[u8]>, TableError> {
        let start = Instant::now();
        let entries = match &mut self.kept {
            Some(all) => &mut all[numbers.start as usize..numbers.end as usize],
            None => {
                self.room.resize((numbers.end - numbers.start) as usize, 0);
                &mut self.room[..]
            }
        };
        if !(self.solve)(entries, numbers.clone())? {
            return Ok(None);
        }
        self.made += numbers.end - numbers.start;
        self.solving += start.elapsed();
        Ok(Some(entries))
    }

    /// Loads some from the table that has them, if they are kept. `false` when stopped.
    fn load(
        &mut self,
        numbers: &Range<u64>,
        table: &DenseTable,
        stop: &AtomicBool,
    ) -> Result<bool, TableError> {
        let Some(all) = &mut self.kept else { return Ok(true) };
        let entries = &mut all[numbers.start as usize..numbers.end as usize];
        read_entries(table, entries, self.packing.entry, stop)
    }
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
        let Some(table) = self.layer.finished() else { return Ok(false) };
        self.bytes = table.header().file_length;
        self.entries.load(&(0..self.layer.entries), &table, self.run.stop)
    }

    fn make(&mut self, _piece: u64) -> Result<bool, TableError> {
        let DenseLayer { path, description, layer, .. } = self.layer;
        let stored = self.entries.packing.stored;
        let Some(all) = self.entries.solve(0..self.layer.entries)? else { return Ok(false) };
        let mut writer = DenseWriter::create(path, description.clone(), layer)?;
        for some in all.chunks(WRITTEN) {
            if self.run.is_stopped() {
                return Ok(false);
            }
            writer.write(some, stored)?;
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
    run: &'a Run<'a>,
}

impl Parts<'_, '_> {
    fn numbers(&self, piece: u64) -> Range<u64> {
        let length = self.layer.part_length();
        piece * length..((piece + 1) * length).min(self.layer.entries)
    }

    /// Loads the parts that were found into memory, if they are needed. `false` when stopped.
    fn load_found(&mut self) -> Result<bool, TableError> {
        for (numbers, part) in self.stage.open_entries()? {
            if numbers.end > self.layer.entries {
                let Range { start, end } = numbers;
                return Err(TableError::Inconsistent {
                    path: part.path().into(),
                    what: format!("entries {start} to {end}, which there are not"),
                });
            }
            if !self.entries.load(&numbers, &part, self.run.stop)? {
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
        self.entries.load(&numbers, &part, self.run.stop)
    }

    fn make(&mut self, piece: u64) -> Result<bool, TableError> {
        let numbers = self.numbers(piece);
        let stored = self.entries.packing.stored;
        loop {
            let gap = self.stage.gap_within(numbers.clone());
            if gap.is_empty() {
                return Ok(true);
            }
            let Some(solved) = self.entries.solve(gap.clone())? else { return Ok(false) };
            self.stage.save_entries(gap, solved, stored)?;
        }
    }
}

/// Makes the tables of layers of which several hands have left the parts, each by one of them. `false` when
/// stopped.
///
/// # Errors
/// When parts are missing or damaged, or writing fails. Damaged ones are removed.
pub fn join_layers(
    layers: &[DenseLayer<'_>],
    hand: &Hand<'_>,
    run: &Run<'_>,
) -> Result<bool, TableError> {
    let mut layers: Vec<&DenseLayer<'_>> =
        layers.iter().filter(|layer| layer.has_file && !layer.is_whole()).collect();
    // The largest first: they take the longest.
    layers.sort_by_key(|layer| Reverse(layer.entries));
    let Some(largest) = layers.first() else { return Ok(true) };
    let (step, pieces) = (largest.step("tables"), layers.len() as u64);
    hand.share(&step, pieces, &mut Join { layers, run })
}

/// Tables made of parts: each is a piece.
struct Join<'a> {
    layers: Vec<&'a DenseLayer<'a>>,
    run: &'a Run<'a>,
}

impl Pieces for Join<'_> {
    fn take(&mut self, piece: u64) -> Result<bool, TableError> {
        Ok(self.layers[piece as usize].finished().is_some())
    }

    fn make(&mut self, piece: u64) -> Result<bool, TableError> {
        Ok(self.layers[piece as usize].join(self.run)?.is_some())
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
