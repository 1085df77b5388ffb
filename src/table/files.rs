//! Which files of a folder are tables.

use std::fs;
use std::path::{Path, PathBuf};

use super::TableError;
use super::format::Header;
use super::read_file::ReadFile;

/// The ending of keyed tables' files.
pub const EXTENSION: &str = "etb";
/// The ending of dense tables' files.
pub const DENSE_EXTENSION: &str = "etd";

/// The files with an ending in a folder, by name; none if there are none.
///
/// # Errors
/// When the folder cannot be read.
pub fn files_in(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, TableError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(TableError::io(folder))? {
        let path = entry.map_err(TableError::io(folder))?.path();
        if path.extension().is_some_and(|ending| ending == extension) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The header of a table of any kind. Nothing behind it is looked at.
///
/// # Errors
/// When there is no such file, or it does not begin with the header of a finished table of this
/// version.
pub fn read_header(path: &Path) -> Result<Header, TableError> {
    ReadFile::open(path)?.header()
}
