//! Games of 2048 by the thousand, and how they went.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use endtable::games::twenty48::{Objective, PlayedGame, Players, Twenty48};
use endtable::games::{Game, GameError};
use endtable::job::Progress;
use rayon::ThreadPool;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::cli::Failure;
use crate::cli::interval::{Mean, median, share_interval, share_text};
use crate::cli::output::{say, write_file};
use crate::cli::progress::Shown;
use crate::cli::signals::{stop_flag, unless_stopped};

/// How long a move may take that is being searched when a signal asks to stop.
const GRACE: Duration = Duration::from_secs(1);

/// Games that are played, several at a time.
pub struct Many {
    seed: u64,
    count: u64,
    players: Players,
    progress: Shown,
    next: AtomicU64,
    finished: Mutex<Vec<(u64, PlayedGame)>>,
}

/// What becomes of the games.
pub struct Output {
    /// Whether objects are printed.
    pub json: bool,
    /// A file to keep them in.
    pub record: Option<PathBuf>,
}

impl Many {
    /// So many games, the first of this seed.
    pub fn new(seed: u64, count: u64, players: Players) -> Self {
        let (next, finished) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        Self { seed, count, players, progress: Shown::new(), next, finished }
    }

    /// Plays them, and says how they went. If it is stopped, what is finished counts.
    pub fn play(self, threads: ThreadPool, output: &Output) -> Result<(), Failure> {
        let stop = stop_flag()?;
        let many = Arc::new(self);
        many.progress.begin("playing", many.count, 0);
        let start = Instant::now();
        let work = {
            let (many, stop) = (Arc::clone(&many), Arc::clone(&stop));
            move || threads.install(|| many.play_all(&stop))
        };
        let ended = unless_stopped(&stop, GRACE, work);
        let seconds = start.elapsed().as_secs_f64();
        many.progress.end();
        if !matches!(ended, Err(Failure::Stopped(_))) {
            ended?;
        }
        let mut games = many.finished().clone();
        games.sort_unstable_by_key(|(number, _)| *number);
        let games: Vec<PlayedGame> = games.into_iter().map(|(_, game)| game).collect();
        if let Some(path) = output.record.as_ref().filter(|_| !games.is_empty()) {
            write_file(path, |out| {
                games.iter().try_for_each(|game| Ok(writeln!(out, "{}", game.record())?))
            })?;
        }
        let summary = Summary::new(&games, seconds, &many.players)?;
        if output.json {
            games.iter().try_for_each(|game| say(game_object(game)))?;
            say(summary.object(many.seed, &many.players))?;
        } else {
            say(summary.text(&many.players).trim_end())?;
        }
        if games.len() as u64 == many.count {
            return Ok(());
        }
        Err(Failure::Stopped(format!("stopped after {} of {} games", games.len(), many.count)))
    }

    fn finished(&self) -> std::sync::MutexGuard<'_, Vec<(u64, PlayedGame)>> {
        self.finished.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Each thread takes the next game when it is done with one: they are not equally long.
    fn play_all(&self, stop: &AtomicBool) -> Result<(), Failure> {
        let threads = (rayon::current_num_threads() as u64).min(self.count);
        (0..threads).into_par_iter().try_for_each(|_| self.play_some(stop))
    }

    fn play_some(&self, stop: &AtomicBool) -> Result<(), Failure> {
        let player = self.players.start().map_err(GameError::from)?;
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.count {
                return Ok(());
            }
            let size = self.players.settings().size;
            let mut game = PlayedGame::new(self.seed.wrapping_add(number), size);
            while let Some(direction) = player.choose(game.board())? {
                if stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                if !game.play(direction) {
                    let (board, name) = (game.board(), direction.name());
                    return Err(Failure::Check(format!("{board}: {name} moves nothing")));
                }
            }
            self.progress.advance(1, game.record().moves.len() as u64);
            self.finished().push((number, game));
        }
    }
}

/// A game as an object.
fn game_object(game: &PlayedGame) -> Value {
    let record = game.record();
    let played: String = record.moves.iter().map(|mv| &mv.name()[..1]).collect();
    json!({
        "game": Twenty48.name(),
        "board": record.size.to_string(),
        "seed": record.seed,
        "score": game.score(),
        "highest": 1u32 << game.board().highest(),
        "moves": record.moves.len(),
        "position": game.board().to_string(),
        "played": played,
    })
}

/// How games went: scores, tiles reached, speed, and what the tables expected.
struct Summary {
    games: usize,
    /// None of no games.
    scores: Option<Scores>,
    /// Tiles, and how many games reached them.
    tiles: Vec<(u32, usize)>,
    moves: usize,
    seconds: f64,
    /// What the tables expect of a start.
    expected: Option<f64>,
}

struct Scores {
    mean: Mean,
    median: f64,
    least: f64,
    most: f64,
}

impl Summary {
    fn new(games: &[PlayedGame], seconds: f64, players: &Players) -> Result<Self, Failure> {
        let mut scores: Vec<f64> = games.iter().map(|game| game.score().into()).collect();
        scores.sort_unstable_by(f64::total_cmp);
        let scores = scores.first().zip(scores.last()).map(|(&least, &most)| Scores {
            mean: Mean::of(&scores),
            median: median(&scores),
            least,
            most,
        });
        let highest: Vec<u8> = games.iter().map(|game| game.board().highest()).collect();
        let least = highest.iter().min().copied().unwrap_or(1);
        let most = highest.iter().max().copied().unwrap_or(0);
        let reached = |exponent| highest.iter().filter(|&&it| it >= exponent).count();
        Ok(Self {
            games: games.len(),
            scores,
            tiles: (least..=most).map(|exponent| (1 << exponent, reached(exponent))).collect(),
            moves: games.iter().map(|game| game.record().moves.len()).sum(),
            seconds,
            expected: players.tables().map(|tables| tables.start()).transpose()?.flatten(),
        })
    }

    fn text(&self, players: &Players) -> String {
        let mut text = format!("games        {}\n", self.games);
        let Some(Scores { mean, median, least, most }) = &self.scores else { return text };
        _ = writeln!(text, "score mean   {mean}");
        _ = writeln!(text, "score median {median:.0}");
        _ = writeln!(text, "score range  {least:.0} to {most:.0}");
        for &(tile, reached) in &self.tiles {
            _ = writeln!(text, "tile {tile:<7} {}", share_text(reached, self.games));
        }
        let rate = self.moves as f64 / self.seconds.max(1e-9);
        _ = writeln!(text, "moves        {}, {rate:.0} a second", self.moves);
        let objective = players.tables().map(|tables| tables.rules().objective);
        if let (Some(objective), Some(expected)) = (objective, self.expected) {
            _ = match objective {
                Objective::Tile(target) => {
                    writeln!(text, "the table expects {target} in {:.3} %", 100.0 * expected)
                }
                Objective::Score => writeln!(text, "the table expects a score of {expected:.3}"),
                Objective::Search => writeln!(text, "the table's search expects {expected:.3}"),
            };
        }
        text
    }

    fn object(&self, seed: u64, players: &Players) -> Value {
        let mut object = json!({
            "game": Twenty48.name(),
            "board": players.settings().size.to_string(),
            "seed": seed,
            "games": self.games,
        });
        if let Some(Scores { mean, median, least, most }) = &self.scores {
            object["score"] = json!({
                "mean": mean.mean,
                "within": mean.within,
                "median": median,
                "least": least,
                "most": most,
            });
        }
        let tile = |&(tile, reached): &(u32, usize)| {
            let (low, high) = share_interval(reached, self.games);
            json!({"tile": tile, "reached": reached, "low": low, "high": high})
        };
        object["tiles"] = self.tiles.iter().map(tile).collect();
        object["moves"] = self.moves.into();
        object["seconds"] = self.seconds.into();
        if let (Some(tables), Some(expected)) = (players.tables(), self.expected) {
            object["objective"] = tables.rules().objective.to_string().into();
            object["expected"] = expected.into();
        }
        object
    }
}
