//! Codes: positions as 64-bit numbers that sort well, for tables.
//!
//! A key names a position to people; a code stores it. Codes put what neighbours share into the
//! high bits and number the cards densely, so that sorted codes lie close together and their
//! differences are small. Both kinds are invertible.
//!
//! Cards are numbered as words: the cells that carry a letter in ascending order, letters ordered
//! `A < 2 < 3 < 4` (and `-`, no card, last), each letter at most as often as the deck has it. The
//! rank of a word is the number of such words of the same length before it in lexicographic order.

use std::sync::LazyLock;

use super::board::{Board, Card, IllegalBoard, Side};
use super::geometry::{Cell, Mask};

/// Bits for the rank of the cards on the alive cells: there are at most 2²⁵ words of a length.
const ALIVE_RANK_BITS: u32 = 25;

/// Counts words over A, 2, 3, 4 and perhaps `-`, by length and by what is left of the deck.
struct Words {
    /// How many letters: 4, or 5 with `-`.
    letters: usize,
    /// By length and what is left of the deck: how many words there are.
    counts: Vec<u64>,
    /// By length, what is left of the deck, and letter: how many words begin with a smaller one.
    before: Vec<[u64; 5]>,
}

/// What is left of the deck, as one number: a digit for each card, at most 4, 4, 4 and 2.
type Left = usize;

/// How many such numbers there are.
const LEFTS: usize = 5 * 5 * 5 * 3;

/// The whole deck.
const FULL_DECK: Left = LEFTS - 1;

/// What a letter takes from what is left; `-` takes nothing.
const TAKES: [Left; 5] = [75, 15, 3, 1, 0];

impl Words {
    fn new(letters: usize) -> Self {
        let size = 17 * LEFTS;
        let mut words = Self { letters, counts: vec![0; size], before: vec![[0; 5]; size] };
        words.counts[..LEFTS].fill(1);
        for length in 1..=16 {
            for left in 0..LEFTS {
                let mut count = 0;
                for letter in 0..letters {
                    words.before[length * LEFTS + left][letter] = count;
                    count += words.beginning_with(letter, length, left);
                }
                words.counts[length * LEFTS + left] = count;
            }
        }
        words
    }

    /// How many words of a length begin with a letter.
    fn beginning_with(&self, letter: usize, length: usize, left: Left) -> u64 {
        let digits = [left / 75, left / 15 % 5, left / 3 % 5, left % 3, 1];
        if digits[letter] == 0 {
            return 0;
        }
        self.counts[(length - 1) * LEFTS + left - TAKES[letter]]
    }

    /// The rank of the word that the cards spell on some cells. The caller sees to it that they
    /// are within the deck.
    fn rank(&self, cards: [u16; 4], cells: Mask) -> u64 {
        let (mut rank, mut left, mut length) = (0, FULL_DECK, cells.len() as usize);
        for cell in cells.cells() {
            let at = cell.number();
            let bit = |card: usize| usize::from(cards[card] >> at & 1);
            // A is 0, no card at all is 4.
            let letter = 4 - 4 * bit(0) - 3 * bit(1) - 2 * bit(2) - bit(3);
            rank += self.before[length * LEFTS + left][letter];
            left -= TAKES[letter];
            length -= 1;
        }
        rank
    }

    fn unrank(&self, mut rank: u64, cells: Mask) -> Option<[u16; 4]> {
        let (mut cards, mut left, mut length) = ([0; 4], FULL_DECK, cells.len() as usize);
        if rank >= self.counts[length * LEFTS + left] {
            return None;
        }
        for cell in cells.cells() {
            // The last letter that words up to this one can begin with: those that there are none of
            // begin where the next one does.
            let before = &self.before[length * LEFTS + left];
            let letter = (1..self.letters).filter(|&letter| before[letter] <= rank).count();
            rank -= before[letter];
            if let Some(set) = cards.get_mut(letter) {
                *set |= cell.mask().0;
            }
            left -= TAKES[letter];
            length -= 1;
        }
        Some(cards)
    }
}

static ALIVE_WORDS: LazyLock<Words> = LazyLock::new(|| Words::new(4));
static ALL_WORDS: LazyLock<Words> = LazyLock::new(|| Words::new(5));

impl Board {
    /// The code of what matters of a position: collapsed cards are left out. From the highest
    /// bit: X's cell (4 bits), O's cell (4), turn (1), collapsed (16), the rank of the cards on
    /// the alive cells that are no jokers' (25 bits).
    #[must_use]
    pub fn code(&self) -> u64 {
        let cards = Card::ALL.map(|card| self.cards(card).0);
        let carded = Mask(cards.iter().fold(0, |all, set| all | set) & self.alive().0);
        let mut code = self.pawn_bits() << 16 | u64::from(self.collapsed().0);
        code = code << ALIVE_RANK_BITS | ALIVE_WORDS.rank(cards, carded);
        code
    }

    /// The inverse of [`code`](Self::code), collapsed cards forgotten.
    ///
    /// # Errors
    /// When no position has this code.
    pub fn from_code(code: u64) -> Result<Self, CodeError> {
        let rank = code & ((1 << ALIVE_RANK_BITS) - 1);
        let rest = code >> ALIVE_RANK_BITS;
        let (x, o, turn) = pawns_from_bits(rest >> 16).ok_or(CodeError::OutOfRange { code })?;
        let collapsed = Mask(rest as u16);
        let jokers = match (collapsed.len(), turn) {
            (0, _) => x | o,
            (1, 0) => x,
            (1, _) => o,
            _ => 0,
        };
        let carded = Mask(!collapsed.0 & !jokers);
        let cards = (carded.len() <= 14).then(|| ALIVE_WORDS.unrank(rank, carded)).flatten();
        let [a, two, three, four] = cards.ok_or(CodeError::OutOfRange { code })?;
        Ok(Self::from_raw([a, two, three, four, x, o, collapsed.0], turn)?)
    }

    /// The code of a board exactly as it stands, collapsed cards included. From the highest bit:
    /// the rank of the word of all sixteen cells, `-` where no card is known (37 bits), collapsed
    /// (16), X's cell (4), O's cell (4), turn (1).
    #[must_use]
    pub fn exact_code(&self) -> u64 {
        let cards = Card::ALL.map(|card| self.cards(card).0);
        let rank = ALL_WORDS.rank(cards, Mask::FULL);
        (rank << 16 | u64::from(self.collapsed().0)) << 9 | self.pawn_bits()
    }

    /// The inverse of [`exact_code`](Self::exact_code).
    ///
    /// # Errors
    /// When no board has this code.
    pub fn from_exact_code(code: u64) -> Result<Self, CodeError> {
        let out_of_range = || CodeError::OutOfRange { code };
        let (x, o, turn) = pawns_from_bits(code & 0x1ff).ok_or_else(out_of_range)?;
        let cards = ALL_WORDS.unrank(code >> 25, Mask::FULL).ok_or_else(out_of_range)?;
        let [a, two, three, four] = cards;
        Ok(Self::from_raw([a, two, three, four, x, o, (code >> 9) as u16], turn)?)
    }

    /// X's cell, O's cell and the turn, in nine bits.
    fn pawn_bits(&self) -> u64 {
        let [x, o] = [Side::X, Side::O].map(|side| u64::from(self.pawn(side).number()));
        x << 5 | o << 1 | u64::from(self.turn().bit())
    }
}

fn pawns_from_bits(bits: u64) -> Option<(u16, u16, u16)> {
    let cell = |bits: u64| Cell::low_bits(bits as u32).mask().0;
    (bits < 1 << 9).then(|| (cell(bits >> 5), cell(bits >> 1), (bits & 1) as u16))
}

/// Why a number is no code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// A part of it is too large.
    #[error("no position has the code {code:016x}")]
    OutOfRange {
        /// The number.
        code: u64,
    },
    /// Legible, but no position of the game.
    #[error(transparent)]
    Illegal(#[from] IllegalBoard),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::collapsi::{Rules, deal_from_seed};

    #[test]
    fn ranks_fit_their_bits() {
        let most = (0..=14).map(|length| ALIVE_WORDS.counts[length * LEFTS + FULL_DECK]).max();
        assert!(most.is_some_and(|most| most <= 1 << ALIVE_RANK_BITS), "{most:?}");
        assert!(ALL_WORDS.counts[16 * LEFTS + FULL_DECK] <= 1 << 37);
    }

    #[test]
    fn codes_are_inverted_along_games() {
        for seed in 0..200 {
            let mut board = deal_from_seed(seed);
            loop {
                assert_eq!(Board::from_exact_code(board.exact_code()), Ok(board));
                let canonical = board.canonical().board;
                assert_eq!(Board::from_code(canonical.code()), Ok(canonical));
                assert_eq!(Board::from_code(board.code()).unwrap().canonical(), board.canonical());
                let Some(mv) = board.moves(Rules::Wild).nth(seed as usize % 3) else { break };
                board = board.play(mv, Rules::Wild).unwrap();
            }
        }
    }
}
