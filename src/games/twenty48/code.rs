//! Codes: boards as the numbers that tables sort and store.
//!
//! A code is the board's cells as the digits of one number, the last cell the most significant
//! one. The base is one more than the largest exponent that the size allows, so that few numbers
//! between codes are no board's. Codes are in the order of their boards.

use super::{Board, BoardError, Size};

impl Board {
    /// The board's code.
    #[must_use]
    pub fn code(self, size: Size) -> u64 {
        let base = u64::from(size.highest()) + 1;
        let cells =
            (0..size.rows()).rev().flat_map(|y| (0..size.columns()).rev().map(move |x| (x, y)));
        cells.fold(0, |code, (x, y)| {
            code.wrapping_mul(base).wrapping_add(self.exponent(x, y).into())
        })
    }

    /// The board of a code.
    ///
    /// # Errors
    /// When the number is no board's code.
    pub fn from_code(code: u64, size: Size) -> Result<Self, BoardError> {
        let base = u64::from(size.highest()) + 1;
        let (mut board, mut rest) = (0, code);
        for y in 0..size.rows() {
            for x in 0..size.columns() {
                board |= (rest % base) << (16 * y + 4 * x);
                rest /= base;
            }
        }
        if rest == 0 { Ok(Self(board)) } else { Err(BoardError::Code { code, size }) }
    }
}
