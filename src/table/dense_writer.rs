//! Writing dense tables, chunk by chunk, so that whoever is stopped goes on where they were.
//!
//! Until it is finished a table is two files. `NAME.partial` is the table to be: room for the header
//! and the blocks so far. `NAME.journal` says which of them count. It begins with the header of the
//! table to be, without what is not known yet; then each chunk adds the index entries of its blocks,
//! under a checksum, once the blocks themselves are on the disk. So a journal of another command,
//! program, layer or format is recognised, and nothing is believed because it is there: every block
//! is checked against its entry, and what stands behind the last good chunk is cut off.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};
use zstd::bulk::Compressor;
use zstd::zstd_safe::CParameter::{MinMatch, SearchLog, Strategy};
use zstd::zstd_safe::Strategy::ZSTD_lazy2;

use super::TableError;
use super::dense::{Blocks, INDEX_ENTRY};
use super::format::{Description, FOOTER, Header, Kind};
use super::reader::map;
use super::work::lock_file;
use super::writer::{partial_name, sync_folder, with_ending, write_end};

/// Entries in a block: a KiB of nibbles, which zstd undoes in less than four microseconds. Twice as
/// many would save 7 % of the file and double the time of a probe.
const BLOCK_ENTRIES: usize = 2048;
/// Entries that a thread compresses in one go, and all together before they are written.
const PIECE: usize = 64 * BLOCK_ENTRIES;
const BATCH: usize = 128 * PIECE;
/// Behind the name of a table, the name of its journal.
const JOURNAL: &str = ".journal";

/// Writes a dense table. Until [`finish`](Self::finish) it has another name, as with
/// [`Writer`](super::Writer), and is kept if it is not finished.
#[derive(Debug)]
pub struct DenseWriter {
    path: PathBuf,
    file: BufWriter<File>,
    /// Locked as long as we are at work.
    journal: File,
    /// Of the table to be: lengths and offsets are not known before the end.
    header: Header,
    /// The entries of the blocks so far.
    index: Vec<u8>,
    /// Where they end.
    offset: u64,
}

impl DenseWriter {
    /// Begins a table with as many entries as `entries`, or goes on with one: what is on the disk and
    /// sound is put into `entries`, each as `entry` of the nibble there.
    ///
    /// # Errors
    /// When another program is writing this table, the files cannot be read or written, or a header
    /// cannot hold the description.
    pub fn begin(
        path: &Path,
        description: &Description,
        layer: u8,
        entries: &mut [u8],
        entry: impl Fn(u8) -> u8 + Sync,
    ) -> Result<Self, TableError> {
        description.check(path)?;
        let (partial, journal) = (partial_name(path), with_ending(path, JOURNAL));
        let journal = open(&journal).map_err(TableError::io(&journal))?;
        lock_file(&journal, path)?;
        let file = open(&partial).map_err(TableError::io(&partial))?;
        let header_length = Header::length(description);
        let header = Header {
            description: description.clone(),
            kind: Kind::Dense,
            layer,
            records: entries.len() as u64,
            blocks: entries.len().div_ceil(BLOCK_ENTRIES) as u64,
            block_records: BLOCK_ENTRIES as u32,
            index_offset: 0,
            file_length: 0,
            header_length: header_length as u32,
        };
        let mut writer = Self {
            path: path.into(),
            file: BufWriter::with_capacity(1 << 20, file),
            journal,
            header,
            index: Vec::new(),
            offset: header_length as u64,
        };
        writer.go_on(&partial, entries, entry).map_err(TableError::io(&partial))?;
        Ok(writer)
    }

    /// How many entries are written, from the first on.
    #[must_use]
    pub fn written(&self) -> usize {
        let blocks = self.index.len() / INDEX_ENTRY;
        (blocks * BLOCK_ENTRIES).min(self.header.records as usize)
    }

    /// Takes in the chunks before the first one that is missing or damaged, and cuts off the rest.
    fn go_on(
        &mut self,
        partial: &Path,
        entries: &mut [u8],
        entry: impl Fn(u8) -> u8 + Sync,
    ) -> io::Result<()> {
        let mut journal = Vec::new();
        self.journal.read_to_end(&mut journal)?;
        let beginning = self.header.encode();
        let mut length = beginning.len();
        // The mapping ends before anything is written to the file; an empty one cannot be mapped.
        if let (Some(mut rest), Ok(map)) = (journal.strip_prefix(&beginning[..]), map(partial)) {
            while let Some((index, behind)) = self.split_chunk(rest) {
                let blocks = Blocks { file: &map, index, path: partial };
                let Some(count) = self.take_in(&blocks, &mut entries[self.written()..], &entry)
                else {
                    break;
                };
                self.index.extend(&index[..count * INDEX_ENTRY]);
                self.offset = offset_of(index, count);
                (length, rest) = (journal.len() - behind.len(), behind);
            }
        }
        self.file.get_ref().set_len(self.offset)?;
        self.file.write_all(&vec![0; self.header.header_length as usize])?;
        self.file.seek(SeekFrom::Start(self.offset))?;
        self.journal.set_len(length as u64)?;
        self.journal.rewind()?;
        self.journal.write_all(&beginning)?;
        self.journal.seek(SeekFrom::Start(length as u64))?;
        sync_folder(&self.path)
    }

    /// The index of the first chunk in the rest of a journal, and what is behind it.
    fn split_chunk<'a>(&self, journal: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let (length, rest) = journal.split_first_chunk()?;
        let (index, rest) = rest.split_at_checked(u64::from_le_bytes(*length) as usize)?;
        let (checksum, rest) = rest.split_first_chunk()?;
        (self.checksum(index) == u64::from_le_bytes(*checksum)).then_some((index, rest))
    }

    /// The checksum of a chunk's index, which is of this table only.
    fn checksum(&self, index: &[u8]) -> u64 {
        xxh3_64_with_seed(index, xxh3_64(&self.header.encode()))
    }

    /// Checks the blocks of a chunk and takes them apart. Answers how many there are, `None` when
    /// anything is wrong.
    fn take_in(
        &self,
        blocks: &Blocks<'_>,
        entries: &mut [u8],
        entry: impl Fn(u8) -> u8 + Sync,
    ) -> Option<usize> {
        let count = (blocks.index.len() / INDEX_ENTRY).checked_sub(1)?;
        let fits = count <= entries.len().div_ceil(BLOCK_ENTRIES);
        if !fits || offset_of(blocks.index, 0) != self.offset {
            return None;
        }
        let all = entries.par_chunks_mut(BLOCK_ENTRIES).take(count).enumerate();
        let sound = all.try_for_each_init(Vec::new, |nibbles, (block, entries)| {
            nibbles.resize(entries.len().div_ceil(2), 0);
            blocks.read(block, nibbles)?;
            let each = nibbles.iter().flat_map(|&two| [two & 15, two >> 4]);
            entries.iter_mut().zip(each).for_each(|(to, nibble)| *to = entry(nibble));
            Ok::<_, TableError>(())
        });
        sound.ok().map(|()| count)
    }

    /// Writes a chunk and brings it to the disk. `entries` are all from the first on; those written
    /// before are passed over, and those that do not fill a block wait for the next time. `nibble`
    /// gives what is stored for an entry, 0 to 15.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(
        &mut self,
        entries: &[u8],
        nibble: impl Fn(u8) -> u8 + Sync,
    ) -> Result<(), TableError> {
        let all = entries.len() as u64 == self.header.records;
        let end = if all { entries.len() } else { entries.len() / BLOCK_ENTRIES * BLOCK_ENTRIES };
        let chunk = entries.get(self.written()..end).unwrap_or_default();
        if chunk.is_empty() {
            return Ok(());
        }
        self.write_chunk(chunk, nibble).map_err(TableError::io(partial_name(&self.path)))
    }

    fn write_chunk(&mut self, entries: &[u8], nibble: impl Fn(u8) -> u8 + Sync) -> io::Result<()> {
        let before = self.index.len();
        for batch in entries.chunks(BATCH) {
            self.write_blocks(batch, &nibble)?;
        }
        self.file.flush()?;
        self.file.get_ref().sync_data()?;
        let mut index = self.index[before..].to_vec();
        index.extend(u64::from(short(self.offset)?).to_le_bytes());
        let mut journal = (index.len() as u64).to_le_bytes().to_vec();
        journal.extend(&index);
        journal.extend(self.checksum(&index).to_le_bytes());
        self.journal.write_all(&journal)?;
        self.journal.sync_data()
    }

    fn write_blocks(&mut self, entries: &[u8], nibble: impl Fn(u8) -> u8 + Sync) -> io::Result<()> {
        let pieces: Vec<Vec<Vec<u8>>> = entries
            .par_chunks(PIECE)
            .map(|piece| {
                let mut zstd = compressor()?;
                let blocks = piece.chunks(BLOCK_ENTRIES);
                blocks.map(|block| zstd.compress(&pack(block, &nibble))).collect()
            })
            .collect::<io::Result<_>>()?;
        for frame in pieces.iter().flatten() {
            self.index.extend(short(self.offset)?.to_le_bytes());
            self.index.extend((xxh3_64(frame) as u32).to_le_bytes());
            self.file.write_all(frame)?;
            self.offset += frame.len() as u64;
        }
        Ok(())
    }

    /// Completes the file, brings it to the disk and gives it its name.
    ///
    /// # Errors
    /// When writing fails.
    ///
    /// # Panics
    /// When not all entries are written.
    pub fn finish(mut self) -> Result<Header, TableError> {
        assert_eq!(self.written() as u64, self.header.records, "every entry is written");
        let (partial, journal) = (partial_name(&self.path), with_ending(&self.path, JOURNAL));
        self.write_rest().map_err(TableError::io(&partial))?;
        fs::remove_file(&journal).map_err(TableError::io(&journal))?;
        fs::rename(&partial, &self.path).map_err(TableError::io(&self.path))?;
        sync_folder(&self.path).map_err(TableError::io(&self.path))?;
        Ok(self.header)
    }

    fn write_rest(&mut self) -> io::Result<()> {
        self.index.extend(u64::from(short(self.offset)?).to_le_bytes());
        self.header.index_offset = self.offset.next_multiple_of(8);
        self.header.file_length = self.header.index_offset + (self.index.len() + FOOTER) as u64;
        write_end(&mut self.file, self.offset, &self.index, &self.header, true)
    }
}

/// Opens a file as it is, or makes an empty one.
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Where a block begins, as an index says.
fn offset_of(index: &[u8], block: usize) -> u64 {
    let bytes = &index[block * INDEX_ENTRY..];
    u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
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
fn pack(entries: &[u8], nibble: impl Fn(u8) -> u8) -> Vec<u8> {
    let two = |two: &[u8]| nibble(two[0]) | two.get(1).map_or(0, |&entry| nibble(entry)) << 4;
    entries.chunks(2).map(two).collect()
}
