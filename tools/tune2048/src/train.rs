//! Learning by playing: games are played greedily and learned from backwards.

use std::collections::VecDeque;
use std::fmt;

use endtable::games::random::SplitMix64;
use endtable::games::twenty48::{Board, Size};

use crate::network::Network;
use crate::pattern::{Entries, entries};

/// A game is taken up again from the middle of its last part, until that is shorter than this:
/// otherwise late positions would be too rare.
const SHORTEST: usize = 10;

/// How much what came of a board counts against what its successor is believed to be worth.
const LAMBDA: f32 = 0.5;

/// How many boards ahead what will be learned is fetched.
const AHEAD: usize = 4;

pub struct Trainer {
    pub network: Network,
    pub moves: u64,
    pub report: Report,
    random: SplitMix64,
    /// Boards to begin with; none for the beginning of the game.
    starts: Vec<Board>,
    /// The boards after the moves of the current game, with what each move scored.
    path: Vec<(Board, u32)>,
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
    pub fn new(network: Network, seed: u64, starts: Vec<Board>) -> Self {
        let random = SplitMix64::new(seed);
        Self { network, moves: 0, report: Report::default(), random, starts, path: Vec::new() }
    }

    /// One game and its continuations. Those that begin with a given board are not continued: what
    /// is late in a game is among these boards.
    pub fn game(&mut self) {
        let start = match self.starts.len() as u64 {
            0 => {
                let one = self.spawn(Board(0));
                self.spawn(one)
            }
            count => self.starts[self.random.below(count) as usize],
        };
        let last = self.play(start);
        self.report.games += 1;
        self.report.score += self.path.iter().map(|&(_, gain)| u64::from(gain)).sum::<u64>();
        self.report.reached[usize::from(last.highest())] += 1;
        if !self.starts.is_empty() {
            self.learn();
            return;
        }
        loop {
            let middle = (self.path.len() > SHORTEST).then(|| self.path[self.path.len() / 2].0);
            self.learn();
            let Some(after) = middle else { return };
            let board = self.spawn(after);
            self.play(board);
        }
    }

    /// Plays to the end, and gives the last board.
    fn play(&mut self, mut board: Board) -> Board {
        loop {
            let mut best: Option<(f32, Board, u32)> = None;
            for (after, gain) in board.slides(Size::FULL).into_iter().flatten() {
                let total = self.network.value(after) + gain as f32;
                if best.is_none_or(|(most, ..)| total > most) {
                    best = Some((total, after, gain));
                }
            }
            let Some((_, after, gain)) = best else { return board };
            self.path.push((after, gain));
            board = self.spawn(after);
        }
    }

    /// Learns from the last move to the first.
    fn learn(&mut self) {
        self.moves += self.path.len() as u64;
        let mut fetched: VecDeque<Entries> = VecDeque::with_capacity(AHEAD);
        let mut target = 0.0;
        for at in (0..self.path.len() + AHEAD).rev() {
            if let Some(ahead) = at.checked_sub(AHEAD) {
                let entries = entries(self.path[ahead].0);
                self.network.prefetch(&entries);
                fetched.push_back(entries);
            }
            if let Some(&(_, gain)) = self.path.get(at) {
                let entries = fetched.pop_front().expect("fetched some boards before");
                let value = self.network.learn(&entries, target);
                target = gain as f32 + LAMBDA * target + (1.0 - LAMBDA) * value;
            }
        }
        self.path.clear();
    }

    /// Puts a new tile on one of the empty cells.
    fn spawn(&mut self, after: Board) -> Board {
        let mut cells = after.empty_bits(Size::FULL);
        for _ in 0..self.random.below(after.empty(Size::FULL).into()) {
            cells &= cells - 1;
        }
        let exponent = if self.random.below(10) == 0 { 2 } else { 1 };
        after.with(cells.trailing_zeros() as u8 / 4, exponent)
    }
}
