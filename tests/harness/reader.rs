//! Tables of any kind, and what reading them must stand, whatever the bytes: the one harness of the
//! fuzz target and of the bounded run in the tests.

use std::io::Write;
use std::path::Path;

use endtable::table::{DenseTable, Meta, Record, Table, TableError};
use endtable::value::{Plies, Value};

use super::repair::repair;

/// An open table of whatever kind. An entry of a dense table is a record with its number as code.
pub enum AnyTable {
    Keyed(Table),
    Dense(DenseTable),
}

impl AnyTable {
    pub fn open(path: &Path) -> Result<Self, TableError> {
        match Table::open(path) {
            Err(TableError::WrongKind { .. }) => DenseTable::open(path).map(Self::Dense),
            opened => opened.map(Self::Keyed),
        }
    }

    pub fn len(&self) -> u64 {
        match self {
            Self::Keyed(table) => table.len(),
            Self::Dense(table) => table.len(),
        }
    }

    pub fn blocks(&self) -> usize {
        match self {
            Self::Keyed(table) => table.blocks(),
            Self::Dense(table) => table.blocks(),
        }
    }

    /// How many records each block has, but the last.
    pub fn block_len(&self) -> usize {
        match self {
            Self::Keyed(table) => table.block_len(),
            Self::Dense(table) => table.block_entries(),
        }
    }

    /// All records, in order, up to the first damaged block.
    pub fn records(&self) -> Box<dyn Iterator<Item = Result<Record, TableError>> + '_> {
        match self {
            Self::Keyed(table) => Box::new(table.records()),
            Self::Dense(table) => {
                let blocks = (0..table.blocks()).map(|block| (block, table.block(block)));
                Box::new(blocks.flat_map(|(block, entries)| {
                    let first = (block * table.block_entries()) as u64;
                    match entries {
                        Ok(entries) => (first..).zip(entries).map(|it| Ok(entry(it))).collect(),
                        Err(error) => vec![Err(error)],
                    }
                }))
            }
        }
    }

    /// Checks a block through and through.
    pub fn verify_block(&self, block: usize) -> Result<(), TableError> {
        match self {
            Self::Keyed(table) => table.verify_block(block).map(drop),
            Self::Dense(table) => table.block(block).map(drop),
        }
    }

    pub fn get(&self, code: u64) -> Result<Option<Record>, TableError> {
        match self {
            Self::Keyed(table) => table.get(code),
            Self::Dense(table) => Ok(table.get(code)?.map(|found| entry((code, found)))),
        }
    }

    pub fn get_many(&self, codes: &[u64]) -> Result<Vec<Option<Record>>, TableError> {
        match self {
            Self::Keyed(table) => table.get_many(codes),
            Self::Dense(_) => codes.iter().map(|&code| self.get(code)).collect(),
        }
    }

    /// The number of the first record whose code is not below this one.
    pub fn position(&self, code: u64) -> Result<u64, TableError> {
        match self {
            Self::Keyed(table) => table.position(code),
            Self::Dense(table) => Ok(code.min(table.len())),
        }
    }
}

fn entry((code, entry): (u64, u8)) -> Record {
    Record { code, meta: Meta::new(0, Value::Loss(Plies(entry.into())), None), value: 0 }
}

/// Blocks may hold 65,536 records each, so a small file may claim a great many.
const MOST_RECORDS: usize = 10_000;

/// Reads bytes as a table, as they are and with their checksums made right. Returns whether the
/// table could be opened, before and after.
///
/// # Panics
/// When the reader does, or when a table that it finds sound contradicts itself.
pub fn read_both_ways(bytes: &[u8]) -> (bool, bool) {
    let mut repaired = bytes.to_vec();
    repair(&mut repaired);
    (read(bytes), read(&repaired))
}

fn read(bytes: &[u8]) -> bool {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("it can be written");
    let table = match AnyTable::open(file.path()) {
        Ok(table) => table,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    let records: Vec<Record> = table.records().take(MOST_RECORDS).map_while(Result::ok).collect();
    assert!(records.len() as u64 <= table.len());
    let blocks = table.blocks().min(8);
    let sound = (0..blocks).all(|block| table.verify_block(block).is_ok());
    let checked = blocks * table.block_len();
    for (number, &record) in records.iter().enumerate() {
        let found = table.get(record.code);
        let position = table.position(record.code);
        if sound && number < checked {
            assert_eq!(found.expect("the block is sound"), Some(record));
            assert_eq!(position.expect("the block is sound"), number as u64);
        }
    }
    for code in [0, 1, u64::MAX / 2, u64::MAX] {
        _ = table.get(code);
        _ = table.position(code);
    }
    let codes: Vec<u64> = records.iter().map(|record| record.code).collect();
    if let Ok(answers) = table.get_many(&codes)
        && sound
    {
        let answers: Vec<Record> = answers.into_iter().flatten().collect();
        assert_eq!(answers[..records.len().min(checked)], records[..records.len().min(checked)]);
    }
    true
}
