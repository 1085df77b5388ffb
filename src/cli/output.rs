//! What commands write: lines on standard output, files that are there as a whole or not at all.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use endtable::table::{NewFile, check_output};

use super::Failure;

/// Writes a line to standard output. Unlike `println`, it does not panic when that is closed.
pub fn say(line: impl Display) -> Result<(), Failure> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// Refuses to replace a file that is there. To be asked before the work begins.
pub fn check_new(path: &Path, force: bool) -> Result<(), Failure> {
    Ok(check_output(path, force)?)
}

/// Writes a file under another name and gives it its own when it is complete and on the disk: the
/// file that was there may be the very one that is being read.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    check_output(path, true)?;
    let output = NewFile::create(path)?;
    let named = |error: io::Error| Failure::about(path, &error);
    let mut file = BufWriter::new(output.file());
    write(&mut file).map_err(|failure| match failure {
        // What could not be read has been named already.
        Failure::Io(error) if error.raw_os_error().is_some() => named(error),
        failure => failure,
    })?;
    file.flush().map_err(named)?;
    drop(file);
    Ok(output.finish(true)?)
}
