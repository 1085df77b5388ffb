//! What takes long and is worked out once: when somebody first asks for it, on one thread for all.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use endtable::games::{GameError, Watch};
use endtable::job::Progress;
use rayon::ThreadPoolBuilder;

use super::opened::Opened;
use crate::checksum::sha256_of;

/// Checksums in hex, in the order of the files.
pub type Sums = Vec<String>;

/// Something that is worked out in the background.
pub struct Later<T> {
    state: Mutex<State<T>>,
    progress: Fraction,
}

enum State<T> {
    Untouched,
    Working,
    Done(Result<Arc<T>, String>),
}

/// What there is of it by now.
pub enum Now<T> {
    /// It is being worked out, and so many percent are done.
    Percent(u64),
    /// It is there; or what went wrong.
    Done(Result<Arc<T>, String>),
}

impl<T> Default for Later<T> {
    fn default() -> Self {
        Self { state: Mutex::new(State::Untouched), progress: Fraction::default() }
    }
}

impl<T> Later<T> {
    /// What there is by now. The first to ask has it begun.
    fn now(&self, begin: impl FnOnce()) -> Now<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Done(done) = &*state {
            return Now::Done(done.clone());
        }
        if matches!(*state, State::Untouched) {
            *state = State::Working;
            begin();
        }
        Now::Percent(self.progress.percent())
    }

    fn work_out(&self, work: impl FnOnce(&Watch<'_>) -> Result<T, GameError>) {
        // The program ends without asking: nothing is written.
        let stop = AtomicBool::new(false);
        let done = work(&Watch { stop: &stop, progress: &self.progress });
        let done = done.map(Arc::new).map_err(|error| error.to_string());
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Done(done);
    }
}

type Work = Box<dyn FnOnce() + Send>;

/// The thread in the background. There is none until somebody needs it.
#[derive(Default)]
pub struct Background(OnceLock<Sender<Work>>);

impl Background {
    /// The statistics of tables.
    pub fn statistics(&self, opened: &Arc<Opened>) -> Now<endtable::games::Statistics> {
        let counted = Arc::clone(opened);
        let work = move || counted.statistics.work_out(|watch| counted.count(watch));
        opened.statistics.now(|| self.push(Box::new(work)))
    }

    /// The checksums of tables' files.
    pub fn sums(&self, opened: &Arc<Opened>) -> Now<Sums> {
        let summed = Arc::clone(opened);
        let work = move || summed.sums.work_out(|watch| sums(&summed, watch));
        opened.sums.now(|| self.push(Box::new(work)))
    }

    fn push(&self, work: Work) {
        let sender = self.0.get_or_init(|| {
            let (sender, works) = channel::<Work>();
            // One thread, whatever the work would like: the others answer requests.
            let pool = ThreadPoolBuilder::new().num_threads(1).build();
            thread::spawn(move || {
                for work in works {
                    match &pool {
                        Ok(pool) => pool.install(work),
                        Err(_) => work(),
                    }
                }
            });
            sender
        });
        // The thread ends with the program.
        _ = sender.send(work);
    }
}

/// Reads a file that others read, too, from its beginning on.
struct FromStart {
    file: Arc<File>,
    at: u64,
}

impl Read for FromStart {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(into, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

fn sums(opened: &Opened, watch: &Watch<'_>) -> Result<Sums, GameError> {
    watch.progress.begin("sums", opened.bytes(), 0);
    let files = opened.files().into_iter().enumerate().map(|(number, file)| {
        // The file that was opened, whatever has its name now.
        let content = opened.watched().file(number).ok_or(GameError::OtherGame)?;
        sha256_of(file.path(), FromStart { file: content, at: 0 }, watch)
    });
    let sums = files.collect::<Result<_, _>>()?;
    // What has changed meanwhile has no checksum.
    opened.watched().check()?;
    Ok(sums)
}

/// How far some work is.
#[derive(Default)]
struct Fraction {
    total: AtomicU64,
    done: AtomicU64,
}

impl Fraction {
    fn percent(&self) -> u64 {
        let total = self.total.load(Ordering::Relaxed).max(1);
        self.done.load(Ordering::Relaxed).min(total) * 100 / total
    }
}

impl Progress for Fraction {
    fn begin(&self, _stage: &str, total: u64, done: u64) {
        self.total.store(total, Ordering::Relaxed);
        self.done.store(done, Ordering::Relaxed);
    }

    fn advance(&self, steps: u64, _items: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    fn end(&self) {}
}
