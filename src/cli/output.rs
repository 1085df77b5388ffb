//! What commands write: lines on standard output, files that are there as a whole or not at all.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::Failure;

/// Writes a line to standard output. Unlike `println`, it does not panic when that is closed.
pub fn say(line: impl Display) -> Result<(), Failure> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// Refuses to replace a file that is there. To be asked before the work begins.
pub fn check_new(path: &Path, force: bool) -> Result<(), Failure> {
    if path.is_file() && !force {
        return Err(Failure::input(format!(
            "{}: exists already; --force replaces it",
            path.display()
        )));
    }
    Ok(())
}

/// Writes a file under another name and gives it its own when it is complete and on the disk: the
/// file that was there may be the very one that is being read.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if path.exists() && !path.is_file() {
        return Err(Failure::input(format!("{}: exists and is not a file", path.display())));
    }
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let named = |error: io::Error| Failure::about(path, &error);
    let mut file = BufWriter::new(File::create(&partial).map_err(named)?);
    let written = write(&mut file).and_then(|()| {
        file.flush().map_err(named)?;
        file.get_ref().sync_all().map_err(named)?;
        fs::rename(&partial, path).map_err(named)
    });
    if written.is_err() {
        _ = fs::remove_file(&partial);
    }
    written
}
