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
        // To divide by a number that the compiler knows is many times as fast.
        let (board, rest) = match size.highest() {
            5 => digits::<6>(code, size),
            7 => digits::<8>(code, size),
            9 => digits::<10>(code, size),
            10 => digits::<11>(code, size),
            13 => digits::<14>(code, size),
            _ => digits::<16>(code, size),
        };
        if rest == 0 { Ok(Self(board)) } else { Err(BoardError::Code { code, size }) }
    }
}

/// The board that a number's digits give, and what is left of the number.
fn digits<const BASE: u64>(code: u64, size: Size) -> (u64, u64) {
    let (mut board, mut rest) = (0, code);
    for y in 0..size.rows() {
        for x in 0..size.columns() {
            board |= (rest % BASE) << (16 * y + 4 * x);
            rest /= BASE;
        }
    }
    (board, rest)
}
