//! Jobs: what is to be made, as data, and how it is made on this machine.
//!
//! A job has stages, a stage has shards, and a shard is a range of a stage's items: seeds, entries of
//! a layer, layers. What a shard gives depends on its range and on finished files alone, and it is
//! kept as a file of its own ([`work`]). So shards may come in any order, twice, or from elsewhere;
//! and what is found of an earlier attempt is resumed, because it checks out.
//!
//! - [`Shards`]: a job cut into a [`Plan`], for many machines; [`hands`], for stages whose steps follow from
//!   each other;
//! - [`items`]: items that each give records, sorted into shards and merged into a table;
//! - [`parts`]: shards that are merged part by part, and joined;
//! - [`dense`]: the entries of a layer, solved part by part into a dense table;
//! - [`make_table`]: the frame around both, and around jobs that a game drives by itself.
//!
//! What a file holds is decided by the job's [`Recipe`] alone: neither threads nor memory nor shards nor
//! interruptions show in it.

pub(crate) mod deltas;
pub mod dense;
pub mod hands;
pub mod items;
pub mod parts;
mod plan;
mod progress;
mod stopwatch;
pub mod work;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use plan::{Cut, Plan, PlannedStage, ShardId, Shards};
pub use progress::{Progress, Quiet};
use rayon::prelude::*;
pub(crate) use stopwatch::Stopwatch;
pub use work::work_folder;

use crate::table::{
    Description, Header, Recipe, Record, Table, TableError, Writer, check_output, merge,
    read_header,
};
use work::{Lock, Stage, WorkFolder, remove_work};

/// Something to be made, whatever the game: in one go, or shard by shard.
pub trait Job: Shards {
    /// What is to be made, as named options.
    fn recipe(&self) -> &Recipe;

    /// What it will take, as far as that can be told before it begins.
    fn expect(&self) -> Expectation;

    /// The least memory, in bytes, that it can be made with on the current threads.
    fn least_memory(&self) -> u64;

    /// Makes it, or resumes what was begun.
    ///
    /// # Errors
    /// When the output may not be replaced, the work folder is another job's, or reading or writing
    /// fails. What is done stays, and the same job resumes from there.
    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError>;
}

/// Where a job's files go, and what may be used to make them.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The file or the folder to make.
    pub out: &'a Path,
    /// Bytes of memory to stay within.
    pub memory: u64,
    /// Whether a file that is there may be replaced.
    pub replace: bool,
    /// Set to stop: what is done is saved first.
    pub stop: &'a AtomicBool,
    /// How long work may go on before it is saved, where that takes time: a kill loses so much.
    pub save_every: Duration,
    /// Hears how far it is.
    pub progress: &'a dyn Progress,
}

impl Run<'_> {
    /// Seldom enough that saving takes little of the time.
    pub const SAVE_EVERY: Duration = Duration::from_secs(10);

    /// Whether it shall stop.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// What a job will take.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Expectation {
    /// Positions.
    pub positions: f64,
    /// Whether that is the true number.
    pub exact: bool,
    /// Bytes of what is made.
    pub table: f64,
    /// Bytes of disk at the most, unfinished work included.
    pub disk: f64,
    /// Bytes of memory with which it goes fastest, if that is known.
    pub memory: Option<f64>,
    /// Seconds on the current threads, if that is known.
    pub seconds: Option<f64>,
}

impl Expectation {
    /// Seconds of one core, as far as that is known.
    #[must_use]
    pub fn core_seconds(&self) -> f64 {
        self.seconds.unwrap_or(0.0) * rayon::current_num_threads() as f64
    }
}

/// How a job ended.
#[derive(Clone, Debug)]
pub enum Ending {
    /// Everything is made.
    Finished,
    /// It was stopped; the same job resumes from there.
    Stopped {
        /// What is counted: seeds, layers.
        what: &'static str,
        /// How many are done.
        done: u64,
        /// How many there are.
        total: u64,
    },
}

/// A file that a job has made, or a step of it that makes none.
#[derive(Clone, Debug)]
pub struct Made {
    /// The file, or none if this step leaves none.
    pub path: Option<PathBuf>,
    /// What it is, as the game calls it: a layer, say. Empty if there is only one.
    pub name: String,
    /// How many positions it has.
    pub positions: u64,
    /// How many of them an earlier attempt had finished.
    pub resumed: u64,
    /// How long the others took to solve, if that was measured.
    pub solving: Duration,
    /// Bytes of the file.
    pub bytes: u64,
}

/// Why a job failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// A table could not be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The job contradicts itself, or what it was given.
    #[error("{0}")]
    Check(String),
}

/// Bytes that a job needs besides its records: for each thread and for the writer.
pub const FIXED_MEMORY: u64 = 32 << 20;

/// What a stage came to.
#[derive(Clone, Debug)]
pub enum Step<T> {
    /// To its end.
    Done(T),
    /// It was stopped: so many of so many are done.
    Stopped {
        /// What is counted.
        what: &'static str,
        /// How many are done.
        done: u64,
        /// How many there are.
        total: u64,
    },
}

/// The frame of a job that makes one table: recognises what is finished, opens the work folder,
/// lets `make` go through its stages, and removes the folder when the table is there.
///
/// # Errors
/// When the output may not be replaced, the work folder is another job's, another program is at work
/// in it, or `make` fails.
pub fn make_table(
    description: &Description,
    run: &Run<'_>,
    make: impl FnOnce(&WorkFolder) -> Result<Step<Header>, TableError>,
) -> Result<Ending, TableError> {
    if !run.replace && run.out.is_file() {
        return finished_before(description, run);
    }
    check_output(run.out, run.replace)?;
    let work = WorkFolder::open(run.out, description)?;
    let _lock = Lock::take(&work, run.progress)?;
    match make(&work)? {
        Step::Stopped { what, done, total } => Ok(Ending::Stopped { what, done, total }),
        Step::Done(header) => {
            work.remove()?;
            report(run, &header);
            Ok(Ending::Finished)
        }
    }
}

/// A table that is there stays as it is. If this very job made it and was killed before it could
/// remove its work folder, that is done now.
fn finished_before(description: &Description, run: &Run<'_>) -> Result<Ending, TableError> {
    let exists = || TableError::Exists { path: run.out.into() };
    let table = Table::open(run.out).map_err(|_| exists())?;
    if !work_folder(run.out).exists() || table.header().description != *description {
        return Err(exists());
    }
    // The shards are better than a damaged table.
    let sound = |block| table.verify_block(block).is_ok();
    if !(0..table.blocks()).into_par_iter().all(sound) {
        return Err(exists());
    }
    let work = WorkFolder::open(run.out, description).map_err(|_| exists())?;
    let _lock = Lock::take(&work, run.progress)?;
    work.remove()?;
    report(run, table.header());
    Ok(Ending::Finished)
}

/// The frame of the last shard of a job that makes one table: like [`make_table`], but several programs may
/// be at it at once, and a table that is there already is what was asked for.
///
/// # Errors
/// When the work folder is another job's, or `make` fails.
pub fn finish_table(
    description: &Description,
    run: &Run<'_>,
    make: impl FnOnce(&WorkFolder) -> Result<Step<Header>, TableError>,
) -> Result<Ending, TableError> {
    let work = WorkFolder::open(run.out, description)?;
    match make(&work)? {
        Step::Done(header) => {
            work.remove()?;
            report(run, &header);
            Ok(Ending::Finished)
        }
        Step::Stopped { what, done, total } => Ok(Ending::Stopped { what, done, total }),
    }
}

/// The frame of every shard of a job that makes one table: if that is there, nothing is to be done but to
/// remove what is left of the work; and so it is if another program finishes it, and removes what it was
/// made of, while this one is at work.
///
/// # Errors
/// When `work` fails and the table is not there.
pub fn unless_finished(
    description: &Description,
    run: &Run<'_>,
    work: impl FnOnce() -> Result<Ending, JobError>,
) -> Result<Ending, JobError> {
    let finished = || -> Result<bool, TableError> {
        let finished = is_finished(description, run.out);
        if finished {
            remove_work(run.out, description)?;
        }
        Ok(finished)
    };
    if finished()? {
        return Ok(Ending::Finished);
    }
    match work() {
        Err(_) if finished()? => Ok(Ending::Finished),
        done => done,
    }
}

/// Whether the table of a job is there, every checksum is right, and nothing is left of the work on it.
#[must_use]
pub fn is_tidy(description: &Description, out: &Path) -> bool {
    WorkFolder::existing(out, description).is_none() && is_finished(description, out)
}

/// Whether the table of a job is there, and every checksum is right.
#[must_use]
pub fn is_finished(description: &Description, out: &Path) -> bool {
    let is_there = read_header(out).is_ok_and(|header| header.description == *description);
    is_there
        && Table::open(out).is_ok_and(|table| {
            let sound = |block| table.verify_block(block).is_ok();
            (0..table.blocks()).into_par_iter().all(sound)
        })
}

fn report(run: &Run<'_>, header: &Header) {
    run.progress.made(&Made {
        path: Some(run.out.into()),
        name: String::new(),
        positions: header.records,
        resumed: 0,
        solving: Duration::ZERO,
        bytes: header.file_length,
    });
}

/// The last stage of many jobs: the finished shards of a stage become the table, each record with
/// the value that the table keeps of it. `None` when stopped.
///
/// # Errors
/// When a shard is damaged, two of them contradict each other, or writing fails.
pub fn merge_shards(
    stage: &Stage,
    description: &Description,
    run: &Run<'_>,
    value: impl Fn(Record) -> Record + Sync,
) -> Result<Option<Header>, TableError> {
    let shards = stage.open_shards()?;
    let total = shards.iter().map(|shard| shard.len()).sum();
    let parts = merge(&shards).parts().map(|part| {
        let mut records = part?;
        records.par_iter_mut().for_each(|record| *record = value(*record));
        Ok(records)
    });
    write_table(parts, total, description, run)
}

/// Writes records that come in order, part by part: each while the next one is made. `None` when stopped.
///
/// # Errors
/// When a part is an error, or writing fails.
pub fn write_table(
    mut parts: impl Iterator<Item = Result<Vec<Record>, TableError>>,
    total: u64,
    description: &Description,
    run: &Run<'_>,
) -> Result<Option<Header>, TableError> {
    run.progress.begin("merging", total, 0);
    let mut writer = Writer::create(run.out, description.clone())?;
    let mut next = parts.next();
    while let Some(part) = next {
        let (part, mut pushed) = (part?, Ok(()));
        next = rayon::in_place_scope(|scope| {
            scope.spawn(|_| pushed = writer.push_all(&part));
            parts.next()
        });
        pushed?;
        run.progress.advance(part.len() as u64, part.len() as u64);
        if run.is_stopped() {
            return Ok(None);
        }
    }
    let header = writer.finish()?;
    run.progress.end();
    Ok(Some(header))
}
