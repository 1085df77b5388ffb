//! Every position below a deal, with its value and best moves.
//!
//! After both first moves the jokers are gone and a position is told by which of the fourteen
//! other cells are alive and where the pawns stand. For each alive set and each cell of the mover,
//! one 16-bit set holds all cells of the waiter that can occur: the mover's destinations are the
//! same for all of them, so whole sets of positions are reached at once. Alive sets are then
//! solved from the smallest up; a position looks at its children, which all stand in one row: the
//! alive set without the mover's cell, the old waiter now to move.

use super::board::{Board, Side};
use super::geometry::{Cell, Mask};
use super::moves::Rules;
use super::subgame::{Spot, Subgame};
use crate::value::{Plies, Value};

/// A position below a deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solved {
    /// The position.
    pub spot: Spot,
    /// What it is worth.
    pub value: Value,
    /// All destinations that keep that worth; empty when the game is over.
    pub best: Mask,
}

/// Enumerates and solves. Keep one for many deals: its 4.5 MiB of memory are used again.
#[derive(Debug)]
pub struct Enumerator {
    /// By alive set and mover: where the waiter can be.
    reached: Vec<[u16; 16]>,
    /// By alive set, mover and waiter: the score of the side to move.
    scores: Vec<[[u8; 16]; 16]>,
    /// The alive sets, those with the fewest cells first.
    by_size: Vec<u16>,
}

/// How many alive sets of the fourteen cells there are.
const SETS: usize = 1 << 14;

/// Scores order values for the side to move: a loss counts up with its length, a win down from
/// here.
const WIN: u8 = 64;

impl Default for Enumerator {
    fn default() -> Self {
        Self::new()
    }
}

impl Enumerator {
    /// An enumerator.
    #[must_use]
    pub fn new() -> Self {
        let mut by_size: Vec<u16> = (0..SETS as u16).collect();
        by_size.sort_by_key(|set| set.count_ones());
        Self { reached: vec![[0; 16]; SETS], scores: vec![[[0; 16]; 16]; SETS], by_size }
    }

    /// Calls `visit` once for each position that can be reached from a deal, the deal included,
    /// each after all that follow from it. Does nothing for a board that is no deal.
    pub fn solve(&mut self, deal: &Board, rules: Rules, mut visit: impl FnMut(Solved)) {
        if !deal.collapsed().is_empty() {
            return;
        }
        let game = Subgame::new(*deal, rules);
        let gap = Gap::new(deal);
        self.reach(&game, &gap);
        self.solve_sets(&game, &gap, &mut visit);
        self.solve_opening(&game, &gap, &mut visit);
    }

    /// Fills `reached` from the two first moves down.
    fn reach(&mut self, game: &Subgame, gap: &Gap) {
        self.reached.fill([0; 16]);
        let root = game.root();
        for first in game.destinations(root).cells() {
            let second = root.after(first);
            self.reached[SETS - 1][first.index()] |= game.destinations(second).0;
        }
        for &set in self.by_size.iter().rev() {
            let alive = gap.open(set);
            for mover in alive.cells() {
                let waiters = Mask(self.reached[usize::from(set)][mover.index()]);
                if waiters.is_empty() {
                    continue;
                }
                let reachable = game.reachable(alive, mover).0;
                let below = &mut self.reached[gap.without(alive, mover)];
                for waiter in waiters.cells() {
                    below[waiter.index()] |= reachable & !waiter.mask().0;
                }
            }
        }
    }

    fn solve_sets(&mut self, game: &Subgame, gap: &Gap, visit: &mut impl FnMut(Solved)) {
        for &set in &self.by_size {
            let alive = gap.open(set);
            for mover in alive.cells() {
                let waiters = Mask(self.reached[usize::from(set)][mover.index()]);
                if waiters.is_empty() {
                    continue;
                }
                let reachable = game.reachable(alive, mover).0;
                let below = gap.without(alive, mover);
                for waiter in waiters.cells() {
                    let moves = Mask(reachable & !waiter.mask().0);
                    let (score, best) = choose(moves, &self.scores[below][waiter.index()]);
                    self.scores[usize::from(set)][mover.index()][waiter.index()] = score;
                    let spot = Spot::new(alive.0, mover, waiter);
                    visit(Solved { spot, value: value(score), best });
                }
            }
        }
    }

    /// The deal itself and the positions after its first moves, where jokers are still alive.
    fn solve_opening(&mut self, game: &Subgame, gap: &Gap, visit: &mut impl FnMut(Solved)) {
        let root = game.root();
        let moves = game.destinations(root);
        let mut scores = [0; 16];
        for first in moves.cells() {
            let second = root.after(first);
            let row =
                std::array::from_fn(|to| self.scores[usize::from(gap.full())][first.index()][to]);
            let (score, best) = choose(game.destinations(second), &row);
            scores[first.index()] = score;
            visit(Solved { spot: second, value: value(score), best });
        }
        let (score, best) = choose(moves, &scores);
        visit(Solved { spot: root, value: value(score), best });
    }
}

/// The score of a position from the scores of its children, and the moves that attain it.
fn choose(moves: Mask, children: &[u8; 16]) -> (u8, Mask) {
    let (mut least, mut best) = (u8::MAX, 0);
    for to in moves.cells() {
        let child = children[to.index()];
        if child < least {
            (least, best) = (child, 0);
        }
        if child == least {
            best |= to.mask().0;
        }
    }
    let score = match least {
        u8::MAX => 0,
        loss if loss < WIN / 2 => WIN - (loss + 1),
        win => WIN - win + 1,
    };
    (score, Mask(best))
}

fn value(score: u8) -> Value {
    if score < WIN / 2 {
        Value::Loss(Plies(score.into()))
    } else {
        Value::Win(Plies((WIN - score).into()))
    }
}

/// Sixteen cells without the two jokers', closed up to fourteen bits.
struct Gap {
    low: u32,
    high: u32,
}

impl Gap {
    fn new(deal: &Board) -> Self {
        let [x, o] = [Side::X, Side::O].map(|side| u32::from(deal.pawn(side).number()));
        Self { low: x.min(o), high: x.max(o) }
    }

    fn full(&self) -> u16 {
        SETS as u16 - 1
    }

    /// The cells of a set.
    fn open(&self, set: u16) -> Mask {
        let insert = |set: u16, at: u32| {
            let below = (1u16 << at) - 1;
            set & below | (set & !below) << 1
        };
        Mask(insert(insert(set, self.low), self.high))
    }

    /// The number of the set of some cells.
    fn close(&self, cells: u16) -> u16 {
        let remove = |set: u16, at: u32| {
            let below = (1u16 << at) - 1;
            set & below | set >> 1 & !below
        };
        remove(remove(cells, self.high), self.low)
    }

    /// The number of the set that is left when the mover has gone.
    fn without(&self, alive: Mask, mover: Cell) -> usize {
        usize::from(self.close(alive.0 & !mover.mask().0))
    }
}
