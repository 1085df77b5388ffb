//! `endtable verify`: is a table whole, and is it right?

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::{self, Check, GameError, Watch};
use endtable::table::{
    DENSE_EXTENSION, DenseTable, Kind, Options, Table, TableError, files_in, read_header,
};
use rayon::prelude::*;
use serde_json::Value;

use super::args::examples;
use super::files::tables_at;
use super::output::say;
use super::progress::Shown;
use super::signals::stop_flag;
use super::{Failure, complain, listing};
use crate::json::Object;

/// Check tables: header, checksums, order, counts, and that each record can be
///
/// With --resolve, some records are also solved anew and compared. With --full, every answer is
/// worked out anew from those that it follows from. Which of the two tables have is their game's
/// business. A folder is also held against its manifest.json and its SHA256SUMS, where they are
/// there. Every table that is wrong is named, not only the first.
#[derive(clap::Args)]
struct Args {
    /// The tables, or folders of tables
    #[arg(required = true, value_name = "TABLE")]
    files: Vec<PathBuf>,
    /// Solve so many records, chosen at random, anew
    #[arg(long, value_name = "N", default_value_t = 0)]
    resolve: u64,
    /// Work every answer out anew from those after it
    #[arg(long, conflicts_with = "resolve")]
    full: bool,
    /// The seed of that choice
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Print an object for each file, one a line
    #[arg(long)]
    json: bool,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("verify")).after_help(examples("verify", &games::ALL))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let check = match (args.full, args.resolve) {
        (true, _) => Check::Full,
        (false, 0) => Check::Sound,
        (false, count) => Check::Sample { count, seed: args.seed },
    };
    let (stop, shown) = (stop_flag()?, Shown::new());
    let watch = Watch { stop: &stop, progress: &shown };
    let mut findings = Findings { json: args.json, ..Findings::default() };
    for path in &args.files {
        if path.is_dir() {
            verify_folder(path, check, &watch, &mut findings)?;
        } else {
            verify_table(path, check, &watch, &mut findings)?;
        }
    }
    match (findings.unsaid, findings.worst) {
        (Some(failure), _) => Err(failure),
        (None, worst) => worst.map_or(Ok(()), |failure| Err(failure.reported())),
    }
}

/// What has been found out, and said.
#[derive(Default)]
pub struct Findings {
    json: bool,
    /// Objects that are kept instead of said.
    kept: Option<Vec<Value>>,
    /// What is wrong.
    errors: Vec<String>,
    worst: Option<Failure>,
    /// Why a line could not be printed.
    unsaid: Option<Failure>,
}

impl Findings {
    /// Findings that are kept.
    pub fn kept() -> Self {
        Self { json: true, kept: Some(Vec::new()), ..Self::default() }
    }

    /// What was kept.
    pub fn objects(self) -> Vec<Value> {
        self.kept.unwrap_or_default()
    }

    /// Says that a file is sound, in a sentence that may begin with its name, or what is wrong with it.
    pub fn report(&mut self, file: &Path, finding: Result<String, Failure>) {
        let (sound, message) = match &finding {
            Ok(sentence) => (true, sentence.clone()),
            Err(failure) => (false, failure.message().unwrap_or_default()),
        };
        if self.json {
            let name = file.display().to_string();
            let rest = message.strip_prefix(&name).and_then(|rest| rest.strip_prefix(": "));
            let mut object = Object::new();
            object.insert("file".into(), name.clone().into());
            object.insert("sound".into(), sound.into());
            let field = if sound { "report" } else { "error" };
            object.insert(field.into(), rest.unwrap_or(&message).into());
            let object = Value::Object(object);
            match &mut self.kept {
                Some(kept) => kept.push(object),
                None => self.say(&object.to_string()),
            }
        } else if sound {
            self.say(&message);
        } else {
            complain(&message);
        }
        if let Err(failure) = finding {
            self.errors.push(message);
            self.worst = Failure::worse(self.worst.take(), failure);
        }
    }

    fn say(&mut self, line: &str) {
        self.unsaid = self.unsaid.take().or(say(line).err());
    }
}

/// Checks every table of a folder, and the folder against its lists. Only a stop ends it.
fn verify_folder(
    folder: &Path,
    check: Check,
    watch: &Watch<'_>,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let files = match tables_at(folder) {
        Ok(files) => files,
        Err(error) => {
            findings.report(folder, Err(error.into()));
            Vec::new()
        }
    };
    let dense = files_in(folder, DENSE_EXTENSION).unwrap_or_default();
    if !dense.is_empty() {
        verify_complete(folder, &dense, check, watch, findings)?;
    }
    for file in files.iter().filter(|file| !dense.contains(file)) {
        verify_table(file, check, watch, findings)?;
    }
    let mut report = |file: &Path, finding| findings.report(file, finding);
    match listing::check(folder, watch, &mut report) {
        Err(failure @ Failure::Stopped(_)) => return Err(failure),
        Err(failure) => findings.report(folder, Err(failure)),
        Ok(()) => {}
    }
    Ok(())
}

/// Checks the dense tables of a folder together; one by one if they cannot be opened together, so
/// that each that is damaged is named.
fn verify_complete(
    folder: &Path,
    files: &[PathBuf],
    check: Check,
    watch: &Watch<'_>,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let opened =
        games::game_of(folder).and_then(|game| game.open(&[folder.into()], &Options::default()));
    let error = match opened {
        Ok(tables) => return check_tables(&*tables, folder, files, check, watch, findings),
        Err(error) => Failure::from(error),
    };
    for file in files {
        verify_table(file, Check::Sound, watch, findings)?;
    }
    if error.message().is_none_or(|message| !findings.errors.contains(&message)) {
        findings.report(folder, Err(error));
    }
    Ok(())
}

/// Checks a table by itself.
fn verify_table(
    file: &Path,
    check: Check,
    watch: &Watch<'_>,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let opened =
        games::game_of(file).and_then(|game| game.open(&[file.into()], &Options::default()));
    match opened {
        Ok(tables) => check_tables(&*tables, file, &[file.into()], check, watch, findings),
        // What its records mean is not known, but whether they are whole can be told.
        Err(GameError::UnknownGame { .. }) if check == Check::Sound => {
            findings.report(file, verify_frame(file).map_err(Failure::from));
            Ok(())
        }
        Err(error) => {
            findings.report(file, Err(error.into()));
            Ok(())
        }
    }
}

/// Checks opened tables, whose files are these.
pub fn check_tables(
    tables: &dyn games::Tables,
    path: &Path,
    files: &[PathBuf],
    check: Check,
    watch: &Watch<'_>,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let mut report = |part: Result<String, GameError>| {
        let part = part.map_err(Failure::from);
        let message = match &part {
            Ok(sentence) => sentence.clone(),
            Err(failure) => failure.message().unwrap_or_default(),
        };
        // A sentence about a file begins with its name.
        let about = |file: &&PathBuf| message.starts_with(&format!("{}: ", file.display()));
        findings.report(files.iter().find(about).map_or(path, PathBuf::as_path), part);
    };
    match tables.check(check, watch, &mut report) {
        Err(GameError::Stopped) => Err(GameError::Stopped.into()),
        Err(error) => {
            findings.report(path, Err(error.into()));
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// Checks a table of a game that is not known.
fn verify_frame(file: &Path) -> Result<String, TableError> {
    let header = read_header(file)?;
    let sum = |counts: Vec<Result<usize, TableError>>| -> Result<u64, TableError> {
        counts.into_iter().map(|count| Ok(count? as u64)).sum()
    };
    let blocks = header.blocks as usize;
    let count = match header.kind {
        Kind::Keyed => {
            let table = Table::open(file)?;
            let scan = table.scan()?;
            let counts = (0..blocks).into_par_iter().map(|block| Ok(scan.records(block)?.len()));
            sum(counts.collect())?
        }
        Kind::Dense => {
            let table = DenseTable::open(file)?;
            let scan = table.scan()?;
            let counts = (0..blocks).into_par_iter().map(|block| Ok(scan.entries(block)?.len()));
            sum(counts.collect())?
        }
    };
    if count != header.records {
        let what = format!("{count} records, but the header says {}", header.records);
        return Err(TableError::Inconsistent { path: file.into(), what });
    }
    let (path, game) = (file.display(), header.description.game());
    Ok(format!(
        "{path}: {count} records in {blocks} blocks are sound; what they say of {game} is not known here"
    ))
}
