//! Board sizes.

use std::fmt;
use std::str::FromStr;

use super::BoardError;

/// How many rows and columns a board has, 2 to 4 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    rows: u8,
    columns: u8,
}

impl Size {
    /// The full board.
    pub const FULL: Self = Self { rows: 4, columns: 4 };

    /// A size, if both numbers are from 2 to 4.
    #[must_use]
    pub const fn new(rows: u8, columns: u8) -> Option<Self> {
        if 2 <= rows && rows <= 4 && 2 <= columns && columns <= 4 {
            Some(Self { rows, columns })
        } else {
            None
        }
    }

    /// Boards of up to so many cells are numbered, whatever the memory: it takes some megabytes. Larger
    /// ones are where there is enough.
    pub(super) const ALWAYS_NUMBERED: u8 = 9;

    /// All nine sizes.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..9).filter_map(Self::from_number)
    }

    /// How many rows.
    #[must_use]
    pub const fn rows(self) -> u8 {
        self.rows
    }

    /// How many columns.
    #[must_use]
    pub const fn columns(self) -> u8 {
        self.columns
    }

    /// How many cells.
    #[must_use]
    pub const fn cells(self) -> u8 {
        self.rows * self.columns
    }

    /// A number from 0, for 2x2, to 8, for 4x4.
    #[must_use]
    pub const fn number(self) -> u8 {
        3 * (self.rows - 2) + self.columns - 2
    }

    /// The inverse of [`number`](Self::number).
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        Self::new(number / 3 + 2, number % 3 + 2)
    }

    /// The nybbles of the board's cells, all bits set.
    #[must_use]
    pub const fn mask(self) -> u64 {
        let row = (1u64 << (4 * self.columns)) - 1;
        let below = u64::MAX >> (16 * (4 - self.rows));
        (row * 0x0001_0001_0001_0001) & below
    }

    /// How far right a board is shifted to stand against the right edge of the full board.
    pub(super) const fn right_shift(self) -> u32 {
        4 * (4 - self.columns as u32)
    }

    /// The same for the bottom edge.
    pub(super) const fn down_shift(self) -> u32 {
        16 * (4 - self.rows as u32)
    }

    /// The largest exponent that can ever stand on the board. With n cells it is n + 1: each tile
    /// on the way to it waits on a cell of its own, and the last to come is a 4. The nybbles end
    /// at 15.
    #[must_use]
    pub const fn highest(self) -> u8 {
        let highest = self.cells() + 1;
        if highest < 15 { highest } else { 15 }
    }

    /// How many tiles of this exponent, from 1 to the highest, or larger ones can stand on the
    /// board at once: to build one more of them takes cells of its own.
    #[must_use]
    pub const fn most_tiles(self, exponent: u8) -> u8 {
        let most = (self.cells() + 2).saturating_sub(exponent);
        if most < self.cells() { most } else { self.cells() }
    }
}

/// The largest sum of tiles on so many cells, none of them larger than `highest`: as many of the highest as
/// there is room for, then one of each smaller one, and a 4 as the last.
pub(super) fn largest_sum(cells: u8, highest: u8) -> u32 {
    (0..cells).map(|before| 1 << highest.min(cells + 1 - before)).sum()
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

/// Rows, an x, columns.
impl FromStr for Size {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, BoardError> {
        let numbers =
            text.split_once('x').and_then(|(r, c)| Some((r.parse().ok()?, c.parse().ok()?)));
        let size = numbers.and_then(|(rows, columns)| Self::new(rows, columns));
        size.ok_or_else(|| BoardError::Size(text.into()))
    }
}
