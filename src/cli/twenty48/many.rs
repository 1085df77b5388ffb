//! Games of 2048 by the thousand, and how they went.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use endtable::games::twenty48::{Objective, PlayedGame, Player, Players, Twenty48};
use endtable::games::{Game, GameError};
use rayon::ThreadPool;
use serde_json::{Value, json};

use crate::cli::Failure;
use crate::cli::interval::{self, Mean, median, share_text};
use crate::cli::output::{say, write_file};
use crate::cli::tournament::{self, Playing};

/// Games whose new tiles the seeds decide, the first of them this one.
pub struct Many {
    pub seed: u64,
    pub players: Players,
}

/// What becomes of the games.
pub struct Output {
    /// Whether objects are printed.
    pub json: bool,
    /// A file to keep them in.
    pub record: Option<PathBuf>,
}

impl Many {
    /// Plays so many, and says how they went.
    pub fn play(self, count: u64, threads: ThreadPool, output: &Output) -> Result<(), Failure> {
        let many = Arc::new(self);
        let played = tournament::play(Arc::clone(&many), count, threads)?;
        let games = &played.games;
        if let Some(path) = output.record.as_ref().filter(|_| !games.is_empty()) {
            write_file(path, |out| {
                games.iter().try_for_each(|game| Ok(writeln!(out, "{}", game.record())?))
            })?;
        }
        let summary = Summary::new(games, played.seconds, &many.players)?;
        if output.json {
            games.iter().try_for_each(|game| say(game_object(game)))?;
            say(summary.object(many.seed, &many.players))?;
        } else {
            say(summary.text(&many.players).trim_end())?;
        }
        played.check_finished()
    }
}

impl Playing for Many {
    type Player = Player;
    type Game = PlayedGame;

    fn player(&self) -> Result<Player, Failure> {
        Ok(self.players.start().map_err(GameError::from)?)
    }

    fn play(
        &self,
        player: &mut Player,
        number: u64,
        stop: &AtomicBool,
    ) -> Result<Option<PlayedGame>, Failure> {
        let seed = self.seed.wrapping_add(number);
        let mut game = PlayedGame::new(seed, self.players.settings().size);
        while let Some(direction) = player.choose(game.board())? {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if !game.play(direction) {
                let (board, name) = (game.board(), direction.name());
                return Err(Failure::Check(format!("{board}: {name} moves nothing")));
            }
        }
        Ok(Some(game))
    }

    fn moves(game: &PlayedGame) -> u64 {
        game.record().moves.len() as u64
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
        "start": PlayedGame::new(record.seed, record.size).board().to_string(),
        "played": played,
        "end": game.board().to_string(),
        "score": game.score(),
        "highest": 1u32 << game.board().highest(),
    })
}

/// How games went: scores, tiles reached, speed, and what the tables expected.
struct Summary {
    games: usize,
    /// In ascending order.
    scores: Vec<f64>,
    /// Tiles, and how many games reached them.
    tiles: Vec<(u32, usize)>,
    moves: usize,
    seconds: f64,
    /// What the tables expect of a start.
    expected: Option<f64>,
}

impl Summary {
    fn new(games: &[PlayedGame], seconds: f64, players: &Players) -> Result<Self, Failure> {
        let mut scores: Vec<f64> = games.iter().map(|game| game.score().into()).collect();
        scores.sort_unstable_by(f64::total_cmp);
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
        let scores = &self.scores;
        let (Some(least), Some(most)) = (scores.first(), scores.last()) else { return text };
        _ = writeln!(text, "score mean   {}", Mean::of(scores));
        _ = writeln!(text, "score median {:.0}", median(scores));
        _ = writeln!(text, "score range  {least:.0} to {most:.0}");
        for &(tile, reached) in &self.tiles {
            _ = writeln!(text, "tile {tile:<7} {}", share_text(reached, self.games));
        }
        _ = writeln!(text, "moves        {}, {:.0} a second", self.moves, self.moves_per_second());
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

    fn moves_per_second(&self) -> f64 {
        self.moves as f64 / self.seconds.max(1e-9)
    }

    fn object(&self, seed: u64, players: &Players) -> Value {
        let mut object = json!({
            "game": Twenty48.name(),
            "board": players.settings().size.to_string(),
            "seed": seed,
            "games": self.games,
        });
        if !self.scores.is_empty() {
            object["scores"] = interval::object(&self.scores);
        }
        let tile = |&(tile, reached): &(u32, usize)| {
            let mut object = interval::share_object(reached, self.games);
            object["tile"] = tile.into();
            object
        };
        object["tiles"] = self.tiles.iter().map(tile).collect();
        object["seconds"] = self.seconds.into();
        object["moves_per_second"] = self.moves_per_second().into();
        if let (Some(tables), Some(expected)) = (players.tables(), self.expected) {
            object["objective"] = tables.rules().objective.to_string().into();
            object["expected"] = expected.into();
        }
        object
    }
}
