//! The 384 symmetries of the board, and the canonical form of a position.
//!
//! The 4x4 torus is the graph of the 4-dimensional cube: besides the shifts, rotations and
//! reflections of the square there are symmetries that mix rows with columns. All of them map
//! legal games to legal games. Each takes exactly one cell to cell 0, so each is a shift that
//! does the same followed by one of the 24 symmetries that leave cell 0 alone (they permute its
//! four neighbours, and where the neighbours go decides the rest). Only the 24 are searched for.

use std::sync::LazyLock;

use super::board::{Board, Card, Side};
use super::geometry::{Cell, Mask, shift, unshift};
use super::moves::Move;

/// How many symmetries there are.
pub const SYMMETRIES: u16 = 16 * FIXING_0 as u16;

/// How many of them leave cell 0 where it is.
const FIXING_0: usize = 24;

/// A symmetry of the board: a permutation of the cells that keeps neighbours neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry {
    /// The cell that goes to cell 0.
    centre: Cell,
    /// Which of the symmetries that leave cell 0 alone comes after that shift.
    turn: u8,
}

impl Symmetry {
    /// The one that leaves every cell where it is.
    pub const IDENTITY: Self = Self { centre: Cell::at(0, 0), turn: 0 };

    /// All 384, the identity first.
    pub fn all() -> impl Iterator<Item = Self> {
        Cell::all().flat_map(|centre| (0..FIXING_0 as u8).map(move |turn| Self { centre, turn }))
    }

    /// Whether it leaves every cell where it is.
    #[must_use]
    pub fn is_identity(self) -> bool {
        self == Self::IDENTITY
    }

    /// Where a cell goes.
    #[must_use]
    pub fn cell(self, cell: Cell) -> Cell {
        self.mask(cell.mask()).first().expect("a cell goes somewhere")
    }

    /// Where a set of cells goes.
    #[must_use]
    pub fn mask(self, mask: Mask) -> Mask {
        Mask(TURNS.turns[usize::from(self.turn)].apply(unshift(mask.0, self.centre)))
    }

    /// Which cell comes to `image`: the inverse of [`cell`](Self::cell).
    #[must_use]
    pub fn uncell(self, image: Cell) -> Cell {
        let inverse = &TURNS.turns[usize::from(TURNS.inverse[usize::from(self.turn)])];
        Mask(shift(inverse.apply(image.mask().0), self.centre)).first().expect("a bijection")
    }

    /// The move that goes to `image`: how an answer for a canonical position is read.
    #[must_use]
    pub fn unmove(self, image: Move) -> Move {
        Move { from: self.uncell(image.from), to: self.uncell(image.to) }
    }
}

/// A symmetry that leaves cell 0 alone, as two look-ups: the images of the low and of the high
/// eight cells of a set.
struct Turn {
    low: [u16; 256],
    high: [u16; 256],
}

impl Turn {
    fn new(to: [Cell; 16]) -> Self {
        let image =
            |set: u16| Mask(set).cells().fold(0, |all, cell| all | to[cell.index()].mask().0);
        Self {
            low: std::array::from_fn(|byte| image(byte as u16)),
            high: std::array::from_fn(|byte| image((byte as u16) << 8)),
        }
    }

    fn apply(&self, set: u16) -> u16 {
        self.low[usize::from(set & 0xff)] | self.high[usize::from(set >> 8)]
    }
}

struct Turns {
    turns: [Turn; FIXING_0],
    inverse: [u8; FIXING_0],
    /// For each cell, the least cell it can be turned to, and the turns that take it there.
    least: [Vec<u8>; 16],
}

static TURNS: LazyLock<Box<Turns>> = LazyLock::new(|| {
    let mut found = Vec::with_capacity(FIXING_0);
    complete_turn(&mut vec![Cell::low_bits(0)], &mut found);
    let inverse_of = |to: &[Cell; 16]| {
        let undoes =
            |back: &[Cell; 16]| Cell::all().all(|cell| back[to[cell.index()].index()] == cell);
        found.iter().position(undoes).expect("a group holds its inverses") as u8
    };
    let inverse = std::array::from_fn(|turn| inverse_of(&found[turn]));
    let least = std::array::from_fn(|cell| {
        let least = found.iter().map(|to| to[cell]).min();
        (0..FIXING_0 as u8).filter(|&turn| Some(found[usize::from(turn)][cell]) == least).collect()
    });
    let turns = std::array::from_fn(|turn| Turn::new(found[turn]));
    Box::new(Turns { turns, inverse, least })
});

/// Extends the images of the first cells in every way that keeps neighbours neighbours and
/// strangers strangers, lowest images first.
fn complete_turn(images: &mut Vec<Cell>, found: &mut Vec<[Cell; 16]>) {
    if let Ok(to) = <[Cell; 16]>::try_from(images.as_slice()) {
        found.push(to);
        return;
    }
    let next = Cell::low_bits(images.len() as u32);
    for image in Cell::all() {
        let fits = Cell::all().zip(images.iter()).all(|(cell, &to)| {
            to != image && cell.neighbours().contains(next) == to.neighbours().contains(image)
        });
        if fits {
            images.push(image);
            complete_turn(images, found);
            images.pop();
        }
    }
}

/// A position in canonical form, and the way there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The canonical board.
    pub board: Board,
    /// The symmetry that took the board to it.
    pub symmetry: Symmetry,
}

impl Board {
    /// The board carried along by a symmetry.
    #[must_use]
    pub fn image(&self, symmetry: Symmetry) -> Self {
        Self::from_parts(
            Card::ALL.map(|card| symmetry.mask(self.cards(card))),
            [Side::X, Side::O].map(|side| symmetry.cell(self.pawn(side))),
            symmetry.mask(self.collapsed()),
            self.turn(),
        )
    }

    /// The one position that stands for all that play alike: collapsed cards forgotten, the side
    /// to move called X, and of the 384 images the smallest by (X's cell, O's cell, collapsed,
    /// aces, twos, threes, fours), compared as numbers in that order.
    #[must_use]
    pub fn canonical(&self) -> Canonical {
        // The smallest X is cell 0, which fixes the shift; the smallest O leaves 4 to 24 turns.
        let centre = self.mover();
        let seen = |mask: Mask| unshift(mask.0, centre);
        let collapsed = seen(self.collapsed());
        let cards = Card::ALL.map(|card| seen(self.cards(card)) & !collapsed);
        let waiter = Mask(seen(self.waiter().mask())).first().expect("a cell goes somewhere");
        // Mostly one turn alone makes the collapsed cells the smallest, so the cards need not be tried.
        let turn_of = |number: u8| &TURNS.turns[usize::from(number)];
        let (mut least, mut ties) = (u32::MAX, 0u32);
        for &number in &TURNS.least[waiter.index()] {
            let image = u32::from(turn_of(number).apply(collapsed));
            if image < least {
                (least, ties) = (image, 0);
            }
            ties |= u32::from(image == least) << number;
        }
        let image = |number: u8| cards.map(|set| turn_of(number).apply(set));
        let mut turn = ties.trailing_zeros() as u8;
        let mut cards = image(turn);
        while ties & (ties - 1) != 0 {
            ties &= ties - 1;
            let other = ties.trailing_zeros() as u8;
            let images = image(other);
            if images < cards {
                (turn, cards) = (other, images);
            }
        }
        let symmetry = Symmetry { centre, turn };
        let pawns = [symmetry.cell(self.mover()), symmetry.cell(self.waiter())];
        let board = Self::from_parts(cards.map(Mask), pawns, Mask(least as u16), Side::X);
        Canonical { board, symmetry }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn images(symmetry: Symmetry) -> Vec<Cell> {
        Cell::all().map(|cell| symmetry.cell(cell)).collect()
    }

    #[test]
    fn there_are_384_and_they_form_a_group() {
        let all: HashSet<Vec<Cell>> = Symmetry::all().map(images).collect();
        assert_eq!(all.len(), usize::from(SYMMETRIES));
        let identity: Vec<Cell> = Cell::all().collect();
        assert_eq!(images(Symmetry::all().next().unwrap()), identity);
        let [some, other] = [100, 263].map(|n| images(Symmetry::all().nth(n).unwrap()));
        for first in &all {
            for second in [&some, &other] {
                let composed = first.iter().map(|cell| second[cell.index()]).collect();
                assert!(all.contains::<Vec<Cell>>(&composed));
            }
        }
    }

    #[test]
    fn neighbours_stay_neighbours_and_ways_lead_back() {
        for symmetry in Symmetry::all() {
            for cell in Cell::all() {
                assert_eq!(symmetry.mask(cell.neighbours()), symmetry.cell(cell).neighbours());
                assert_eq!(symmetry.uncell(symmetry.cell(cell)), cell);
            }
        }
    }
}
