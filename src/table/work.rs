//! A folder of sorted runs: what a long generation has done so far.
//!
//! A run is an ordinary table that holds the records of some of the work, items a to b, and is
//! called `run-A-B.etb`. A run that was written in full has its name, checksums and end; anything
//! else in the folder counts for nothing. So the folder can be left at any moment, and what it
//! holds is believed because it checks out, not because it is there.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::mem;
use std::ops::Range;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::format::{Compression, Description};
use super::reader::Table;
use super::record::Record;
use super::set::EXTENSION;
use super::writer::{PARTIAL, Writer, sync_folder};
use super::{TableError, merge};

/// Where a generation keeps its runs.
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
    description: Description,
    /// Finished runs, in the order of their items.
    runs: Vec<Run>,
    /// Locked as long as we are at work here. A killed program's lock is gone with it.
    _lock: File,
}

#[derive(Clone, Debug)]
struct Run {
    items: Range<u64>,
    path: PathBuf,
}

/// Holds the command that the folder belongs to.
const COMMAND: &str = "command";
/// Locked by the program at work in the folder.
const LOCK: &str = "lock";

impl WorkFolder {
    /// Opens the folder at `path`, or makes it. Runs that it holds are checked to the last byte;
    /// one that is damaged is made again.
    ///
    /// # Errors
    /// When it belongs to another command, another program is at work there, or it cannot be read
    /// or written.
    pub fn open(path: &Path, description: Description) -> Result<Self, TableError> {
        fs::create_dir_all(path).map_err(TableError::io(path))?;
        let lock = lock(path)?;
        let command_file = path.join(COMMAND);
        match fs::read_to_string(&command_file) {
            Ok(found) if found != description.command => {
                let expected = description.command;
                return Err(TableError::OtherCommand { path: path.into(), expected, found });
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                write_whole(&command_file, description.command.as_bytes())?;
            }
            Err(source) => return Err(TableError::Io { path: command_file, source }),
        }
        let mut work = Self { path: path.into(), description, runs: Vec::new(), _lock: lock };
        work.find_runs()?;
        Ok(work)
    }

    /// How many items are done.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.runs.iter().map(|run| run.items.end - run.items.start).sum()
    }

    /// The first items, of `total`, that are not done; empty when all are.
    #[must_use]
    pub fn gap(&self, total: u64) -> Range<u64> {
        let mut start = 0;
        for run in &self.runs {
            if run.items.start > start {
                return start..run.items.start.min(total);
            }
            start = run.items.end;
        }
        start..total.max(start)
    }

    /// How many runs there are.
    #[must_use]
    pub fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// Sorts the records of the items from where the first [`gap`](Self::gap) begins to `end`,
    /// drops those that are there twice, and keeps them as a run. The records are gone then.
    ///
    /// # Errors
    /// When writing fails, or one code has two answers.
    pub fn add_run(&mut self, end: u64, records: &mut Vec<Record>) -> Result<(), TableError> {
        records.par_sort_unstable();
        let mut last: Option<Record> = None;
        let once = records.drain(..).filter_map(|record| match last {
            Some(last) if last.code == record.code => {
                merge::check_same(last, record).err().map(Err)
            }
            _ => {
                last = Some(record);
                Some(Ok(record))
            }
        });
        self.add_sorted(end, once).map(drop)
    }

    /// Keeps records that come in order as the run of the items from where the first
    /// [`gap`](Self::gap) begins to `end`, and opens it.
    ///
    /// # Errors
    /// When a record is an error, or writing fails.
    pub fn add_sorted(
        &mut self,
        end: u64,
        records: impl Iterator<Item = Result<Record, TableError>>,
    ) -> Result<Table, TableError> {
        let items = self.gap(end).start..end;
        let path = self.path.join(format!("run-{}-{}.{EXTENSION}", items.start, items.end));
        let mut writer = Writer::create_run(&path, self.run_description(&items))?;
        for record in records {
            writer.push(record?)?;
        }
        writer.finish()?;
        let table = Table::open(&path)?;
        let place = self.runs.partition_point(|run| run.items.start < items.start);
        self.runs.insert(place, Run { items, path });
        Ok(table)
    }

    /// The run that an item is in, and all items of the run.
    ///
    /// # Errors
    /// When there is none, or it cannot be opened.
    pub fn run_of(&self, item: u64) -> Result<(Range<u64>, Table), TableError> {
        let run = self.runs.iter().find(|run| run.items.contains(&item));
        let missing = || TableError::MissingTable { name: self.path.display().to_string() };
        let run = run.ok_or_else(missing)?;
        Ok((run.items.clone(), Table::open(&run.path)?))
    }

    /// Removes the runs behind the first gap: for work of which each step needs the one before.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn keep_first(&mut self) -> Result<(), TableError> {
        let mut end = 0;
        for run in mem::take(&mut self.runs) {
            if run.items.start == end {
                end = run.items.end;
                self.runs.push(run);
            } else {
                fs::remove_file(&run.path).map_err(TableError::io(&run.path))?;
            }
        }
        Ok(())
    }

    /// The runs, opened.
    ///
    /// # Errors
    /// When one cannot be.
    pub fn open_runs(&self) -> Result<Vec<Table>, TableError> {
        self.runs.iter().map(|run| Table::open(&run.path)).collect()
    }

    /// Removes the folder: its work is done. What somebody else has put there stays.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn remove(self) -> Result<(), TableError> {
        let own = self.runs.iter().map(|run| run.path.clone());
        for path in own.chain([COMMAND, LOCK].map(|name| self.path.join(name))) {
            fs::remove_file(&path).map_err(TableError::io(&path))?;
        }
        match fs::remove_dir(&self.path) {
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
            done => done.map_err(TableError::io(&self.path)),
        }
    }

    /// What a run says of itself. Its command names the items, so that no run passes for another.
    fn run_description(&self, items: &Range<u64>) -> Description {
        let command =
            format!("{} (items {} to {})", self.description.command, items.start, items.end);
        // What is there only for a while is not left uncompressed.
        let compression = match self.description.compression {
            Compression::None => Compression::Zstd,
            compression => compression,
        };
        Description { command, compression, ..self.description.clone() }
    }

    /// Takes in the runs that check out. Where one is missing or damaged, a gap remains.
    fn find_runs(&mut self) -> Result<(), TableError> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(TableError::io(&self.path))? {
            let path = entry.map_err(TableError::io(&self.path))?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if let Some(items) = items_of(name) {
                found.push(Run { items, path });
            } else if name.strip_suffix(PARTIAL).is_some_and(|whole| items_of(whole).is_some()) {
                fs::remove_file(&path).map_err(TableError::io(&path))?;
            }
        }
        found.sort_by_key(|run| run.items.start);
        for run in found {
            let before = self.runs.last().map_or(0, |run| run.items.end);
            let apart = run.items.start >= before && run.items.end > run.items.start;
            if apart && checks_out(&run.path, &self.run_description(&run.items)) {
                self.runs.push(run);
            } else {
                fs::remove_file(&run.path).map_err(TableError::io(&run.path))?;
            }
        }
        Ok(())
    }
}

/// The items in the name of a run.
fn items_of(name: &str) -> Option<Range<u64>> {
    let numbers = name.strip_prefix("run-")?.strip_suffix(EXTENSION)?.strip_suffix('.')?;
    let (start, end) = numbers.split_once('-')?;
    Some(start.parse().ok()?..end.parse().ok()?)
}

fn checks_out(path: &Path, expected: &Description) -> bool {
    let Ok(table) = Table::open(path) else { return false };
    table.header().description == *expected
        && (0..table.blocks()).into_par_iter().all(|block| table.verify_block(block).is_ok())
}

/// Two programs at work in one folder would write over each other's runs.
fn lock(folder: &Path) -> Result<File, TableError> {
    let path = folder.join(LOCK);
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let file = file.map_err(TableError::io(&path))?;
    lock_file(&file, folder)?;
    Ok(file)
}

/// Locks a file as long as it is open; `place` is where another program is at work if it has it.
pub(super) fn lock_file(file: &File, place: &Path) -> Result<(), TableError> {
    match fs4::FileExt::try_lock(file) {
        Err(fs4::TryLockError::WouldBlock) => Err(TableError::Busy { path: place.into() }),
        // Some file systems have no locks.
        Ok(()) | Err(fs4::TryLockError::Error(_)) => Ok(()),
    }
}

/// Writes a small file so that it is there as a whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), TableError> {
    let partial = path.with_extension("partial");
    let write = || {
        let mut file = File::create(&partial)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&partial, path)?;
        sync_folder(path)
    };
    write().map_err(TableError::io(path))
}
