//! Learning late boards, as they are: the second network.
//!
//! A board with a 16384 has as many *rungs* as there are tiles below it without a gap: an 8192, a 4096
//! and so on. Games get lost on each of them, so they begin with boards of all rungs in turn and end with
//! the next rung; and at first only with the last rungs, because what a board is worth depends on what
//! comes after it.

use std::fmt::Write;
use std::io;

use endtable::games::twenty48::{Board, Heuristic};

use crate::Trainer;
use crate::learner::{Learner, keep, one_of};
use crate::network::Network;

/// A late board has at least so many rungs: an 8192 and a 4096.
pub const FEWEST: usize = 2;

/// Rungs are counted up to this, from the 8192 down to a 32.
const MOST: usize = 9;

/// At first games of a network that knows nothing of late boards begin with those that have so many rungs.
pub const FIRST: usize = 8;

/// After so many moves of all learners they begin with a rung less, until all late boards are learned.
const STEP: u64 = 20_000_000;

pub struct Late<'a> {
    learner: Learner<'a>,
    /// The network for all other boards.
    whole: &'a Network,
    /// At first games begin with so many rungs, and after so many moves of this learner with one less.
    first: usize,
    step: u64,
    strong: Heuristic,
    /// By number.
    rungs: [Rung; MOST + 1],
    turn: usize,
}

#[derive(Default)]
struct Rung {
    /// Boards with which games got so far: at first those of recorded games.
    reached: Vec<Board>,
    /// Since the last report, without games that were taken up again.
    games: u64,
    lost: u64,
}

impl<'a> Late<'a> {
    /// Learns from a network for all boards, and from boards of recorded games.
    ///
    /// # Errors
    /// When no game got to one of the rungs.
    pub fn new(
        whole: &'a Network,
        mut learner: Learner<'a>,
        strong: Heuristic,
        recorded: &[Board],
        first: usize,
        learners: u64,
    ) -> io::Result<Self> {
        let mut rungs: [Rung; MOST + 1] = Default::default();
        let mut before = None;
        for &board in recorded {
            let now = count(board);
            if let Some(now) = now.filter(|&rungs| now > before && rungs >= FEWEST) {
                keep(&mut rungs[now].reached, board, &mut learner.random);
            }
            before = now;
        }
        if rungs[FEWEST..].iter().any(|rung| rung.reached.is_empty()) {
            return Err(io::Error::other(
                "the recorded games are too few: none got to one of the rungs",
            ));
        }
        Ok(Self { learner, whole, first, step: STEP / learners, strong, rungs, turn: 0 })
    }

    /// The fewest rungs that games begin with now.
    fn fewest(&self) -> usize {
        self.first.saturating_sub((self.learner.moves / self.step) as usize).max(FEWEST)
    }
}

impl Trainer for Late<'_> {
    /// A game and its continuations.
    fn game(&mut self) {
        let fewest = self.fewest();
        self.turn += 1;
        let rung = fewest + self.turn % (MOST + 1 - fewest);
        let Self { learner, whole, strong, rungs, .. } = self;
        let board = one_of(&rungs[rung].reached, &mut learner.random);
        let game = learner.game(board, |board, network, random| match count(board) {
            Some(now) if now > rung => {
                let (rest, ..) = network.best(board)?;
                keep(&mut rungs[now].reached, board, random);
                Some(rest)
            }
            Some(now) if now >= fewest => None,
            // Most likely a 32768 was made, or is being made.
            _ => whole.best(strong.familiar(board)).map(|(rest, ..)| rest),
        });
        self.rungs[rung].games += 1;
        self.rungs[rung].lost += u64::from(game.lost);
    }

    fn moves(&self) -> u64 {
        self.learner.moves
    }

    /// How often games from each rung were not lost.
    fn report(&mut self, others: &mut [Self]) -> String {
        for other in others {
            for (rung, more) in self.rungs.iter_mut().zip(&mut other.rungs) {
                rung.games += std::mem::take(&mut more.games);
                rung.lost += std::mem::take(&mut more.lost);
            }
        }
        let mut report = String::new();
        for (number, rung) in self.rungs.iter_mut().enumerate().filter(|(_, rung)| rung.games > 0) {
            let share = 100.0 * (rung.games - rung.lost) as f64 / rung.games as f64;
            let _ = write!(report, "; from rung {number} {share:.1} % of {}", rung.games);
            (rung.games, rung.lost) = (0, 0);
        }
        report
    }
}

/// How many rungs a board has, if it has a 16384 and no 32768.
fn count(board: Board) -> Option<usize> {
    let below = (board.tiles() << 2).leading_ones() as usize;
    (board.highest() == 14).then(|| below.min(MOST))
}
