//! The table files that paths stand for.

use std::path::{Path, PathBuf};

use endtable::table::{
    DENSE_EXTENSION, DenseTable, EXTENSION, Header, Kind, Table, TableError, files_in, read_header,
};

/// The tables in a folder, by name; none if there are none.
pub fn tables_in(folder: &Path) -> Result<Vec<PathBuf>, TableError> {
    let mut files = files_in(folder, EXTENSION)?;
    files.extend(files_in(folder, DENSE_EXTENSION)?);
    files.sort();
    Ok(files)
}

/// A file stands for itself, a folder for the tables in it, of which there must be some.
pub fn tables_at(path: &Path) -> Result<Vec<PathBuf>, TableError> {
    if !path.is_dir() {
        return Ok(vec![path.into()]);
    }
    let files = tables_in(path)?;
    if files.is_empty() {
        let name = format!("{}/*.{EXTENSION}, *.{DENSE_EXTENSION}", path.display());
        return Err(TableError::MissingTable { name });
    }
    Ok(files)
}

/// The header of a table whose frame is whole: a file cut short does not speak for itself.
pub fn whole_header(file: &Path) -> Result<Header, TableError> {
    Ok(match read_header(file)?.kind {
        Kind::Keyed => Table::open(file)?.header().clone(),
        Kind::Dense => DenseTable::open(file)?.header().clone(),
    })
}
