//! Who wins, and nothing else: a depth-first search for when distances do not matter.
//!
//! It leans on what is peculiar to Collapsi. After a move the other pawn has the same replies
//! wherever we went, except that it cannot land on us. So one set of replies serves all our
//! moves, and our own next moves, found once to see whether we would be mated, are handed down to
//! the search two plies deeper, which needs them as its replies.

use super::geometry::{Cell, Mask};
use super::moves::Move;
use super::subgame::{Spot, Subgame, blocks_all};

/// A win/loss solver. Keep one for many boards: its memory is used again.
///
/// ```
/// use endtable::games::collapsi::{QuickSolver, Rules, Subgame, deal_from_seed};
///
/// let game = Subgame::new(deal_from_seed(1), Rules::One);
/// let answer = QuickSolver::new().solve(&game);
/// assert!(answer.win);
/// assert_eq!(answer.best.unwrap().to_string(), "73");
/// ```
#[derive(Debug)]
pub struct QuickSolver {
    /// A result at each slot: the spot in bits 0–23, 1 for lost or 2 for won above. A newer
    /// result replaces an older one.
    results: Vec<u32>,
    searched: u64,
}

/// Who wins, and a move to do it with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuickAnswer {
    /// Whether the side to move wins.
    pub win: bool,
    /// The winning move with the lowest destination; when all lose, the one with the lowest
    /// destination; none when the game is over.
    pub best: Option<Move>,
}

/// 16,384 results, 64 KiB, are quickly forgotten and stay near the processor.
const SLOT_BITS: u32 = 14;

impl Default for QuickSolver {
    fn default() -> Self {
        Self::new()
    }
}

impl QuickSolver {
    /// A solver that knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self { results: vec![0; 1 << SLOT_BITS], searched: 0 }
    }

    /// Solves a board. What was solved before is forgotten.
    pub fn solve(&mut self, game: &Subgame) -> QuickAnswer {
        self.results.fill(0);
        self.searched = 1;
        let root = game.root();
        let destinations = game.destinations(root);
        let winning = destinations.cells().find(|&to| {
            let child = root.after(to);
            let replies = game.destinations(child);
            let next = game.reachable(Mask(child.alive().0 & !child.mover().mask().0), to);
            !self.wins(game, child, replies, next)
        });
        let best = winning.or(destinations.first()).map(|to| Move { from: root.mover(), to });
        QuickAnswer { win: winning.is_some(), best }
    }

    /// How many positions the last search looked into.
    #[must_use]
    pub fn searched(&self) -> u64 {
        self.searched
    }

    /// Whether the side to move wins, given where it can go and where the other pawn could go
    /// next, were the board empty of us.
    fn wins(&mut self, game: &Subgame, spot: Spot, moves: Mask, replies: Mask) -> bool {
        // A reply set that one of our moves empties, by landing on all of it, is a mate.
        if moves.is_empty() || replies.is_empty() || replies.len() == 1 && replies.0 & moves.0 != 0
        {
            return !moves.is_empty();
        }
        if let Some(known) = self.recall(spot) {
            return known;
        }
        self.searched += 1;
        let after_reply = Mask(spot.alive().0 & !spot.mover().mask().0 & !spot.waiter().mask().0);
        // One number a move, to sort by: order, destination, our next moves from there.
        let mut tries = [0u32; 16];
        let mut count = 0;
        for to in moves.cells() {
            let next = game.reachable(after_reply, to);
            let left = Mask(replies.0 & !to.mask().0);
            if !blocks_all(left, next) {
                if game.every_reply_is_mated(after_reply, to, left, next) {
                    self.remember(spot, true);
                    return true;
                }
                // Leave few replies, keep many moves.
                let order = 8 * left.len() + 16 - next.len();
                tries[count] = order << 20 | u32::from(to.number()) << 16 | u32::from(next.0);
                count += 1;
            }
        }
        let tries = &mut tries[..count];
        tries.sort_unstable();
        let won = tries.iter().any(|&packed| {
            let (to, next) = (Cell::low_bits(packed >> 16), Mask(packed as u16));
            !self.wins(game, spot.after(to), Mask(replies.0 & !to.mask().0), next)
        });
        self.remember(spot, won);
        won
    }

    fn slot(spot: Spot) -> usize {
        (spot.bits().wrapping_mul(0x9e37_79b1) >> (32 - SLOT_BITS)) as usize
    }

    fn recall(&self, spot: Spot) -> Option<bool> {
        let entry = self.results[Self::slot(spot)];
        (entry & 0xff_ffff == spot.bits() && entry >> 24 != 0).then_some(entry >> 24 == 2)
    }

    fn remember(&mut self, spot: Spot, won: bool) {
        self.results[Self::slot(spot)] = (1 + u32::from(won)) << 24 | spot.bits();
    }
}
