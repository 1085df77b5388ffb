//! Layers as a plan: groups of layers that follow each other, with several hands on each.
//!
//! First all groups are found, the first one first, then all are solved, the last one first, then the table
//! is made. Every hand of a group goes through all of its layers, and shares their steps with the others. How
//! many layers there are need not be known for that: those that could be there and have no positions are empty.

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::ops::Range;
use std::path::Path;
use std::slice;

use super::group_files::{Exact, GroupFiles};
use crate::job::hands::{Hand, Pieces};
use crate::job::parts::{join_shards, merge_part, records_of};
use crate::job::work::{Stage, WorkFolder};
use crate::job::{
    Cut, Ending, Expectation, FIXED_MEMORY, JobError, Plan, PlannedStage, Run, ShardId, Step,
    finish_table, is_tidy, merge_shards, unless_finished,
};
use crate::table::{BLOCK_RECORDS, Description, Header, Meta, Record, Table, TableError};

/// What is done to the layers of a job.
pub trait Layers {
    /// A layer that was found.
    type Layer;
    /// A layer that was solved.
    type Answers;

    /// Whether the records of a layer stand in the table behind those of the layer after it, so that files
    /// are joined and need not be merged.
    const IN_ORDER: bool;

    /// How many positions the largest layer of a group has for each hand, at the least.
    const HAND: u64;

    /// Bytes that the layers of a group take at the most, unless it is a single one.
    const GROUP_BYTES: u64;

    /// Bytes that hands exchange of a position that is solved.
    const SOLVED_BYTES: u64;

    /// What a plan takes, all stages together, for a second that the job takes by itself: layers go through
    /// files.
    const IN_FILES: f64;

    /// How many layers there can be.
    fn most(&self) -> u64;

    /// How many positions a layer can have, in comparison with others.
    fn numbers(&self, layer: u64) -> u64;

    /// Bytes of memory that a layer takes once it is found.
    fn layer_bytes(&self, layer: u64) -> u64;

    /// Bytes of memory that some layers take on so many threads while they are found and solved, besides what
    /// they take once they are found.
    fn bytes_on(&self, threads: usize, layers: &Range<u64>) -> u64;

    /// Bytes that a hand reads of what the others have found, and that all write, if there are so many.
    fn exchanged(&self, layers: &Range<u64>, hands: u64) -> [u64; 2];

    /// The records of some layers that were found, in order.
    fn stored<'s>(&'s self, found: &'s BTreeMap<u64, Self::Layer>, some: Range<u64>)
    -> Records<'s>;

    /// How many these are of a layer, about.
    fn stored_len(&self, number: u64, layer: &Self::Layer) -> u64;

    /// Layers from files of such records.
    fn load(
        &self,
        layers: Range<u64>,
        shards: &[Table],
    ) -> Result<BTreeMap<u64, Self::Layer>, TableError>;

    /// How many records a layer has.
    fn count(layer: &Self::Layer) -> u64;

    /// Goes to a layer, of which nothing is known.
    fn begin_finding(&mut self, layer: u64);

    /// Finds the layer at work.
    fn find(&mut self) -> Result<Self::Layer, TableError>;

    /// Goes to the next layer.
    fn follow(&mut self, layer: &Self::Layer) -> Result<(), TableError>;

    /// Goes behind a layer that is to be solved, or recalled, first.
    fn begin_solving(&mut self, layer: u64);

    /// Takes the exact values of a layer, from a file, as they are.
    fn recall(
        &mut self,
        layer: u64,
        found: &BTreeMap<u64, Self::Layer>,
        exact: Exact,
        path: &Path,
    ) -> Result<(), TableError>;

    /// Solves a layer.
    fn solve(
        &mut self,
        layer: u64,
        found: &BTreeMap<u64, Self::Layer>,
    ) -> Result<Self::Answers, TableError>;

    /// The exact values of a layer that was solved.
    fn exact(&self, layer: &Self::Layer, answers: &Self::Answers) -> Exact;

    /// The records of layers that were solved, the last one first, in order.
    fn records<'s>(
        &'s self,
        found: &'s BTreeMap<u64, Self::Layer>,
        solved: &'s mut [(u64, Self::Answers)],
    ) -> Records<'s>;

    /// The last records of a layer that was solved, so many or all that there are.
    fn last_records(
        &self,
        found: &BTreeMap<u64, Self::Layer>,
        solved: &mut (u64, Self::Answers),
        count: usize,
    ) -> Vec<Record> {
        let all = Self::count(&found[&solved.0]) as usize;
        let records = self.records(found, slice::from_mut(solved));
        records.skip(all.saturating_sub(count)).collect()
    }
}

/// Records that come in order.
pub type Records<'s> = Box<dyn Iterator<Item = Record> + 's>;

/// What a job counts that was stopped.
const LAYERS: &str = "layers";

/// Positions that are gathered before they are saved, and how many a file has at the least, if there are
/// several: what is written in part of a second.
const BATCH: u64 = if cfg!(test) { 1 << 12 } else { 1 << 23 };
const FILE: u64 = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// How many records of layers that were found a file has at the least, if there are several.
const FILE_WORDS: u64 = if cfg!(test) { 1 << 6 } else { 1 << 18 };

/// Seconds that a group takes all hands on it, at the most.
const GROUP_SECONDS: f64 = if cfg!(test) { 0.004 } else { 90.0 };

/// Bytes of memory that a position takes until it is saved, and while it is.
const POSITION_BYTES: u64 = 64;

/// The parts of that that the stages take.
const FINDING: f64 = 0.2;
const SOLVING: f64 = 0.6;
const MERGING: f64 = 0.2;
const JOINING: f64 = 0.04;

/// How many records a part of the table has, at the least, if there are several.
const PART: f64 = if cfg!(test) { 1e3 } else { 1e7 };

/// What a stage does.
#[derive(Debug, PartialEq)]
enum Task {
    /// Finds these layers.
    Find(Range<u64>),
    /// Solves these items.
    Solve(Range<u64>),
    /// Merges a part of the table.
    Merge,
    Table,
}

const FIND: &str = "find";
const SOLVE: &str = "solve";
const MERGE: &str = "merge";
const TABLE: &str = "table";

impl Task {
    /// That of a shard's stage, of a job with so many layers.
    fn of(shard: &ShardId, most: u64) -> Option<Self> {
        match &*shard.stage {
            MERGE => return Some(Self::Merge),
            TABLE => return Some(Self::Table),
            _ => {}
        }
        let (rest, end) = shard.stage.rsplit_once('-')?;
        let (name, start) = rest.rsplit_once('-')?;
        let range: Range<u64> = start.parse().ok()?..end.parse().ok()?;
        let task = match name {
            FIND => Self::Find,
            SOLVE => Self::Solve,
            _ => return None,
        };
        (range.start < range.end && range.end <= most).then(|| task(range))
    }
}

/// The plan of a job, of which this is expected.
pub fn plan<L: Layers>(job: &L, expected: &Expectation, cut: Cut) -> Plan {
    let seconds = expected.core_seconds() * L::IN_FILES;
    let numbers = |layer: u64| job.numbers(layer);
    let all = (0..job.most()).map(numbers).sum::<u64>().max(1) as f64;
    let hands = |layers: &Range<u64>| {
        let largest = layers.clone().map(numbers).max().unwrap_or(0) as f64;
        ((largest * expected.positions / all) as u64 / L::HAND).clamp(1, cut.shards.max(1))
    };
    let group_seconds =
        |layers: &Range<u64>| seconds * layers.clone().map(numbers).sum::<u64>() as f64 / all;
    let bytes = |layers: &Range<u64>| layers.clone().map(|it| job.layer_bytes(it)).sum::<u64>();
    let groups = cut_groups(job.most(), |layers| {
        let threads = (hands(layers) * u64::from(cut.cores)) as f64;
        group_seconds(layers) * SOLVING <= GROUP_SECONDS * threads
            && bytes(layers) <= L::GROUP_BYTES
    });
    let stage =
        |name: String, layers: &Range<u64>, share: f64, kept: u64, reads, writes| PlannedStage {
            name,
            shards: hands(layers),
            cores: cut.cores,
            memory: FIXED_MEMORY + job.bytes_on(cut.cores as usize, layers) + kept,
            seconds: group_seconds(layers) * share,
            reads,
            writes,
        };
    let mut stages: Vec<PlannedStage> = Vec::new();
    for group in &groups {
        let (name, sets) = (format!("{FIND}-{}-{}", group.start, group.end), bytes(group));
        let [reads, writes] = job.exchanged(group, hands(group));
        // What follows the two layers before is found again.
        let layers = (group.end - group.start) as f64;
        let again = if group.start > 0 { (layers + 2.0) / layers } else { 1.0 };
        stages.push(stage(name, group, FINDING * again, 2 * sets, reads, writes + sets));
    }
    for group in groups.iter().rev() {
        let items = job.most() - group.end..job.most() - group.start;
        let (name, sets) = (format!("{SOLVE}-{}-{}", items.start, items.end), bytes(group));
        let positions = expected.positions * group_seconds(group) / seconds.max(1e-9);
        let values = positions as u64 * L::SOLVED_BYTES;
        let kept = sets + (BATCH + FILE) * POSITION_BYTES;
        stages.push(stage(name, group, SOLVING, kept, values + sets, values));
    }
    let parts = (expected.positions / PART).clamp(1.0, cut.shards.max(1) as f64) as u64;
    let last = |name: &str, shards: u64, share: f64| PlannedStage {
        name: name.into(),
        shards,
        cores: cut.cores,
        memory: 1 << 30,
        seconds: seconds * share,
        reads: expected.table as u64 / shards,
        writes: expected.table as u64,
    };
    match L::IN_ORDER {
        true => stages.push(last(TABLE, 1, JOINING)),
        false if parts == 1 => stages.push(last(TABLE, 1, MERGING)),
        false => stages.extend([last(MERGE, parts, MERGING), last(TABLE, 1, JOINING)]),
    }
    Plan { file: "table.etb".into(), stages }
}

/// Cuts layers into the fewest groups, none of them too large if it has more than one.
fn cut_groups(most: u64, fits: impl Fn(&Range<u64>) -> bool) -> Vec<Range<u64>> {
    let mut groups = Vec::new();
    let mut start = 0;
    for end in 1..=most {
        if end == most || !fits(&(start..end + 1)) {
            groups.push(start..end);
            start = end;
        }
    }
    groups
}

/// Does what a shard has to do. `begin` makes the job with a hand.
pub fn shard<'a, L: Layers>(
    most: u64,
    begin: impl FnOnce(Hand<'a>) -> Option<L>,
    description: &Description,
    shard: &ShardId,
    run: &Run<'a>,
) -> Result<Ending, JobError> {
    let task = Task::of(shard, most).ok_or_else(|| shard.unknown())?;
    unless_finished(description, run, || match task {
        Task::Table => Ok(finish_table(description, run, |work| make_table::<L>(work, most, run))?),
        Task::Merge => merge(most, description, shard, run),
        task => go_through(most, begin, description, shard, task, run),
    })
}

/// Does what a hand on a group has to do.
fn go_through<'a, L: Layers>(
    most: u64,
    begin: impl FnOnce(Hand<'a>) -> Option<L>,
    description: &Description,
    shard: &ShardId,
    task: Task,
    run: &Run<'a>,
) -> Result<Ending, JobError> {
    let work = WorkFolder::open(run.out, description)?;
    let new_hand = || match shard.of {
        1 => Hand::alone(run.stop),
        _ => Hand::of(shard, work.path(), description, run.stop),
    };
    let (job, hand) = (begin(new_hand()).ok_or_else(|| shard.unknown())?, new_hand());
    // One of the hands is enough to look at every byte of what is there.
    let files = GroupFiles { work: &work, most, thorough: shard.number == 0 };
    let mut group = Group { job, hand, files, run };
    let (done, total) = match task {
        Task::Find(layers) => (group.find(layers.clone()), layers.end - layers.start),
        Task::Solve(items) => (group.solve(items.clone()), items.end - items.start),
        Task::Merge | Task::Table => return Err(shard.unknown()),
    };
    match done {
        Ok(()) => {
            group.hand.clear();
            Ok(Ending::Finished)
        }
        Err(_) if run.is_stopped() => Ok(Ending::Stopped { what: LAYERS, done: 0, total }),
        Err(error) => Err(error.into()),
    }
}

/// Makes the table of what was solved.
fn make_table<L: Layers>(
    work: &WorkFolder,
    most: u64,
    run: &Run<'_>,
) -> Result<Step<Header>, TableError> {
    let stopped = Step::Stopped { what: LAYERS, done: most, total: most };
    let header = with_solved(work, most, |files, solved| {
        if L::IN_ORDER {
            return join_shards(solved, work.description(), run);
        }
        let parts = files.parts()?;
        let merged = || merge_shards(solved, work.description(), run, |record| record);
        match parts.gap(records_in(&solved.open_shards()?)).is_empty() {
            // One that is damaged is not needed.
            true => join_shards(&parts, work.description(), run).or_else(|_| merged()),
            false => merged(),
        }
    })?;
    Ok(header.map_or(stopped, Step::Done))
}

/// Merges a part of the table.
fn merge(
    most: u64,
    description: &Description,
    shard: &ShardId,
    run: &Run<'_>,
) -> Result<Ending, JobError> {
    let work = WorkFolder::open(run.out, description)?;
    let merged = with_solved(&work, most, |files, solved| {
        let (shards, mut parts) = (solved.open_shards()?, files.parts()?);
        let part = records_of(shard.number, shard.of, records_in(&shards));
        Ok(part.is_empty() || parts.has(&part) || merge_part(&shards, part, &mut parts, run)?)
    })?;
    Ok(match merged {
        true => Ending::Finished,
        false => Ending::Stopped { what: "parts", done: 0, total: 1 },
    })
}

fn records_in(shards: &[Table]) -> u64 {
    shards.iter().map(|shard| shard.len()).sum()
}

/// Does something with the files of all records, which are checked while they are read: if that fails, what is
/// damaged is removed, so that it is made again.
fn with_solved<T>(
    work: &WorkFolder,
    most: u64,
    mut read: impl FnMut(&GroupFiles<'_>, &Stage) -> Result<T, TableError>,
) -> Result<T, TableError> {
    let files = GroupFiles { work, most, thorough: false };
    let done = read(&files, &all_solved(&files)?);
    if done.is_err() {
        all_solved(&GroupFiles { work, most, thorough: true })?;
    }
    done
}

/// The files of all records.
fn all_solved(files: &GroupFiles<'_>) -> Result<Stage, TableError> {
    let solved = files.solved(0..files.most)?;
    let gap = solved.gap(files.most);
    match gap.is_empty() {
        true => Ok(solved),
        false => Err(files.work.incomplete("solved layers", &gap)),
    }
}

/// Whether what a shard makes is there.
pub fn is_done(most: u64, description: &Description, shard: &ShardId, out: &Path) -> bool {
    let Some(task) = Task::of(shard, most) else { return false };
    if task == Task::Table {
        return is_tidy(description, out);
    }
    let Some(work) = WorkFolder::existing(out, description) else { return false };
    let files = GroupFiles { work: &work, most, thorough: true };
    match task {
        Task::Find(layers) => is_found(&files, layers),
        Task::Solve(items) => is_solved(&files, items),
        Task::Merge => is_merged(&files, shard),
        Task::Table => Ok(false),
    }
    .unwrap_or(false)
}

fn is_merged(files: &GroupFiles<'_>, shard: &ShardId) -> Result<bool, TableError> {
    let solved = all_solved(&files.listed())?;
    let part = records_of(shard.number, shard.of, records_in(&solved.open_shards()?));
    Ok(files.parts_within(part.clone())?.gap_within(part).is_empty())
}

fn is_found(files: &GroupFiles<'_>, layers: Range<u64>) -> Result<bool, TableError> {
    Ok(files.sets(layers.clone())?.gap_within(layers).is_empty())
}

fn is_solved(files: &GroupFiles<'_>, items: Range<u64>) -> Result<bool, TableError> {
    let front = files.front(&items);
    Ok(files.solved(items.clone())?.gap_within(items).is_empty()
        && files.exact(front.clone())?.gap_within(front).is_empty())
}

/// A hand on a group.
struct Group<'a, L> {
    job: L,
    hand: Hand<'a>,
    files: GroupFiles<'a>,
    run: &'a Run<'a>,
}

impl<L: Layers> Group<'_, L> {
    /// Finds layers, after those before them.
    fn find(&mut self, layers: Range<u64>) -> Result<(), TableError> {
        let Self { job, hand, files, run } = self;
        if is_found(files, layers.clone())? {
            return Ok(());
        }
        let first = layers.start.saturating_sub(2);
        let before = files.load_layers(job, first..layers.start)?;
        run.progress.begin("finding", layers.end - layers.start, 0);
        job.begin_finding(first);
        for layer in before.values() {
            job.follow(layer)?;
        }
        let mut stage = files.sets(layers.end..layers.end)?;
        let last = layers.end - 1..layers.end;
        let is_mended = stage.has(&last);
        let mut found = BTreeMap::new();
        for number in layers.clone() {
            if run.is_stopped() {
                return Err(stopped(files.work));
            }
            // Another hand may be through, and what it has left of the others is gone.
            if !is_mended && stage.has(&last) && is_found(&files.listed(), layers.clone())? {
                return Ok(());
            }
            let layer = job.find()?;
            if number + 1 < layers.end {
                job.follow(&layer)?;
            }
            run.progress.advance(1, L::count(&layer));
            found.insert(number, layer);
        }
        let cuts = cut_sets(job, hand, &layers, &found);
        let make = |stage: &mut Stage, some: Range<u64>| {
            stage.save(some.clone(), job.stored(&found, some).map(Ok)).map(drop)
        };
        save(hand, "sets", &mut stage, &cuts, make, files.work)?;
        run.progress.end();
        Ok(())
    }

    /// Solves items, after those behind them.
    fn solve(&mut self, items: Range<u64>) -> Result<(), TableError> {
        let Self { job, hand, files, run } = self;
        if is_solved(files, items.clone())? {
            return Ok(());
        }
        let most = files.most;
        let number = |item: u64| most - 1 - item;
        let layers = most - items.end..most - items.start;
        // Those whose values are recalled are behind the others.
        let found = files.load_layers(job, layers.start..most.min(layers.end + 2))?;
        run.progress.begin("solving", items.end - items.start, 0);
        let first = items.start.saturating_sub(2);
        job.begin_solving(number(first));
        for item in first..items.start {
            let (exact, path) = files.load_exact(item)?;
            job.recall(number(item), &found, exact, &path)?;
        }
        let front = files.front(&items);
        let mut stage = files.solved(items.end..items.end)?;
        let before = if L::IN_ORDER { files.last_part(items.start)? } else { Vec::new() };
        let batch = Batch { before, first: items.start, layers: Vec::new() };
        let mut solved = Solved { batch, claimed: VecDeque::new() };
        let (mut exact, mut waiting) = (Vec::new(), 0);
        let last = items.end - 1..items.end;
        let is_mended = stage.has(&last);
        for item in items.clone() {
            if run.is_stopped() {
                return Err(stopped(files.work));
            }
            if !is_mended && stage.has(&last) && is_solved(&files.listed(), items.clone())? {
                return Ok(());
            }
            let answers = job.solve(number(item), &found)?;
            let layer = &found[&number(item)];
            if front.contains(&item) {
                exact.push((item, job.exact(layer, &answers)));
            }
            run.progress.advance(1, L::count(layer));
            waiting += L::count(layer);
            solved.batch.layers.push((number(item), answers));
            // The last one has a file of its own, which tells other hands that there is nothing left to do.
            if waiting >= BATCH || item + 2 >= items.end {
                solved.save(job, hand, &mut stage, &found, files.work)?;
                waiting = 0;
            }
        }
        solved.wait(job, hand, &mut stage, &found, files.work, 0)?;
        let cuts: Vec<Range<u64>> = front.map(|item| item..item + 1).collect();
        let make = |stage: &mut Stage, some: Range<u64>| {
            let values = exact.iter().filter(|(item, _)| some.contains(item));
            let records = values.flat_map(|(_, exact)| exact).map(|&(code, value)| {
                Ok(Record { code, meta: Meta::default(), value: value.to_bits() })
            });
            stage.save(some.clone(), records).map(drop)
        };
        let mut stage = files.exact(items.end..items.end)?;
        save(hand, "exact", &mut stage, &cuts, make, files.work)?;
        run.progress.end();
        Ok(())
    }
}

/// Layers that were solved, and are not saved yet.
struct Solved<A> {
    /// Since the last time that something was saved.
    batch: Batch<A>,
    /// Before that, the oldest first: other hands are writing some of their files, and may not come to an end.
    claimed: VecDeque<Claimed<A>>,
}

/// How many batches a hand keeps whose files others are writing before it waits for them: it goes on meanwhile.
const CLAIMED: usize = 1;

/// Layers that are saved together.
struct Batch<A> {
    /// The records before theirs that are in a block of the table with them, if records are in order.
    before: Vec<Record>,
    /// The first item.
    first: u64,
    layers: Vec<(u64, A)>,
}

/// A batch of which other hands write some files.
struct Claimed<A> {
    batch: Batch<A>,
    files: Vec<Range<u64>>,
    /// Which of the files.
    pieces: Vec<u64>,
}

impl<A> Solved<A> {
    /// Saves the batch, but for what others have begun to write.
    fn save<L: Layers<Answers = A>>(
        &mut self,
        job: &L,
        hand: &Hand<'_>,
        stage: &mut Stage,
        found: &BTreeMap<u64, L::Layer>,
        work: &WorkFolder,
    ) -> Result<(), TableError> {
        let counts: Vec<u64> =
            self.batch.layers.iter().map(|(number, _)| L::count(&found[number])).collect();
        let first = self.batch.first + counts.len() as u64;
        let before = self.batch.before(job, found, first);
        let next = Batch { before, first, layers: Vec::new() };
        let mut batch = mem::replace(&mut self.batch, next);
        let files = cut_evenly(batch.first, &counts, hand.pieces(counts.iter().sum(), FILE));
        let make = |stage: &mut Stage, some| batch.make_file(job, found, stage, some);
        let mut pieces = FilePieces { stage, files: &files, make };
        let claimed = hand.claim(&format!("solved-{first}"), files.len() as u64, &mut pieces)?;
        let pieces = claimed.ok_or_else(|| stopped(work))?;
        self.claimed.push_back(Claimed { batch, files, pieces });
        self.claimed.retain(|it| !it.is_saved(stage));
        self.wait(job, hand, stage, found, work, CLAIMED)
    }

    /// Waits until others have written theirs of all batches but the last ones, or does it for them.
    fn wait<L: Layers<Answers = A>>(
        &mut self,
        job: &L,
        hand: &Hand<'_>,
        stage: &mut Stage,
        found: &BTreeMap<u64, L::Layer>,
        work: &WorkFolder,
        last: usize,
    ) -> Result<(), TableError> {
        while self.claimed.len() > last
            && let Some(Claimed { mut batch, files, pieces }) = self.claimed.pop_front()
        {
            let make = |stage: &mut Stage, some| batch.make_file(job, found, stage, some);
            let is_saved = hand.wait_for(pieces, &mut FilePieces { stage, files: &files, make })?;
            is_saved.then_some(()).ok_or_else(|| stopped(work))?;
        }
        Ok(())
    }
}

impl<A> Claimed<A> {
    fn is_saved(&self, stage: &Stage) -> bool {
        self.pieces.iter().all(|&piece| stage.has(&self.files[piece as usize]))
    }
}

impl<A> Batch<A> {
    /// Writes the file of some items.
    fn make_file<L: Layers<Answers = A>>(
        &mut self,
        job: &L,
        found: &BTreeMap<u64, L::Layer>,
        stage: &mut Stage,
        some: Range<u64>,
    ) -> Result<(), TableError> {
        let before = self.before(job, found, some.start);
        let layers = (some.start - self.first) as usize..(some.end - self.first) as usize;
        let records = job.records(found, &mut self.layers[layers]);
        stage.save(some, before.into_iter().chain(records).map(Ok)).map(drop)
    }

    /// The records before those of an item that are in a block of the table with them.
    fn before<L: Layers<Answers = A>>(
        &mut self,
        job: &L,
        found: &BTreeMap<u64, L::Layer>,
        item: u64,
    ) -> Vec<Record> {
        if !L::IN_ORDER {
            return Vec::new();
        }
        let layers = &mut self.layers[..(item - self.first) as usize];
        let count = |layer: &(u64, A)| L::count(&found[&layer.0]) as usize;
        let all = self.before.len() + layers.iter().map(count).sum::<usize>();
        let wanted = all % BLOCK_RECORDS as usize;
        // From the back, no more than that.
        let (mut last, mut missing) = (Vec::new(), wanted);
        for layer in layers.iter_mut().rev() {
            let records = job.last_records(found, layer, missing);
            missing -= records.len();
            last.push(records);
        }
        last.push(self.before[self.before.len() - missing..].to_vec());
        last.reverse();
        last.concat()
    }
}

/// Cuts the layers of a group for its files: the first two and the last two have their own.
fn cut_sets<L: Layers>(
    job: &L,
    hand: &Hand<'_>,
    layers: &Range<u64>,
    found: &BTreeMap<u64, L::Layer>,
) -> Vec<Range<u64>> {
    let Range { start, end } = *layers;
    let (from, to) = ((start + 2).min(end), end.saturating_sub(2).max(start + 2).min(end));
    let words: Vec<u64> = (from..to).map(|layer| job.stored_len(layer, &found[&layer])).collect();
    let files = hand.pieces(words.iter().sum(), FILE_WORDS);
    let mut cuts: Vec<Range<u64>> = (start..from).map(|layer| layer..layer + 1).collect();
    if from < to {
        cuts.extend(cut_evenly(from, &words, files));
    }
    cuts.extend((to..end).map(|layer| layer..layer + 1));
    cuts
}

/// Cuts what follows an item into so many ranges, or fewer, that have about as much each.
fn cut_evenly(first: u64, counts: &[u64], ranges: u64) -> Vec<Range<u64>> {
    let total: u64 = counts.iter().sum();
    let (mut cuts, mut start, mut before) = (Vec::new(), first, 0);
    for (end, count) in (first + 1..).zip(counts) {
        before += count;
        let is_last = end == first + counts.len() as u64;
        if is_last || before * ranges >= total * (cuts.len() as u64 + 1) && before < total {
            cuts.push(start..end);
            start = end;
        }
    }
    cuts
}

/// Makes sure that files are there, each made by one of the hands.
fn save(
    hand: &Hand<'_>,
    step: &str,
    stage: &mut Stage,
    files: &[Range<u64>],
    make: impl FnMut(&mut Stage, Range<u64>) -> Result<(), TableError>,
    work: &WorkFolder,
) -> Result<(), TableError> {
    let saved = hand.share(step, files.len() as u64, &mut FilePieces { stage, files, make })?;
    saved.then_some(()).ok_or_else(|| stopped(work))
}

/// Files as pieces of a step.
struct FilePieces<'a, F> {
    stage: &'a mut Stage,
    files: &'a [Range<u64>],
    make: F,
}

impl<F> Pieces for FilePieces<'_, F>
where
    F: FnMut(&mut Stage, Range<u64>) -> Result<(), TableError>,
{
    fn take(&mut self, piece: u64) -> Result<bool, TableError> {
        Ok(self.stage.has(&self.files[piece as usize]))
    }

    fn make(&mut self, piece: u64) -> Result<bool, TableError> {
        (self.make)(self.stage, self.files[piece as usize].clone())?;
        Ok(true)
    }
}

fn stopped(work: &WorkFolder) -> TableError {
    TableError::io(work.path())(std::io::ErrorKind::Interrupted.into())
}
