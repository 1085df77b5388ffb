//! Drives the layers of a numbered pattern, forward and backward, and keeps what is found.
//!
//! A layer that was found is a set of numbers, one that was solved has their values besides, as the
//! table stores them. Both stay in memory as long as they fit. Now and then, what was done since the
//! last time is saved: sets in the stage `found`, codes with their values in the stage `values`, and
//! the exact values of the two layers solved last, which the next ones are worked out from, in the stage
//! `front`. Codes ascend from layer to layer in the order in which they are solved, so that nothing is
//! ever sorted: the table is what was solved, one behind the other.

use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::games::twenty48::dense::{
    AfterstateCodes, AfterstateLayers, Backward, Bits, Forward, SHARE, Share,
};
use crate::games::twenty48::{Board, PatternRules};
use crate::job::hands::Hand;
use crate::job::work::{Stage, WorkFolder};
use crate::job::{Run, Step, write_table};
use crate::table::{Description, Header, Kind, Meta, Record, Table, TableError, ValueKind};

/// What a job counts that was stopped.
const LAYERS: &str = "layers";

/// How many records are put together at a time, and how many blocks are read.
const PART: usize = 1 << 18;
const BLOCKS_READ: usize = 1 << 10;

/// Of the time, saving takes no more than about one in so many parts.
const SAVING: u32 = 8;

/// A job at work.
pub(super) struct Driver<'a> {
    /// How many layers have numbers.
    most: u64,
    layers: &'a AfterstateLayers,
    starts: &'a [Board],
    /// Afterstates found and saved: item n is layer n.
    found: Stage,
    /// Afterstates solved and saved: item n is the layer with n layers behind it.
    values: Stage,
    /// The exact values of the last two of n layers solved: item n.
    front: Stage,
    loaded: Loaded<'a>,
    /// Bytes that sets and values may take.
    room: u64,
    /// When something was saved last, and how long to wait from then on.
    saved: Instant,
    pause: Duration,
    description: &'a Description,
    run: &'a Run<'a>,
}

/// Layers in memory.
struct Loaded<'a> {
    codes: &'a AfterstateCodes,
    /// The sum of layer 0.
    first_sum: u32,
    /// How values are stored.
    value: ValueKind,
    /// Layers found, by number.
    sets: BTreeMap<u64, Arc<Bits>>,
    /// The values of layers solved, by item: as the table stores them, in the order of the numbers.
    solved: BTreeMap<u64, Vec<u8>>,
    /// The exact values of the two layers solved last.
    exact: [Vec<f64>; 2],
}

/// What is solved, and by what.
pub(super) struct Task<'a> {
    pub layers: &'a AfterstateLayers,
    pub codes: &'a AfterstateCodes,
    pub starts: &'a [Board],
    pub first_sum: u32,
}

impl Task<'_> {
    /// The sum of a layer.
    pub fn sum(&self, layer: u64) -> u32 {
        self.first_sum + 2 * layer as u32
    }

    /// How many layers have numbers.
    pub fn most_layers(&self) -> u64 {
        (0..).take_while(|&layer| self.codes.len(self.sum(layer)) > 0).count() as u64
    }
}

impl<'a> Driver<'a> {
    /// Takes up what is in the work folder, with so many bytes of memory for layers.
    pub fn new(
        task: &Task<'a>,
        room: u64,
        work: &WorkFolder,
        description: &'a Description,
        run: &'a Run<'a>,
    ) -> Result<Self, TableError> {
        let stage = |name, value| {
            work.stage(name, Kind::Keyed, Description { value, ..description.clone() })
        };
        let mut driver = Self {
            most: task.most_layers(),
            layers: task.layers,
            starts: task.starts,
            found: stage("found", ValueKind::None)?,
            values: stage("values", description.value)?,
            front: stage("front", ValueKind::F64)?,
            loaded: Loaded {
                codes: task.codes,
                first_sum: task.first_sum,
                value: description.value,
                sets: BTreeMap::new(),
                solved: BTreeMap::new(),
                exact: Default::default(),
            },
            room,
            saved: Instant::now(),
            pause: run.save_every,
            description,
            run,
        };
        driver.found.keep_prefix()?;
        driver.values.keep_prefix()?;
        // What was solved counts as far as it can be gone on with.
        let ends = driver.values.items().map(|items| items.end).rev();
        let fronts: Vec<u64> = driver.front.items().map(|items| items.start).collect();
        let end = ends.into_iter().find(|end| fronts.contains(end)).unwrap_or(0);
        driver.values.keep(0..end)?;
        driver.front.keep(end..end + 1)?;
        Ok(driver)
    }

    /// Finds the afterstates, solves them, and writes the table.
    pub fn make(mut self) -> Result<Step<Header>, TableError> {
        let most = self.most;
        let Some(layers) = self.find(most)? else {
            return Ok(Step::Stopped { what: LAYERS, done: self.found.done(), total: most });
        };
        let header = if self.solve(layers)? { self.finish(layers)? } else { None };
        let done = self.values.done();
        Ok(header.map_or(Step::Stopped { what: LAYERS, done, total: layers }, Step::Done))
    }

    fn sum(&self, layer: u64) -> u32 {
        self.loaded.sum(layer)
    }

    /// Finds all afterstates, layer by layer, and answers how many layers there are; `None` when
    /// stopped.
    fn find(&mut self, most: u64) -> Result<Option<u64>, TableError> {
        let mut layer = self.found.done();
        self.run.progress.begin("finding", most, layer);
        // What follows the layers that are there already is found again.
        let first = layer.saturating_sub(2);
        let hand = Hand::alone(self.run.stop);
        let mut forward = Forward::new(self.layers, self.starts, self.sum(first));
        let mut empty = 0;
        for before in first..layer {
            let set = self.set(before)?;
            empty = if set.is_empty() { empty + 1 } else { 0 };
            forward.follow(&set);
        }
        let last_start = self.last_start();
        let complete = loop {
            if (empty >= 2 && layer > last_start) || layer == most {
                break true;
            }
            if self.run.is_stopped() {
                break false;
            }
            self.run.progress.at(&format!("sum {}", self.sum(layer)));
            let set = forward.find(&hand)?;
            forward.follow(&set);
            let count = set.count();
            empty = if count == 0 { empty + 1 } else { 0 };
            self.run.progress.advance(1, count as u64);
            self.loaded.sets.insert(layer, set.into());
            layer += 1;
            if self.is_full() {
                self.save_found(layer)?;
                self.loaded.sets.clear();
            } else if self.is_time() {
                self.save_found(layer)?;
            }
        };
        self.run.progress.end();
        if !complete {
            self.save_found(layer)?;
        }
        Ok(complete.then_some(layer))
    }

    /// The last layer that something begins in.
    fn last_start(&self) -> u64 {
        let sums = self.starts.iter().map(|&board| PatternRules::sum(board));
        sums.max().map_or(0, |sum| u64::from(sum.saturating_sub(self.loaded.first_sum) / 2))
    }

    /// Solves all layers, the last one first. `false` when stopped.
    fn solve(&mut self, layers: u64) -> Result<bool, TableError> {
        let done = self.values.done();
        self.run.progress.begin("solving", layers, done);
        // The two that were solved last are gone through again.
        let first = done.saturating_sub(2);
        let at = self.sum(layers - 1 - first.min(layers - 1));
        let hand = Hand::alone(self.run.stop);
        let mut backward = Backward::new(self.layers, at);
        for item in first..layers {
            let number = layers - 1 - item;
            let set = self.set(number)?;
            if item < done {
                let known = self.recall(done, number)?;
                backward.recall(&set, known.iter().copied());
                self.loaded.exact = [mem::take(&mut self.loaded.exact[1]), known];
                continue;
            }
            if self.run.is_stopped() {
                self.save(layers, item)?;
                self.run.progress.end();
                return Ok(false);
            }
            self.run.progress.at(&format!("sum {}", self.sum(number)));
            let exact = set.select(backward.solve(&set, &hand)?);
            self.run.progress.advance(1, exact.len() as u64);
            self.loaded.solved.insert(item, self.loaded.stored(&exact));
            self.loaded.exact = [mem::take(&mut self.loaded.exact[1]), exact];
            let is_full = self.is_full();
            if is_full || self.is_time() {
                self.save(layers, item + 1)?;
            }
            if is_full {
                self.loaded.solved.clear();
                self.loaded.sets.clear();
            }
        }
        self.run.progress.end();
        Ok(true)
    }

    /// Writes the table. `None` when stopped.
    fn finish(&mut self, layers: u64) -> Result<Option<Header>, TableError> {
        let written = if self.loaded.solved.len() as u64 == layers {
            let total = self.loaded.solved.values().map(|values| values.len() as u64).sum::<u64>();
            let total = total / self.description.value.bytes() as u64;
            let parts = (0..layers).flat_map(|item| self.loaded.records(layers, item));
            write_table(parts.map(Ok), total, self.description, self.run)?
        } else {
            self.save(layers, layers)?;
            if self.values.done() < layers {
                return Ok(None);
            }
            write_shards(&self.values, self.description, self.run)?
        };
        if written.is_none() {
            self.save(layers, layers)?;
        }
        Ok(written)
    }

    /// The afterstates of a layer.
    fn set(&mut self, number: u64) -> Result<Arc<Bits>, TableError> {
        if let Some(set) = self.loaded.sets.get(&number) {
            return Ok(Arc::clone(set));
        }
        let (_, shard) = self.found.shard_of(number)?;
        let sum = self.sum(number);
        let codes = self.loaded.codes_of(sum);
        let mut numbers = Vec::new();
        for record in shard.records_from(shard.position(codes.start)?) {
            let code = record?.code;
            if code >= codes.end {
                break;
            }
            numbers.push(code - codes.start);
        }
        let set = Arc::new(self.layers.set(sum, &numbers));
        self.loaded.sets.insert(number, Arc::clone(&set));
        Ok(set)
    }

    /// The exact values of a layer, which is one of the two that were solved last of so many.
    fn recall(&self, done: u64, number: u64) -> Result<Vec<f64>, TableError> {
        let (_, shard) = self.front.shard_of(done)?;
        let codes = self.loaded.codes_of(self.sum(number));
        let mut values = Vec::new();
        for record in shard.records_from(shard.position(codes.start)?) {
            let record = record?;
            if record.code >= codes.end {
                break;
            }
            values.push(f64::from_bits(record.value));
        }
        Ok(values)
    }

    /// Whether what is in memory takes all of its room.
    fn is_full(&self) -> bool {
        self.loaded.bytes() > self.room
    }

    /// Whether it is time to save.
    fn is_time(&self) -> bool {
        self.saved.elapsed() >= self.pause
    }

    /// Notes how long saving took.
    fn note_saved(&mut self, began: Instant) {
        let took = began.elapsed().min(self.run.save_every);
        self.pause = self.run.save_every.max(SAVING * took);
        self.saved = Instant::now();
    }

    /// Saves the layers up to `end` that were found since the last time.
    fn save_found(&mut self, end: u64) -> Result<(), TableError> {
        let began = Instant::now();
        let first = self.found.done();
        if first < end {
            self.found.save(first..end, self.loaded.found(first..end).map(Ok))?;
        }
        self.note_saved(began);
        Ok(())
    }

    /// Saves what was done since the last time: all layers found, and those up to the item `end`
    /// solved. Without the first, the second would not be enough to resume.
    fn save(&mut self, layers: u64, end: u64) -> Result<(), TableError> {
        let began = Instant::now();
        self.save_found(layers)?;
        let first = self.values.done();
        if first < end {
            let records = (first..end).flat_map(|item| self.loaded.records(layers, item));
            self.values.save(first..end, records.flatten().map(Ok))?;
            self.front.save(end..end + 1, self.loaded.front(layers, end).map(Ok))?;
            self.front.keep(end..end + 1)?;
        }
        self.note_saved(began);
        Ok(())
    }
}

impl Loaded<'_> {
    fn sum(&self, layer: u64) -> u32 {
        self.first_sum + 2 * layer as u32
    }

    /// Bytes that sets and values take.
    fn bytes(&self) -> u64 {
        let sets: usize = self.sets.values().map(|set| set.bytes()).sum();
        let values: usize = self.solved.values().map(Vec::len).sum();
        (sets + values) as u64
    }

    /// The codes of a layer's numbers.
    fn codes_of(&self, sum: u32) -> Range<u64> {
        let first = self.codes.offset(sum);
        first..first + self.codes.len(sum)
    }

    /// Values as the table stores them.
    fn stored(&self, values: &[f64]) -> Vec<u8> {
        let kind = self.value;
        let width = kind.bytes();
        let mut stored = vec![0; values.len() * width];
        let pieces = stored.par_chunks_mut(PART * width).zip(values.par_chunks(PART));
        pieces.for_each(|(stored, values)| {
            for (stored, &value) in stored.chunks_exact_mut(width).zip(values) {
                stored.copy_from_slice(&kind.encode_chance(value).to_le_bytes()[..width]);
            }
        });
        stored
    }

    /// The codes of a layer's afterstates.
    fn set_codes(&self, layer: u64) -> impl Iterator<Item = u64> {
        let first = self.codes.offset(self.sum(layer));
        self.sets[&layer].iter().map(move |number| first + u64::from(number))
    }

    /// The afterstates of some layers. The last ones have the smallest codes.
    fn found(&self, layers: Range<u64>) -> impl Iterator<Item = Record> {
        let codes = layers.rev().flat_map(|layer| self.set_codes(layer));
        codes.map(|code| record(code, 0))
    }

    /// The records of an item, of so many, part by part.
    fn records(&self, layers: u64, item: u64) -> impl Iterator<Item = Vec<Record>> {
        let layer = layers - 1 - item;
        let first = self.codes.offset(self.sum(layer));
        let width = self.value.bytes();
        let mut values = &self.solved[&item][..];
        self.sets[&layer].pieces(PART / SHARE).map(move |shares| {
            let shares: Vec<(Share<'_>, &[u8])> = shares
                .into_iter()
                .map(|share| (share, values.split_off(..share.count() * width).unwrap_or(&[])))
                .collect();
            let records = shares.into_par_iter().map(|(share, values)| {
                let mut values = values.chunks_exact(width).map(|value| {
                    let mut bytes = [0; 8];
                    bytes[..width].copy_from_slice(value);
                    u64::from_le_bytes(bytes)
                });
                let mut records = Vec::with_capacity(values.len());
                share.each(|number| {
                    records.extend(values.next().map(|value| record(first + number as u64, value)));
                });
                records
            });
            records.collect::<Vec<_>>().concat()
        })
    }

    /// The exact values of the two items, of so many, that were solved last, up to `end`.
    fn front(&self, layers: u64, end: u64) -> impl Iterator<Item = Record> {
        let last = (end.saturating_sub(2)..end).zip(&self.exact[2 - end.min(2) as usize..]);
        last.flat_map(move |(item, exact)| {
            let codes = self.set_codes(layers - 1 - item);
            codes.zip(exact).map(|(code, value)| record(code, value.to_bits()))
        })
    }
}

pub(super) fn record(code: u64, value: u64) -> Record {
    Record { code, meta: Meta::default(), value }
}

/// Writes the table of all shards, one behind the other. `None` when stopped.
fn write_shards(
    values: &Stage,
    description: &Description,
    run: &Run<'_>,
) -> Result<Option<Header>, TableError> {
    let shards = values.open_shards()?;
    let total = shards.iter().map(|shard| shard.len()).sum();
    write_table(shards.iter().flat_map(parts_of), total, description, run)
}

/// The records of a shard, part by part.
fn parts_of(shard: &Table) -> impl Iterator<Item = Result<Vec<Record>, TableError>> {
    let blocks: Vec<usize> = (0..shard.blocks()).collect();
    let starts = (0..blocks.len()).step_by(BLOCKS_READ);
    starts.map(move |start| {
        let some = &blocks[start..blocks.len().min(start + BLOCKS_READ)];
        let records = some.par_iter().map(|&block| shard.block_records(block));
        Ok(records.collect::<Result<Vec<_>, _>>()?.concat())
    })
}
