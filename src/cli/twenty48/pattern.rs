//! Endgames of 2048, played from the seeds of a pattern by its table.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use endtable::games::Game;
use endtable::games::twenty48::{
    Board, Direction, Pattern, PatternTable, PlayedGame, Size, TallBoard, Twenty48,
};
use rayon::ThreadPool;
use serde_json::{Value, json};

use super::play::Args;
use super::watch::{Watched, watch};
use crate::cli::Failure;
use crate::cli::interval::{share_object, share_text};
use crate::cli::output::say;
use crate::cli::tournament::{self, Playing};

/// Plays endgames from the table at a path, as the arguments say.
pub fn play(path: &Path, args: &Args, threads: ThreadPool) -> Result<(), Failure> {
    let refused = |what: &str| {
        let why = "not with the table of one pattern; name its folder to play whole games";
        Err(Failure::input(format!("{what}: {why}")))
    };
    if args.human || args.record.is_some() {
        return refused(if args.human { "--human" } else { "--record" });
    }
    if args.board != Size::FULL {
        return refused("--board");
    }
    let endgames = Arc::new(Endgames { table: PatternTable::open(path)?, seed: args.seed });
    if args.watch {
        let game = endgames.start(0);
        let choose = move |board: TallBoard| endgames.choose(board.nybbles());
        return watch(&Watched::Live { game, choose: Arc::new(choose) });
    }
    let played = tournament::play(Arc::clone(&endgames), args.games, threads)?;
    let games = &played.games;
    let expected = endgames.expected(games)?;
    if args.json {
        games.iter().try_for_each(|game| say(endgames.game_object(game)))?;
        say(endgames.object(games, played.seconds, expected))?;
    } else {
        say(endgames.text(games, played.seconds, expected).trim_end())?;
    }
    played.check_finished()
}

/// Endgames whose new tiles the seeds decide, the first of them this one.
struct Endgames {
    table: PatternTable,
    seed: u64,
}

/// An endgame that is over.
struct Endgame {
    /// Which of the pattern's seeds it began with.
    start: Board,
    game: PlayedGame,
    won: bool,
}

impl Endgames {
    /// The pattern's seeds take turns.
    fn start_of(&self, number: u64) -> Board {
        let seeds = self.table.rules().pattern().seeds();
        seeds[(number % seeds.len() as u64) as usize]
    }

    fn start(&self, number: u64) -> PlayedGame {
        PlayedGame::after(self.seed + number, self.start_of(number))
    }

    /// The best move; `None` when the tile is there, or cannot be made any more.
    fn choose(&self, board: Board) -> Result<Option<Direction>, Failure> {
        let found = self.table.probe(board)?.ok_or_else(|| {
            let (path, board) = (self.table.table().path().display(), Pattern::board_text(board));
            Failure::Check(format!("{path}: {board} is not there; `verify --full` tells more"))
        })?;
        Ok(if found.chance > 0.0 { found.best() } else { None })
    }

    /// What the table expects of so many games.
    fn expected(&self, games: &[Endgame]) -> Result<f64, Failure> {
        let mut sum = 0.0;
        for game in games {
            sum += self.table.afterstate(game.start)?.unwrap_or(0.0);
        }
        Ok(sum / games.len().max(1) as f64)
    }

    fn text(&self, games: &[Endgame], seconds: f64, expected: f64) -> String {
        let (pattern, target) = (self.table.rules().pattern(), self.table.rules().target());
        let won = games.iter().filter(|game| game.won).count();
        let mut text = format!("pattern      {}\ngames        {}\n", pattern.name(), games.len());
        if games.is_empty() {
            return text;
        }
        let label = format!("tile {target}");
        _ = writeln!(text, "{label:<12} {}", share_text(won, games.len()));
        let moves: u64 = games.iter().map(Self::moves).sum();
        let rate = moves as f64 / seconds.max(1e-9);
        _ = writeln!(text, "moves        {moves}, {rate:.0} a second");
        _ = writeln!(text, "the table expects {target} in {:.3} %", 100.0 * expected);
        text
    }

    fn object(&self, games: &[Endgame], seconds: f64, expected: f64) -> Value {
        let won = games.iter().filter(|game| game.won).count();
        let moves: u64 = games.iter().map(Self::moves).sum();
        json!({
            "game": Twenty48.name(),
            "board": Size::FULL.to_string(),
            "pattern": self.table.rules().pattern().name(),
            "target": 1u32 << self.table.rules().target().exponent(),
            "seed": self.seed,
            "games": games.len(),
            "won": share_object(won, games.len()),
            "seconds": seconds,
            "moves_per_second": moves as f64 / seconds.max(1e-9),
            "expected": expected,
        })
    }

    fn game_object(&self, endgame: &Endgame) -> Value {
        let record = endgame.game.record();
        let played: String = record.moves.iter().map(|mv| &mv.name()[..1]).collect();
        json!({
            "game": Twenty48.name(),
            "board": Size::FULL.to_string(),
            "pattern": self.table.rules().pattern().name(),
            "target": 1u32 << self.table.rules().target().exponent(),
            "seed": record.seed,
            "start": endgame.start.to_string(),
            "played": played,
            "end": endgame.game.board().nybbles().to_string(),
            "won": endgame.won,
        })
    }
}

impl Playing for Endgames {
    type Player = ();
    type Game = Endgame;

    fn player(&self) -> Result<(), Failure> {
        Ok(())
    }

    fn play(
        &self,
        _player: &mut (),
        number: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Endgame>, Failure> {
        let (start, mut game) = (self.start_of(number), self.start(number));
        while let Some(direction) = self.choose(game.board().nybbles())? {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if !game.play(direction) {
                let (board, name) = (game.board(), direction.name());
                return Err(Failure::Check(format!("{board}: {name} moves nothing")));
            }
        }
        let won = self.table.rules().is_won(game.board().nybbles());
        Ok(Some(Endgame { start, game, won }))
    }

    fn moves(game: &Endgame) -> u64 {
        game.game.record().moves.len() as u64
    }
}
