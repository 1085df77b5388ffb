//! Keys: numbers that name positions. Exact where all stones of the rules fit 64 or 128 bits, as they
//! usually do on 3x3 and 4x4; a hash beyond.
//!
//! The exact key, from the lowest bit: the side to move; the standing stones, a bit a square; if the
//! rules have capstones, these, a bit a square; for each square as many zeros as stones lie there, and
//! a one; for each square the colours of its stones, the top first. It names a position among those
//! with the same rules: what is in reserve follows from what is on the board, and the first two plies
//! are those with fewer than two stones. The number of the move is left out: no rule asks for it.

use xxhash_rust::xxh3::xxh3_128;

use super::board::{Board, Colour, Kind, Pile, Rules};
use super::size::{Size, Stack};
use crate::games::key::{Key, Key64, Key128};

/// How many bits an exact key has at most, if each player has so many stones, capstones among them.
const fn key_bits<S: Size>(stones: u32, caps: bool) -> u32 {
    let squares = S::SQUARES as u32;
    1 + squares + if caps { squares } else { 0 } + squares + 2 * 2 * stones
}

impl Rules {
    /// How many bits an exact key has at most.
    #[must_use]
    pub fn key_bits<S: Size>(&self) -> u32 {
        key_bits::<S>((self.reserve.flats + self.reserve.caps).into(), self.reserve.caps > 0)
    }
}

impl<S: Size> Board<S> {
    /// The stones that each player began with. Those on the board and those in reserve are all there
    /// are.
    #[must_use]
    pub fn rules(&self) -> Rules {
        let black = (0..S::SQUARES).map(|square| self.stones(square).into().count_ones());
        let black = black.sum::<u32>() as u8;
        let black_caps = (self.caps & self.tops(Colour::Black)).count_ones() as u8;
        let mut reserve = self.reserve(Colour::Black);
        reserve.flats += black - black_caps;
        reserve.caps += black_caps;
        Rules { reserve, komi: self.komi }
    }

    /// The key: exact in 64 bits or in 128 where the stones fit, otherwise a hash of 128 bits.
    #[must_use]
    pub fn key(&self) -> Key {
        let rules = self.rules();
        let caps = rules.reserve.caps > 0;
        match rules.key_bits::<S>() {
            ..=64 => Key::Short(Key64(self.exact_key(caps))),
            65..=128 => Key::Long(Key128(self.exact_key(caps))),
            _ => Key::Long(Key128(self.hash())),
        }
    }

    /// The exact key as a number with room for it, see [`Rules::key_bits`]. `caps` says if the rules
    /// have capstones.
    #[inline]
    #[must_use]
    pub fn exact_key<K: Stack>(&self, caps: bool) -> K {
        let squares = S::SQUARES as u32;
        let mut sets = u128::from(self.turn() as u8) | u128::from(self.standing) << 1;
        let mut next = 1 + squares;
        if caps {
            sets |= u128::from(self.caps) << next;
            next += squares;
        }
        let mut key = K::from_bits(sets);
        for &height in self.heights() {
            next += u32::from(height);
            key = key | K::from(1) << next;
            next += 1;
        }
        for square in 0..S::SQUARES {
            let stones = K::from_bits(self.stones(square).into());
            // An empty square has no stones, and behind the last one there may be no bit.
            if stones != K::default() {
                key = key | stones << next;
            }
            next += u32::from(self.heights()[square]);
        }
        key
    }

    /// The position of an exact key, as early in the game as it can be; `None` if there is none.
    #[must_use]
    pub fn from_exact_key(key: u128, rules: Rules) -> Option<Self> {
        let mut bits = Bits(key);
        let turn = bits.take(1) as u32;
        let standing = bits.take(S::SQUARES as u32) as u64;
        let caps = if rules.reserve.caps > 0 { bits.take(S::SQUARES as u32) as u64 } else { 0 };
        let mut heights = S::per_square(0_u8);
        for height in heights.as_mut() {
            let zeros = bits.0.trailing_zeros();
            if zeros >= S::Stack::STONES {
                return None;
            }
            *height = zeros as u8;
            bits.take(zeros + 1);
        }
        let mut board = Self::new(rules);
        let mut stones_there = 0;
        for (square, &height) in heights.as_ref().iter().enumerate() {
            let kind = match (standing >> square & 1, caps >> square & 1) {
                (0, 0) => Kind::Flat,
                (1, 0) if height > 0 => Kind::Standing,
                (0, 1) if height > 0 => Kind::Capstone,
                _ => return None,
            };
            if height == 0 {
                continue;
            }
            let stones = bits.take(height.into());
            let colour = if stones & 1 == 0 { Colour::White } else { Colour::Black };
            let below = S::Stack::from_bits(stones >> 1);
            board.put(square, Pile { colour, kind, height, below }).ok()?;
            stones_there += u32::from(height);
        }
        board.set_ply(if stones_there < 2 { stones_there } else { 2 + turn });
        let fits = bits.0 == 0 && board.turn() as u32 == turn && board.check_opening().is_ok();
        fits.then_some(board)
    }

    /// A hash of what the exact key is made of.
    fn hash(&self) -> u128 {
        let mut bytes = Vec::with_capacity(64);
        bytes.push(self.turn() as u8);
        for set in [self.colours[0], self.colours[1], self.standing, self.caps] {
            bytes.extend(set.to_le_bytes());
        }
        bytes.extend(self.heights());
        for (&stack, &height) in self.stacks().iter().zip(self.heights()) {
            if height > 1 {
                let stack: u128 = stack.into();
                bytes.extend(stack.to_le_bytes());
            }
        }
        xxh3_128(&bytes)
    }
}

/// Bits that are read from the lowest one on.
struct Bits(u128);

impl Bits {
    fn take(&mut self, count: u32) -> u128 {
        let taken = self.0 & !u128::MAX.checked_shl(count).unwrap_or(0);
        self.0 = self.0.checked_shr(count).unwrap_or(0);
        taken
    }
}
