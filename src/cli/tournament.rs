//! Games by the thousand, several at a time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use endtable::job::Progress;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::Failure;
use super::progress::Shown;
use super::signals::{stop_flag, unless_stopped};

/// How long a move may take that is being searched when a signal asks to stop.
const GRACE: Duration = Duration::from_secs(1);

/// How games are played.
pub trait Playing: Send + Sync + 'static {
    /// What a thread keeps from one game to the next.
    type Player;
    /// A game that is over.
    type Game: Send + 'static;

    /// Makes a player.
    fn player(&self) -> Result<Self::Player, Failure>;

    /// Plays the game of a number to its end; `None` if it was stopped before.
    fn play(
        &self,
        player: &mut Self::Player,
        number: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Self::Game>, Failure>;

    /// How many moves a game had.
    fn moves(game: &Self::Game) -> u64;
}

/// Refuses games whose seeds would go beyond the largest one: game number n has the first seed plus n.
pub fn check_seeds(first: u64, games: u64) -> Result<(), Failure> {
    if games.saturating_sub(1) <= u64::MAX - first {
        return Ok(());
    }
    let most = u64::MAX;
    Err(Failure::input(format!(
        "{games} games from seed {first} on go beyond the last seed, {most}"
    )))
}

/// Games that have been played.
pub struct Played<G> {
    /// Those that were finished, in order.
    pub games: Vec<G>,
    /// How long it took.
    pub seconds: f64,
    /// How many there were to be.
    count: u64,
}

impl<G> Played<G> {
    /// Fails if not all were finished.
    pub fn check_finished(&self) -> Result<(), Failure> {
        let finished = self.games.len();
        if finished as u64 == self.count {
            return Ok(());
        }
        Err(Failure::Stopped(format!("stopped after {finished} of {} games", self.count)))
    }
}

/// Plays so many games. If that is stopped, those that are finished count.
pub fn play<P: Playing>(
    how: Arc<P>,
    count: u64,
    threads: ThreadPool,
) -> Result<Played<P::Game>, Failure> {
    let stop = stop_flag()?;
    let (next, finished) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let tournament = Tournament { how, count, next, finished, progress: Shown::new() };
    let tournament = Arc::new(tournament);
    tournament.progress.begin("playing", count, 0);
    let start = Instant::now();
    let work = {
        let (tournament, stop) = (Arc::clone(&tournament), Arc::clone(&stop));
        move || threads.install(|| tournament.play_all(&stop))
    };
    let ended = unless_stopped(&stop, GRACE, work);
    let seconds = start.elapsed().as_secs_f64();
    tournament.progress.end();
    if !matches!(ended, Err(Failure::Stopped(_))) {
        ended?;
    }
    let mut games = std::mem::take(&mut *tournament.lock_finished());
    games.sort_unstable_by_key(|(number, _)| *number);
    Ok(Played { games: games.into_iter().map(|(_, game)| game).collect(), seconds, count })
}

struct Tournament<P: Playing> {
    how: Arc<P>,
    count: u64,
    next: AtomicU64,
    finished: Mutex<Vec<(u64, P::Game)>>,
    progress: Shown,
}

impl<P: Playing> Tournament<P> {
    fn lock_finished(&self) -> std::sync::MutexGuard<'_, Vec<(u64, P::Game)>> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn play_all(&self, stop: &AtomicBool) -> Result<(), Failure> {
        let threads = (rayon::current_num_threads() as u64).min(self.count);
        (0..threads).into_par_iter().try_for_each(|_| self.play_some(stop))
    }

    /// Takes the next game when one is over: they are not equally long.
    fn play_some(&self, stop: &AtomicBool) -> Result<(), Failure> {
        let mut player = self.how.player()?;
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.count {
                return Ok(());
            }
            let Some(game) = self.how.play(&mut player, number, stop)? else { return Ok(()) };
            self.progress.advance(1, P::moves(&game));
            self.lock_finished().push((number, game));
        }
    }
}
