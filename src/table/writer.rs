//! Writing: records in ascending order become a file.

use std::fs::{self, File};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::TableError;
use super::block::Encoder;
use super::format::{
    BLOCK_RECORDS, Description, FOOTER, Header, INDEX_ENTRY, IndexEntry, Kind, encode_footer,
};
use super::record::Record;

/// Writes a table. Until [`finish`](Self::finish) the file has another name, `NAME.partial`, and
/// no magic number: whatever happens, nothing half-written passes for a table.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    partial: PathBuf,
    file: BufWriter<File>,
    description: Description,
    pending: Vec<Record>,
    index: Vec<u8>,
    offset: u64,
    records: u64,
    last_code: Option<u64>,
    /// Whether it must be on the disk before it has its name.
    durable: bool,
    finished: bool,
}

/// Behind the name of a file that is not finished.
pub(super) const PARTIAL: &str = ".partial";

/// Blocks are compressed in parallel, this many at a time.
const BATCH_BLOCKS: usize = 256;

/// Checks that a table may be written at a path: nothing is there, or a file and `force`.
///
/// # Errors
/// When something is there that may not be replaced.
pub fn check_output(path: &Path, force: bool) -> Result<(), TableError> {
    // A name that ends in a slash is a folder's, whether it is there or not.
    let folder = path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.file_name().is_none();
    if folder || path.exists() && !path.is_file() {
        return Err(TableError::NotAFile { path: path.into() });
    }
    if path.exists() && !force {
        return Err(TableError::Exists { path: path.into() });
    }
    Ok(())
}

impl Writer {
    /// Begins a table.
    ///
    /// # Errors
    /// When the file cannot be made, or a header cannot hold the description: its texts are one
    /// line each, and not very long.
    pub fn create(path: &Path, description: Description) -> Result<Self, TableError> {
        Self::begin(path, description, true)
    }

    /// Begins a table that is not waited for to be on the disk: for runs, which are checked to the
    /// last byte before they are used.
    pub(crate) fn create_run(path: &Path, description: Description) -> Result<Self, TableError> {
        Self::begin(path, description, false)
    }

    fn begin(path: &Path, description: Description, durable: bool) -> Result<Self, TableError> {
        description.check(path)?;
        let partial = partial_name(path);
        let file = File::create(&partial).map_err(TableError::io(&partial))?;
        let mut file = BufWriter::with_capacity(1 << 16, file);
        let header_length = Header::length(&description);
        file.write_all(&vec![0; header_length]).map_err(TableError::io(&partial))?;
        Ok(Self {
            path: path.into(),
            partial,
            file,
            description,
            pending: Vec::new(),
            index: Vec::new(),
            offset: header_length as u64,
            records: 0,
            last_code: None,
            durable,
            finished: false,
        })
    }

    /// Adds a record, whose code must be larger than the last one's.
    ///
    /// # Errors
    /// When it is not, or when writing fails.
    pub fn push(&mut self, record: Record) -> Result<(), TableError> {
        if let Some(before) = self.last_code
            && record.code <= before
        {
            return Err(TableError::OutOfOrder {
                path: self.path.clone(),
                before,
                code: record.code,
            });
        }
        self.last_code = Some(record.code);
        self.pending.push(record);
        if self.pending.len() == BATCH_BLOCKS * BLOCK_RECORDS as usize {
            self.flush()?;
        }
        Ok(())
    }

    /// Adds many records at once.
    ///
    /// # Errors
    /// When a code is not larger than the one before, or when writing fails.
    pub fn push_all(&mut self, records: &[Record]) -> Result<(), TableError> {
        const BATCH: usize = BATCH_BLOCKS * BLOCK_RECORDS as usize;
        let mut rest = records;
        while let Some(&first) = rest.first() {
            // One by one, errors are told apart.
            let (some, behind) = rest.split_at(rest.len().min(BATCH - self.pending.len()));
            let ascend = some.windows(2).all(|two| two[0].code < two[1].code);
            if !ascend || self.last_code.is_some_and(|last| last >= first.code) {
                return some.iter().try_for_each(|&record| self.push(record));
            }
            self.last_code = some.last().map(|last| last.code);
            self.pending.extend_from_slice(some);
            if self.pending.len() == BATCH {
                self.flush()?;
            }
            rest = behind;
        }
        Ok(())
    }

    /// Compresses and writes the records in hand.
    fn flush(&mut self) -> Result<(), TableError> {
        let (compression, value) = (self.description.compression, self.description.value);
        let encoded: Vec<Vec<u8>> = self
            .pending
            .par_chunks(BLOCK_RECORDS as usize)
            .map_init(
                || Encoder::new(compression, value),
                |encoder, block| match encoder {
                    Ok(encoder) => encoder.encode(block),
                    Err(error) => Err(std::io::Error::new(error.kind(), error.to_string())),
                },
            )
            .collect::<Result<_, _>>()
            .map_err(TableError::io(&self.partial))?;
        for (records, bytes) in self.pending.chunks(BLOCK_RECORDS as usize).zip(encoded) {
            let entry = IndexEntry {
                first_code: records[0].code,
                offset: self.offset,
                length: bytes.len() as u32,
                records: records.len() as u32,
                checksum: xxh3_64(&bytes),
            };
            self.index.extend(entry.encode());
            self.file.write_all(&bytes).map_err(TableError::io(&self.partial))?;
            self.offset += bytes.len() as u64;
        }
        self.records += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Completes the file, brings it to the disk and gives it its name.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> Result<Header, TableError> {
        self.flush()?;
        let index_offset = self.offset.next_multiple_of(8);
        let file_length = index_offset + (self.index.len() + FOOTER) as u64;
        let header = Header {
            description: self.description.clone(),
            kind: Kind::Keyed,
            layer: 0,
            records: self.records,
            blocks: (self.index.len() / INDEX_ENTRY) as u64,
            block_records: BLOCK_RECORDS,
            index_offset,
            file_length,
            header_length: Header::length(&self.description) as u32,
        };
        write_end(&mut self.file, self.offset, &self.index, &header, self.durable)
            .map_err(TableError::io(&self.partial))?;
        fs::rename(&self.partial, &self.path).map_err(TableError::io(&self.path))?;
        self.finished = true;
        if self.durable {
            sync_folder(&self.path).map_err(TableError::io(&self.path))?;
        }
        Ok(header)
    }
}

/// What was not finished is not left lying about.
impl Drop for Writer {
    fn drop(&mut self) {
        if !self.finished {
            _ = fs::remove_file(&self.partial);
        }
    }
}

/// Brings a new name in a folder to the disk.
pub(super) fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// What a file is called until it is finished.
pub(super) fn partial_name(path: &Path) -> PathBuf {
    with_ending(path, PARTIAL)
}

/// A path with something behind its name.
pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Index and footer behind the blocks, which end at `offset`; then, once they are on the disk, the
/// header. What need not be `durable` is left to the system to bring there.
pub(super) fn write_end(
    file: &mut BufWriter<File>,
    offset: u64,
    index: &[u8],
    header: &Header,
    durable: bool,
) -> std::io::Result<()> {
    let padding = (header.index_offset - offset) as usize;
    file.write_all(&[0; 8][..padding])?;
    file.write_all(index)?;
    file.write_all(&encode_footer(index, header.index_offset, header.file_length))?;
    file.flush()?;
    if durable {
        file.get_ref().sync_all()?;
    }
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&header.encode())?;
    file.flush()?;
    if durable { file.get_ref().sync_all() } else { Ok(()) }
}
