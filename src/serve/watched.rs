//! Files that must stay as they are while they are open.
//!
//! Tables are mapped into memory. One that is replaced, by a new file that takes its name, does no harm:
//! the old one stays mapped. One that is changed in place would give wrong answers, and one that is cut
//! short would end the program at the next look. So length and time of every file are looked at before
//! it is asked, and what has changed is an error.

use std::fs::{File, Metadata};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use endtable::games::Tables;
use endtable::table::TableError;

/// Files were looked at so recently that they are not looked at again.
const RECENTLY: Duration = Duration::from_millis(1);

/// The files of opened tables.
pub struct Watched {
    files: Vec<WatchedFile>,
    begun: Instant,
    /// When they were last found unchanged, in microseconds since the beginning.
    seen: AtomicU64,
}

struct WatchedFile {
    path: PathBuf,
    file: Arc<File>,
    was: (u64, SystemTime),
}

impl Watched {
    /// Watches the files of tables that have just been opened.
    ///
    /// # Errors
    /// When one of them is not there any more, or is another already.
    pub fn new(tables: &dyn Tables) -> Result<Self, TableError> {
        let files = tables.files().into_iter().map(|opened| {
            let path = opened.path().to_owned();
            let about = |source| TableError::Io { path: path.clone(), source };
            let file = File::open(&path).map_err(about)?;
            let was = file.metadata().and_then(|data| state(&data)).map_err(about)?;
            if was.0 != opened.header().file_length {
                let expected = opened.header().file_length;
                return Err(TableError::Length { path, expected, found: was.0 });
            }
            Ok(WatchedFile { path, file: Arc::new(file), was })
        });
        let files = files.collect::<Result<_, _>>()?;
        Ok(Self { files, begun: Instant::now(), seen: AtomicU64::new(0) })
    }

    /// Checks that no file has changed.
    ///
    /// # Errors
    /// Names the one that has.
    pub fn check(&self) -> Result<(), TableError> {
        let now = self.begun.elapsed().as_micros() as u64;
        let seen = self.seen.load(Ordering::Relaxed);
        if seen > 0 && now.saturating_sub(seen) < RECENTLY.as_micros() as u64 {
            return Ok(());
        }
        self.files.iter().try_for_each(WatchedFile::check)?;
        self.seen.store(now, Ordering::Relaxed);
        Ok(())
    }

    /// A file by its number, to be read: the one that was opened, whatever has its name now.
    pub fn file(&self, number: usize) -> Option<Arc<File>> {
        self.files.get(number).map(|watched| Arc::clone(&watched.file))
    }
}

impl WatchedFile {
    fn check(&self) -> Result<(), TableError> {
        let about = |source| TableError::Io { path: self.path.clone(), source };
        let is = self.file.metadata().and_then(|data| state(&data)).map_err(about)?;
        if is == self.was {
            return Ok(());
        }
        let what = "it has changed since it was opened; start the server again".into();
        Err(TableError::Inconsistent { path: self.path.clone(), what })
    }
}

/// What changes with a file.
fn state(data: &Metadata) -> io::Result<(u64, SystemTime)> {
    Ok((data.len(), data.modified()?))
}
