//! Learning by playing: games are played greedily and learned from backwards.

use std::collections::VecDeque;
use std::fmt;

use endtable::games::random::SplitMix64;
use endtable::games::twenty48::{Board, Heuristic, Size};

use crate::network::Network;
use crate::pattern::{Entries, entries};

/// A lost game is taken up again from the middle of its last part, until that is no longer than this:
/// otherwise late positions would be too rare.
const SHORTEST: usize = 10;

/// How much what came of a board counts against what its successor is believed to be worth.
const LAMBDA: f32 = 0.5;

/// How many boards ahead what will be learned is fetched.
const AHEAD: usize = 4;

/// A game goes on for so many moves on average with a 16384: a search looks as far.
const LINGER: u64 = 8;

/// How many boards are kept to go on with.
const POOL: usize = 1 << 14;

pub struct Trainer {
    pub network: Network,
    pub moves: u64,
    pub report: Report,
    random: SplitMix64,
    /// Halves the large tiles of boards with a 16384, as a search does.
    strong: Heuristic,
    /// Late boards of searched games, halved.
    late: Vec<Board>,
    /// The halved boards with which games ended because there was a 16384. What comes then is learned as
    /// another game, which begins with such a board: so the network need not know larger tiles.
    pool: Vec<Board>,
    /// The boards after the moves of the current game, with what each move scored.
    path: Vec<(Board, u32)>,
}

/// Games since the last report by how they began, without those that were taken up again.
#[derive(Default)]
pub struct Report([Games; 3]);

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
    Late,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let starts = ["empty boards", "halved boards", "late boards"];
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

impl Trainer {
    /// Half of the games begin with late boards, if any are given.
    pub fn new(network: Network, strong: Heuristic, seed: u64, late: Vec<Board>) -> Self {
        let random = SplitMix64::new(seed);
        let (report, pool, path) = (Report::default(), Vec::new(), Vec::new());
        Self { network, moves: 0, report, random, strong, late, pool, path }
    }

    /// One game and its continuations.
    pub fn game(&mut self) {
        let kinds = if self.late.is_empty() { 2 } else { 4 };
        let start = match self.random.below(kinds) {
            0 if !self.pool.is_empty() => Start::Pool,
            0 | 1 => Start::Empty,
            _ => Start::Late,
        };
        let board = match start {
            Start::Empty => {
                let one = self.spawn(Board(0));
                self.spawn(one)
            }
            Start::Pool => one_of(&self.pool, &mut self.random),
            Start::Late => one_of(&self.late, &mut self.random),
        };
        let (last, mut rest) = self.play(board);
        let games = &mut self.report.0[start as usize];
        games.games += 1;
        games.score += self.path.iter().map(|&(_, gain)| u64::from(gain)).sum::<u64>();
        games.reached[usize::from(last.highest())] += 1;
        loop {
            let lost = rest == 0.0 && self.path.len() > SHORTEST;
            let middle = lost.then(|| self.path[self.path.len() / 2].0);
            self.learn(rest);
            let Some(after) = middle else { return };
            let board = self.spawn(after);
            (_, rest) = self.play(board);
        }
    }

    /// Plays until no move is left, or until the large tiles are halved, some moves after there is a
    /// 16384. Gives the last board, and what is still to come: nothing if the game is lost.
    fn play(&mut self, mut board: Board) -> (Board, f32) {
        loop {
            let Some((_, after, gain)) = self.best(board) else { return (board, 0.0) };
            self.path.push((after, gain));
            board = self.spawn(after);
            if has_large_tile(board) && self.random.below(LINGER) == 0 {
                let next = self.strong.familiar(board);
                if next != board
                    && let Some((rest, ..)) = self.best(next)
                {
                    if self.pool.len() < POOL {
                        self.pool.push(next);
                    } else {
                        self.pool[self.random.below(POOL as u64) as usize] = next;
                    }
                    return (board, rest);
                }
            }
        }
    }

    /// The best move: what it is believed to be worth, the board after it, and what it scores.
    fn best(&self, board: Board) -> Option<(f32, Board, u32)> {
        let mut best: Option<(f32, Board, u32)> = None;
        for (after, gain) in board.slides(Size::FULL).into_iter().flatten() {
            let total = self.network.value(after) + gain as f32;
            if best.is_none_or(|(most, ..)| total > most) {
                best = Some((total, after, gain));
            }
        }
        best
    }

    /// Learns from the last move to the first, given what is still to come after the last.
    fn learn(&mut self, rest: f32) {
        self.moves += self.path.len() as u64;
        let mut fetched: VecDeque<Entries> = VecDeque::with_capacity(AHEAD);
        let mut target = rest;
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

/// Whether a board has a 16384 or a larger tile.
#[inline(always)]
fn has_large_tile(Board(board): Board) -> bool {
    board >> 3 & board >> 2 & board >> 1 & 0x1111_1111_1111_1111 != 0
}

/// One of these boards, all equally likely.
fn one_of(boards: &[Board], random: &mut SplitMix64) -> Board {
    boards[random.below(boards.len() as u64) as usize]
}
