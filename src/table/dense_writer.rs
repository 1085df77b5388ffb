//! Writing dense tables: entries in order become a file, or files of parts of them become one.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter::{MinMatch, SearchLog, Strategy};
use zstd::zstd_safe::Strategy::ZSTD_lazy2;

use super::TableError;
use super::dense::{DenseTable, INDEX_ENTRY};
use super::format::{Description, FOOTER, Header, Kind, inconsistent};
use super::output::NewFile;
use super::record::Layout;
use super::writer::{begin_file, write_end};

/// Entries in a block: a KiB of nybbles, which zstd undoes in less than four microseconds, or two of bytes.
/// Twice as many nybbles would save 7 % of the file and double the time of a probe.
const BLOCK_ENTRIES: usize = 2048;
/// Entries that a thread compresses in one go, and all together before they are written.
const PIECE: usize = 64 * BLOCK_ENTRIES;
const BATCH: usize = 128 * PIECE;

/// Writes a dense table. Until [`finish`](Self::finish) it has another name, as with
/// [`Writer`](super::Writer).
#[derive(Debug)]
pub struct DenseWriter {
    output: NewFile,
    file: BufWriter<File>,
    description: Description,
    layer: u8,
    /// Of the blocks so far: where each begins, and half its checksum.
    index: Vec<u8>,
    /// Where they end.
    offset: u64,
    /// How many entries they have.
    entries: u64,
    /// Whether it must be on the disk before it has its name.
    durable: bool,
}

impl DenseWriter {
    /// How many entries a block has: parts of a table, but for its last, have a multiple of it.
    pub const BLOCK_ENTRIES: u64 = BLOCK_ENTRIES as u64;

    /// Begins a table.
    ///
    /// # Errors
    /// When the file cannot be made, or a header cannot hold the description.
    pub fn create(path: &Path, description: Description, layer: u8) -> Result<Self, TableError> {
        Self::begin(path, description, layer, true)
    }

    /// Begins a table that is not waited for to be on the disk: for shards of unfinished work.
    pub(crate) fn create_shard(
        path: &Path,
        description: Description,
        layer: u8,
    ) -> Result<Self, TableError> {
        Self::begin(path, description, layer, false)
    }

    fn begin(
        path: &Path,
        description: Description,
        layer: u8,
        durable: bool,
    ) -> Result<Self, TableError> {
        description.check(path)?;
        let output = NewFile::create(path)?;
        let (file, offset) = begin_file(&output, &description)?;
        let index = Vec::new();
        Ok(Self { output, file, description, layer, index, offset, entries: 0, durable })
    }

    /// Adds entries behind those that are there. `stored` gives what is stored for each: a nybble or a byte,
    /// as the layout has it.
    /// Only the last may be no multiple of [`BLOCK_ENTRIES`](Self::BLOCK_ENTRIES).
    ///
    /// # Errors
    /// When writing fails, or what was added before does not fill its block.
    pub fn write(
        &mut self,
        entries: &[u8],
        stored: impl Fn(u8) -> u8 + Sync,
    ) -> Result<(), TableError> {
        self.check_full()?;
        for batch in entries.chunks(BATCH) {
            let written = self.write_blocks(batch, &stored);
            written.map_err(TableError::io(self.output.target()))?;
        }
        self.entries += entries.len() as u64;
        Ok(())
    }

    /// Adds the entries of a table as they are stored, their checksums checked.
    ///
    /// # Errors
    /// When it is damaged or has other blocks, when writing fails, or what was added before does
    /// not fill its block.
    pub fn append(&mut self, part: &DenseTable) -> Result<(), TableError> {
        self.check_full()?;
        if part.block_entries() != BLOCK_ENTRIES {
            return Err(inconsistent(part.path(), "its blocks have another length"));
        }
        for block in 0..part.blocks() {
            let (frame, checksum) = part.frame(block)?;
            self.put(frame, checksum).map_err(TableError::io(self.output.target()))?;
        }
        self.entries += part.len();
        Ok(())
    }

    fn check_full(&self) -> Result<(), TableError> {
        if self.entries.is_multiple_of(BLOCK_ENTRIES as u64) {
            return Ok(());
        }
        Err(inconsistent(self.output.target(), "only the last block may be short"))
    }

    fn write_blocks(&mut self, entries: &[u8], stored: impl Fn(u8) -> u8 + Sync) -> io::Result<()> {
        let has_bytes = self.description.layout == Layout::ByteEntry;
        let pack = |block: &[u8]| match has_bytes {
            true => block.iter().map(|&entry| stored(entry)).collect(),
            false => pack_nybbles(block, &stored),
        };
        let pieces: Vec<Vec<Vec<u8>>> = entries
            .par_chunks(PIECE)
            .map(|piece| {
                let mut zstd = compressor()?;
                let blocks = piece.chunks(BLOCK_ENTRIES);
                blocks.map(|block| zstd.compress(&pack(block))).collect()
            })
            .collect::<io::Result<_>>()?;
        for frame in pieces.iter().flatten() {
            self.put(frame, xxh3_64(frame) as u32)?;
        }
        Ok(())
    }

    /// A block behind the others.
    fn put(&mut self, frame: &[u8], checksum: u32) -> io::Result<()> {
        self.index.extend(short(self.offset)?.to_le_bytes());
        self.index.extend(checksum.to_le_bytes());
        self.offset += frame.len() as u64;
        self.file.write_all(frame)
    }

    /// Completes the file, brings it to the disk and gives it its name.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> Result<Header, TableError> {
        let blocks = (self.index.len() / INDEX_ENTRY) as u64;
        let end = short(self.offset).map_err(TableError::io(self.output.target()))?;
        // One more entry tells where the last block ends.
        self.index.extend(u64::from(end).to_le_bytes());
        let index_offset = self.offset.next_multiple_of(8);
        let header = Header {
            header_length: Header::length(&self.description) as u32,
            description: self.description,
            kind: Kind::Dense,
            layer: self.layer,
            records: self.entries,
            blocks,
            block_records: BLOCK_ENTRIES as u32,
            index_offset,
            file_length: index_offset + (self.index.len() + FOOTER) as u64,
        };
        write_end(&mut self.file, self.offset, &self.index, &header, self.durable)
            .map_err(TableError::io(self.output.target()))?;
        self.output.finish(self.durable)?;
        Ok(header)
    }
}

/// An offset as the index holds it.
fn short(offset: u64) -> io::Result<u32> {
    u32::try_from(offset).map_err(|_| io::Error::other("a dense table over 4 GiB cannot be"))
}

/// The data has few repeats worth their price; it is the entropy coder that does the work. So the
/// plain levels, which take every short match, do worse than this in size and time.
fn compressor() -> io::Result<Compressor<'static>> {
    let mut zstd = Compressor::new(5)?;
    for parameter in [Strategy(ZSTD_lazy2), MinMatch(6), SearchLog(3)] {
        zstd.set_parameter(parameter)?;
    }
    Ok(zstd)
}

/// Two entries a byte.
fn pack_nybbles(entries: &[u8], nybble: impl Fn(u8) -> u8) -> Vec<u8> {
    let two = |two: &[u8]| nybble(two[0]) | two.get(1).map_or(0, |&entry| nybble(entry)) << 4;
    entries.chunks(2).map(two).collect()
}
