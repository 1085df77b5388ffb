//! Checksums of whole files, as `sha256sum` prints them.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::Ordering;

use endtable::games::{GameError, Watch};
use endtable::table::TableError;
use sha2::{Digest, Sha256};

/// The SHA-256 of a file, in hex.
///
/// # Errors
/// When it cannot be read, or it was stopped.
pub fn sha256(path: &Path, watch: &Watch<'_>) -> Result<String, GameError> {
    let opened = File::open(path).map_err(|source| TableError::Io { path: path.into(), source });
    sha256_of(path, opened?, watch)
}

/// The same of what is read from a file of this name from its beginning on.
///
/// # Errors
/// As of [`sha256`].
pub fn sha256_of(
    path: &Path,
    mut reader: impl Read,
    watch: &Watch<'_>,
) -> Result<String, GameError> {
    let about = |source: io::Error| TableError::Io { path: path.into(), source };
    let (mut hash, mut piece) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        if watch.stop.load(Ordering::Relaxed) {
            return Err(GameError::Stopped);
        }
        match reader.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => {
                hash.update(&piece[..read]);
                watch.progress.advance(read as u64, 0);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(about(error).into()),
        }
    }
    Ok(hash.finalize().iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    }))
}
