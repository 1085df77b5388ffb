//! Drives a kernel through the layers, forward and backward, and keeps what it finds.
//!
//! Layers stay in memory as long as they fit. Now and then, what was done since the last time is saved
//! as a shard: of positions found in the stage `states`, of positions solved in the stage `values`. So
//! it is when memory is full, and then it is loaded again when it is needed. Work that is done before
//! it is time to save writes nothing but the table.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use rayon::prelude::*;

use super::Domain;
use super::answers::{LayerAnswers, ordered};
use super::kernel::{Found, Kernel, Positions};
use crate::job::work::{Stage, WorkFolder};
use crate::job::{Run, Step, merge_shards, write_table};
use crate::table::{Description, Header, Kind, Meta, Record, TableError, ValueKind, merge};

/// What a job counts that was stopped.
const LAYERS: &str = "layers";

/// How many blocks of a shard are read at a time.
const BLOCKS_READ: usize = 512;

/// About how many positions a shard gets at the most, if it holds more than one layer: what is
/// written in a second or so. When stopped, one more is written, not all that is in memory.
const MOST_SHARD: u64 = 1 << 21;

/// Bytes that a position takes in memory while its shard is written or loaded again.
const SHARD_BYTES: u64 = 16;

/// Layers in memory, each with the bytes that it takes.
struct LoadedLayers<L> {
    layers: BTreeMap<u64, (L, u64)>,
    /// The bytes of all.
    bytes: u64,
}

impl<L> Default for LoadedLayers<L> {
    fn default() -> Self {
        Self { layers: BTreeMap::new(), bytes: 0 }
    }
}

impl<L> LoadedLayers<L> {
    fn insert(&mut self, number: u64, layer: L, bytes: u64) {
        self.bytes += bytes;
        if let Some((_, before)) = self.layers.insert(number, (layer, bytes)) {
            self.bytes -= before;
        }
    }

    fn remove(&mut self, number: u64) -> Option<L> {
        let (layer, bytes) = self.layers.remove(&number)?;
        self.bytes -= bytes;
        Some(layer)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

/// A job at work.
pub struct Driver<'a, D, K: Kernel> {
    domain: &'a D,
    kernel: K,
    /// Positions found and saved: item n is layer n.
    states: Stage,
    /// Positions solved and saved: item n is the layer with n layers behind it.
    values: Stage,
    /// Layers found, by number, as far as they are in memory.
    found: LoadedLayers<K::Layer>,
    /// Layers solved, by item, as far as they are in memory.
    solved: LoadedLayers<LayerAnswers<K::Code>>,
    /// Bytes that both may take.
    room: u64,
    /// How many positions a shard of `states` may have, if it holds more than one layer.
    shard: u64,
    /// When something was saved last.
    saved: Instant,
    description: &'a Description,
    run: &'a Run<'a>,
}

impl<'a, D: Domain, K: Kernel> Driver<'a, D, K> {
    /// Takes up what is in the work folder, with so many bytes of memory besides the kernel's.
    pub fn new(
        domain: &'a D,
        kernel: K,
        memory: u64,
        work: &WorkFolder,
        description: &'a Description,
        run: &'a Run<'a>,
    ) -> Result<Self, TableError> {
        let stage = |name, value| {
            let mut stage =
                work.stage(name, Kind::Keyed, Description { value, ..description.clone() })?;
            // Each layer needs the ones before it.
            stage.keep_prefix()?;
            Ok::<_, TableError>(stage)
        };
        Ok(Self {
            domain,
            kernel,
            states: stage("states", ValueKind::None)?,
            values: stage("values", ValueKind::F64)?,
            found: LoadedLayers::default(),
            solved: LoadedLayers::default(),
            room: memory / 4 * 3,
            shard: (memory / 4 / SHARD_BYTES).min(MOST_SHARD),
            saved: Instant::now(),
            description,
            run,
        })
    }

    /// Finds the positions, unless all layers are given, solves them, and writes the table.
    pub fn make(mut self, found: Vec<K::Layer>) -> Result<Step<Header>, TableError> {
        let layers = if found.is_empty() || self.states.done() > 0 {
            self.find()?
        } else {
            Some(self.take_up(found)?)
        };
        let Some(layers) = layers else {
            let total = self.domain.most_layers();
            return Ok(Step::Stopped { what: LAYERS, done: self.states.done(), total });
        };
        let header = if self.solve(layers)? { self.finish(layers)? } else { None };
        let done = self.values.done();
        Ok(header.map_or(Step::Stopped { what: LAYERS, done, total: layers }, Step::Done))
    }

    /// Takes up layers that were found before, and answers how many there are.
    fn take_up(&mut self, layers: Vec<K::Layer>) -> Result<u64, TableError> {
        let count = layers.len() as u64;
        for (number, layer) in (0..).zip(layers) {
            let bytes = self.kernel.bytes(&layer).unwrap_or(0);
            self.found.insert(number, layer, bytes);
        }
        if self.is_full() {
            self.save_states(count)?;
            self.found.clear();
        }
        Ok(count)
    }

    /// Finds all positions, layer by layer, and answers how many layers there are; `None` when
    /// stopped.
    fn find(&mut self) -> Result<Option<u64>, TableError> {
        let mut layer = self.states.done();
        let most = self.domain.most_layers().max(layer);
        self.run.progress.begin("finding", most, layer);
        // What follows the layers that are there already is found again.
        let first = layer.saturating_sub(2);
        self.kernel.begin(first);
        // What follows a layer is in the next one and in the one behind it: where there are gaps, only two empty
        // layers are the end.
        let mut was_empty = !D::HAS_GAPS;
        for before in first..layer {
            let positions = self.take(before)?;
            was_empty = !D::HAS_GAPS || self.kernel.len(&positions) == 0;
            self.kernel.follow(&positions)?;
            if let Some(bytes) = self.kernel.bytes(&positions) {
                self.found.insert(before, positions, bytes);
            }
        }
        let starts = self.domain.starts();
        let last_start = starts.iter().map(|&it| self.domain.layer(it)).max().unwrap_or(0);
        let complete = loop {
            self.run.progress.at(&format!("sum {}", self.domain.sum(layer)));
            let starts = starts.iter().copied().filter(|&it| self.domain.layer(it) == layer);
            self.kernel.add(&starts.collect::<Vec<_>>())?;
            let found = self.kernel.found()?;
            if self.run.is_stopped() {
                break false;
            }
            let is_empty = matches!(&found, Found::Layer(it) if self.kernel.len(it) == 0);
            if is_empty && was_empty && layer > last_start {
                break true;
            }
            was_empty = is_empty || !D::HAS_GAPS;
            let found = match found {
                Found::Layer(found) => found,
                Found::Spills(spills) => {
                    self.save_states(layer)?;
                    let shard = self.states.save(layer..layer + 1, merge(&spills))?;
                    self.kernel.load(layer, Positions::Shard(shard.into()))?
                }
            };
            self.kernel.follow(&found)?;
            self.run.progress.advance(1, self.kernel.len(&found));
            if let Some(bytes) = self.kernel.bytes(&found) {
                self.found.insert(layer, found, bytes);
            }
            layer += 1;
            if self.is_full() {
                self.save_states(layer)?;
                self.found.clear();
            } else if self.is_time() {
                self.save_states(layer)?;
            }
        };
        self.run.progress.end();
        if !complete {
            self.save_states(layer)?;
        }
        Ok(complete.then_some(layer))
    }

    /// Solves all layers, the last one first. `false` when stopped.
    fn solve(&mut self, layers: u64) -> Result<bool, TableError> {
        let first = self.values.done();
        self.run.progress.begin("solving", layers, first);
        self.kernel.begin(layers - first.min(2));
        for item in first.saturating_sub(2)..first {
            let (_, shard) = self.values.shard_of(item)?;
            self.kernel.recall(layers - 1 - item, shard)?;
        }
        for item in first..layers {
            if self.run.is_stopped() {
                self.save(layers, item)?;
                self.run.progress.end();
                return Ok(false);
            }
            let number = layers - 1 - item;
            self.run.progress.at(&format!("sum {}", self.domain.sum(number)));
            let layer = self.take(number)?;
            if self.kernel.bytes(&layer).is_none() {
                self.save(layers, item)?;
            }
            let values = &mut self.values;
            let mut write =
                |records: &mut dyn Iterator<Item = _>| values.save(item..item + 1, records);
            if let Some(answers) = self.kernel.solve(number, &layer, &mut write)? {
                let bytes = answers.len() as u64 * LayerAnswers::<K::Code>::BYTES;
                self.solved.insert(item, answers, bytes);
            }
            self.run.progress.advance(1, self.kernel.len(&layer));
            // It stays until it is saved: what is solved may be damaged before it is used.
            if number >= self.states.done()
                && let Some(bytes) = self.kernel.bytes(&layer)
            {
                self.found.insert(number, layer, bytes);
            }
            let is_full = self.is_full();
            if is_full || self.is_time() {
                self.save(layers, item + 1)?;
                (number..layers).for_each(|solved| drop(self.found.remove(solved)));
            }
            if is_full {
                self.solved.clear();
            }
        }
        self.run.progress.end();
        Ok(true)
    }

    /// Writes the table. `None` when stopped.
    fn finish(&mut self, all: u64) -> Result<Option<Header>, TableError> {
        let Self { description, run, .. } = *self;
        if self.solved.layers.len() as u64 == all {
            let total = self.solved.layers.values().map(|(answers, _)| answers.len() as u64).sum();
            let layers = self.solved.layers.par_iter_mut().map(|(_, (answers, _))| answers);
            let records = ordered(layers, D::meta, |value| self.domain.stored(value));
            let written = write_table(records.map(Ok), total, description, run)?;
            if written.is_none() {
                self.save(all, all)?;
            }
            return Ok(written);
        }
        self.save(all, all)?;
        if self.values.done() < all {
            return Ok(None);
        }
        self.solved.clear();
        let value = |record: Record| {
            let value = self.domain.stored(f64::from_bits(record.value));
            Record { value, ..record }
        };
        merge_shards(&self.values, description, run, value)
    }

    /// Whether what is in memory takes all of its room.
    fn is_full(&self) -> bool {
        self.found.bytes + self.solved.bytes > self.room
    }

    /// Whether it is time to save.
    fn is_time(&self) -> bool {
        self.saved.elapsed() >= self.run.save_every
    }

    /// Saves the layers up to `end` that were found since the last time, in shards that can be loaded
    /// again. When stopped, only the first of them.
    fn save_states(&mut self, end: u64) -> Result<(), TableError> {
        self.saved = Instant::now();
        let mut may_save = true;
        while self.states.done() < end && may_save {
            let mut codes = Vec::new();
            let first = self.states.done();
            let mut next = first;
            while next < end
                && let Some((layer, _)) = self.found.layers.get(&next)
                && (codes.is_empty() || codes.len() as u64 + self.kernel.len(layer) <= self.shard)
            {
                codes.extend(self.kernel.codes(next, layer));
                next += 1;
            }
            if next == first {
                return Ok(());
            }
            codes.par_sort_unstable();
            let meta = Meta::default();
            let records =
                codes.into_iter().map(|code| Ok(Record { code: code.into(), meta, value: 0 }));
            self.states.save(first..next, records)?;
            may_save = !self.run.is_stopped();
        }
        Ok(())
    }

    /// Saves what was done since the last time: all layers found, and those up to the item `end`
    /// solved. Without the first, the second would not be enough to resume.
    fn save(&mut self, layers: u64, end: u64) -> Result<(), TableError> {
        self.save_states(layers)?;
        if self.states.done() < layers {
            return Ok(());
        }
        self.save_values(end)
    }

    /// Saves the layers up to the item `end` that were solved since the last time. When stopped, only
    /// the first shard of them.
    fn save_values(&mut self, end: u64) -> Result<(), TableError> {
        self.saved = Instant::now();
        let mut may_save = true;
        while self.values.done() < end && may_save {
            let first = self.values.done();
            let mut layers = Vec::new();
            let mut count = 0;
            for (_, (answers, _)) in self.solved.layers.range_mut(first..end) {
                if count > 0 && count + answers.len() as u64 > self.shard {
                    break;
                }
                count += answers.len() as u64;
                layers.push(answers);
            }
            if layers.is_empty() {
                return Ok(());
            }
            let items: Range<u64> = first..first + layers.len() as u64;
            let records = ordered(layers, D::meta, f64::to_bits).flatten().map(Ok);
            self.values.save(items, records)?;
            may_save = !self.run.is_stopped();
        }
        Ok(())
    }

    /// A layer that was found. With one that must be loaded again come all of its shard.
    fn take(&mut self, number: u64) -> Result<K::Layer, TableError> {
        if let Some(layer) = self.found.remove(number) {
            return Ok(layer);
        }
        let (items, shard) = self.states.shard_of(number)?;
        if items.end - items.start == 1 && shard.len() > self.kernel.most() {
            return self.kernel.load(number, Positions::Shard(shard.into()));
        }
        let mut codes: BTreeMap<u64, Vec<u64>> = items.map(|item| (item, Vec::new())).collect();
        let blocks: Vec<usize> = (0..shard.blocks()).collect();
        for some in blocks.chunks(BLOCKS_READ) {
            let layers = some.par_iter().map(|&block| {
                let records = shard.block_records(block)?.into_iter();
                let records =
                    records.map(|it| Ok((self.domain.layer_in(it.code, &shard)?, it.code)));
                records.collect::<Result<Vec<_>, TableError>>()
            });
            for block in layers.collect::<Result<Vec<_>, _>>()? {
                for (layer, code) in block {
                    codes.entry(layer).or_default().push(code);
                }
            }
        }
        for (number, codes) in codes {
            let positions = Positions::Codes(codes, shard.path().into());
            let layer = self.kernel.load(number, positions)?;
            let bytes = self.kernel.bytes(&layer).unwrap_or(0);
            self.found.insert(number, layer, bytes);
        }
        self.found.remove(number).ok_or_else(|| TableError::Inconsistent {
            path: shard.path().into(),
            what: format!("no positions of layer {number}"),
        })
    }
}
