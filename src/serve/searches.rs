//! Searches: a few at a time, beside the threads that answer everything else, each for a limited time.
//!
//! Whoever comes while others search waits in line, and is sent away when the line is long. A search ends
//! early when nobody waits for it any more.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use endtable::games::{Answer, Detail, Game, GameError, Position, Solver};
use endtable::solve::Limits;
use endtable::table::Options;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::Problem;

/// How much longer the first search of a game may take, which may have to load what it searches with.
const LOADING: Duration = Duration::from_secs(4);

/// How many may wait for their turn.
const WAITING: usize = 16;

/// How many solvers are kept that nobody uses now. What a solver of a kind remembers makes the next
/// search quick, and takes some megabytes.
const KEPT: usize = 8;

/// The searches of a site.
pub struct Searches {
    /// How long one may take.
    pub longest: Duration,
    turns: Arc<Semaphore>,
    waiting: AtomicUsize,
    solvers: Arc<Solvers>,
}

impl Searches {
    /// As many at a time as there are cores, each for so long at most.
    pub fn new(longest: Duration) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let solvers = Arc::new(Solvers::default());
        let (turns, waiting) = (Arc::new(Semaphore::new(cores)), AtomicUsize::new(0));
        Self { longest, turns, waiting, solvers }
    }

    /// Solves a position.
    ///
    /// # Errors
    /// When too many wait, the options do not go together, or it took too long.
    pub async fn solve(
        &self,
        game: &'static dyn Game,
        position: Arc<dyn Position>,
        options: &Options,
        detail: Detail,
    ) -> Result<Answer, Problem> {
        let (solvers, options) = (Arc::clone(&self.solvers), options.clone());
        let solved =
            self.run(move |limits| solvers.solve(game, &*position, &options, detail, limits));
        solved.await?.map_err(too_long)
    }

    /// Does something that may take long, when it is its turn. It is to look at the limits.
    ///
    /// # Errors
    /// When too many wait.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(Limits<'_>) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let turn = {
            let waiting = Waiting::new(&self.waiting)?;
            let turn = Arc::clone(&self.turns).acquire_owned().await;
            drop(waiting);
            turn.map_err(|_| busy())?
        };
        let abandoned = Abandoned(Arc::new(AtomicBool::new(false)));
        let (stop, longest) = (Arc::clone(&abandoned.0), self.longest);
        let done = spawn_blocking(move || {
            let limits = Limits { stop: Some(&stop), deadline: Some(Instant::now() + longest) };
            let done = work(limits);
            drop(turn);
            done
        });
        match done.await {
            Ok(done) => Ok(done),
            Err(error) => match error.try_into_panic() {
                Ok(panicked) => std::panic::resume_unwind(panicked),
                Err(_) => Err(busy()),
            },
        }
    }

    /// The solvers, for work that [`run`](Self::run) does.
    pub fn solvers(&self) -> Arc<Solvers> {
        Arc::clone(&self.solvers)
    }
}

fn busy() -> Problem {
    let sentence = "too many searches are waiting: ask again in a moment";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, sentence)
}

/// What is wrong with a search, in terms of what was asked.
pub fn too_long(error: GameError) -> Problem {
    match error {
        GameError::Stopped => {
            let sentence = "the search took too long and was stopped: ask for less, or use \
                            `endtable solve`";
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, sentence)
        }
        error => error.into(),
    }
}

/// A place in the line.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(line: &'a AtomicUsize) -> Result<Self, Problem> {
        let place = Self(line);
        if line.fetch_add(1, Ordering::Relaxed) >= WAITING { Err(busy()) } else { Ok(place) }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Stops a search when nobody waits for it any more.
struct Abandoned(Arc<AtomicBool>);

impl Drop for Abandoned {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Solvers that nobody uses now.
#[derive(Default)]
pub struct Solvers {
    /// The last used at the back.
    kept: Mutex<VecDeque<Kept>>,
    /// The games that have been searched.
    loaded: Mutex<HashSet<&'static str>>,
}

/// What a lock guards; nothing is left half done under one.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A solver, and what it was made for.
struct Kept {
    game: &'static str,
    options: Options,
    solver: Box<dyn Solver>,
}

impl Solvers {
    /// Solves a position with a solver of a game that has these options.
    ///
    /// # Errors
    /// When the options do not go together, or a limit was reached before there was an answer.
    pub fn solve(
        &self,
        game: &dyn Game,
        position: &dyn Position,
        options: &Options,
        detail: Detail,
        limits: Limits<'_>,
    ) -> Result<Answer, GameError> {
        let mut solver = match self.take(game, options) {
            Some(solver) => solver,
            None => game.solver(options, false)?,
        };
        let is_first = lock(&self.loaded).insert(game.name());
        let loading = if is_first { LOADING } else { Duration::ZERO };
        let deadline = limits.deadline.map(|deadline| deadline + loading);
        let done = solver.solve_within(position, detail, Limits { deadline, ..limits });
        let mut kept = lock(&self.kept);
        kept.push_back(Kept { game: game.name(), options: options.clone(), solver });
        if kept.len() > KEPT {
            kept.pop_front();
        }
        done
    }

    fn take(&self, game: &dyn Game, options: &Options) -> Option<Box<dyn Solver>> {
        let mut kept = lock(&self.kept);
        let fits = |it: &Kept| it.game == game.name() && it.options == *options;
        let place = kept.iter().position(fits)?;
        kept.remove(place).map(|kept| kept.solver)
    }
}
