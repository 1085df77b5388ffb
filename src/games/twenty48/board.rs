//! The board and what happens on it: slides and spawns.

use super::rows::ROWS;
use super::{Size, symmetry};

/// A board, one nybble a cell: cell (x, y) in bits 16y + 4x, the exponent of its tile, 0 if empty.
///
/// Every number is a full board. For smaller ones, see [`Board::new`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board(pub u64);

/// A direction to slide in, numbered as records number it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Towards the first row.
    Up = 0,
    /// Towards the last column.
    Right = 1,
    /// Towards the last row.
    Down = 2,
    /// Towards the first column.
    Left = 3,
}

impl Direction {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Up, Self::Right, Self::Down, Self::Left];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["up", "right", "down", "left"][self as usize]
    }
}

/// A new tile that a turn may bring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spawn {
    /// Where, as the number of its nybble: 4y + x.
    pub cell: u8,
    /// Its exponent: 1 or 2.
    pub exponent: u8,
    /// How likely it is.
    pub chance: f64,
}

impl Spawn {
    /// How likely a new tile is a 4; otherwise it is a 2.
    pub const FOUR: f64 = 0.1;
    /// How likely it is a 2.
    pub const TWO: f64 = 0.9;
}

impl Board {
    /// The exponent on a cell; coordinates are from 0 to 3, and taken modulo 4.
    #[must_use]
    pub const fn exponent(self, x: u8, y: u8) -> u8 {
        (self.0 >> (16 * (y & 3) + 4 * (x & 3)) & 15) as u8
    }

    /// The board with a tile put on an empty cell, given as 4y + x: `None` if there is no such cell or
    /// tile, or the cell is not empty.
    #[must_use]
    pub const fn with(self, cell: u8, exponent: u8) -> Option<Self> {
        let fits = cell < 16 && 0 < exponent && exponent < 16;
        if fits && self.0 >> (4 * cell) & 15 == 0 { Some(self.put(cell, exponent)) } else { None }
    }

    /// The same where it is known to fit.
    pub(super) const fn put(self, cell: u8, exponent: u8) -> Self {
        Self(self.0 | (exponent as u64) << (4 * cell))
    }

    /// The exponents, row by row; what is outside a smaller board is 0.
    #[must_use]
    pub fn exponents(self) -> [[u8; 4]; 4] {
        std::array::from_fn(|y| std::array::from_fn(|x| self.exponent(x as u8, y as u8)))
    }

    /// Which tiles there are: a bit for each exponent, the lowest for empty cells.
    #[must_use]
    pub fn tiles(self) -> u16 {
        self.exponents().as_flattened().iter().fold(0, |tiles, exponent| tiles | 1 << exponent)
    }

    /// Rows and columns exchanged.
    #[must_use]
    pub const fn transposed(self) -> Self {
        Self(symmetry::transpose(self.0))
    }

    /// The board after a slide and what it scores, or `None` if nothing moves.
    #[must_use]
    pub fn slide(self, direction: Direction, size: Size) -> Option<(Self, u32)> {
        self.slides(size)[direction as usize]
    }

    /// The board after each slide, in the order of [`Direction::ALL`], and what it scores; `None`
    /// where nothing moves.
    #[inline]
    #[must_use]
    pub fn slides(self, size: Size) -> [Option<(Self, u32)>; 4] {
        let scores = self.slide_scores();
        let mut scores = scores.into_iter();
        self.slid(size).map(|after| {
            let score = scores.next().unwrap_or(0);
            (after != self).then_some((after, score))
        })
    }

    /// The board after each slide, in the order of [`Direction::ALL`]: the same where nothing
    /// moves.
    #[inline]
    #[must_use]
    pub(super) fn slid(self, size: Size) -> [Self; 4] {
        let rows = &*ROWS;
        let columns = symmetry::transpose(self.0);
        let slide = |board: u64, table: &[u16; 1 << 16]| {
            let row = |at: u32| u64::from(table[usize::from((board >> at) as u16)]) << at;
            row(0) | row(16) | row(32) | row(48)
        };
        [
            Self(symmetry::transpose(slide(columns, &rows.left))),
            Self(slide(self.0, rows.right(size.columns()))),
            Self(symmetry::transpose(slide(columns, rows.right(size.rows())))),
            Self(slide(self.0, &rows.left)),
        ]
    }

    /// What each slide scores, in the order of [`Direction::ALL`].
    #[inline]
    pub(super) fn slide_scores(self) -> [u32; 4] {
        let score = |board: u64| {
            let row = |at: u32| ROWS.score[usize::from((board >> at) as u16)];
            row(0) + row(16) + row(32) + row(48)
        };
        let (along, across) = (score(symmetry::transpose(self.0)), score(self.0));
        [along, across, along, across]
    }

    /// The lowest bit of the nybble of each empty cell.
    #[must_use]
    pub const fn empty_bits(self, size: Size) -> u64 {
        let two = self.0 | self.0 >> 2;
        let one = two | two >> 1;
        !one & 0x1111_1111_1111_1111 & size.mask()
    }

    /// How many cells are empty.
    #[must_use]
    pub const fn empty(self, size: Size) -> u32 {
        self.empty_bits(size).count_ones()
    }

    /// Every tile that may come, cell by cell, the 2 before the 4.
    pub fn spawns(self, size: Size) -> impl Iterator<Item = (Self, Spawn)> {
        let cells = self.empty(size);
        (0..16).filter(move |cell| self.empty_bits(size) >> (4 * cell) & 1 == 1).flat_map(
            move |cell| {
                [(1, Spawn::TWO), (2, Spawn::FOUR)].map(|(exponent, chance)| {
                    let chance = chance / f64::from(cells);
                    (self.put(cell, exponent), Spawn { cell, exponent, chance })
                })
            },
        )
    }

    /// Whether no slide moves anything.
    #[must_use]
    pub fn is_over(self, size: Size) -> bool {
        self.slides(size).iter().all(Option::is_none)
    }

    /// The sum of all tiles. It grows by the new tile every turn.
    #[must_use]
    pub const fn sum(self) -> u32 {
        let (mut sum, mut rest) = (0, self.0);
        while rest != 0 {
            sum += (1 << (rest & 15)) & !1;
            rest >>= 4;
        }
        sum
    }

    /// Whether a tile has this exponent, from 1 on, or a larger one.
    #[inline]
    #[must_use]
    pub const fn has_at_least(self, exponent: u8) -> bool {
        const EVERY_OTHER: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        // Enough is added to each nybble that those large enough reach their neighbour's lowest bit.
        let more = 16u64.saturating_sub(exponent as u64) * 0x0101_0101_0101_0101;
        let (even, odd) = (self.0 & EVERY_OTHER, self.0 >> 4 & EVERY_OTHER);
        ((even + more) | (odd + more)) & !EVERY_OTHER != 0
    }

    /// Whether there are never more large tiles than a board of this size has room to build.
    #[must_use]
    pub fn has_room(self, size: Size) -> bool {
        let (mut counts, mut rest) = ([0u8; 16], self.0);
        while rest != 0 {
            counts[(rest & 15) as usize] += 1;
            rest >>= 4;
        }
        let mut larger: u8 = counts[usize::from(size.highest()) + 1..].iter().sum();
        (3..=size.highest()).rev().all(|exponent| {
            larger += counts[usize::from(exponent)];
            larger <= size.most_tiles(exponent)
        })
    }

    /// The exponent of the largest tile.
    #[must_use]
    pub const fn highest(self) -> u8 {
        let (mut highest, mut rest) = (0, self.0);
        while rest != 0 {
            if rest & 15 > highest {
                highest = rest & 15;
            }
            rest >>= 4;
        }
        highest as u8
    }
}
