//! A board's key: its eight numbers, paired two by two as a balanced tree.
//!
//! Each pairing doubles the bits, from eight 16-bit leaves to exactly 128 bits, so the key is a
//! bijection: no two boards share one, and the key alone gives the board back.

use super::board::{Board, IllegalBoard};
use crate::games::key::{Key128, pair, unpair};

impl Board {
    /// The key of this board, exactly as it stands.
    #[must_use]
    pub const fn key(&self) -> Key128 {
        let ([a, two, three, four, x, o, collapsed], turn) = self.to_raw();
        let cards = pair32(pair16(a, two), pair16(three, four));
        let rest = pair32(pair16(x, o), pair16(collapsed, turn));
        Key128(pair(cards, rest))
    }

    /// The board with this key.
    ///
    /// # Errors
    /// When the eight numbers in the key are no position of the game.
    pub fn unkey(key: Key128) -> Result<Self, IllegalBoard> {
        let (cards, rest) = unpair(key.0);
        let [a, two, three, four] = leaves(cards);
        let [x, o, collapsed, turn] = leaves(rest);
        Self::from_raw([a, two, three, four, x, o, collapsed], turn)
    }
}

/// Two 16-bit numbers pair to 32 bits.
const fn pair16(a: u16, b: u16) -> u64 {
    pair(a as u64, b as u64) as u64
}

/// Two 32-bit numbers pair to 64 bits.
const fn pair32(a: u64, b: u64) -> u64 {
    pair(a, b) as u64
}

/// The four 16-bit numbers in a 64-bit half.
fn leaves(half: u64) -> [u16; 4] {
    let (left, right) = unpair(u128::from(half));
    let ((a, b), (c, d)) = (unpair(u128::from(left)), unpair(u128::from(right)));
    [a, b, c, d].map(|leaf| leaf as u16)
}
