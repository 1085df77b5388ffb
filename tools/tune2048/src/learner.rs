//! What all learning has in common: games are played greedily and learned from backwards.

use std::collections::VecDeque;

use endtable::games::twenty48::{Board, Size};
use endtable::random::SplitMix64;

use crate::network::{Looked, Network};

/// A lost game is taken up again from the middle of its last part, until that is no longer than this:
/// otherwise late positions would be too rare.
const SHORTEST: usize = 10;

/// How much what came of a board counts against what its successor is believed to be worth.
const LAMBDA: f32 = 0.5;

/// How many boards ahead what will be learned is fetched.
const AHEAD: usize = 4;

/// How many boards are kept to begin games with.
const POOL: usize = 1 << 14;

pub struct Learner<'a> {
    /// Other threads learn it, too.
    pub network: &'a Network,
    pub random: SplitMix64,
    /// How many moves were learned from.
    pub moves: u64,
    /// The boards after the moves of the current game, with what each move scored.
    path: Vec<(Board, u32)>,
}

/// A game that was played.
pub struct Game {
    pub last: Board,
    pub score: u64,
    pub lost: bool,
}

impl<'a> Learner<'a> {
    pub fn new(network: &'a Network, seed: u64) -> Self {
        Self { network, random: SplitMix64::new(seed), moves: 0, path: Vec::new() }
    }

    /// Plays from a board on and learns from that, and from the continuations if the game was lost.
    ///
    /// After each new tile, `rest` says whether the game ends there: what is still to come then.
    pub fn game(
        &mut self,
        board: Board,
        mut rest: impl FnMut(Board, &Network, &mut SplitMix64) -> Option<f32>,
    ) -> Game {
        let (last, mut end) = self.play(board, &mut rest);
        let score = self.path.iter().map(|&(_, gain)| u64::from(gain)).sum();
        let game = Game { last, score, lost: end.is_none() };
        loop {
            let again = end.is_none() && self.path.len() > SHORTEST;
            let middle = again.then(|| self.path[self.path.len() / 2].0);
            self.learn(end.unwrap_or(0.0));
            let Some(after) = middle else { return game };
            let board = self.spawn(after);
            (_, end) = self.play(board, &mut rest);
        }
    }

    /// Plays until no move is left, or until the game ends otherwise. Gives the last board, and what is
    /// still to come if the game is not lost.
    fn play(
        &mut self,
        mut board: Board,
        rest: &mut impl FnMut(Board, &Network, &mut SplitMix64) -> Option<f32>,
    ) -> (Board, Option<f32>) {
        while let Some((_, after, gain)) = self.network.best(board) {
            self.path.push((after, gain));
            board = self.spawn(after);
            if let Some(rest) = rest(board, self.network, &mut self.random) {
                return (board, Some(rest));
            }
        }
        (board, None)
    }

    /// Learns from the last move to the first, given what is still to come after the last.
    fn learn(&mut self, rest: f32) {
        self.moves += self.path.len() as u64;
        let mut fetched: VecDeque<Looked> = VecDeque::with_capacity(AHEAD);
        let mut target = rest;
        for at in (0..self.path.len() + AHEAD).rev() {
            if let Some(ahead) = at.checked_sub(AHEAD) {
                let looked = Looked::up(self.path[ahead].0);
                self.network.prefetch(&looked);
                fetched.push_back(looked);
            }
            if let Some(&(_, gain)) = self.path.get(at) {
                let looked = fetched.pop_front().expect("fetched some boards before");
                let value = self.network.learn(&looked, target);
                target = gain as f32 + LAMBDA * target + (1.0 - LAMBDA) * value;
            }
        }
        self.path.clear();
    }

    /// Puts a new tile on one of the empty cells.
    pub fn spawn(&mut self, after: Board) -> Board {
        let mut cells = after.empty_bits(Size::FULL);
        for _ in 0..self.random.below(after.empty(Size::FULL).into()) {
            cells &= cells - 1;
        }
        let exponent = if self.random.below(10) == 0 { 2 } else { 1 };
        after.with(cells.trailing_zeros() as u8 / 4, exponent).expect("the cell is empty")
    }
}

/// One of these boards, all equally likely.
pub fn one_of(boards: &[Board], random: &mut SplitMix64) -> Board {
    boards[random.below(boards.len() as u64) as usize]
}

/// Keeps a board, in place of another if there are enough.
pub fn keep(boards: &mut Vec<Board>, board: Board, random: &mut SplitMix64) {
    if boards.len() < POOL {
        boards.push(board);
    } else {
        boards[random.below(POOL as u64) as usize] = board;
    }
}
