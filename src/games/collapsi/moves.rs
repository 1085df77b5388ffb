//! Moves: where a pawn can go, and what the board is like then.
//!
//! The destinations of exactly s steps depend on the alive cells only, and the torus looks the
//! same from each of its cells. So one table for a pawn on cell 0 serves all sixteen: 4 x 32,768
//! sets, 256 KiB. A path of s steps is one step to a neighbour b and a path of s - 1 steps from b
//! that avoids the start, which is how each level of the table is read off the one below it; all
//! of it takes about a millisecond.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use super::board::{Board, Side};
use super::geometry::{Cell, Mask, NEIGHBOURS_OF_0, shift, unshift};

/// How far a pawn may go from its joker. Both rules are in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rules {
    /// The joker is worth one step: the designer's current rule.
    #[default]
    One,
    /// The player chooses one to four steps: the first edition.
    Wild,
}

impl Rules {
    /// Both.
    pub const ALL: [Self; 2] = [Self::One, Self::Wild];

    /// The name people type.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Wild => "wild",
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Rules {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|rules| rules.name() == text)
            .ok_or_else(|| format!("the joker rules are `one` or `wild`, found {text:?}"))
    }
}

/// A pawn's way from cell to cell. Written as two hex digits, from then to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// Where it starts.
    pub from: Cell,
    /// Where it ends.
    pub to: Cell,
}

impl Move {
    /// As one byte: from in the upper nybble, to in the lower.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self.from.number() << 4 | self.to.number()
    }

    /// The inverse of [`byte`](Self::byte). No move starts and ends on one cell, so such a byte
    /// is none; `ff` is the one in use.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Option<Self> {
        let (from, to) = (Cell::low_bits((byte >> 4) as u32), Cell::low_bits(byte as u32));
        if from.number() == to.number() { None } else { Some(Self { from, to }) }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)
    }
}

/// Where a pawn on cell 0 ends: `Paths.0[s - 1][alive >> 1]` after s steps.
pub(super) struct Paths([[u16; 1 << 15]; 4]);

static PATHS: LazyLock<Box<Paths>> = LazyLock::new(|| {
    let mut levels = vec![[0; 1 << 15]; 4];
    for (half, set) in levels[0].iter_mut().enumerate() {
        *set = (half as u16) << 1 & NEIGHBOURS_OF_0;
    }
    for steps in 1..4 {
        let (below, level) = levels.split_at_mut(steps);
        extend(&below[steps - 1], &mut level[0]);
    }
    let levels: Box<[_; 4]> = levels.into_boxed_slice().try_into().expect("four levels");
    Box::new(Paths(*levels))
});

/// Fills a level of the table from the one with a step less.
fn extend(below: &[u16; 1 << 15], level: &mut [u16; 1 << 15]) {
    for (half, set) in level.iter_mut().enumerate() {
        let alive = (half as u16) << 1;
        for step in Mask(alive & NEIGHBOURS_OF_0).cells() {
            *set |= shift(below[usize::from(unshift(alive, step) >> 1)], step);
        }
    }
}

impl Paths {
    /// The table, made when first asked for.
    pub(super) fn get() -> &'static Self {
        &PATHS
    }

    /// Where a pawn ends after exactly `steps` steps, 1 to 4.
    #[inline]
    pub(super) fn after(&self, alive: Mask, from: Cell, steps: u8) -> Mask {
        let seen_from_0 = unshift(alive.0, from) >> 1;
        Mask(shift(self.0[usize::from(steps) - 1][usize::from(seen_from_0)], from))
    }

    /// Where a pawn can end after one to four steps, as it likes.
    pub(super) fn after_any(&self, alive: Mask, from: Cell) -> Mask {
        Mask((1..=4).fold(0, |set, steps| set | self.after(alive, from, steps).0))
    }
}

/// Where a pawn on `from` can end after exactly `steps` steps (1 to 4) through `alive` cells,
/// entering no cell twice. The pawn's own cell may or may not be among the alive ones.
#[must_use]
pub fn destinations(alive: Mask, from: Cell, steps: u8) -> Mask {
    Paths::get().after(alive, from, steps)
}

impl Board {
    /// Where the pawn to move can go. Empty when the game is over.
    #[must_use]
    pub fn destinations(&self, rules: Rules) -> Mask {
        let from = self.mover();
        let reached = match (self.card_at(from), rules) {
            (Some(card), _) => destinations(self.alive(), from, card.steps()),
            (None, Rules::One) => destinations(self.alive(), from, 1),
            (None, Rules::Wild) => Paths::get().after_any(self.alive(), from),
        };
        Mask(reached.0 & !self.waiter().mask().0)
    }

    /// The legal moves, by ascending destination.
    pub fn moves(&self, rules: Rules) -> impl Iterator<Item = Move> + use<> {
        let from = self.mover();
        self.destinations(rules).cells().map(move |to| Move { from, to })
    }

    /// The board after a move.
    ///
    /// # Errors
    /// When the rules do not allow the move.
    pub fn play(&self, mv: Move, rules: Rules) -> Result<Self, IllegalMove> {
        if mv.from != self.mover() || !self.destinations(rules).contains(mv.to) {
            return Err(IllegalMove { mv });
        }
        Ok(self.after(mv.to))
    }

    /// The board after a move that is known to be legal.
    pub(super) fn after(&self, to: Cell) -> Self {
        let mut pawns = [self.pawn(Side::X), self.pawn(Side::O)];
        pawns[self.turn() as usize] = to;
        let cards = super::Card::ALL.map(|card| self.cards(card));
        let collapsed = Mask(self.collapsed().0 | self.mover().mask().0);
        Self::from_parts(cards, pawns, collapsed, self.turn().other())
    }
}

/// A move that the rules do not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the move {mv} is not legal here")]
pub struct IllegalMove {
    /// The move.
    pub mv: Move,
}
