//! Games of 2048 by the thousand.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use endtable::games::GameError;
use endtable::games::twenty48::{PlayedGame, Player, Players};
use rayon::ThreadPool;
use serde_json::Value;

use super::results::{Outcome, Summary};
use crate::cli::Failure;
use crate::cli::output::{say, write_file};
use crate::cli::tournament::{self, Playing};

/// Games whose new tiles the seeds decide, the first of them this one.
pub struct Many {
    pub seed: u64,
    pub players: Players,
}

/// A game that is over.
pub struct Finished {
    game: PlayedGame,
    pub outcome: Outcome,
}

impl Finished {
    /// As an object.
    pub fn object(&self) -> Value {
        self.outcome.object(&self.game)
    }
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
                games.iter().try_for_each(|it| Ok(writeln!(out, "{}", it.game.record())?))
            })?;
        }
        let outcomes: Vec<Outcome> = games.iter().map(|it| it.outcome).collect();
        let size = many.players.settings().size;
        let summary = Summary::new(size, many.seed, &outcomes, played.seconds);
        let summary = summary.with_expected(&many.players)?;
        if output.json {
            games.iter().try_for_each(|it| say(it.object()))?;
            say(summary.object())?;
        } else {
            say(summary.text().trim_end())?;
        }
        played.check_finished()
    }
}

impl Playing for Many {
    type Player = Player;
    type Game = Finished;

    fn player(&self) -> Result<Player, Failure> {
        Ok(self.players.start().map_err(GameError::from)?)
    }

    fn play(
        &self,
        player: &mut Player,
        number: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Finished>, Failure> {
        let seed = self.seed + number;
        let mut game = PlayedGame::new(seed, self.players.settings().size);
        let mut table_moves = 0;
        while let Some(chosen) = player.choose(game.board())? {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            table_moves += u64::from(chosen.from_table);
            if !game.play(chosen.direction) {
                let (board, name) = (game.board(), chosen.direction.name());
                return Err(Failure::Check(format!("{board}: {name} moves nothing")));
            }
        }
        let outcome = Outcome::new(&game, table_moves);
        Ok(Some(Finished { game, outcome }))
    }

    fn moves(finished: &Finished) -> u64 {
        finished.game.record().moves.len() as u64
    }
}
