//! The 4x4 torus: cells, sets of cells, shifts.

use std::fmt;

/// A cell of the board: row r, column c is number 4r + c. Written as one hex digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

impl Cell {
    /// The cell with this number, if there is one.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if number < 16 { Some(Self(number)) } else { None }
    }

    /// The cell in a row and a column, both counted on the torus, so that any number will do.
    #[must_use]
    pub const fn at(row: u8, column: u8) -> Self {
        Self(4 * (row % 4) + column % 4)
    }

    /// All sixteen, in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..16).map(Self)
    }

    /// The low four bits of a number, as a cell.
    #[must_use]
    pub(crate) const fn low_bits(number: u32) -> Self {
        Self((number & 15) as u8)
    }

    /// Its number, 0 to 15.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Its number, to index with.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its row, 0 at the top.
    #[must_use]
    pub const fn row(self) -> u8 {
        self.0 / 4
    }

    /// Its column, 0 at the left.
    #[must_use]
    pub const fn column(self) -> u8 {
        self.0 % 4
    }

    /// The set of this cell alone.
    #[must_use]
    pub const fn mask(self) -> Mask {
        Mask(1 << self.0)
    }

    /// The four cells one step away.
    #[must_use]
    pub const fn neighbours(self) -> Mask {
        Mask(shift(NEIGHBOURS_OF_0, self))
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}", self.0)
    }
}

/// A set of cells: one bit each, cell n in bit n. Written as four hex digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mask(pub u16);

impl Mask {
    /// No cell.
    pub const EMPTY: Self = Self(0);
    /// Every cell.
    pub const FULL: Self = Self(0xffff);

    /// How many cells.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a cell is in it.
    #[must_use]
    pub const fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.0 & 1 == 1
    }

    /// The lowest cell.
    #[must_use]
    pub const fn first(self) -> Option<Cell> {
        if self.0 == 0 { None } else { Some(Cell(self.0.trailing_zeros() as u8)) }
    }

    /// The cells, in ascending order.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let cell = Mask(rest).first()?;
            rest &= rest - 1;
            Some(cell)
        })
    }
}

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}", self.0)
    }
}

/// The neighbours of cell 0: one step right, down, left and up, around the edges.
pub(super) const NEIGHBOURS_OF_0: u16 = 1 << 1 | 1 << 4 | 1 << 3 | 1 << 12;

/// The set, carried along by the shift of the torus that takes cell 0 to `to`.
#[inline]
pub(super) const fn shift(set: u16, to: Cell) -> u16 {
    let down = set.rotate_left((to.0 & 12) as u32);
    let column = to.column() as u32;
    // Columns that do not wrap move to the right; the others come back in from the left edge.
    let stay = 0x1111 * (0xf >> column);
    (down & stay) << column | (down & !stay) >> (4 - column)
}

/// The inverse of [`shift`]: carries `from` to cell 0.
#[inline]
pub(super) const fn unshift(set: u16, from: Cell) -> u16 {
    let up = set.rotate_right((from.0 & 12) as u32);
    let column = from.column() as u32;
    let wrap = 0x1111 * ((1 << column) - 1);
    (up & !wrap) >> column | (up & wrap) << (4 - column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_carry_every_cell_and_are_inverted() {
        for to in Cell::all() {
            for cell in Cell::all() {
                let there = Cell::at(cell.row() + to.row(), cell.column() + to.column());
                assert_eq!(shift(cell.mask().0, to), there.mask().0);
                assert_eq!(unshift(there.mask().0, to), cell.mask().0);
            }
        }
    }

    #[test]
    fn neighbours_wrap_around_the_edges() {
        let numbers =
            |cell: u8| Cell(cell).neighbours().cells().map(Cell::number).collect::<Vec<_>>();
        assert_eq!(numbers(0), [1, 3, 4, 12]);
        assert_eq!(numbers(5), [1, 4, 6, 9]);
        assert_eq!(numbers(15), [3, 11, 12, 14]);
    }
}
