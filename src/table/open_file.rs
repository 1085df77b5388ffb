//! An open file: what tables of all kinds have in common.

use std::fs::File;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::TableError;
use super::format::{Header, Kind};

/// A mapped file with the header of a table.
#[derive(Debug)]
pub struct OpenFile {
    pub(super) path: PathBuf,
    pub(super) map: Mmap,
    pub(super) header: Header,
}

impl OpenFile {
    /// Opens a file and reads its header, which must be of this kind of table.
    pub(super) fn open(path: &Path, kind: Kind) -> Result<Self, TableError> {
        let map = map(path)?;
        let header = Header::decode(&map, path)?;
        header.expect(kind, path)?;
        Ok(Self { path: path.into(), map, header })
    }

    /// What the table says of itself.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Where it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many records or entries it has.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.header.records
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.header.records == 0
    }
}

/// Maps a file into memory.
///
/// The one `unsafe` of the readers. A mapping is sound only as long as nobody changes the file
/// underneath: Rust takes the bytes for immutable, and a file cut short makes the system raise
/// SIGBUS. Tables are never changed in place by this program: a new one is written beside the old
/// and takes its name. What the bytes say is not trusted, only that they stay.
#[expect(unsafe_code, reason = "there is no safe memory map")]
pub(super) fn map(path: &Path) -> Result<Mmap, TableError> {
    // To open a pipe would be to wait for whoever writes to it.
    if path.exists() && !path.is_file() {
        return Err(TableError::NotATable { path: path.into() });
    }
    let file = File::open(path).map_err(TableError::io(path))?;
    // SAFETY: see above; the file is opened for reading and nothing of ours writes to it.
    unsafe { Mmap::map(&file) }.map_err(TableError::io(path))
}
