//! Texts with a checksum, for files that shards leave to each other.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use endtable::job::JobError;
use endtable::table::TableError;
use xxhash_rust::xxh3::xxh3_64;

use super::Failure;
use super::output::write_file;

/// The ending of such files in a work folder.
const RESULTS: &str = "results";

/// The file of a shard: its stage, its number, and of how many.
pub fn path(folder: &Path, stage: &str, number: u64, of: u64) -> PathBuf {
    folder.join(format!("{stage}-{number}-{of}.{RESULTS}"))
}

/// The files that are there, in order.
pub fn all(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let files = fs::read_dir(folder).map_err(|error| Failure::about(folder, &error))?;
    let mut paths: Vec<PathBuf> = files.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == RESULTS));
    paths.sort_unstable();
    Ok(paths)
}

/// Writes a text with its checksum as a last line.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| Failure::about(folder, &error))?;
    write_file(path, |out| Ok(out.write_all(sealed(text).as_bytes())?))
}

/// Reads a text whose checksum is right. A file whose is not is removed: it is made again.
pub fn read(path: &Path) -> Result<String, Failure> {
    let text = fs::read(path).map_err(|error| Failure::about(path, &error))?;
    let text = String::from_utf8(text).unwrap_or_default();
    let lines = text.strip_suffix('\n').unwrap_or_default();
    let content = &lines[..lines.rfind('\n').map_or(0, |end| end + 1)];
    if sealed(content) == text {
        return Ok(content.into());
    }
    _ = fs::remove_file(path);
    let message = "damaged, and removed; run what is left of the plan";
    Err(Failure::Io(io::Error::other(format!("{}: {message}", path.display()))))
}

/// Whether nothing is left of such files.
pub fn are_gone(folder: &Path) -> bool {
    all(folder).map_or(true, |paths| paths.is_empty())
}

/// Removes such files, and their folder if there is nothing else in it.
pub fn remove(folder: &Path, paths: &[PathBuf]) {
    paths.iter().for_each(|path| _ = fs::remove_file(path));
    _ = fs::remove_dir(folder);
}

fn sealed(text: &str) -> String {
    format!("{text}{:016x}\n", xxh3_64(text.as_bytes()))
}

/// A failure as jobs have them.
pub fn job_error(failure: Failure) -> JobError {
    match failure {
        Failure::Io(error) => {
            JobError::Table(TableError::Io { path: RESULTS.into(), source: error })
        }
        failure => JobError::Check(failure.message().unwrap_or_default()),
    }
}
