//! Work folders: the finished shards of an unfinished job.
//!
//! A shard is an ordinary table, keyed or dense, that holds what some items of a stage gave, and is
//! called `STAGE-A-B.etb` or `.etd` for the items a to b. A shard that was written in full has its name,
//! checksums and end; anything else in the folder counts for nothing. So the folder can be left at any
//! moment, shards may come in any order and from several programs, and what the folder holds is
//! believed because it checks out, not because it is there.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::mem;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use rayon::prelude::*;

use super::Progress;
use super::hands::is_pieces;
use crate::table::{
    Compression, DENSE_EXTENSION, DenseTable, DenseWriter, Description, EXTENSION, Kind, NewFile,
    Recipe, Record, Table, TableError, Writer, check_same, read_header, unfinished,
};

/// The folder of a table's unfinished work: its name with `.work` behind it.
#[must_use]
pub fn work_folder(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".work");
    name.into()
}

/// Removes what is left of the work on a table that is finished: a kill may come between the two.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_work(table: &Path, description: &Description) -> Result<(), TableError> {
    if !work_folder(table).is_dir() {
        return Ok(());
    }
    match WorkFolder::open(table, description) {
        Ok(work) => work.remove(),
        // Not ours.
        Err(_) => Ok(()),
    }
}

/// Where a job keeps its finished shards. It belongs to one job: to its recipe, rules and version.
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
    description: Description,
}

/// Says whose the folder is.
const RECIPE: &str = "recipe";
/// Locked by a program that makes the whole table on one machine.
const LOCK: &str = "lock";
/// How often a folder is made that another program removes meanwhile.
const TRIES: u32 = 8;
/// The stage of files that are there only for a moment.
const SPILL: &str = "spill";

impl WorkFolder {
    /// Opens the folder of a table, or makes it.
    ///
    /// # Errors
    /// When it belongs to another job, or cannot be read or written.
    pub fn open(table: &Path, description: &Description) -> Result<Self, TableError> {
        let path = work_folder(table);
        if path.symlink_metadata().is_ok() && !path.is_dir() {
            let what = "not a folder, and the work on the table needs one here; remove it, or \
                        choose another output";
            return Err(TableError::Inconsistent { path, what: what.into() });
        }
        // Another program may just now be removing it, once it has no more use for it.
        let mut tries = (0..TRIES).map(|_| Self::claim(&path, description));
        let vanished = |opened: &Result<(), TableError>| matches!(opened, Err(TableError::Io { source, .. }) if source.kind() == ErrorKind::NotFound);
        let opened = tries.find(|opened| !vanished(opened));
        opened.unwrap_or_else(|| Self::claim(&path, description))?;
        Ok(Self { path, description: description.clone() })
    }

    /// Makes a folder, unless it is there, and says whose it is.
    fn claim(path: &Path, description: &Description) -> Result<(), TableError> {
        fs::create_dir_all(path).map_err(TableError::io(path))?;
        let recipe_file = path.join(RECIPE);
        match fs::read(&recipe_file) {
            Ok(text) => check_recipe(path, &text, description),
            Err(error) if error.kind() == ErrorKind::IsADirectory => Err(damaged(path)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let file = NewFile::create(&recipe_file)?;
                let text = description.text();
                file.file().write_all(text.as_bytes()).map_err(TableError::io(&recipe_file))?;
                file.finish(true)
            }
            Err(source) => Err(TableError::Io { path: recipe_file, source }),
        }
    }

    /// The folder of a table, if it is there and belongs to the job.
    #[must_use]
    pub fn existing(table: &Path, description: &Description) -> Option<Self> {
        let path = work_folder(table);
        let text = fs::read(path.join(RECIPE)).ok()?;
        check_recipe(&path, &text, description).ok()?;
        Some(Self { path, description: description.clone() })
    }

    /// The error for items that are to be there and are not.
    #[must_use]
    pub fn incomplete(&self, what: &str, gap: &Range<u64>) -> TableError {
        TableError::Inconsistent {
            path: self.path.clone(),
            what: format!(
                "{what} {} to {} are not there; run what is left of the plan",
                gap.start, gap.end
            ),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the job makes.
    #[must_use]
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// A stage with its finished shards, which are checked to the last byte: one that is damaged is
    /// removed. `name` is in small letters; `description` says what its shards hold.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn stage(
        &self,
        name: &'static str,
        kind: Kind,
        description: Description,
    ) -> Result<Stage, TableError> {
        self.stage_within(name, kind, description, 0..u64::MAX)
    }

    /// The same with no more than the shards that lie within some items.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn stage_within(
        &self,
        name: &'static str,
        kind: Kind,
        description: Description,
        items: Range<u64>,
    ) -> Result<Stage, TableError> {
        let mut stage = self.new_stage(name, kind, description);
        stage.find_shards(&items, Stage::checks_out)?;
        Ok(stage)
    }

    /// The same with shards of which no more is looked at than what they say they are: for those who do not
    /// read them.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn stage_listed(
        &self,
        name: &'static str,
        kind: Kind,
        description: Description,
        items: Range<u64>,
    ) -> Result<Stage, TableError> {
        let mut stage = self.new_stage(name, kind, description);
        stage.find_shards(&items, |stage, shard| stage.has(&shard.items))?;
        Ok(stage)
    }

    fn new_stage(&self, name: &'static str, kind: Kind, description: Description) -> Stage {
        Stage { path: self.path.clone(), name, kind, description, shards: Vec::new() }
    }

    /// Keeps records that come in order in a file that has no name any more as soon as it is opened: it
    /// is gone with the program, whatever happens.
    ///
    /// # Errors
    /// When writing fails.
    pub fn spill(
        &self,
        description: Description,
        records: impl Iterator<Item = Record>,
    ) -> Result<Table, TableError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let part = count..u64::from(process::id());
        let path = self.path.join(format!("{SPILL}-{}-{}.{EXTENSION}", part.start, part.end));
        let mut writer = Writer::create_shard(&path, marked(description, SPILL, &part))?;
        for record in records {
            writer.push(record)?;
        }
        writer.finish()?;
        let table = Table::open(&path)?;
        fs::remove_file(&path).map_err(TableError::io(&path))?;
        Ok(table)
    }

    /// Removes the folder: its work is done. What somebody else has put there stays. Others may be removing it,
    /// too.
    ///
    /// # Errors
    /// When it cannot be.
    pub fn remove(self) -> Result<(), TableError> {
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(TableError::io(&self.path))?,
        };
        let recipe = self.path.join(RECIPE);
        // Whose the folder is can be told to the end: what a kill leaves is removed later.
        let mut paths = entries
            .map(|entry| Ok(entry.map_err(TableError::io(&self.path))?.path()))
            .collect::<Result<Vec<PathBuf>, TableError>>()?;
        paths.sort_unstable_by_key(|path| *path == recipe);
        for path in paths {
            let data = path.symlink_metadata();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let removed = match data {
                Ok(data) if data.is_file() && self.is_ours(&path) => fs::remove_file(&path),
                Ok(data) if data.is_dir() && is_pieces(name) => fs::remove_dir_all(&path),
                _ => Ok(()),
            };
            // Another hand may have left something there just now; it removes it itself.
            let harmless = [ErrorKind::NotFound, ErrorKind::DirectoryNotEmpty];
            match removed {
                Err(error) if !harmless.contains(&error.kind()) => {
                    return Err(TableError::Io { path, source: error });
                }
                _ => {}
            }
        }
        match fs::remove_dir(&self.path) {
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            // Somebody else has put a link there.
            Err(error) if error.kind() == ErrorKind::NotADirectory => Ok(()),
            done => done.map_err(TableError::io(&self.path)),
        }
    }

    /// Whether a file in the folder is this job's: its bookkeeping, or a shard that says so itself,
    /// finished or not.
    fn is_ours(&self, path: &Path) -> bool {
        let name = path.file_name().unwrap_or_default();
        if let Some(target) = unfinished(name) {
            return target == RECIPE.as_bytes()
                || std::str::from_utf8(target).is_ok_and(|target| parse_name(target).is_some());
        }
        if name == RECIPE || name == LOCK {
            return true;
        }
        let Some((stage, _)) = name.to_str().and_then(parse_name) else { return false };
        read_header(path).is_ok_and(|header| {
            is_shard_of(&header.description.recipe, &self.description.recipe, stage)
        })
    }
}

/// Whether a table says of itself that it is a shard of a stage of a job.
fn is_shard_of(recipe: &Recipe, job: &Recipe, stage: &str) -> bool {
    let of_job = |(name, value): (&str, Option<&str>)| recipe.options.get(name) == value;
    recipe.game == job.game
        && job.options.iter().all(of_job)
        && recipe.options.get(STAGE) == Some(stage)
        && recipe.options.has(ITEMS)
}

/// Options of a shard's recipe: which stage it is of, and which items it has.
const STAGE: &str = "stage";
const ITEMS: &str = "items";

/// What a shard says of itself. It names stage and items, so that no shard passes for another.
fn marked(mut description: Description, stage: &str, items: &Range<u64>) -> Description {
    let options = mem::take(&mut description.recipe.options);
    let items = format!("{}..{}", items.start, items.end);
    description.recipe.options = options.with(STAGE, stage).with(ITEMS, items);
    description
}

/// What says whose the folder is cannot be read.
fn damaged(folder: &Path) -> TableError {
    TableError::Inconsistent {
        path: folder.join(RECIPE),
        what: format!("damaged; remove the folder {} and begin anew", folder.display()),
    }
}

/// Checks that a folder belongs to a job.
fn check_recipe(folder: &Path, text: &[u8], expected: &Description) -> Result<(), TableError> {
    if text == expected.text().as_bytes() {
        return Ok(());
    }
    let text = std::str::from_utf8(text).map_err(|_| damaged(folder))?;
    let found = Description::parse_recipe(text, folder).map_err(|_| damaged(folder))?;
    if found == expected.recipe {
        // The same job, but of another version of the program, or cut short.
        return Err(TableError::Inconsistent {
            path: folder.into(),
            what: "holds the work of another version of endtable; remove the folder and begin anew"
                .into(),
        });
    }
    Err(TableError::OtherRecipe {
        path: folder.into(),
        expected: expected.recipe.clone().into(),
        found: Box::new(found),
    })
}

/// Keeps two programs on one machine from making the same table at once. Shards need no lock: it would
/// only be work done twice.
#[derive(Debug)]
pub struct Lock {
    /// Locked as long as it is open: a killed program's lock is gone with it.
    file: File,
}

/// To close the file is not enough: a process that this one has forked holds it until it runs its own
/// program.
impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl Lock {
    /// Takes the lock of a folder. Where there are no locks, as on some network file systems, that is
    /// said, and the work goes on.
    ///
    /// # Errors
    /// When another program has it.
    pub fn take(work: &WorkFolder, progress: &dyn Progress) -> Result<Self, TableError> {
        let path = work.path.join(LOCK);
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|error| match error.kind() {
            ErrorKind::IsADirectory => damaged(&work.path),
            _ => TableError::io(&path)(error),
        })?;
        note_lock(file.try_lock(), &work.path, progress)?;
        Ok(Self { file })
    }
}

/// What the try to lock a folder came to.
fn note_lock(
    tried: Result<(), TryLockError>,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<(), TableError> {
    match tried {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(TableError::Busy { path: folder.into() }),
        Err(TryLockError::Error(error)) => {
            progress.note(&format!(
                "{}: cannot be locked ({error}); make sure that no other endtable makes the same table",
                folder.display()
            ));
            Ok(())
        }
    }
}

/// A stage of a job: its finished shards.
#[derive(Debug)]
pub struct Stage {
    path: PathBuf,
    name: &'static str,
    kind: Kind,
    description: Description,
    /// In the order of their items, none overlapping.
    shards: Vec<Shard>,
}

/// A finished shard: a range of a stage's items, and its file.
#[derive(Clone, Debug)]
struct Shard {
    items: Range<u64>,
    path: PathBuf,
}

impl Stage {
    /// How many items are done.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.shards.iter().map(|shard| shard.items.end - shard.items.start).sum()
    }

    /// The first items, of `total`, that are not done; empty when all are.
    #[must_use]
    pub fn gap(&self, total: u64) -> Range<u64> {
        self.gap_within(0..total)
    }

    /// The first of some items that are not done; empty when all are.
    #[must_use]
    pub fn gap_within(&self, items: Range<u64>) -> Range<u64> {
        let mut start = items.start;
        for shard in self.shards.iter().filter(|shard| shard.items.end > items.start) {
            if shard.items.start > start {
                return start..shard.items.start.min(items.end);
            }
            start = shard.items.end;
        }
        start..items.end.max(start)
    }

    /// Whether the file of a shard is there and says that it is what it should be. Its records are not
    /// looked at.
    #[must_use]
    pub fn has(&self, items: &Range<u64>) -> bool {
        let expected = self.shard_description(items);
        let path = self.shard_path(items);
        match self.kind {
            Kind::Keyed => Table::open(path).is_ok_and(|it| it.header().description == expected),
            Kind::Dense => DenseTable::open(path).is_ok_and(|it| {
                it.header().description == expected && it.len() == items.end - items.start
            }),
        }
    }

    /// How many shards there are.
    #[must_use]
    pub fn shard_count(&self) -> usize {
        self.shards.len()
    }

    /// Sorts the records of some items, drops those that are there twice, and keeps them as a shard.
    /// The records are gone then, their room stays.
    ///
    /// # Errors
    /// When writing fails, or one code has two answers.
    pub fn save_unsorted(
        &mut self,
        items: Range<u64>,
        records: &mut Vec<Record>,
    ) -> Result<(), TableError> {
        records.par_sort_unstable();
        let mut conflict = None;
        records.dedup_by(|one, before| {
            let twice = one.code == before.code;
            if twice && let Err(error) = check_same(*before, *one) {
                conflict.get_or_insert(error);
            }
            twice
        });
        if let Some(conflict) = conflict {
            return Err(conflict);
        }
        let path = self.shard_path(&items);
        let mut writer = Writer::create_shard(&path, self.shard_description(&items))?;
        writer.push_all(records)?;
        writer.finish()?;
        records.clear();
        self.insert(Shard { items, path });
        Ok(())
    }

    /// Keeps the records of some items, which come in order, as a shard, and opens it.
    ///
    /// # Errors
    /// When a record is an error, or writing fails.
    pub fn save(
        &mut self,
        items: Range<u64>,
        records: impl Iterator<Item = Result<Record, TableError>>,
    ) -> Result<Table, TableError> {
        let path = self.shard_path(&items);
        let mut writer = Writer::create_shard(&path, self.shard_description(&items))?;
        for record in records {
            writer.push(record?)?;
        }
        writer.finish()?;
        let table = Table::open(&path)?;
        self.insert(Shard { items, path });
        Ok(table)
    }

    /// Keeps entries of a dense table as a shard: those with the numbers `items`.
    ///
    /// # Errors
    /// When writing fails.
    pub fn save_entries(
        &mut self,
        items: Range<u64>,
        entries: &[u8],
        stored: impl Fn(u8) -> u8 + Sync,
    ) -> Result<(), TableError> {
        let path = self.shard_path(&items);
        let mut writer = DenseWriter::create_shard(&path, self.shard_description(&items), 0)?;
        writer.write(entries, stored)?;
        writer.finish()?;
        self.insert(Shard { items, path });
        Ok(())
    }

    /// Entries that another hand has kept as a shard since, opened; `None` if it is not there. A damaged one is
    /// removed.
    ///
    /// # Errors
    /// When that cannot be.
    pub fn find_entries(&mut self, items: &Range<u64>) -> Result<Option<DenseTable>, TableError> {
        let shard = Shard { items: items.clone(), path: self.shard_path(items) };
        let Some(seen) = Seen::at(&shard.path) else { return Ok(None) };
        if !self.checks_out(&shard) {
            if !self.is_foreign(&shard) {
                seen.remove(&shard.path)?;
            }
            return Ok(None);
        }
        let overlaps = |it: &Shard| it.items.start < items.end && items.start < it.items.end;
        let within = |it: &Shard| items.start <= it.items.start && it.items.end <= items.end;
        if self.shards.iter().any(|it| overlaps(it) && !within(it)) {
            return Ok(None);
        }
        let table = DenseTable::open(&shard.path)?;
        self.shards.retain(|it| !within(it));
        self.insert(shard);
        Ok(Some(table))
    }

    fn insert(&mut self, shard: Shard) {
        let place = self.shards.partition_point(|it| it.items.start < shard.items.start);
        self.shards.insert(place, shard);
    }

    /// The shard that an item is in, and all items of it.
    ///
    /// # Errors
    /// When there is none, or it cannot be opened.
    pub fn shard_of(&self, item: u64) -> Result<(Range<u64>, Table), TableError> {
        let shard = self.shards.iter().find(|shard| shard.items.contains(&item));
        let missing = || TableError::MissingTable {
            name: format!("{}/{}-{item}", self.path.display(), self.name),
        };
        let shard = shard.ok_or_else(missing)?;
        Ok((shard.items.clone(), Table::open(&shard.path)?))
    }

    /// Removes the shards behind the first gap: for stages of which each item needs the one before.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn keep_prefix(&mut self) -> Result<(), TableError> {
        let mut end = 0;
        for shard in mem::take(&mut self.shards) {
            if shard.items.start == end {
                end = shard.items.end;
                self.shards.push(shard);
            } else {
                fs::remove_file(&shard.path).map_err(TableError::io(&shard.path))?;
            }
        }
        Ok(())
    }

    /// The items of each shard.
    pub fn items(&self) -> impl DoubleEndedIterator<Item = Range<u64>> {
        self.shards.iter().map(|shard| shard.items.clone())
    }

    /// Removes the shards that do not lie within some items.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn keep(&mut self, items: Range<u64>) -> Result<(), TableError> {
        for shard in mem::take(&mut self.shards) {
            if items.start <= shard.items.start && shard.items.end <= items.end {
                self.shards.push(shard);
            } else {
                fs::remove_file(&shard.path).map_err(TableError::io(&shard.path))?;
            }
        }
        Ok(())
    }

    /// The shards of a stage of records, opened.
    ///
    /// # Errors
    /// When one cannot be.
    pub fn open_shards(&self) -> Result<Vec<Table>, TableError> {
        self.shards.iter().map(|shard| Table::open(&shard.path)).collect()
    }

    /// The shards of a stage of entries, opened, each with its items.
    ///
    /// # Errors
    /// When one cannot be.
    pub fn open_entries(&self) -> Result<Vec<(Range<u64>, DenseTable)>, TableError> {
        let open = |shard: &Shard| Ok((shard.items.clone(), DenseTable::open(&shard.path)?));
        self.shards.iter().map(open).collect()
    }

    fn shard_path(&self, items: &Range<u64>) -> PathBuf {
        let extension = match self.kind {
            Kind::Keyed => EXTENSION,
            Kind::Dense => DENSE_EXTENSION,
        };
        let Range { start, end } = items;
        self.path.join(format!("{}-{start}-{end}.{extension}", self.name))
    }

    /// What a shard says of itself.
    fn shard_description(&self, items: &Range<u64>) -> Description {
        let mut description = marked(self.description.clone(), self.name, items);
        // What is there only for a while is not left uncompressed.
        if description.compression == Compression::None {
            description.compression = Compression::Zstd;
        }
        description
    }

    /// Takes in the shards that check out. Where one is missing or damaged, a gap remains.
    fn find_shards(
        &mut self,
        within: &Range<u64>,
        checks_out: impl Fn(&Self, &Shard) -> bool,
    ) -> Result<(), TableError> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(TableError::io(&self.path))? {
            let path = entry.map_err(TableError::io(&self.path))?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Some((stage, items)) = parse_name(name)
                && stage == self.name
                && self.shard_path(&items) == path
                && within.start <= items.start
                && items.end <= within.end
            {
                found.push(Shard { items, path });
            }
        }
        for shard in found.into_iter().filter(|shard| !shard.items.is_empty()) {
            let seen = Seen::at(&shard.path);
            if checks_out(self, &shard) {
                self.shards.push(shard);
            } else if !self.is_foreign(&shard)
                && File::open(&shard.path).is_ok()
                && let Some(seen) = seen
            {
                // What cannot be read may be sound.
                seen.remove(&shard.path)?;
            }
        }
        self.shards = most_items(mem::take(&mut self.shards));
        Ok(())
    }

    /// Whether a file under the name of a shard is a table of something else: not ours to remove.
    fn is_foreign(&self, shard: &Shard) -> bool {
        read_header(&shard.path).is_ok_and(|header| {
            !is_shard_of(&header.description.recipe, &self.description.recipe, self.name)
        })
    }

    fn checks_out(&self, shard: &Shard) -> bool {
        let expected = self.shard_description(&shard.items);
        match self.kind {
            Kind::Keyed => Table::open(&shard.path).is_ok_and(|table| {
                table.header().description == expected
                    && (0..table.blocks())
                        .into_par_iter()
                        .all(|block| table.verify_block(block).is_ok())
            }),
            Kind::Dense => DenseTable::open(&shard.path).is_ok_and(|table| {
                table.header().description == expected
                    && table.len() == shard.items.end - shard.items.start
                    && table.check_blocks().is_ok()
            }),
        }
    }
}

/// Those shards, none overlapping, that have the most items: work that was cut in other ways before leaves others.
fn most_items(mut shards: Vec<Shard>) -> Vec<Shard> {
    shards.sort_by_key(|shard| (shard.items.end, shard.items.start));
    let ends: Vec<u64> = shards.iter().map(|shard| shard.items.end).collect();
    // How many items the first shards have at the most, and how many of them end before the last one of those.
    let mut best = vec![(0, 0)];
    for (number, shard) in shards.iter().enumerate() {
        let before = ends[..number].partition_point(|&end| end <= shard.items.start);
        let with = best[before].0 + (shard.items.end - shard.items.start);
        let without = best[number].0;
        best.push(if with > without { (with, before) } else { (without, number) });
    }
    let mut chosen = Vec::new();
    let mut left = shards.len();
    while left > 0 {
        let (items, before) = best[left];
        let is_chosen = items > best[left - 1].0;
        if is_chosen {
            chosen.extend(shards.drain(left - 1..).next());
        }
        left = if is_chosen { before } else { left - 1 };
        shards.truncate(left);
    }
    chosen.reverse();
    chosen
}

/// What was at a path before it was checked. Another hand that finds the same file damaged may put a sound
/// one there meanwhile.
#[derive(PartialEq)]
struct Seen {
    modified: Option<SystemTime>,
    length: u64,
}

impl Seen {
    /// The file at a path; `None` if there is none.
    fn at(path: &Path) -> Option<Self> {
        let data = fs::metadata(path).ok().filter(|data| data.is_file())?;
        Some(Self { modified: data.modified().ok(), length: data.len() })
    }

    /// Removes it, unless another one has replaced it or another program has removed it.
    fn remove(self, path: &Path) -> Result<(), TableError> {
        if Self::at(path) != Some(self) {
            return Ok(());
        }
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(TableError::io(path)(error)),
            _ => Ok(()),
        }
    }
}

/// The stage and the items in the name of a shard.
fn parse_name(name: &str) -> Option<(&str, Range<u64>)> {
    let (name, extension) = name.rsplit_once('.')?;
    let (rest, end) = name.rsplit_once('-')?;
    let (stage, start) = rest.rsplit_once('-')?;
    let known = [EXTENSION, DENSE_EXTENSION].contains(&extension)
        && !stage.is_empty()
        && stage.bytes().all(|byte| byte.is_ascii_lowercase());
    known.then_some((stage, start.parse().ok()?..end.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::sync::Mutex;

    /// Hears notes.
    #[derive(Default)]
    struct Notes(Mutex<Vec<String>>);

    impl Progress for Notes {
        fn begin(&self, _stage: &str, _total: u64, _done: u64) {}
        fn advance(&self, _steps: u64, _items: u64) {}
        fn end(&self) {}
        fn note(&self, what: &str) {
            self.0.lock().unwrap().push(what.into());
        }
    }

    #[test]
    fn shards_of_another_cut_do_not_hide_those_that_have_everything() {
        let shard = |&(start, end): &(u64, u64)| Shard { items: start..end, path: "".into() };
        let chosen = |ranges: &[(u64, u64)]| -> Vec<Range<u64>> {
            let shards = most_items(ranges.iter().map(shard).collect());
            shards.into_iter().map(|shard| shard.items).collect()
        };
        assert_eq!(chosen(&[]), []);
        assert_eq!(chosen(&[(0, 6), (0, 5), (5, 10), (10, 15)]), [0..5, 5..10, 10..15]);
        assert_eq!(chosen(&[(0, 93), (0, 42), (42, 85), (85, 128)]), [0..42, 42..85, 85..128]);
        assert_eq!(chosen(&[(3, 9), (0, 4), (20, 30)]), [3..9, 20..30]);
        assert_eq!(chosen(&[(0, 10), (2, 3), (4, 9), (10, 11)]), [0..10, 10..11]);
        // Against all choices.
        let mut random = crate::random::SplitMix64::new(9);
        for _ in 0..300 {
            let mut range = || (random.below(12), 1 + random.below(6));
            let ranges: Vec<(u64, u64)> =
                (0..7).map(|_| range()).map(|(start, length)| (start, start + length)).collect();
            let covered =
                |ranges: &[Range<u64>]| ranges.iter().map(|it| it.end - it.start).sum::<u64>();
            let best = (0..1u32 << 7).filter_map(|set| {
                let mut some: Vec<Range<u64>> = (0..7)
                    .filter(|place| set >> place & 1 == 1)
                    .map(|place: usize| ranges[place].0..ranges[place].1)
                    .collect();
                some.sort_by_key(|it| it.start);
                some.windows(2).all(|two| two[0].end <= two[1].start).then(|| covered(&some))
            });
            let found = chosen(&ranges);
            assert!(found.windows(2).all(|two| two[0].end <= two[1].start), "{ranges:?}");
            assert_eq!(Some(covered(&found)), best.max(), "{ranges:?}");
        }
    }

    #[test]
    fn what_has_replaced_a_damaged_shard_stays() {
        let folder = tempfile::tempdir().unwrap();
        let description = crate::job::hands::tests::description();
        let work = WorkFolder::open(&folder.path().join("table.etb"), &description).unwrap();
        let mut stage = work.stage("solved", Kind::Keyed, description.clone()).unwrap();
        let record = Record { code: 7, meta: crate::table::Meta::default(), value: 0 };
        stage.save(0..1, [Ok(record)].into_iter()).unwrap();
        let path = stage.shard_path(&(0..1));
        let sound = fs::read(&path).unwrap();
        fs::write(&path, &sound[..sound.len() - 1]).unwrap();
        let find = |replaces: bool| {
            let mut found = work.new_stage("solved", Kind::Keyed, description.clone());
            let checks_out = |stage: &Stage, shard: &Shard| {
                let checks_out = stage.checks_out(shard);
                if replaces {
                    // Another hand has found it damaged, too, and made it again.
                    let other = folder.path().join("other");
                    fs::write(&other, &sound).unwrap();
                    fs::rename(&other, &shard.path).unwrap();
                }
                checks_out
            };
            found.find_shards(&(0..1), checks_out).unwrap();
            found.shard_count()
        };
        assert_eq!(find(true), 0);
        assert!(path.exists());
        assert_eq!(find(false), 1);
        fs::write(&path, &sound[..sound.len() - 1]).unwrap();
        assert_eq!(find(false), 0);
        assert!(!path.exists());
    }

    #[test]
    fn a_lock_that_cannot_be_taken_is_said() {
        let notes = Notes::default();
        let folder = Path::new("some.work");
        note_lock(Ok(()), folder, &notes).unwrap();
        let busy = note_lock(Err(TryLockError::WouldBlock), folder, &notes);
        assert!(matches!(busy, Err(TableError::Busy { .. })));
        assert!(notes.0.lock().unwrap().is_empty());
        let none = io::Error::from(ErrorKind::Unsupported);
        note_lock(Err(TryLockError::Error(none)), folder, &notes).unwrap();
        assert!(notes.0.lock().unwrap()[0].contains("some.work: cannot be locked"));
    }
}
