//! Learning whole games: the network for all boards.

use std::fmt;

use endtable::games::twenty48::{Board, Heuristic};

use crate::Trainer;
use crate::learner::{Learner, keep, one_of};

/// A game goes on for so many moves on average with a 16384: a search looks as far.
const LINGER: u64 = 8;

pub struct Whole<'a> {
    learner: Learner<'a>,
    report: Report,
    /// Halves the large tiles of boards with a 16384, as a search does.
    strong: Heuristic,
    /// Boards of recorded games, halved.
    recorded: Vec<Board>,
    /// The halved boards with which games ended because there was a 16384. What comes then is learned as
    /// another game, which begins with such a board: so the network need not know larger tiles.
    pool: Vec<Board>,
}

/// Games since the last report by how they began, without those that were taken up again.
#[derive(Default)]
struct Report([Games; 3]);

#[derive(Default)]
struct Games {
    games: u64,
    score: u64,
    reached: [u64; 16],
}

/// With what a game begins.
#[derive(Clone, Copy)]
enum Start {
    Empty,
    Pool,
    Recorded,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let starts = ["empty boards", "halved boards", "recorded boards"];
        for (start, it) in starts.iter().zip(&self.0).filter(|(_, it)| it.games > 0) {
            let games = it.games as f64;
            write!(f, "; {} games from {start}: mean {:.0}", it.games, it.score as f64 / games)?;
            for exponent in 12..15 {
                let reached = it.reached[exponent..].iter().sum::<u64>() as f64;
                write!(f, ", {} {:.1} %", 1 << exponent, 100.0 * reached / games)?;
            }
        }
        Ok(())
    }
}

impl Report {
    fn add(&mut self, other: &Self) {
        for (games, more) in self.0.iter_mut().zip(&other.0) {
            games.games += more.games;
            games.score += more.score;
            games.reached.iter_mut().zip(more.reached).for_each(|(sum, more)| *sum += more);
        }
    }
}

impl<'a> Whole<'a> {
    /// Half of the games begin with boards of recorded games, if any are given.
    pub fn new(learner: Learner<'a>, strong: Heuristic, recorded: &[Board]) -> Self {
        let recorded = recorded.iter().map(|&board| strong.familiar(board)).collect();
        Self { learner, report: Report::default(), strong, recorded, pool: Vec::new() }
    }

    /// A board to begin with, and what it is.
    fn start(&mut self) -> (Start, Board) {
        let kinds = if self.recorded.is_empty() { 2 } else { 4 };
        match self.learner.random.below(kinds) {
            0 if !self.pool.is_empty() => {
                (Start::Pool, one_of(&self.pool, &mut self.learner.random))
            }
            0 | 1 => {
                let one = self.learner.spawn(Board(0));
                (Start::Empty, self.learner.spawn(one))
            }
            _ => (Start::Recorded, one_of(&self.recorded, &mut self.learner.random)),
        }
    }
}

impl Trainer for Whole<'_> {
    /// A game and its continuations. It ends some moves after there is a 16384, when the large tiles are
    /// halved.
    fn game(&mut self) {
        let (start, board) = self.start();
        let Self { learner, strong, pool, .. } = self;
        let game = learner.game(board, |board, network, random| {
            if !has_large_tile(board) || random.below(LINGER) != 0 {
                return None;
            }
            let next = strong.familiar(board);
            if next == board {
                return None;
            }
            let (rest, ..) = network.best(next)?;
            keep(pool, next, random);
            Some(rest)
        });
        let games = &mut self.report.0[start as usize];
        games.games += 1;
        games.score += game.score;
        games.reached[usize::from(game.last.highest())] += 1;
    }

    fn moves(&self) -> u64 {
        self.learner.moves
    }

    fn report(&mut self, others: &mut [Self]) -> String {
        let mut report = std::mem::take(&mut self.report);
        others.iter_mut().for_each(|other| report.add(&std::mem::take(&mut other.report)));
        report.to_string()
    }
}

/// Whether a board has a 16384 or a larger tile.
#[inline(always)]
fn has_large_tile(Board(board): Board) -> bool {
    board >> 3 & board >> 2 & board >> 1 & 0x1111_1111_1111_1111 != 0
}
