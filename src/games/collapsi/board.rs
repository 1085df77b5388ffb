//! The state: seven 16-bit boards and the turn.

use std::fmt;

use super::geometry::{Cell, Mask};

/// A pawn, and the player who moves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Moves first.
    X,
    /// Moves second.
    O,
}

impl Side {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::X => Self::O,
            Self::O => Self::X,
        }
    }

    /// The turn as one bit: 0 for X, 1 for O.
    #[must_use]
    pub const fn bit(self) -> u16 {
        self as u16
    }

    /// How positions call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::O => "o",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A card's face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Card {
    /// One step.
    Ace,
    /// Two steps.
    Two,
    /// Three steps.
    Three,
    /// Four steps.
    Four,
}

impl Card {
    /// All of them, by steps.
    pub const ALL: [Self; 4] = [Self::Ace, Self::Two, Self::Three, Self::Four];

    /// How many steps a pawn on it goes.
    #[must_use]
    pub const fn steps(self) -> u8 {
        self as u8 + 1
    }

    /// How many of it there are in a deck.
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Self::Four => 2,
            _ => 4,
        }
    }
}

impl Card {
    /// How positions call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ace => "A",
            Self::Two => "2",
            Self::Three => "3",
            Self::Four => "4",
        }
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A position: where the cards lie, where the pawns stand, what has collapsed, whose turn it is.
///
/// A board is always consistent (see [`Board::from_raw`]). The card under a pawn is kept; the
/// card of a collapsed cell may be kept or forgotten, since it no longer matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    cards: [Mask; 4],
    pawns: [Cell; 2],
    collapsed: Mask,
    turn: Side,
}

impl Board {
    /// Builds a board from the eight numbers that other programs exchange: the cells of the aces,
    /// twos, threes, fours, of X, of O, the collapsed ones, and the turn (0 for X, 1 for O).
    ///
    /// # Errors
    /// When the numbers cannot be a position of the game: cards that overlap or are too many, a
    /// pawn missing, doubled or on a collapsed cell, both pawns on one cell, or a number of unused
    /// jokers that does not fit the number of collapsed cells. Who began is not checked: a
    /// position with X and O exchanged is as good.
    pub fn from_raw(boards: [u16; 7], turn: u16) -> Result<Self, IllegalBoard> {
        let [a, two, three, four, x, o, collapsed] = boards;
        let cards = [a, two, three, four].map(Mask);
        let collapsed = Mask(collapsed);
        let turn = match turn {
            0 => Side::X,
            1 => Side::O,
            found => return Err(IllegalBoard::Turn { found }),
        };
        let mut seen = Mask::EMPTY;
        for (card, mask) in Card::ALL.into_iter().zip(cards) {
            if let Some(cell) = Mask(seen.0 & mask.0).first() {
                return Err(IllegalBoard::TwoCards { cell });
            }
            if mask.len() > card.count() {
                return Err(IllegalBoard::TooMany { card, found: mask.len() });
            }
            seen.0 |= mask.0;
        }
        let pawns = [single(Side::X, x)?, single(Side::O, o)?];
        for (side, pawn) in [Side::X, Side::O].into_iter().zip(pawns) {
            if collapsed.contains(pawn) {
                return Err(IllegalBoard::PawnOnCollapsed { side, cell: pawn });
            }
        }
        if pawns[0] == pawns[1] {
            return Err(IllegalBoard::PawnsTogether { cell: pawns[0] });
        }
        let board = Self { cards, pawns, collapsed, turn };
        board.check_jokers(seen)?;
        Ok(board)
    }

    /// Each pawn's first move collapses its joker, so the collapsed cells tell how many are left.
    fn check_jokers(&self, carded: Mask) -> Result<(), IllegalBoard> {
        let jokers = Mask(self.alive().0 & !carded.0);
        let pawns = self.pawns[0].mask().0 | self.pawns[1].mask().0;
        if let Some(cell) = Mask(jokers.0 & !pawns).first() {
            return Err(IllegalBoard::NoCard { cell });
        }
        let expected = 2u32.saturating_sub(self.collapsed.len());
        if jokers.len() != expected {
            let collapsed = self.collapsed.len();
            return Err(IllegalBoard::Jokers { collapsed, expected, found: jokers.len() });
        }
        if expected == 1 && !jokers.contains(self.mover()) {
            return Err(IllegalBoard::JokerNotMover { side: self.turn });
        }
        Ok(())
    }

    /// A board from parts known to be consistent.
    pub(super) fn from_parts(
        cards: [Mask; 4],
        pawns: [Cell; 2],
        collapsed: Mask,
        turn: Side,
    ) -> Self {
        let board = Self { cards, pawns, collapsed, turn };
        debug_assert!({
            let (boards, turn) = board.to_raw();
            Self::from_raw(boards, turn) == Ok(board)
        });
        board
    }

    /// The seven boards (aces, twos, threes, fours, X, O, collapsed) and the turn.
    #[must_use]
    pub const fn to_raw(&self) -> ([u16; 7], u16) {
        let [a, two, three, four] = self.cards;
        let [x, o] = self.pawns;
        ([a.0, two.0, three.0, four.0, x.mask().0, o.mask().0, self.collapsed.0], self.turn.bit())
    }

    /// The cells of a card, those under pawns and, unless forgotten, collapsed ones included.
    #[must_use]
    pub const fn cards(&self, card: Card) -> Mask {
        self.cards[card as usize]
    }

    /// The card on a cell. An alive cell without one is a joker's; a collapsed one without was a
    /// joker's or has been forgotten.
    #[must_use]
    pub fn card_at(&self, cell: Cell) -> Option<Card> {
        Card::ALL.into_iter().find(|&card| self.cards(card).contains(cell))
    }

    /// Where a pawn stands.
    #[must_use]
    pub const fn pawn(&self, side: Side) -> Cell {
        self.pawns[side as usize]
    }

    /// The cells that have collapsed.
    #[must_use]
    pub const fn collapsed(&self) -> Mask {
        self.collapsed
    }

    /// The cells that have not, those under the pawns included.
    #[must_use]
    pub const fn alive(&self) -> Mask {
        Mask(!self.collapsed.0)
    }

    /// Whose turn it is.
    #[must_use]
    pub const fn turn(&self) -> Side {
        self.turn
    }

    /// Where the pawn stands whose turn it is.
    #[must_use]
    pub const fn mover(&self) -> Cell {
        self.pawn(self.turn)
    }

    /// Where the pawn stands that waits.
    #[must_use]
    pub const fn waiter(&self) -> Cell {
        self.pawn(self.turn.other())
    }
}

fn single(side: Side, mask: u16) -> Result<Cell, IllegalBoard> {
    match (Mask(mask).first(), Mask(mask).len()) {
        (Some(cell), 1) => Ok(cell),
        (_, found) => Err(IllegalBoard::Pawns { side, found }),
    }
}

/// Why eight numbers are no position of the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalBoard {
    /// A turn that is neither 0 nor 1.
    #[error("the turn is 0 for x or 1 for o, found {found:x}")]
    Turn {
        /// What stood there.
        found: u16,
    },
    /// Two card boards share a cell.
    #[error("cell {cell} has two cards")]
    TwoCards {
        /// The cell.
        cell: Cell,
    },
    /// More of a card than the deck has.
    #[error("{found} cards {card}, but the deck has {}", card.count())]
    TooMany {
        /// The card.
        card: Card,
        /// How many there are.
        found: u32,
    },
    /// Not exactly one pawn of a side.
    #[error("{found} pawns {side}, expected exactly one")]
    Pawns {
        /// The side.
        side: Side,
        /// How many there are.
        found: u32,
    },
    /// A pawn on a collapsed cell.
    #[error("pawn {side} stands on cell {cell}, which has collapsed")]
    PawnOnCollapsed {
        /// The side.
        side: Side,
        /// The cell.
        cell: Cell,
    },
    /// Both pawns on one cell.
    #[error("both pawns stand on cell {cell}")]
    PawnsTogether {
        /// The cell.
        cell: Cell,
    },
    /// An alive cell with neither a card nor a pawn on a joker.
    #[error("cell {cell} has no card, has not collapsed, and no pawn stands there on its joker")]
    NoCard {
        /// The cell.
        cell: Cell,
    },
    /// The unused jokers do not fit the collapsed cells.
    #[error(
        "{found} pawns on jokers, but with {collapsed} cells collapsed there must be {expected}: \
         a pawn's first move collapses its joker"
    )]
    Jokers {
        /// How many cells have collapsed.
        collapsed: u32,
        /// How many jokers should be left.
        expected: u32,
        /// How many there are.
        found: u32,
    },
    /// One joker is left, and it is not under the pawn to move.
    #[error("after one move {side} is to move and must still stand on its joker")]
    JokerNotMover {
        /// The side to move.
        side: Side,
    },
}
