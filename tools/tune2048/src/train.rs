//! Learning by playing: TD(0) on the boards after moves, greedy play, restarts half-way.

use std::fmt;

use endtable::games::random::SplitMix64;
use endtable::games::twenty48::{Board, Size};

use crate::network::Network;

/// A game is taken up again from the middle of its last part, until that is shorter than this:
/// otherwise the late positions, on which a search lives, would be too rare.
const SHORTEST: usize = 400;

pub struct Trainer {
    pub network: Network,
    pub moves: u64,
    pub report: Report,
    random: SplitMix64,
    /// The boards of the current game before each move, with the score so far.
    history: Vec<(Board, u32)>,
}

/// Games from the start since the last report.
#[derive(Default)]
pub struct Report {
    games: u64,
    score: u64,
    reached: [u64; 16],
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let games = self.games as f64;
        write!(f, "{games} games, mean {:.0}", self.score as f64 / games)?;
        for exponent in 11..16 {
            let reached = self.reached[exponent..].iter().sum::<u64>() as f64;
            write!(f, ", {} {:.1} %", 1 << exponent, 100.0 * reached / games)?;
        }
        Ok(())
    }
}

impl Trainer {
    pub fn new(network: Network, seed: u64) -> Self {
        let random = SplitMix64::new(seed);
        Self { network, moves: 0, report: Report::default(), random, history: Vec::new() }
    }

    /// One game and its continuations.
    pub fn game(&mut self) {
        self.history.clear();
        let one = self.spawn(Board(0));
        let two = self.spawn(one);
        self.play(two, 0);
        let &(last, score) = self.history.last().expect("a game has boards");
        self.report.games += 1;
        self.report.score += u64::from(score);
        self.report.reached[usize::from(last.highest())] += 1;
        let mut from = 0;
        while self.history.len() - from > SHORTEST {
            from += (self.history.len() - from) / 2;
            let (board, score) = self.history[from];
            self.history.truncate(from);
            self.play(board, score);
        }
    }

    /// Plays to the end. After each move, the board after the move before learns from it.
    fn play(&mut self, mut board: Board, mut score: u32) {
        let mut before: Option<(Board, f32)> = None;
        loop {
            self.history.push((board, score));
            let mut best: Option<(f32, Board, u32, f32)> = None;
            for (after, gain) in board.slides(Size::FULL).into_iter().flatten() {
                let value = self.network.value(after);
                let total = value + gain as f32;
                if best.is_none_or(|(most, ..)| total > most) {
                    best = Some((total, after, gain, value));
                }
            }
            let target = best.map_or(0.0, |(total, ..)| total);
            if let Some((after, value)) = before {
                self.network.learn(after, target - value);
            }
            let Some((_, after, gain, value)) = best else { return };
            self.moves += 1;
            before = Some((after, value));
            score += gain;
            board = self.spawn(after);
        }
    }

    fn spawn(&mut self, after: Board) -> Board {
        let mut cells = after.empty_bits(Size::FULL);
        for _ in 0..self.random.below(after.empty(Size::FULL).into()) {
            cells &= cells - 1;
        }
        let exponent = if self.random.below(10) == 0 { 2 } else { 1 };
        after.with(cells.trailing_zeros() as u8 / 4, exponent)
    }
}
