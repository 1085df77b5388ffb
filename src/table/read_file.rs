//! A file that is read, not mapped.
//!
//! A mapped file that somebody cuts short ends the program (SIGBUS); one that is read gives an error.
//! So tables are opened by reading, and checked by reading; only probes and listings use the map.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use memmap2::Mmap;

use super::TableError;
use super::format::{END_MAGIC, FOOTER, Fields, Header, MAX_HEADER, check, inconsistent};

/// An open file, its length and its place.
#[derive(Debug)]
pub(super) struct ReadFile {
    file: Mutex<File>,
    path: PathBuf,
    length: u64,
}

impl ReadFile {
    /// Opens a file.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        // To open a pipe would be to wait for whoever writes to it.
        if path.exists() && !path.is_file() {
            return Err(TableError::NotATable { path: path.into() });
        }
        let file = File::open(path).map_err(TableError::io(path))?;
        let length = file.metadata().map_err(TableError::io(path))?.len();
        Ok(Self { file: Mutex::new(file), path: path.into(), length })
    }

    /// Reads bytes at a place into a buffer, whose room is used again.
    pub fn read(&self, at: u64, length: usize, bytes: &mut Vec<u8>) -> Result<(), TableError> {
        bytes.clear();
        bytes.try_reserve_exact(length).map_err(|_| self.no_memory())?;
        bytes.resize(length, 0);
        let mut file = self.file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let done = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(bytes));
        match done {
            // Another has cut it short since it was opened.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                let found = file.metadata().map_err(TableError::io(&self.path))?.len();
                let (path, expected) = (self.path.clone(), self.length);
                Err(TableError::Length { path, expected, found })
            }
            done => done.map_err(TableError::io(&self.path)),
        }
    }

    /// Reads the header.
    pub fn header(&self) -> Result<Header, TableError> {
        let mut bytes = Vec::new();
        self.read(0, self.length.min(MAX_HEADER as u64) as usize, &mut bytes)?;
        Header::decode(&bytes, &self.path)
    }

    /// Reads the index of so many bytes, once header, footer and lengths agree and its checksum is
    /// right.
    pub fn index(&self, header: &Header, bytes: Option<u64>) -> Result<Vec<u8>, TableError> {
        let (path, found) = (self.path.as_path(), self.length);
        if found != header.file_length {
            let expected = header.file_length;
            return Err(TableError::Length { path: path.into(), expected, found });
        }
        let end = bytes
            .and_then(|bytes| header.index_offset.checked_add(bytes)?.checked_add(FOOTER as u64));
        if end != Some(found) || !header.index_offset.is_multiple_of(8) {
            return Err(inconsistent(path, "the index does not fit the file"));
        }
        let mut index = Vec::new();
        self.read(header.index_offset, (found - header.index_offset) as usize, &mut index)?;
        let footer = index.split_off(index.len() - FOOTER);
        let fields = Fields { bytes: &footer, path };
        let sound = fields.u64(8)? == header.index_offset
            && fields.u64(16)? == found
            && footer.ends_with(&END_MAGIC);
        if !sound {
            return Err(inconsistent(path, "the footer does not agree with the header"));
        }
        check(&index, fields.u64(0)?, "index", path)?;
        Ok(index)
    }

    /// Maps the file into memory.
    ///
    /// The one `unsafe` of the readers. A mapping is sound only as long as nobody changes the file
    /// underneath: Rust takes the bytes for immutable, and a file cut short makes the system raise
    /// SIGBUS. Tables are never changed in place by this program: a new one is written beside the old
    /// and takes its name. What the bytes say is not trusted, only that they stay.
    #[expect(unsafe_code, reason = "there is no safe memory map")]
    pub fn map(self) -> Result<Mmap, TableError> {
        let file = self.file.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        // SAFETY: see above; the file is opened for reading and nothing of ours writes to it.
        let map = unsafe { Mmap::map(&file) }.map_err(TableError::io(&self.path))?;
        // What was read must be there in the map as well.
        let (expected, found) = (self.length, map.len() as u64);
        if found < expected {
            return Err(TableError::Length { path: self.path, expected, found });
        }
        Ok(map)
    }

    /// There is no memory for what the file asks for.
    pub fn no_memory(&self) -> TableError {
        TableError::io(&self.path)(ErrorKind::OutOfMemory.into())
    }
}
