//! Dense tables: a nybble or a byte for each position of a layer, at the place that its game's index
//! gives it. No keys are stored.
//!
//! The frame is that of every table: header, blocks, index, footer, checksums. A block is a zstd
//! frame of 2048 bytes, or of as many nybbles, the first entry of a byte in its low half. The index is
//! shorter, since there are many blocks and little to say of each: where it begins, and half a checksum.

use std::cell::RefCell;
use std::ops::Deref;
use std::path::Path;
use std::sync::Mutex;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Decompressor;

use super::TableError;
use super::format::{Fields, Header, Kind, MOST_BLOCK_RECORDS, inconsistent};
use super::open_file::OpenFile;
use super::record::Layout;

/// Bytes of a block's entry in the index: offset and half a checksum. One more entry tells where
/// the last block ends.
pub(super) const INDEX_ENTRY: usize = 8;

/// An open dense table. Threads may share it.
#[derive(Debug)]
pub struct DenseTable {
    file: OpenFile,
    /// Recently decompressed blocks, each at the place that its number gives it.
    cache: Vec<Mutex<CachedBlock>>,
}

impl Deref for DenseTable {
    type Target = OpenFile;

    fn deref(&self) -> &OpenFile {
        &self.file
    }
}

#[derive(Debug, Default)]
struct CachedBlock {
    block: Option<usize>,
    packed: Vec<u8>,
}

/// How many decompressed blocks are kept. Few: they help the moves of one position and repeated
/// questions.
const CACHE_BLOCKS: usize = 64;

impl DenseTable {
    /// Opens a table and checks everything but the blocks, which are checked as they are read.
    ///
    /// # Errors
    /// When there is no such file, or it is not a finished, undamaged dense table of a known
    /// version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TableError> {
        let index_bytes =
            |header: &Header| header.blocks.checked_add(1)?.checked_mul(INDEX_ENTRY as u64);
        let (file, index) = OpenFile::open(path.as_ref(), Kind::Dense, index_bytes)?;
        check_index(&index, &file.header, &file.path)?;
        let cache = (0..CACHE_BLOCKS).map(|_| Mutex::default()).collect();
        Ok(Self { file, cache })
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.file.header.blocks as usize
    }

    /// How many entries each block has, but the last.
    #[must_use]
    pub fn block_entries(&self) -> usize {
        self.file.header.block_records as usize
    }

    /// The entry with this number, or `None` behind the last. Reads at most one block.
    ///
    /// # Errors
    /// When the block is damaged.
    pub fn get(&self, number: u64) -> Result<Option<u8>, TableError> {
        if number >= self.len() {
            return Ok(None);
        }
        let (block, at) =
            (number as usize / self.block_entries(), number as usize % self.block_entries());
        let slot = &self.cache[block % CACHE_BLOCKS];
        let mut cached = slot.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if cached.block != Some(block) {
            cached.block = None;
            let mut packed = std::mem::take(&mut cached.packed);
            self.read(block, &mut packed)?;
            *cached = CachedBlock { block: Some(block), packed };
        }
        Ok(Some(match self.has_bytes() {
            true => cached.packed[at],
            false => cached.packed[at / 2] >> (4 * (at & 1)) & 15,
        }))
    }

    /// The entries of a block, after its checksum, its length and they themselves have been found
    /// right.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn block(&self, block: usize) -> Result<Vec<u8>, TableError> {
        let mut packed = Vec::new();
        self.read(block, &mut packed)?;
        Ok(self.unpack(block, packed))
    }

    /// Reads the entries of blocks, from one on, as many as there is room for. They are checked as
    /// [`block`](Self::block) does.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn read_blocks(
        &self,
        first: usize,
        entries: &mut [u8],
        unpacking: &Unpacking,
    ) -> Result<(), TableError> {
        let mut packed = Vec::new();
        for (block, entries) in (first..).zip(entries.chunks_mut(self.block_entries())) {
            self.read(block, &mut packed)?;
            match self.has_bytes() {
                true => unpacking.bytes(&packed, entries),
                false => unpacking.nybbles(&packed, entries),
            }
        }
        Ok(())
    }

    /// Whether an entry is a byte, and not a nybble.
    fn has_bytes(&self) -> bool {
        self.file.header.description.layout == Layout::ByteEntry
    }

    fn unpack(&self, block: usize, packed: Vec<u8>) -> Vec<u8> {
        if self.has_bytes() {
            return packed;
        }
        let mut entries: Vec<u8> = packed.iter().flat_map(|&two| [two & 15, two >> 4]).collect();
        entries.truncate(self.entries_of(block));
        entries
    }

    fn entries_of(&self, block: usize) -> usize {
        (self.len() as usize - block * self.block_entries()).min(self.block_entries())
    }

    /// Checks a block and decompresses it: a byte an entry, or two entries a byte.
    fn read(&self, block: usize, packed: &mut Vec<u8>) -> Result<(), TableError> {
        let (frame, _) = self.frame(block)?;
        self.decompress(block, frame, packed)
    }

    /// Decompresses the bytes of a block and checks what comes of it.
    fn decompress(
        &self,
        block: usize,
        frame: &[u8],
        packed: &mut Vec<u8>,
    ) -> Result<(), TableError> {
        thread_local! {
            static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> =
                const { RefCell::new(None) };
        }
        let entries = self.entries_of(block);
        let has_bytes = self.has_bytes();
        packed.resize(if has_bytes { entries } else { entries.div_ceil(2) }, 0);
        let decompressed = DECOMPRESSOR.with_borrow_mut(|zstd| {
            if zstd.is_none() {
                *zstd = Decompressor::new().ok();
            }
            zstd.as_mut()?.decompress_to_buffer(frame, packed.as_mut_slice()).ok()
        });
        let broken = if decompressed != Some(packed.len()) {
            "it is not one zstd frame of its size"
        } else if has_bytes && has_127(packed) {
            "an entry has 127 plies, and 126 are the most"
        } else if has_bytes {
            return Ok(());
        } else if has_15(packed) {
            "an entry has 15 plies, and 14 are the most"
        } else if entries % 2 == 1 && packed.last().is_some_and(|&last| last >> 4 != 0) {
            "its unused nybble is not zero"
        } else {
            return Ok(());
        };
        let what = format!("block {block} has the right checksum, but {broken}");
        Err(inconsistent(&self.file.path, what))
    }

    /// A block as it is stored, once its checksum has been found right, and that checksum.
    pub(super) fn frame(&self, block: usize) -> Result<(&[u8], u32), TableError> {
        let (at, length) = self.place_of_entry(block);
        let place = self.read_entry(block, &self.file.map[at as usize..][..length])?;
        let frame = &self.file.map[place.start as usize..place.end as usize];
        self.check_bytes(block, place, frame)?;
        Ok((frame, place.checksum))
    }

    /// Where a block's index entry is in the file, with the one behind it, and how long they are.
    pub(super) fn place_of_entry(&self, block: usize) -> (u64, usize) {
        (self.file.header.index_offset + (block * INDEX_ENTRY) as u64, 2 * INDEX_ENTRY)
    }

    /// Where a block is, as its index entry and the next one say.
    pub(super) fn read_entry(&self, block: usize, bytes: &[u8]) -> Result<Place, TableError> {
        let fields = Fields { bytes, path: &self.file.path };
        let (start, end) = (fields.u32(0)?, fields.u32(INDEX_ENTRY)?);
        let fits = start < end && u64::from(end) <= self.file.header.index_offset;
        let checksum = fields.u32(4)?;
        let wrong =
            || inconsistent(&self.file.path, format!("the index entry of block {block} is wrong"));
        fits.then_some(Place { start, end, checksum }).ok_or_else(wrong)
    }

    fn check_bytes(&self, block: usize, place: Place, bytes: &[u8]) -> Result<(), TableError> {
        let (expected, found) = (place.checksum, xxh3_64(bytes) as u32);
        if found == expected {
            return Ok(());
        }
        Err(TableError::ChecksumMismatch {
            path: self.file.path.clone(),
            block,
            expected: expected.into(),
            found: found.into(),
        })
    }

    /// The entries of a block whose bytes these are, everything about it checked.
    pub(super) fn check_and_read(
        &self,
        block: usize,
        place: Place,
        bytes: &[u8],
    ) -> Result<Vec<u8>, TableError> {
        self.check_bytes(block, place, bytes)?;
        let mut packed = Vec::new();
        self.decompress(block, bytes, &mut packed)?;
        Ok(self.unpack(block, packed))
    }

    /// Checks every block's checksum.
    ///
    /// # Errors
    /// At a damaged block.
    pub fn check_blocks(&self) -> Result<(), TableError> {
        (0..self.blocks()).into_par_iter().try_for_each(|block| self.frame(block).map(drop))
    }
}

/// What is stored, turned into entries: two nybbles at a time by a table, since layers of a thousand million
/// entries are loaded.
#[derive(Clone, Debug)]
pub struct Unpacking {
    one: [u8; 256],
    two: [[u8; 2]; 256],
}

impl Unpacking {
    /// The entry for each stored nybble or byte.
    pub fn new(entry: impl Fn(u8) -> u8) -> Self {
        let bytes: [u8; 256] = std::array::from_fn(|byte| byte as u8);
        Self { one: bytes.map(&entry), two: bytes.map(|byte| [entry(byte & 15), entry(byte >> 4)]) }
    }

    fn bytes(&self, packed: &[u8], entries: &mut [u8]) {
        for (entry, &byte) in entries.iter_mut().zip(packed) {
            *entry = self.one[usize::from(byte)];
        }
    }

    fn nybbles(&self, packed: &[u8], entries: &mut [u8]) {
        let (pairs, last) = entries.as_chunks_mut::<2>();
        for (pair, &byte) in pairs.iter_mut().zip(packed) {
            *pair = self.two[usize::from(byte)];
        }
        if let ([entry], Some(&byte)) = (last, packed.last()) {
            *entry = self.two[usize::from(byte)][0];
        }
    }
}

/// Whether an entry of a block is 15. All are looked at, without a branch for each, which the processor
/// does many at a time: every probe of a new block waits for it.
fn has_15(nybbles: &[u8]) -> bool {
    let found = |bad: bool, &two: &u8| bad | (two & 0x0f == 0x0f) | (two & 0xf0 == 0xf0);
    nybbles.iter().fold(false, found)
}

/// The same of bytes and 127 plies.
fn has_127(bytes: &[u8]) -> bool {
    bytes.iter().fold(false, |bad, &entry| bad | (entry >> 1 == 127))
}

/// Where a block lies in the file, and half its checksum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub start: u32,
    pub end: u32,
    pub checksum: u32,
}

/// Checks that header and index agree, and that the blocks lie one behind the other.
fn check_index(index: &[u8], header: &Header, path: &Path) -> Result<(), TableError> {
    let block_records = u64::from(header.block_records);
    let sane = (1..=MOST_BLOCK_RECORDS.into()).contains(&block_records)
        && block_records % 2 == 0
        && header.records.div_ceil(block_records) == header.blocks;
    if !sane {
        return Err(inconsistent(path, "blocks and counts do not add up"));
    }
    let (entries, _) = index.as_chunks::<INDEX_ENTRY>();
    let offset = |entry: &[u8; INDEX_ENTRY]| {
        u64::from(u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]))
    };
    let begin = u64::from(header.header_length);
    let starts_well = entries.first().map(offset) == Some(begin);
    let ends_well = entries.last().map(|entry| offset(entry).next_multiple_of(8));
    let no_checksum = entries.last().is_some_and(|entry| entry.ends_with(&[0; 4]));
    if !starts_well || ends_well != Some(header.index_offset) || !no_checksum {
        return Err(inconsistent(path, "the blocks do not fill the file"));
    }
    match entries.windows(2).position(|two| offset(&two[0]) >= offset(&two[1])) {
        Some(block) => {
            Err(inconsistent(path, format!("the index entry of block {block} is wrong")))
        }
        None => Ok(()),
    }
}
