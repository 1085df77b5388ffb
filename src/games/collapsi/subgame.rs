//! The positions below one board, packed into a machine word.
//!
//! Cards never move, so below a given board a position is told by its alive cells and the two
//! pawns: 24 bits, where a [`Board`] takes eight numbers. Solvers and generators work on these.

use super::board::{Board, Side};
use super::geometry::{Cell, Mask};
use super::moves::{Paths, Rules};
use crate::solve::{Child, Estimate, TwoPlayer};

/// A position below some board: alive cells in bits 0–15, the pawn to move in bits 16–19, the
/// pawn that waits in bits 20–23.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot(u32);

impl Spot {
    pub(super) fn new(alive: u16, mover: Cell, waiter: Cell) -> Self {
        Self(u32::from(waiter.number()) << 20 | u32::from(mover.number()) << 16 | u32::from(alive))
    }

    /// All 24 bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Where the pawn to move stands.
    #[must_use]
    pub const fn mover(self) -> Cell {
        Cell::low_bits(self.0 >> 16)
    }

    /// Where the pawn that waits stands.
    #[must_use]
    pub const fn waiter(self) -> Cell {
        Cell::low_bits(self.0 >> 20)
    }

    /// The cells that have not collapsed, those under the pawns included.
    #[must_use]
    pub const fn alive(self) -> Mask {
        Mask(self.0 as u16)
    }

    /// After the mover's move to a cell.
    #[must_use]
    pub fn after(self, to: Cell) -> Self {
        Self::new(self.alive().0 & !self.mover().mask().0, self.waiter(), to)
    }
}

/// A board with rules: the root of a game, from which its positions are told apart by [`Spot`]s.
#[derive(Clone)]
pub struct Subgame {
    paths: &'static Paths,
    root: Board,
    /// Steps from each cell; 0 for a joker that lets the player choose.
    steps: [u8; 16],
}

impl Subgame {
    /// Everything below a board.
    #[must_use]
    pub fn new(root: Board, rules: Rules) -> Self {
        let joker = match rules {
            Rules::One => 1,
            Rules::Wild => 0,
        };
        let mut steps = [joker; 16];
        for cell in Cell::all() {
            if let Some(card) = root.card_at(cell) {
                steps[cell.index()] = card.steps();
            }
        }
        Self { paths: Paths::get(), root, steps }
    }

    /// The position it starts from.
    #[must_use]
    pub fn root(&self) -> Spot {
        Spot::new(self.root.alive().0, self.root.mover(), self.root.waiter())
    }

    /// Where the pawn to move can go.
    #[must_use]
    pub fn destinations(&self, spot: Spot) -> Mask {
        Mask(self.reachable(spot.alive(), spot.mover()).0 & !spot.waiter().mask().0)
    }

    /// Where a pawn on `from` could go if it were alone.
    #[inline]
    pub(super) fn reachable(&self, alive: Mask, from: Cell) -> Mask {
        match self.steps[from.index()] {
            0 => self.paths.after_any(alive, from),
            steps => self.paths.after(alive, from, steps),
        }
    }

    /// Whether a pawn on `from` that can go to `next` mates whatever the other one replied.
    pub(super) fn every_reply_is_mated(
        &self,
        alive: Mask,
        from: Cell,
        replies: Mask,
        next: Mask,
    ) -> bool {
        let left = Mask(alive.0 & !from.mask().0);
        replies
            .cells()
            .all(|reply| blocks_all(Mask(next.0 & !reply.mask().0), self.reachable(left, reply)))
    }

    /// The board of a position below the root.
    #[must_use]
    pub fn board_at(&self, spot: Spot) -> Board {
        let cards = super::Card::ALL.map(|card| self.root.cards(card));
        let played = spot.alive().len() + self.root.alive().len();
        let turn =
            if played.is_multiple_of(2) { self.root.turn() } else { self.root.turn().other() };
        let pawns = match turn {
            Side::X => [spot.mover(), spot.waiter()],
            Side::O => [spot.waiter(), spot.mover()],
        };
        Board::from_parts(cards, pawns, Mask(!spot.alive().0), turn)
    }
}

/// The quick look of the solvers at a move, three plies deep. After a move to `to` the other pawn
/// has the same replies wherever we went, except that it cannot land on us; and where we can go
/// after its reply depends on that reply only in that we cannot land on it either. So a few sets
/// tell a mate at once, one ply later, and two plies later.
impl TwoPlayer for Subgame {
    type Position = Spot;

    fn expand(&self, spot: Spot, children: &mut Vec<Child<Spot>>) {
        let alive = Mask(spot.alive().0 & !spot.mover().mask().0);
        let replies = self.reachable(alive, spot.waiter());
        let after_reply = Mask(alive.0 & !spot.waiter().mask().0);
        for to in self.destinations(spot).cells() {
            let replies = Mask(replies.0 & !to.mask().0);
            let next = self.reachable(after_reply, to);
            let estimate = if replies.is_empty() {
                Estimate::Loss(0)
            } else if blocks_all(replies, next) {
                Estimate::Win(1)
            } else if self.every_reply_is_mated(after_reply, to, replies, next) {
                Estimate::Loss(2)
            } else {
                Estimate::AtLeast { win: 3, loss: 4 }
            };
            let order = 8 * replies.len() as u8 + 16 - next.len() as u8;
            children.push(Child { position: spot.after(to), estimate, order });
        }
    }

    /// Each ply takes a cell, and the pawns need two.
    fn plies_left(&self, spot: Spot) -> u8 {
        (spot.alive().len() - 2) as u8
    }
}

/// Whether a pawn with these moves can leave none to one that could go to `others`: there are
/// none, or one, which it takes.
pub(super) fn blocks_all(moves: Mask, others: Mask) -> bool {
    others.is_empty() || others.len() == 1 && others.0 & moves.0 != 0
}
