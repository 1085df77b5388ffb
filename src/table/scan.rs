//! Reading a table block by block from its file, not from the map: how tables are checked.
//!
//! Everything that the format says of a block is checked before anything of it is given, and a file
//! that is cut short meanwhile is an error, not the end of the program. Threads may share a scan.

use super::TableError;
use super::dense::DenseTable;
use super::read_file::ReadFile;
use super::reader::Table;
use super::record::Record;

/// The blocks of a keyed table, read from its file.
#[derive(Debug)]
pub struct Scan<'a> {
    table: &'a Table,
    file: ReadFile,
}

impl Table {
    /// Begins to read the table from its file.
    ///
    /// # Errors
    /// When it is no longer there, or another has taken its place.
    pub fn scan(&self) -> Result<Scan<'_>, TableError> {
        Ok(Scan { table: self, file: self.to_read()? })
    }
}

impl Scan<'_> {
    /// The records of a block: its checksum, its columns, the order of its records and their place
    /// before the next block have been found right.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn records(&self, block: usize) -> Result<Vec<Record>, TableError> {
        let mut bytes = Vec::new();
        let (at, length) = self.table.place_of_entry(block);
        self.file.read(at, length, &mut bytes)?;
        let entry = self.table.read_entry(block, &bytes)?;
        self.file.read(entry.offset, entry.length as usize, &mut bytes)?;
        self.table.check_and_read(block, entry, &bytes)
    }
}

/// The blocks of a dense table, read from its file.
#[derive(Debug)]
pub struct DenseScan<'a> {
    table: &'a DenseTable,
    file: ReadFile,
}

impl DenseTable {
    /// Begins to read the table from its file.
    ///
    /// # Errors
    /// When it is no longer there, or another has taken its place.
    pub fn scan(&self) -> Result<DenseScan<'_>, TableError> {
        Ok(DenseScan { table: self, file: self.to_read()? })
    }
}

impl DenseScan<'_> {
    /// The entries of a block, after its checksum, its length and they themselves have been found
    /// right.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn entries(&self, block: usize) -> Result<Vec<u8>, TableError> {
        let mut bytes = Vec::new();
        let (at, length) = self.table.place_of_entry(block);
        self.file.read(at, length, &mut bytes)?;
        let place = self.table.read_entry(block, &bytes)?;
        let length = (place.end - place.start) as usize;
        self.file.read(place.start.into(), length, &mut bytes)?;
        self.table.check_and_read(block, place, &bytes)
    }
}
