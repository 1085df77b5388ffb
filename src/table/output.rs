//! Files that are there as a whole or not at all.
//!
//! A file is written under a name that nobody else has, `.NAME.NUMBER.partial` in the folder of its
//! target, and takes its own name when it is complete. As long as its writer lives, it is locked: an
//! unfinished file that can be locked was left by a writer that was killed, and the next writer of
//! the same target removes it.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_64;

use super::TableError;

/// Behind the name of a file that is not finished.
const PARTIAL: &str = ".partial";

/// A file that is being written. Dropped before [`finish`](Self::finish), it leaves nothing.
#[derive(Debug)]
pub struct NewFile {
    target: PathBuf,
    partial: PathBuf,
    file: File,
    finished: bool,
}

impl NewFile {
    /// Begins a file that will replace what is at `target`.
    ///
    /// # Errors
    /// When it cannot be made there.
    pub fn create(target: &Path) -> Result<Self, TableError> {
        let begin = || {
            remove_leftovers(target)?;
            loop {
                let partial = partial_name(target);
                let open =
                    OpenOptions::new().read(true).write(true).create_new(true).open(&partial);
                match open {
                    Ok(file) => {
                        // Whoever looks for leftovers may have come first: then it is gone.
                        let ours = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
                        if ours && partial.exists() {
                            let target = target.to_path_buf();
                            return Ok(Self { target, partial, file, finished: false });
                        }
                    }
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(error),
                }
            }
        };
        begin().map_err(TableError::io(target))
    }

    /// Where it will be.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// The file, to be written.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file its name, once it is on the disk if that is asked for.
    ///
    /// # Errors
    /// When it cannot be brought to the disk or get its name.
    pub fn finish(mut self, durable: bool) -> Result<(), TableError> {
        let end = || {
            if durable {
                self.file.sync_all()?;
            }
            fs::rename(&self.partial, &self.target)?;
            if durable { sync_folder(&self.target) } else { Ok(()) }
        };
        end().map_err(TableError::io(&self.target))?;
        self.finished = true;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.finished {
            _ = fs::remove_file(&self.partial);
        }
    }
}

/// Checks that a table may be written at a path: nothing is there, or a file that may be replaced.
///
/// # Errors
/// When something is there that may not be replaced.
pub fn check_output(path: &Path, replace: bool) -> Result<(), TableError> {
    // A name that ends in a slash is a folder's, whether it is there or not.
    let folder = path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.file_name().is_none();
    if folder || path.exists() && !path.is_file() {
        return Err(TableError::NotAFile { path: path.into() });
    }
    if path.exists() && !replace {
        return Err(TableError::Exists { path: path.into() });
    }
    Ok(())
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// A name that nobody has had: the process, the time and a count.
fn partial_name(target: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut name = prefix(target);
    name.push(format!("{:x}-{:x}-{count:x}{PARTIAL}", process::id(), now.as_nanos()));
    folder_of(target).join(name)
}

/// File systems have names of up to 255 bytes, and what stands around the target's takes some fifty.
const LONGEST_NAME: usize = 200;

/// What the names of a target's unfinished files begin with: its own name, or the checksum of one that
/// would leave no room for the rest.
fn prefix(target: &Path) -> OsString {
    let name = target.file_name().unwrap_or_default();
    let mut prefix = OsString::from(".");
    match name.len() {
        ..=LONGEST_NAME => prefix.push(name),
        _ => prefix.push(format!("{:016x}", xxh3_64(name.as_encoded_bytes()))),
    }
    prefix.push(".");
    prefix
}

/// The name behind which an unfinished file hides, if a file's name is one of those.
pub(crate) fn unfinished(name: &OsStr) -> Option<&[u8]> {
    let name = name.as_encoded_bytes().strip_prefix(b".")?.strip_suffix(PARTIAL.as_bytes())?;
    let dot = name.iter().rposition(|&byte| byte == b'.')?;
    let (target, numbers) = (&name[..dot], &name[dot + 1..]);
    let is_number = |byte: &u8| byte.is_ascii_hexdigit() || *byte == b'-';
    (!numbers.is_empty() && numbers.iter().all(is_number)).then_some(target)
}

/// Removes what killed writers of the same target have left.
fn remove_leftovers(target: &Path) -> io::Result<()> {
    let prefix = prefix(target);
    let prefix = prefix.as_encoded_bytes();
    for entry in fs::read_dir(folder_of(target))? {
        let path = entry?.path();
        let of_target = unfinished(path.file_name().unwrap_or_default())
            .is_some_and(|name| name == &prefix[1..prefix.len() - 1]);
        // Only plain files: a link may lead anywhere.
        let ours = of_target && path.symlink_metadata().is_ok_and(|data| data.is_file());
        if ours && File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            _ = fs::remove_file(&path);
        }
    }
    Ok(())
}

/// Brings a new name in a folder to the disk.
fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(folder_of(path))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn two_writers_do_not_share_a_file_and_leftovers_go() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        let left = folder.path().join(".out.1f-2-0.partial");
        let foreign = folder.path().join(".out.notes.partial");
        fs::write(&left, "half").unwrap();
        fs::write(&foreign, "somebody's").unwrap();
        let one = NewFile::create(&target).unwrap();
        let two = NewFile::create(&target).unwrap();
        assert!(!left.exists() && foreign.exists());
        one.file().write_all(b"one").unwrap();
        two.file().write_all(b"second").unwrap();
        one.finish(true).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"one");
        two.finish(false).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"second");
        drop(NewFile::create(&target).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left");
    }

    #[test]
    fn the_longest_names_can_be_written() {
        let folder = tempfile::tempdir().unwrap();
        for length in [LONGEST_NAME, LONGEST_NAME + 1, 230, 255] {
            let target = folder.path().join("n".repeat(length));
            let left = folder.path().join(format!("{}1-2-3{PARTIAL}", prefix(&target).display()));
            fs::write(&left, "half").unwrap();
            NewFile::create(&target).unwrap().finish(true).unwrap();
            assert!(target.is_file() && !left.exists(), "{length}");
        }
    }
}
