//! How games of 2048 went: each in an object that can be read again, and all of them together.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use endtable::games::Game;
use endtable::games::twenty48::{Objective, PlayedGame, Players, Size, TallBoard, Twenty48};
use serde_json::{Value, json};

use super::play::LONGEST_RECORD;
use crate::cli::Failure;
use crate::cli::interval::{self, Mean, median, share_text};

/// How a game went.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    seed: u64,
    score: u64,
    highest: u64,
    moves: u64,
    /// How many of the moves tables chose.
    table_moves: u64,
}

impl Outcome {
    /// Of a game that is over.
    pub fn new(game: &PlayedGame, table_moves: u64) -> Self {
        Self {
            seed: game.record().seed,
            score: game.score().into(),
            highest: 1 << game.board().highest(),
            moves: game.record().moves.len() as u64,
            table_moves,
        }
    }

    /// The seed of the game.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// As an object, with the game itself.
    pub fn object(&self, game: &PlayedGame) -> Value {
        let record = game.record();
        let played: String = record.moves.iter().map(|mv| &mv.name()[..1]).collect();
        json!({
            "game": Twenty48.name(),
            "board": record.size.to_string(),
            "seed": record.seed,
            "start": PlayedGame::new(record.seed, record.size).board().to_string(),
            "played": played,
            "end": game.board().to_string(),
            "score": self.score,
            "highest": self.highest,
            "moves": self.moves,
            "table_moves": self.table_moves,
        })
    }

    fn read(object: &Value) -> Option<Self> {
        let number = |name: &str| object[name].as_u64();
        let outcome = Self {
            seed: number("seed")?,
            score: number("score")?,
            highest: number("highest")?,
            moves: number("moves")?,
            table_moves: number("table_moves")?,
        };
        let can_be = outcome.highest.is_power_of_two()
            && (2..=1 << TallBoard::HIGHEST).contains(&outcome.highest)
            && outcome.moves <= LONGEST_RECORD
            && outcome.score <= LONGEST_RECORD * outcome.highest
            && outcome.table_moves <= outcome.moves;
        can_be.then_some(outcome)
    }
}

/// How games went: scores, tiles reached, speed, and what the tables expected.
pub struct Summary {
    size: Size,
    /// The least seed.
    seed: u64,
    games: usize,
    /// In ascending order.
    scores: Vec<f64>,
    /// Tiles, and how many games reached them.
    tiles: Vec<(u64, usize)>,
    moves: u64,
    table_moves: u64,
    seconds: f64,
    /// What the tables play for, and what they expect of a start.
    expected: Option<(Objective, f64)>,
}

impl Summary {
    /// Of games of a size, which took so many seconds together.
    pub fn new(size: Size, seed: u64, games: &[Outcome], seconds: f64) -> Self {
        let mut scores: Vec<f64> = games.iter().map(|game| game.score as f64).collect();
        scores.sort_unstable_by(f64::total_cmp);
        let exponent = |game: &Outcome| game.highest.max(1).ilog2();
        let least = games.iter().map(exponent).min().unwrap_or(1);
        let most = games.iter().map(exponent).max().unwrap_or(0);
        let reached = |at: u32| games.iter().filter(|&game| exponent(game) >= at).count();
        Self {
            size,
            seed,
            games: games.len(),
            scores,
            tiles: (least..=most).map(|exponent| (1 << exponent, reached(exponent))).collect(),
            moves: games.iter().map(|game| game.moves).sum(),
            table_moves: games.iter().map(|game| game.table_moves).sum(),
            seconds,
            expected: None,
        }
    }

    /// The same with what the tables of the players expect.
    pub fn with_expected(self, players: &Players) -> Result<Self, Failure> {
        let Some(tables) = players.tables() else { return Ok(self) };
        let expected = tables.start()?.map(|expected| (tables.rules().objective, expected));
        Ok(Self { expected, ..self })
    }

    /// Of all games in files of results, which `--json` prints, each file those of one run.
    pub fn merged(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut all = Merged::default();
        for path in paths {
            let text = fs::read_to_string(path).map_err(|error| Failure::about(path, &error))?;
            all.add(&text, path)?;
        }
        Ok(all.summary())
    }

    /// How many games there are, and the least seed.
    pub fn games(&self) -> (u64, u64) {
        (self.games as u64, self.seed)
    }

    pub fn text(&self) -> String {
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
        if self.table_moves > 0 {
            let share = 100.0 * self.table_moves as f64 / self.moves.max(1) as f64;
            _ = writeln!(text, "moves from tables {} ({share:.1} %)", self.table_moves);
        }
        if let Some((objective, expected)) = self.expected {
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

    pub fn object(&self) -> Value {
        let mut object = json!({
            "game": Twenty48.name(),
            "board": self.size.to_string(),
            "seed": self.seed,
            "games": self.games,
        });
        if !self.scores.is_empty() {
            object["scores"] = interval::object(&self.scores);
        }
        let tile = |&(tile, reached): &(u64, usize)| {
            let mut object = interval::share_object(reached, self.games);
            object["tile"] = tile.into();
            object
        };
        object["tiles"] = self.tiles.iter().map(tile).collect();
        object["moves"] = self.moves.into();
        object["table_moves"] = self.table_moves.into();
        object["seconds"] = self.seconds.into();
        object["moves_per_second"] = self.moves_per_second().into();
        if let Some((objective, expected)) = self.expected {
            object["objective"] = objective.to_string().into();
            object["expected"] = expected.into();
        }
        object
    }
}

/// Results of several runs.
#[derive(Default)]
pub struct Merged {
    size: Option<Size>,
    seeds: HashSet<u64>,
    games: Vec<Outcome>,
    seconds: f64,
}

impl Merged {
    pub fn summary(&self) -> Summary {
        let seed = self.games.iter().map(|game| game.seed).min().unwrap_or(0);
        Summary::new(self.size.unwrap_or(Size::FULL), seed, &self.games, self.seconds)
    }

    /// Adds what a file holds: an object for each game, and one for all of them.
    pub fn add(&mut self, text: &str, path: &Path) -> Result<(), Failure> {
        let wrong = |line: usize, why: &str| {
            Failure::input(format!("{}: line {line}: {why}", path.display()))
        };
        let (mut count, mut total) = (0, None);
        for (number, line) in (1..).zip(text.lines()) {
            let object: Value = serde_json::from_str(line).unwrap_or_default();
            let size = object["board"].as_str().and_then(|size| size.parse::<Size>().ok());
            let size = size.filter(|_| object["game"] == Twenty48.name());
            let size = size.ok_or_else(|| {
                wrong(number, "no result of a game; expected what `play 2048 --json` prints")
            })?;
            if *self.size.get_or_insert(size) != size {
                return Err(wrong(number, "games of another board"));
            }
            if let Some(games) = object["games"].as_u64() {
                let seconds = object["seconds"].as_f64().filter(|seconds| *seconds >= 0.0);
                let seconds = seconds.ok_or_else(|| wrong(number, "no time that games take"))?;
                if total.replace(games).is_some() {
                    return Err(wrong(number, "a second run: give each run a file of its own"));
                }
                self.seconds += seconds;
                continue;
            }
            let outcome = Outcome::read(&object).ok_or_else(|| {
                wrong(
                    number,
                    "expected a seed, a score, the highest tile and moves as games have them",
                )
            })?;
            if !self.seeds.insert(outcome.seed) {
                return Err(wrong(number, &format!("seed {} is there already", outcome.seed)));
            }
            self.games.push(outcome);
            count += 1;
        }
        match total {
            Some(total) if total == count => Ok(()),
            _ => Err(Failure::input(format!(
                "{}: {count} games, and the object that tells of all of them {}; play them again",
                path.display(),
                total.map_or("is missing".into(), |total| format!("counts {total}")),
            ))),
        }
    }
}
