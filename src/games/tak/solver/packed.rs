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

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::games::tak::board::{Kind, Pile, Reserve, Rules};
    use crate::games::tak::size::Stack;
    use crate::random::SplitMix64;

    #[test]
    fn words_tell_positions_apart() {
        fn compare<S: Packed>(random: &mut SplitMix64) {
            let mut seen: HashMap<S::Words, Board<S>> = HashMap::new();
            for _ in 0..300 {
                let mut board = Board::<S>::new(Rules::usual::<S>());
                let mut moves = Vec::new();
                while !board.is_over() && board.ply() < 60 {
                    let facts = Board { ply: board.ply() % 2 + 2, ..board };
                    let there = *seen.entry(pack(&board)).or_insert(facts);
                    assert_eq!(there, facts);
                    moves.clear();
                    board.push_moves(&mut moves);
                    board.make(moves[random.below(moves.len() as u64) as usize]);
                }
            }
            assert!(seen.len() > 1000);
        }
        let mut random = SplitMix64::new(2);
        compare::<Grid<3>>(&mut random);
        compare::<Grid<5>>(&mut random);
        compare::<Grid<8>>(&mut random);
    }

    #[test]
    fn the_highest_stacks_fit() {
        fn fill<S: Packed>() {
            let most = (S::Stack::STONES / 2) as u8;
            let reserve = Reserve { flats: most, caps: 0 };
            let mut board = Board::<S>::new(Rules { reserve, ..Rules::usual::<S>() });
            let below = S::Stack::from_bits(u128::MAX >> (128 - most));
            let height = 2 * most;
            board
                .put(0, Pile { colour: Colour::White, kind: Kind::Flat, height, below })
                .expect("these are all stones");
            board.set_ply(3);
            let words = pack(&board);
            board.set_ply(2);
            assert_ne!(words, pack(&board));
        }
        fill::<Grid<3>>();
        fill::<Grid<4>>();
        fill::<Grid<5>>();
        fill::<Grid<6>>();
        fill::<Grid<7>>();
        fill::<Grid<8>>();
    }
}
