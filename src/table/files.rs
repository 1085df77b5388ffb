//! Which files of a folder are tables.

use std::fs;
use std::path::{Path, PathBuf};

use super::TableError;
use super::format::Header;
use super::read_file::ReadFile;
use super::recipe::Recipe;

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

/// How the dense tables in a folder were made, by what they say of themselves, and one of them. Those that
/// cannot be read are passed over, unless none can.
///
/// # Errors
/// When there is none, or tables of different sets lie together.
pub fn set_in(folder: &Path) -> Result<(PathBuf, Recipe), TableError> {
    let mut found: Option<(PathBuf, Recipe)> = None;
    let mut damaged = None;
    for path in files_in(folder, DENSE_EXTENSION)? {
        let recipe = match read_header(&path) {
            Ok(header) => header.description.recipe,
            Err(error) => {
                damaged.get_or_insert(error);
                continue;
            }
        };
        match &found {
            Some((first, there)) if *there != recipe => {
                return Err(TableError::Mixed {
                    paths: (first.clone(), path),
                    what: "the set they belong to",
                    first: there.to_string(),
                    second: recipe.to_string(),
                });
            }
            _ => found = Some((path, recipe)),
        }
    }
    found.ok_or_else(|| {
        let name = format!("{}/*.{DENSE_EXTENSION}", folder.display());
        damaged.unwrap_or(TableError::MissingTable { name })
    })
}

/// The header of a table of any kind. Nothing behind it is looked at.
///
/// # Errors
/// When there is no such file, or it does not begin with the header of a finished table of this
/// version.
pub fn read_header(path: &Path) -> Result<Header, TableError> {
    ReadFile::open(path)?.header()
}
