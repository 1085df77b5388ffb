//! What can be wrong with a table.

use std::io;
use std::path::PathBuf;

use super::format::Kind;
use super::recipe::Recipe;
use super::record::Record;

/// Why a table could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The operating system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The file does not begin as a table does.
    #[error("{}: not an endtable file", path.display())]
    NotATable {
        /// The file.
        path: PathBuf,
    },
    /// The file was not written to its end.
    #[error("{}: an unfinished table: the program that wrote it was stopped", path.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
    },
    /// The file is of another version of the format.
    #[error(
        "{}: format version {found}, from {} endtable; this program reads version {expected}{}",
        path.display(),
        if found < expected { "an older" } else { "a newer" },
        if found < expected { "; generate the table again" } else { "" }
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// What we read.
        expected: u16,
        /// What it is.
        found: u16,
    },
    /// The file uses something that this program does not know.
    #[error("{}: uses a {what} ({found}) that this program does not know; a newer one may", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// What kind of thing.
        what: &'static str,
        /// Its number.
        found: u64,
    },
    /// The file is a table, but of another kind.
    #[error(
        "{}: a {found} table where a {expected} one is expected; \
         dense tables are opened by their folder, others by their file",
        path.display()
    )]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// What it should be.
        expected: Kind,
        /// What it is.
        found: Kind,
    },
    /// The file is a table of another game.
    #[error("{}: a table of {found}, where one of {expected} is expected", path.display())]
    OtherGame {
        /// The file.
        path: PathBuf,
        /// The game in hand.
        expected: String,
        /// Its game.
        found: String,
    },
    /// The file's length is not what its header says.
    #[error("{}: {found} bytes long, expected {expected}: truncated or damaged", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// What the header says.
        expected: u64,
        /// How long it is.
        found: u64,
    },
    /// A checksum of the header, the index or the footer does not match.
    #[error("{}: the {part} is damaged: checksum {found:016x}, expected {expected:016x}", path.display())]
    PartChecksum {
        /// The file.
        path: PathBuf,
        /// Which part.
        part: &'static str,
        /// What the file says.
        expected: u64,
        /// What its bytes give.
        found: u64,
    },
    /// A block's checksum does not match.
    #[error("{}: block {block} is damaged: checksum {found:016x}, expected {expected:016x}", path.display())]
    ChecksumMismatch {
        /// The file.
        path: PathBuf,
        /// Which block.
        block: usize,
        /// What the index says.
        expected: u64,
        /// What its bytes give.
        found: u64,
    },
    /// The parts of the file contradict each other.
    #[error("{}: {what}", path.display())]
    Inconsistent {
        /// The file.
        path: PathBuf,
        /// In what.
        what: String,
    },
    /// Records are not in ascending order of their codes.
    #[error("{}: code {code:016x} follows {before:016x}: records must ascend", path.display())]
    OutOfOrder {
        /// The file.
        path: PathBuf,
        /// The code before.
        before: u64,
        /// The code that should have been larger.
        code: u64,
    },
    /// Two tables give different answers for one position.
    #[error(
        "code {:016x} has two different answers: {} in {} and {} in {}",
        one.code, one.meta, one.meta.value().plies(), other.meta, other.meta.value().plies()
    )]
    Conflict {
        /// One record.
        one: Record,
        /// The other, with the same code.
        other: Record,
    },
    /// Tables that do not belong together.
    #[error("{} and {} differ in {what}: {first} and {second}", paths.0.display(), paths.1.display())]
    Mixed {
        /// The two files.
        paths: (PathBuf, PathBuf),
        /// In what.
        what: &'static str,
        /// The first one's.
        first: String,
        /// The second one's.
        second: String,
    },
    /// A work folder belongs to another job.
    #[error(
        "{}: holds the work of another job\n  there: {found}\n  now:   {expected}\n\
         finish that one, choose another output, or remove the folder",
        path.display()
    )]
    OtherRecipe {
        /// The folder.
        path: PathBuf,
        /// The job in hand.
        expected: Box<Recipe>,
        /// The job it belongs to.
        found: Box<Recipe>,
    },
    /// A record does not fit the layout of its table.
    #[error("{}: code {code:016x}: the answer has no room in the records of this table", path.display())]
    NoRoom {
        /// The file.
        path: PathBuf,
        /// The record's code.
        code: u64,
    },
    /// Another program is at work in a work folder.
    #[error("{}: another endtable is at work there", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// The file exists and may not be replaced.
    #[error("{}: exists already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Something else than a file is in the way.
    #[error("{}: not a file, and only files are written whole", path.display())]
    NotAFile {
        /// What is there.
        path: PathBuf,
    },
    /// No table answers to this name.
    #[error("{name}: no table there")]
    MissingTable {
        /// The name.
        name: String,
    },
}

impl TableError {
    /// An error of the operating system about a file.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { path, source }
    }
}
