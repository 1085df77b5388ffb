//! Reading: a mapped file answers probes.

use std::io::ErrorKind;
use std::ops::Deref;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use xxhash_rust::xxh3::xxh3_64;

use super::TableError;
use super::block::{Broken, Decoded, Plain, Shape, check_block, check_in_place, read_block};
use super::format::{
    Compression, Description, Header, INDEX_ENTRY, IndexEntry, Kind, MOST_BLOCK_RECORDS,
    inconsistent,
};
use super::open_file::OpenFile;
use super::packed::Packed;
use super::record::Record;

/// An open table. Threads may share it.
#[derive(Debug)]
pub struct Table {
    file: OpenFile,
    /// The first code of each block: where a probe begins.
    first_codes: Vec<u64>,
    /// One in [`STRETCH`] of them: few enough to stay in the processor's nearest cache.
    landmarks: Vec<u64>,
    /// A bit for each block whose bytes have been found right: their checksum, and where they are
    /// read in place, what the format says of them.
    verified: Vec<AtomicU64>,
    /// Recently decompressed blocks, each at the place that its number gives it.
    cache: Vec<Mutex<Option<CachedBlock>>>,
}

impl Deref for Table {
    type Target = OpenFile;

    fn deref(&self) -> &OpenFile {
        &self.file
    }
}

/// A decompressed block and its number.
type CachedBlock = (usize, Arc<Decoded>);

/// How many decompressed blocks are kept, and in how many bytes: of large blocks fewer, at least one.
const CACHE_BLOCKS: usize = 64;
const CACHE_BYTES: usize = 1 << 20;

/// How many first codes there are to a landmark.
const STRETCH: usize = 128;

impl Table {
    /// Opens a table and checks everything but the blocks, which are checked as they are read.
    ///
    /// # Errors
    /// When there is no such file, or it is not a finished, undamaged table of a known version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TableError> {
        let index_bytes = |header: &Header| header.blocks.checked_mul(INDEX_ENTRY as u64);
        let (file, index) = OpenFile::open(path.as_ref(), Kind::Keyed, index_bytes)?;
        let first_codes = check_index(&index, &file.header, &file.path)?;
        let landmarks = first_codes.iter().copied().step_by(STRETCH).collect();
        let verified = (0..first_codes.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let Header { block_records, description: Description { value, .. }, .. } = file.header;
        let slots = CACHE_BYTES / Decoded::size(block_records as usize, value);
        let cache = (0..slots.clamp(1, CACHE_BLOCKS)).map(|_| Mutex::new(None)).collect();
        Ok(Self { file, first_codes, landmarks, verified, cache })
    }

    /// The record of a code, or `None` if it is not in the table. Reads at most one block.
    ///
    /// # Errors
    /// When the block is damaged.
    pub fn get(&self, code: u64) -> Result<Option<Record>, TableError> {
        let Some(block) = self.block_of(code) else { return Ok(None) };
        match self.file.header.description.compression {
            Compression::None => {
                let plain = self.plain(block)?;
                let number = last(plain.codes, |there| u64::from_le_bytes(*there) <= code);
                let record = number.and_then(|number| plain.record(number));
                Ok(record.filter(|record| record.code == code))
            }
            Compression::Zstd => {
                let decoded = self.decoded(block)?;
                let number = last(&decoded.codes, |&there| there <= code);
                let record = number.map(|number| decoded.record(number));
                Ok(record.filter(|record| record.code == code))
            }
            Compression::Packed => Ok(self.packed(block)?.find(code)),
        }
    }

    /// Answers many codes, in their order. Quickest when they ascend: then each block is read once.
    ///
    /// # Errors
    /// At the first damaged block.
    pub fn get_many(&self, codes: &[u64]) -> Result<Vec<Option<Record>>, TableError> {
        let mut last: Option<CachedBlock> = None;
        let mut answers = Vec::with_capacity(codes.len());
        for &code in codes {
            if self.file.header.description.compression != Compression::Zstd {
                answers.push(self.get(code)?);
                continue;
            }
            // Neighbours are mostly in the block in hand: looked for there before the index.
            if last.as_ref().is_none_or(|(block, _)| !self.belongs(code, *block)) {
                let Some(block) = self.block_of(code) else {
                    answers.push(None);
                    continue;
                };
                last = Some((block, self.decoded(block)?));
            }
            let found = last.as_ref().and_then(|(_, decoded)| {
                Some(decoded.record(decoded.codes.binary_search(&code).ok()?))
            });
            answers.push(found);
        }
        Ok(answers)
    }

    /// The records from a number on, in order, up to the first damaged block.
    pub fn records_from(
        &self,
        number: u64,
    ) -> impl Iterator<Item = Result<Record, TableError>> + '_ {
        let per_block = u64::from(self.file.header.block_records);
        let first = (number / per_block) as usize;
        let skip = (number % per_block) as usize;
        let blocks = first..self.first_codes.len().max(first);
        let mut damaged = false;
        blocks
            .map_while(move |block| {
                let records = (!damaged).then(|| self.block_records(block));
                damaged = records.as_ref().is_some_and(Result::is_err);
                records.map(|records| (records, if block == first { skip } else { 0 }))
            })
            .flat_map(|(records, skip)| match records {
                Ok(records) => records.into_iter().skip(skip).map(Ok).collect(),
                Err(error) => vec![Err(error)],
            })
    }

    /// All records, in order, up to the first damaged block.
    pub fn records(&self) -> impl Iterator<Item = Result<Record, TableError>> + '_ {
        self.records_from(0)
    }

    /// Appends the records with codes from `start` on, up to `end`.
    pub(super) fn records_between(
        &self,
        start: u64,
        end: Option<u64>,
        records: &mut Vec<Record>,
    ) -> Result<(), TableError> {
        let first = self.block_of(start).unwrap_or(0);
        for block in first..self.blocks() {
            if end.is_some_and(|end| self.first_codes[block] >= end) {
                break;
            }
            let inside =
                |record: &Record| record.code >= start && end.is_none_or(|end| record.code < end);
            let found = self.block_records(block)?;
            let no_memory = |_| self.broken(block, Broken::Memory);
            records.try_reserve(found.len()).map_err(no_memory)?;
            records.extend(found.into_iter().filter(inside));
        }
        Ok(())
    }

    /// The first code of each block.
    pub(super) fn first_codes(&self) -> &[u64] {
        &self.first_codes
    }

    /// The number of the first record whose code is not below `code`.
    ///
    /// # Errors
    /// When the block where it would be is damaged.
    pub fn position(&self, code: u64) -> Result<u64, TableError> {
        let Some(block) = self.block_of(code) else { return Ok(0) };
        let before = block as u64 * u64::from(self.file.header.block_records);
        let records = self.block_records(block)?;
        Ok(before + records.partition_point(|record| record.code < code) as u64)
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.first_codes.len()
    }

    /// How many blocks there are before those of a table that continues this one, and has the last block of
    /// this one as well, unless that is full.
    ///
    /// # Errors
    /// When it does not continue this one.
    pub(crate) fn blocks_before(&self, next: &Self) -> Result<usize, TableError> {
        let Some(last) = self.blocks().checked_sub(1) else { return Ok(0) };
        let is_full = self.entry(last).records == self.file.header.block_records;
        let continued = match is_full {
            true => next.first_codes.first() > self.first_codes.last(),
            false => next.first_codes.first() == self.first_codes.last(),
        };
        match continued {
            true => Ok(if is_full { last + 1 } else { last }),
            false => Err(inconsistent(&next.file.path, "does not continue the one before")),
        }
    }

    /// How many records each block has, but the last.
    #[must_use]
    pub fn block_len(&self) -> usize {
        self.file.header.block_records as usize
    }

    /// Checks a block through and through: its checksum, its columns, the order of its records
    /// and their place before the next block. Answers how many records it has.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn verify_block(&self, block: usize) -> Result<u64, TableError> {
        let entry = self.entry(block);
        let bytes = self.raw(entry);
        self.check_bytes(block, entry, bytes)?;
        let compression = self.file.header.description.compression;
        check_block(compression, bytes, &self.shape(block, entry))
            .map_err(|broken| self.broken(block, broken))?;
        Ok(entry.records.into())
    }

    /// The block that would hold a code: the last one that does not begin behind it.
    fn block_of(&self, code: u64) -> Option<usize> {
        let stretch = self.landmarks.partition_point(|&first| first <= code).checked_sub(1)?;
        let start = stretch * STRETCH;
        let end = self.first_codes.len().min(start + STRETCH);
        Some(start + last(&self.first_codes[start..end], |&first| first <= code)?)
    }

    fn belongs(&self, code: u64, block: usize) -> bool {
        code >= self.first_codes[block]
            && self.first_codes.get(block + 1).is_none_or(|&next| code < next)
    }

    fn entry(&self, block: usize) -> IndexEntry {
        let at = self.file.header.index_offset as usize + block * INDEX_ENTRY;
        let bytes = self.file.map[at..].first_chunk().expect("the index was checked when opened");
        IndexEntry::decode(bytes)
    }

    /// Where a block's index entry is in the file, and how long.
    pub(super) fn place_of_entry(&self, block: usize) -> (u64, usize) {
        (self.file.header.index_offset + (block * INDEX_ENTRY) as u64, INDEX_ENTRY)
    }

    /// A block's index entry that was read again, if it is still the one that was checked.
    pub(super) fn read_entry(&self, block: usize, bytes: &[u8]) -> Result<IndexEntry, TableError> {
        let entry = bytes.first_chunk().map(IndexEntry::decode);
        let end = |entry: &IndexEntry| entry.offset.checked_add(entry.length.into());
        let same = |entry: &IndexEntry| {
            entry.first_code == self.first_codes[block]
                && end(entry).is_some_and(|end| end <= self.file.header.index_offset)
                && (1..=self.file.header.block_records).contains(&entry.records)
        };
        let changed = || inconsistent(&self.file.path, "it was changed while it was read");
        entry.filter(same).ok_or_else(changed)
    }

    /// A block's bytes, once they have been found right.
    fn bytes(&self, block: usize) -> Result<(&[u8], IndexEntry), TableError> {
        let entry = self.entry(block);
        let bytes = self.raw(entry);
        let mask = 1 << (block % 64);
        if self.verified[block / 64].load(Ordering::Relaxed) & mask == 0 {
            self.check_bytes(block, entry, bytes)?;
            let compression = self.file.header.description.compression;
            check_in_place(compression, bytes, &self.shape(block, entry))
                .map_err(|broken| self.broken(block, broken))?;
            self.verified[block / 64].fetch_or(mask, Ordering::Relaxed);
        }
        Ok((bytes, entry))
    }

    /// A block as it is stored, with its index entry, unchecked.
    pub(super) fn stored(&self, block: usize) -> (IndexEntry, &[u8]) {
        let entry = self.entry(block);
        (entry, self.raw(entry))
    }

    fn raw(&self, entry: IndexEntry) -> &[u8] {
        &self.file.map[entry.offset as usize..][..entry.length as usize]
    }

    /// What is known of a block before its bytes are read.
    fn shape(&self, block: usize, entry: IndexEntry) -> Shape {
        let Description { layout, value, .. } = self.file.header.description;
        let (first_code, records) = (entry.first_code, entry.records as usize);
        let next_code = self.first_codes.get(block + 1).copied();
        Shape { first_code, next_code, records, layout, value }
    }

    /// Compares a block's bytes with their checksum.
    fn check_bytes(&self, block: usize, entry: IndexEntry, bytes: &[u8]) -> Result<(), TableError> {
        let (expected, found) = (entry.checksum, xxh3_64(bytes));
        if found == expected {
            return Ok(());
        }
        Err(TableError::ChecksumMismatch { path: self.file.path.clone(), block, expected, found })
    }

    /// The records of a block whose bytes these are, everything about it checked.
    pub(super) fn check_and_read(
        &self,
        block: usize,
        entry: IndexEntry,
        bytes: &[u8],
    ) -> Result<Vec<Record>, TableError> {
        self.check_bytes(block, entry, bytes)?;
        let compression = self.file.header.description.compression;
        read_block(compression, bytes, &self.shape(block, entry))
            .map_err(|broken| self.broken(block, broken))
    }

    fn plain(&self, block: usize) -> Result<Plain<'_>, TableError> {
        let (bytes, entry) = self.bytes(block)?;
        Plain::new(bytes, &self.shape(block, entry)).map_err(|broken| self.broken(block, broken))
    }

    fn packed(&self, block: usize) -> Result<Packed<'_>, TableError> {
        let (bytes, entry) = self.bytes(block)?;
        Packed::new(bytes, &self.shape(block, entry)).map_err(|broken| self.broken(block, broken))
    }

    /// A decompressed block: from the cache, or now.
    fn decoded(&self, block: usize) -> Result<Arc<Decoded>, TableError> {
        let slot = &self.cache[block % self.cache.len()];
        {
            let cached = slot.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if let Some((number, decoded)) = &*cached
                && *number == block
            {
                return Ok(Arc::clone(decoded));
            }
        }
        let decoded = Arc::new(self.decode(block)?);
        let mut cached = slot.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *cached = Some((block, Arc::clone(&decoded)));
        Ok(decoded)
    }

    fn decode(&self, block: usize) -> Result<Decoded, TableError> {
        let (bytes, entry) = self.bytes(block)?;
        Decoded::from_zstd(bytes, &self.shape(block, entry))
            .map_err(|broken| self.broken(block, broken))
    }

    fn broken(&self, block: usize, broken: Broken) -> TableError {
        match broken {
            Broken::Memory => TableError::io(&self.file.path)(ErrorKind::OutOfMemory.into()),
            Broken::Rule(rule) => inconsistent(
                &self.file.path,
                format!("block {block} has the right checksum, but {rule}"),
            ),
        }
    }

    /// The records of a block, after it has been checked.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn block_records(&self, block: usize) -> Result<Vec<Record>, TableError> {
        let entry = self.entry(block);
        self.check_and_read(block, entry, self.raw(entry))
    }
}

/// The number of the last of ascending codes that is not above the one looked for.
///
/// A binary search waits for memory at every step. This looks at every sixteenth code, then at
/// sixteen in a row: no look depends on the one before, so most waits are at the same time.
fn last<T>(codes: &[T], not_above: impl Fn(&T) -> bool) -> Option<usize> {
    const STEP: usize = 16;
    let count = |codes: &[T], step| {
        codes.iter().step_by(step).filter(|code| not_above(code)).count().checked_sub(1)
    };
    let start = count(codes, STEP)? * STEP;
    let end = codes.len().min(start + STEP);
    Some(start + count(&codes[start..end], 1)?)
}

/// Checks that the blocks lie one behind the other, with ascending codes and full counts.
fn check_index(index: &[u8], header: &Header, path: &Path) -> Result<Vec<u64>, TableError> {
    let (entries, _) = index.as_chunks::<INDEX_ENTRY>();
    let mut first_codes: Vec<u64> = Vec::new();
    let no_memory = |_| TableError::io(path)(ErrorKind::OutOfMemory.into());
    first_codes.try_reserve_exact(entries.len()).map_err(no_memory)?;
    let mut offset = u64::from(header.header_length);
    let mut records = 0;
    for (number, bytes) in entries.iter().enumerate() {
        let entry = IndexEntry::decode(bytes);
        let full = entry.records == header.block_records;
        let last = number + 1 == entries.len();
        let counted = entry.records > 0 && entry.records <= header.block_records && (full || last);
        let ascends = first_codes.last().is_none_or(|&before| before < entry.first_code);
        if entry.offset != offset || !counted || !ascends {
            return Err(inconsistent(path, format!("the index entry of block {number} is wrong")));
        }
        offset = offset.saturating_add(entry.length.into());
        records += u64::from(entry.records);
        first_codes.push(entry.first_code);
    }
    let end = offset.checked_next_multiple_of(8);
    if end != Some(header.index_offset)
        || records != header.records
        || !(1..=MOST_BLOCK_RECORDS).contains(&header.block_records)
    {
        return Err(inconsistent(path, "blocks and counts do not add up"));
    }
    Ok(first_codes)
}
