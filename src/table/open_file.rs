//! An open file: what tables of all kinds have in common.

use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::TableError;
use super::format::{Header, Kind, inconsistent};
use super::read_file::ReadFile;

/// A mapped file with the header of a table.
#[derive(Debug)]
pub struct OpenFile {
    pub(super) path: PathBuf,
    pub(super) map: Mmap,
    pub(super) header: Header,
}

impl OpenFile {
    /// Opens a file and reads its header, which must be of this kind of table, and its index.
    /// `index_bytes` says how long that is.
    pub(super) fn open(
        path: &Path,
        kind: Kind,
        index_bytes: impl FnOnce(&Header) -> Option<u64>,
    ) -> Result<(Self, Vec<u8>), TableError> {
        let file = ReadFile::open(path)?;
        let header = file.header()?;
        header.expect(kind, path)?;
        let index = file.index(&header, index_bytes(&header))?;
        Ok((Self { path: path.into(), map: file.map()?, header }, index))
    }

    /// The same file, to be read instead of mapped.
    pub(super) fn to_read(&self) -> Result<ReadFile, TableError> {
        let file = ReadFile::open(&self.path)?;
        if file.header()? == self.header {
            return Ok(file);
        }
        Err(inconsistent(&self.path, "another table has taken its place"))
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
