//! Perfect play against simple players, by the thousand.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::ValueEnum;
use endtable::games::Game;
use endtable::games::collapsi::{Board, Collapsi, Move, Rules, Side, Solver, deal_from_seed};
use endtable::random::{SplitMix64, mix};
use rayon::ThreadPool;
use serde_json::{Value, json};

use super::perfect::Perfect;
use crate::cli::Failure;
use crate::cli::interval::{self, Mean, median, share_text};
use crate::cli::output::say;
use crate::cli::tournament::{self, Playing};

/// A simple player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Opponent {
    /// Any legal move, each as likely
    Random,
    /// The move that leaves the other player the fewest moves, at random among equals
    OnePly,
}

impl Opponent {
    fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::OnePly => "one-ply",
        }
    }

    /// A move, `None` when the game is over.
    fn choose(self, board: &Board, rules: Rules, random: &mut SplitMix64) -> Option<Move> {
        let mut moves: Vec<Move> = board.moves(rules).collect();
        if self == Self::OnePly {
            let replies = |mv: &Move| {
                board.play(*mv, rules).map_or(u32::MAX, |after| after.destinations(rules).len())
            };
            let fewest = moves.iter().map(replies).min()?;
            moves.retain(|mv| replies(mv) == fewest);
        }
        (!moves.is_empty()).then(|| moves[random.below(moves.len() as u64) as usize])
    }
}

/// Games of perfect play against a simple player.
pub struct Many {
    pub perfect: Perfect,
    pub opponent: Opponent,
    /// The opponent's side; without one, it is x and o in turn.
    pub side: Option<Side>,
    /// Where games begin; without one, with the deals of the seeds.
    pub start: Option<Board>,
    /// The seed of the first game.
    pub seed: u64,
}

/// A game that is over.
pub struct Played {
    seed: u64,
    start: Board,
    end: Board,
    opponent: Side,
    /// Who wins from the start when nobody errs.
    entitled: Side,
    moves: Vec<Move>,
}

impl Played {
    /// Who cannot move has lost.
    fn winner(&self) -> Side {
        self.end.turn().other()
    }
}

impl Many {
    /// Plays so many games, and says how they went.
    pub fn play(self, count: u64, threads: ThreadPool, json: bool) -> Result<(), Failure> {
        let many = Arc::new(self);
        let played = tournament::play(Arc::clone(&many), count, threads)?;
        if json {
            played.games.iter().try_for_each(|game| say(many.game_object(game)))?;
            say(many.object(&played.games, played.seconds))?;
        } else {
            say(text(&played.games).trim_end())?;
        }
        played.check_finished()
    }

    fn game_object(&self, game: &Played) -> Value {
        let played: Vec<String> = game.moves.iter().map(Move::to_string).collect();
        json!({
            "game": Collapsi.name(),
            "rules": self.perfect.rules().name(),
            "opponent": self.opponent.name(),
            "side": game.opponent.to_string(),
            "seed": game.seed,
            "start": game.start.to_string(),
            "played": played,
            "end": game.end.to_string(),
            "winner": game.winner().to_string(),
        })
    }

    fn object(&self, games: &[Played], seconds: f64) -> Value {
        let mut object = json!({
            "game": Collapsi.name(),
            "rules": self.perfect.rules().name(),
            "opponent": self.opponent.name(),
            "seed": self.seed,
            "games": games.len(),
        });
        for (name, part) in counts(games) {
            object[name.replace(' ', "_")] = interval::share_object(part, games.len());
        }
        if let Some(lengths) = lengths(games) {
            object["lengths"] = interval::object(&lengths);
        }
        object["seconds"] = seconds.into();
        object
    }
}

/// What is counted of games.
fn counts(games: &[Played]) -> [(&'static str, usize); 5] {
    let count = |what: fn(&Played) -> bool| games.iter().filter(|game| what(game)).count();
    [
        ("perfect won", count(|game| game.winner() != game.opponent)),
        ("opponent won", count(|game| game.winner() == game.opponent)),
        ("opponent could win", count(|game| game.entitled == game.opponent)),
        ("x won", count(|game| game.winner() == Side::X)),
        ("o won", count(|game| game.winner() == Side::O)),
    ]
}

/// How many plies games had, in ascending order. None of no games.
fn lengths(games: &[Played]) -> Option<Vec<f64>> {
    let mut plies: Vec<f64> = games.iter().map(|game| game.moves.len() as f64).collect();
    plies.sort_unstable_by(f64::total_cmp);
    (!plies.is_empty()).then_some(plies)
}

fn text(games: &[Played]) -> String {
    let mut text = format!("{:<19}{}\n", "games", games.len());
    let Some(plies) = lengths(games) else { return text };
    for (name, part) in counts(games) {
        _ = writeln!(text, "{name:<19}{part}, {}", share_text(part, games.len()));
    }
    _ = writeln!(text, "{:<19}{}", "plies mean", Mean::of(&plies));
    _ = writeln!(text, "{:<19}{}", "plies median", median(&plies));
    _ = writeln!(text, "{:<19}{} to {}", "plies range", plies[0], plies[plies.len() - 1]);
    text
}

impl Playing for Many {
    type Player = Solver;
    type Game = Played;

    fn player(&self) -> Result<Solver, Failure> {
        Ok(Solver::new())
    }

    fn play(
        &self,
        solver: &mut Solver,
        number: u64,
        stop: &AtomicBool,
    ) -> Result<Option<Played>, Failure> {
        let (seed, rules) = (self.seed + number, self.perfect.rules());
        let start = self.start.unwrap_or_else(|| deal_from_seed(seed));
        let in_turn = if number.is_multiple_of(2) { Side::X } else { Side::O };
        let opponent = self.side.unwrap_or(in_turn);
        // Not the stream that the deal was shuffled with.
        let mut random = SplitMix64::new(mix(seed));
        let is_win = self.perfect.moves(&start, solver)?.value().is_win();
        let entitled = if is_win { start.turn() } else { start.turn().other() };
        let (mut board, mut moves) = (start, Vec::new());
        loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let mv = if board.turn() == opponent {
                self.opponent.choose(&board, rules, &mut random)
            } else {
                self.perfect.moves(&board, solver)?.best().next()
            };
            let Some(mv) = mv else { break };
            board = board.play(mv, rules).map_err(Failure::input)?;
            moves.push(mv);
        }
        Ok(Some(Played { seed, start, end: board, opponent, entitled, moves }))
    }

    fn moves(game: &Played) -> u64 {
        game.moves.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_ply_player_leaves_the_fewest_moves() {
        let mut random = SplitMix64::new(1);
        for seed in 0..50 {
            let mut board = deal_from_seed(seed);
            while let Some(mv) = Opponent::OnePly.choose(&board, Rules::Wild, &mut random) {
                let after = board.play(mv, Rules::Wild).unwrap();
                for other in board.moves(Rules::Wild) {
                    let left = board.play(other, Rules::Wild).unwrap().moves(Rules::Wild).count();
                    assert!(left >= after.moves(Rules::Wild).count());
                }
                board = after;
            }
            assert_eq!(board.moves(Rules::Wild).count(), 0);
        }
    }

    #[test]
    fn the_random_player_makes_every_move() {
        let (board, mut random) = (deal_from_seed(1), SplitMix64::new(1));
        let choose = |_| Opponent::Random.choose(&board, Rules::One, &mut random).unwrap();
        let chosen: Vec<Move> = (0..100).map(choose).collect();
        assert!(board.moves(Rules::One).all(|mv| chosen.contains(&mv)));
    }
}
