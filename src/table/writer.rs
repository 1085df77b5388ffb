//! Writing: records in ascending order become a file.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::mem;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::TableError;
use super::block::Encoder;
use super::format::{
    BLOCK_RECORDS, Description, FOOTER, Header, INDEX_ENTRY, IndexEntry, Kind, encode_footer,
};
use super::output::NewFile;
use super::reader::Table;
use super::record::Record;

/// Writes a table. Until [`finish`](Self::finish) the file has another name and no magic number:
/// whatever happens, nothing half-written passes for a table.
#[derive(Debug)]
pub struct Writer {
    output: NewFile,
    file: BufWriter<File>,
    description: Description,
    pending: Vec<Record>,
    index: Vec<u8>,
    offset: u64,
    records: u64,
    last_code: Option<u64>,
    /// Whether it must be on the disk before it has its name.
    durable: bool,
}

/// Blocks are compressed in parallel, this many at a time.
const BATCH_BLOCKS: usize = 256;

impl Writer {
    /// Begins a table.
    ///
    /// # Errors
    /// When the file cannot be made, or a header cannot hold the description: its texts are one
    /// line each, and not very long.
    pub fn create(path: &Path, description: Description) -> Result<Self, TableError> {
        Self::begin(path, description, true)
    }

    /// Begins a table that is not waited for to be on the disk: for shards of unfinished work, which
    /// are checked to the last byte before they are used.
    pub(crate) fn create_shard(path: &Path, description: Description) -> Result<Self, TableError> {
        Self::begin(path, description, false)
    }

    fn begin(path: &Path, description: Description, durable: bool) -> Result<Self, TableError> {
        description.check(path)?;
        let output = NewFile::create(path)?;
        let (file, header_length) = begin_file(&output, &description)?;
        Ok(Self {
            output,
            file,
            description,
            pending: Vec::new(),
            index: Vec::new(),
            offset: header_length,
            records: 0,
            last_code: None,
            durable,
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
                path: self.output.target().into(),
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

    /// Adds blocks of another table behind the records so far: as they are stored there, if those fill whole
    /// blocks and this table stores its own in the same way. All of them are checked. Behind one that is not
    /// full, nothing may be added.
    ///
    /// # Errors
    /// When a block is damaged or does not come behind what is there, or when writing fails.
    pub(crate) fn push_blocks(
        &mut self,
        table: &Table,
        blocks: Range<usize>,
    ) -> Result<(), TableError> {
        let stored = |description: &Description| {
            (description.compression, description.layout, description.value)
        };
        let is_alike = stored(&table.header().description) == stored(&self.description)
            && table.block_len() == BLOCK_RECORDS as usize;
        if !is_alike || !self.pending.len().is_multiple_of(BLOCK_RECORDS as usize) {
            return blocks
                .into_iter()
                .try_for_each(|block| self.push_all(&table.block_records(block)?));
        }
        self.flush()?;
        let Some(last) = blocks.clone().next_back() else { return Ok(()) };
        blocks.clone().into_par_iter().try_for_each(|block| table.verify_block(block).map(drop))?;
        let first = table.first_codes()[blocks.start];
        let last_code = table.block_records(last)?.last().map(|record| record.code);
        if let Some(before) = self.last_code.filter(|&before| before >= first) {
            let path = self.output.target().into();
            return Err(TableError::OutOfOrder { path, before, code: first });
        }
        for block in blocks {
            let (entry, bytes) = table.stored(block);
            self.put(entry, bytes)?;
        }
        self.last_code = last_code;
        Ok(())
    }

    /// Compresses and writes the records in hand.
    fn flush(&mut self) -> Result<(), TableError> {
        let Description { compression, layout, value, .. } = self.description;
        let misfit = self.pending.par_iter().find_any(|record| !layout.fits(record.meta));
        if let Some(&Record { code, .. }) = misfit {
            return Err(TableError::NoRoom { path: self.output.target().into(), code });
        }
        let encoded: Vec<(Vec<u8>, u64)> = self
            .pending
            .par_chunks(BLOCK_RECORDS as usize)
            .map_init(
                || Encoder::new(compression, layout, value),
                |encoder, block| match encoder {
                    Ok(encoder) => {
                        let bytes = encoder.encode(block)?;
                        let checksum = xxh3_64(&bytes);
                        Ok((bytes, checksum))
                    }
                    Err(error) => Err(std::io::Error::new(error.kind(), error.to_string())),
                },
            )
            .collect::<Result<_, _>>()
            .map_err(TableError::io(self.output.target()))?;
        let pending = mem::take(&mut self.pending);
        let blocks = pending.chunks(BLOCK_RECORDS as usize);
        for (records, (bytes, checksum)) in blocks.zip(encoded) {
            let entry = IndexEntry {
                first_code: records[0].code,
                offset: self.offset,
                length: bytes.len() as u32,
                records: records.len() as u32,
                checksum,
            };
            self.put(entry, &bytes)?;
        }
        // Its room is used again.
        self.pending = pending;
        self.pending.clear();
        Ok(())
    }

    /// Writes a block behind those so far, whatever its entry says of where it is.
    fn put(&mut self, entry: IndexEntry, bytes: &[u8]) -> Result<(), TableError> {
        self.index.extend(IndexEntry { offset: self.offset, ..entry }.encode());
        self.file.write_all(bytes).map_err(TableError::io(self.output.target()))?;
        self.offset += bytes.len() as u64;
        self.records += u64::from(entry.records);
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
            .map_err(TableError::io(self.output.target()))?;
        self.output.finish(self.durable)?;
        Ok(header)
    }
}

/// A new table's file with room for its header, and how much room that is.
pub(super) fn begin_file(
    output: &NewFile,
    description: &Description,
) -> Result<(BufWriter<File>, u64), TableError> {
    let begin = || {
        let mut file = BufWriter::with_capacity(1 << 18, output.file().try_clone()?);
        let header_length = Header::length(description);
        file.write_all(&vec![0; header_length])?;
        Ok((file, header_length as u64))
    };
    begin().map_err(TableError::io(output.target()))
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
    file.flush()
}
