//! Several tables, searched as one.

use std::path::{Path, PathBuf};

use super::files::{EXTENSION, files_in};
use super::merge::check_alike;
use super::reader::Table;
use super::record::Record;
use super::{Description, TableError};

/// Tables of one game and one set of rules, searched one after the other.
#[derive(Debug)]
pub struct TableSet {
    tables: Vec<Table>,
}

impl TableSet {
    /// Opens files; a folder stands for all `*.etb` in it.
    ///
    /// # Errors
    /// When there is none, one cannot be opened, or they do not belong together.
    pub fn open(paths: &[impl AsRef<Path>]) -> Result<Self, TableError> {
        let mut files: Vec<PathBuf> = Vec::new();
        for path in paths {
            let path = path.as_ref();
            if !path.is_dir() {
                files.push(path.into());
                continue;
            }
            let found = files_in(path, EXTENSION)?;
            if found.is_empty() {
                let name = format!("{}/*.{EXTENSION}", path.display());
                return Err(TableError::MissingTable { name });
            }
            files.extend(found);
        }
        let tables = files.iter().map(Table::open).collect::<Result<Vec<_>, _>>()?;
        check_alike(&tables)?;
        Ok(Self { tables })
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// What they have in common: the first one's description.
    #[must_use]
    pub fn description(&self) -> Option<&Description> {
        self.tables.first().map(|table| &table.header().description)
    }

    /// The record of a code in the first table that has it.
    ///
    /// # Errors
    /// When a block that may hold it is damaged.
    pub fn get(&self, code: u64) -> Result<Option<Record>, TableError> {
        for table in &self.tables {
            if let Some(record) = table.get(code)? {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    /// The records of many codes, in their order, each from the first table that has it. Quickest
    /// when the codes ascend: then each block is read once.
    ///
    /// # Errors
    /// At the first damaged block.
    pub fn get_many(&self, codes: &[u64]) -> Result<Vec<Option<Record>>, TableError> {
        let Some((first, others)) = self.tables.split_first() else {
            return Ok(vec![None; codes.len()]);
        };
        let mut answers = first.get_many(codes)?;
        for table in others {
            let missing: Vec<usize> =
                (0..codes.len()).filter(|&number| answers[number].is_none()).collect();
            let wanted: Vec<u64> = missing.iter().map(|&number| codes[number]).collect();
            for (number, record) in missing.into_iter().zip(table.get_many(&wanted)?) {
                answers[number] = record;
            }
        }
        Ok(answers)
    }
}
