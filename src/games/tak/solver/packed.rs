//! Positions packed into a few words, each into its own: exact keys for a search.

use std::fmt::Debug;
use std::hash::Hash;

use crate::games::tak::board::{Board, Colour};
use crate::games::tak::moves::squares;
use crate::games::tak::size::{Grid, Size};

/// A size whose positions can be packed.
pub trait Packed: Size {
    /// The words of a position: enough of them for as many stones as any rules have.
    type Words: Copy + Eq + Hash + Debug + Default + Send + Sync + AsMut<[u64]>;
}

macro_rules! packed {
    ($($n:literal: $words:literal),*) => {$(
        impl Packed for Grid<$n> {
            type Words = [u64; $words];
        }
    )*};
}

// Three bits a square, two a stone below a top, one a stack, and the turn: with 64 stones (128 from
// 7x7 on) in one stack on 3x3 155 bits, then 176, 203, 236, 403, 448.
packed!(3: 3, 4: 3, 5: 4, 6: 4, 7: 7, 8: 7);

/// The words of a position: its board and whose turn it is. The reserves follow from the rules, which
/// are the same throughout a search.
pub(super) fn pack<S: Packed>(board: &Board<S>) -> S::Words {
    let mut words = S::Words::default();
    let mut bits = Bits { words: words.as_mut(), used: 0 };
    // Seven kinds of tops in three bits: a capstone is what would be of both colours.
    let (white, black) = (board.tops(Colour::White), board.tops(Colour::Black));
    let (standing, caps) = (board.standing(), board.caps());
    bits.push(white | caps, S::SQUARES as u32);
    bits.push(black | caps, S::SQUARES as u32);
    bits.push(standing | black & caps, S::SQUARES as u32);
    bits.push(board.turn() as u64, 1);
    for square in squares(white | black) {
        let below = u32::from(board.heights()[square]) - 1;
        // As many ones as stones, a zero, the stones.
        let mut ones = below;
        while ones >= 63 {
            bits.push(u64::MAX >> 1, 63);
            ones -= 63;
        }
        bits.push((1 << ones) - 1, ones + 1);
        let stones: u128 = board.stacks()[square].into();
        if below > 64 {
            bits.push((stones >> 64) as u64, below - 64);
        }
        bits.push(stones as u64, below.min(64));
    }
    words
}

struct Bits<'a> {
    words: &'a mut [u64],
    used: u32,
}

impl Bits<'_> {
    /// Appends up to 64 bits. Those above are zero.
    #[inline]
    fn push(&mut self, bits: u64, count: u32) {
        let (word, shift) = ((self.used / 64) as usize, self.used % 64);
        self.words[word] |= bits << shift;
        if shift + count > 64 {
            self.words[word + 1] |= bits >> (64 - shift);
        }
        self.used += count;
    }
}
