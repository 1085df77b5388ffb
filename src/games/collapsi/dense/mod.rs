//! The whole game, numbered and solved: every position has a place in a dense index, and each
//! layer of the index is solved from the one with a card less.
//!
//! - [`Index`] numbers the positions of a layer from 0 on, up to symmetry, and gives them back.
//! - [`solve_layer`] makes the [`Scores`] of a [`Layer`] from those of the layer below,
//!   [`solve_part`] some of them.
//!
//! `docs/FORMAT.md` specifies the index to the last detail, `docs/ALGORITHMS.md` says why it is as
//! it is. Inside, cells are numbered as those of a cube; boards come and go as grids.

mod cube;
mod index;
mod layer;
mod machine;

use std::fmt;

pub use layer::{Scores, solve_layer, solve_part};

use super::board::{Board, Card, Side};
use super::geometry::{Cell, Mask};
use super::moves::Rules;
use crate::value::{Plies, Value};
use index::Position;

/// The positions with so many cards left: what is solved at once, and kept in a file of its own.
///
/// The joker rule matters only to the two opening layers, of which there are two each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layer {
    cards: u8,
    rules: Option<Rules>,
}

impl Layer {
    /// The fewest cards that a position has: those under the pawns.
    pub const FEWEST: u8 = 2;
    /// The cards of a deal.
    pub const MOST: u8 = 16;
    /// The most cards with both pawns off their jokers.
    pub const LAST_SHARED: u8 = 14;

    /// The layer with so many cards, 2 to 16, under a rule.
    #[must_use]
    pub fn new(cards: u8, rules: Rules) -> Option<Self> {
        (Self::FEWEST..=Self::MOST)
            .contains(&cards)
            .then(|| Self { cards, rules: (cards > Self::LAST_SHARED).then_some(rules) })
    }

    /// All of them, each after the one below it.
    pub fn all() -> impl Iterator<Item = Self> {
        let shared = (Self::FEWEST..=Self::LAST_SHARED).map(|cards| Self { cards, rules: None });
        let opening = |rules| {
            (Self::LAST_SHARED + 1..=Self::MOST)
                .map(move |cards| Self { cards, rules: Some(rules) })
        };
        shared.chain(Rules::ALL.into_iter().flat_map(opening))
    }

    /// How many cards are left.
    #[must_use]
    pub const fn cards(self) -> u8 {
        self.cards
    }

    /// The joker rule, unless the layer is the same under both.
    #[must_use]
    pub const fn rules(self) -> Option<Rules> {
        self.rules
    }

    /// The layer with a card less.
    #[must_use]
    pub fn below(self) -> Option<Self> {
        Self::new(self.cards - 1, self.rules.unwrap_or_default())
    }
}

/// `7` or `15 wild`.
impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rules {
            Some(rules) => write!(f, "{} {rules}", self.cards),
            None => self.cards.fmt(f),
        }
    }
}

/// The number of every position in its layer, and back. Takes a twentieth of a second to make.
///
/// ```
/// use endtable::games::collapsi::{Index, deal_from_seed};
///
/// let index = Index::new();
/// let deal = deal_from_seed(1);
/// let number = index.rank(&deal);
/// assert!(number < index.len(16));
/// // The number is that of all boards that play alike; one of them comes back.
/// assert_eq!(index.unrank(16, number).unwrap().canonical().board, deal.canonical().board);
/// ```
pub struct Index(index::Index);

impl Default for Index {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Index")
    }
}

impl Index {
    /// Makes the index.
    #[must_use]
    pub fn new() -> Self {
        Self(index::Index::new())
    }

    /// How many numbers the layers with so many cards have: 0 for layers that do not exist.
    #[must_use]
    pub fn len(&self, cards: u8) -> u64 {
        self.0.layers.get(usize::from(cards)).map_or(0, |layer| layer.len)
    }

    /// The number of a board in its layer.
    #[must_use]
    pub fn rank(&self, board: &Board) -> u64 {
        self.0.rank(&position(board))
    }

    /// A board with this number among those with so many cards, x to move.
    #[must_use]
    pub fn unrank(&self, cards: u8, number: u64) -> Option<Board> {
        (number < self.len(cards)).then(|| board(&self.0.unrank(usize::from(cards), number)))
    }

    /// Calls `visit` with each run of numbers of the layers with so many cards, in order, and with
    /// how many boards with x to move each number of the run stands for.
    pub fn weights(&self, cards: u8, mut visit: impl FnMut(std::ops::Range<u64>, u32)) {
        let Some(layer) = self.0.layers.get(usize::from(cards)) else { return };
        for group in &layer.groups {
            let sections = index::sections(usize::from(cards));
            for blocks in sections.flat_map(|(mover, other)| group.blocks(mover, other)) {
                for (block, &aces) in (0..).zip(blocks.aces) {
                    let start = blocks.start + block * blocks.len as u64;
                    visit(start..start + blocks.len as u64, group.weight(aces));
                }
            }
        }
    }
}

/// The value that an entry of a table stands for: plies to the end, odd for a win.
#[must_use]
pub const fn value_of_plies(plies: u8) -> Value {
    let length = Plies(plies as u16);
    if plies % 2 == 1 { Value::Win(length) } else { Value::Loss(length) }
}

/// A board in cube cells, its collapsed cards forgotten.
fn position(board: &Board) -> Position {
    let alive = board.alive().0;
    let cell = |cell: Cell| cube::relabel(cell.mask().0).trailing_zeros() as cube::Cell;
    Position {
        alive: cube::relabel(alive),
        cards: Card::ALL.map(|card| cube::relabel(board.cards(card).0 & alive)),
        mover: cell(board.mover()),
        other: cell(board.waiter()),
    }
}

/// A position as a board, x to move.
fn board(position: &Position) -> Board {
    let cell = |cell: cube::Cell| Cell::low_bits(cube::relabel(1 << cell).trailing_zeros());
    Board::from_parts(
        position.cards.map(|cards| Mask(cube::relabel(cards))),
        [cell(position.mover), cell(position.other)],
        Mask(!cube::relabel(position.alive)),
        Side::X,
    )
}

#[cfg(test)]
mod tests;
