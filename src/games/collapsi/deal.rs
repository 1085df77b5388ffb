//! Deals: from a seed, and numbered from 0 to 756,755,999.
//!
//! # From a seed
//! [`SplitMix64`] starts at the seed. The deck is `Jx Jo A A A A 2 2 2 2 3 3 3 3 4 4`, entries 0
//! to 15. For i from 15 down to 1, entry i changes places with entry j, a number below i + 1
//! drawn without bias ([`SplitMix64::below`]). Entry k then lies on cell k; X stands on Jx, O on
//! Jo, and X moves.
//!
//! # By number
//! The rank of a deal is a mixed-radix number, most significant digit first: X's cell (16), O's
//! cell among the 15 left, the aces among the 14 left (1001 four-cell sets), the twos among the 10
//! left (210), the threes among the 6 left (15); the fours take what remains. Sets are counted in
//! the lexicographic order of their ascending cells.

use super::board::{Board, Side};
use super::geometry::{Cell, Mask};
use crate::random::SplitMix64;

/// How many deals there are: 16!/(4!·4!·4!·2!).
pub const DEALS: u32 = 16 * 15 * 1001 * 210 * 15;

/// The deal of a seed.
#[must_use]
pub fn deal_from_seed(seed: u64) -> Board {
    const DECK: &[u8; 16] = b"xoAAAA2222333344";
    let mut random = SplitMix64::new(seed);
    let mut deck = *DECK;
    for i in (1..16).rev() {
        deck.swap(i, random.below(i as u64 + 1) as usize);
    }
    let cells_of = |face: u8| {
        let cells = Cell::all().filter(|cell| deck[cell.index()] == face);
        Mask(cells.fold(0, |set, cell| set | cell.mask().0))
    };
    let pawn = |face| cells_of(face).first().expect("the deck holds both jokers");
    deal([b'A', b'2', b'3', b'4'].map(cells_of), [pawn(b'x'), pawn(b'o')])
}

/// The number of a deal, or `None` if the board is not one (a card has collapsed, or O is to move).
#[must_use]
pub fn deal_rank(board: &Board) -> Option<u32> {
    if !board.collapsed().is_empty() || board.turn() != Side::X {
        return None;
    }
    let [x, o] = [Side::X, Side::O].map(|side| board.pawn(side).mask());
    let [a, two, three, _] = super::Card::ALL.map(|card| board.cards(card));
    let mut free = Mask::FULL;
    let mut rank = 0;
    for (set, choices) in [(x, 16), (o, 15), (a, 1001), (two, 210), (three, 15)] {
        rank = rank * choices + rank_of_subset(set, free);
        free.0 &= !set.0;
    }
    Some(rank)
}

/// The deal of a number, or `None` from [`DEALS`] on.
#[must_use]
pub fn deal_from_rank(rank: u32) -> Option<Board> {
    if rank >= DEALS {
        return None;
    }
    let mut digits = [0; 5];
    let mut rest = rank;
    for (digit, choices) in digits.iter_mut().zip([16, 15, 1001, 210, 15]).rev() {
        *digit = rest % choices;
        rest /= choices;
    }
    let mut free = Mask::FULL;
    let mut take = |digit: usize, size: u32| {
        let set = unrank_subset(digits[digit], size, free);
        free.0 &= !set.0;
        set
    };
    let pawns = [take(0, 1), take(1, 1)].map(|set| set.first().expect("a set of one"));
    let (a, two, three) = (take(2, 4), take(3, 4), take(4, 4));
    Some(deal([a, two, three, free], pawns))
}

fn deal(cards: [Mask; 4], pawns: [Cell; 2]) -> Board {
    Board::from_parts(cards, pawns, Mask::EMPTY, Side::X)
}

/// The lexicographic number of a set among the subsets of `free` of its size.
fn rank_of_subset(set: Mask, free: Mask) -> u32 {
    let (mut rank, mut left, mut behind) = (0, set.len(), free.len());
    for cell in free.cells() {
        behind -= 1;
        if set.contains(cell) {
            left -= 1;
        } else if left > 0 {
            // Every set that does take this cell comes first.
            rank += binomial(behind, left - 1);
        }
    }
    rank
}

fn unrank_subset(mut rank: u32, size: u32, free: Mask) -> Mask {
    let (mut set, mut left, mut behind) = (Mask::EMPTY, size, free.len());
    for cell in free.cells() {
        behind -= 1;
        if left == 0 {
            break;
        }
        let with_it = binomial(behind, left - 1);
        if rank < with_it {
            set.0 |= cell.mask().0;
            left -= 1;
        } else {
            rank -= with_it;
        }
    }
    set
}

/// n choose k.
const fn binomial(n: u32, k: u32) -> u32 {
    if k > n {
        return 0;
    }
    let (mut answer, mut i) = (1, 0);
    while i < k {
        answer = answer * (n - i) / (i + 1);
        i += 1;
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Never to change: tables and other programs name deals by their seeds.
    #[test]
    fn golden_deals() {
        for (seed, text, rank) in [
            (0, "A343/2JoA3/2AA2/32Jx4 x", 678_607_296),
            (1, "A332/234Jx/3A42/A2AJo x", 376_090_261),
            (2, "2A32/3A43/2AAJo/Jx234 x", 603_638_298),
            (3, "332A/JoJxA3/AA24/2423 x", 251_240_102),
            (42, "33AA/4222/3423/AJxJoA x", 657_590_359),
            (u64::MAX, "3343/2JoAA/AA42/322Jx x", 727_983_799),
        ] {
            let deal = deal_from_seed(seed);
            assert_eq!((deal.to_string().as_str(), deal_rank(&deal)), (text, Some(rank)));
        }
    }

    #[test]
    fn ranks_end_where_the_arithmetic_says() {
        assert_eq!(DEALS, 756_756_000);
        assert_eq!(deal_from_rank(DEALS), None);
        assert_eq!(deal_from_rank(0).unwrap().to_string(), "JxJoAA/AA22/2233/3344 x");
        assert_eq!(deal_from_rank(DEALS - 1).unwrap().to_string(), "4433/3322/22AA/AAJoJx x");
    }

    proptest! {
        #[test]
        fn rank_and_unrank_are_inverse(rank in 0..DEALS, seed: u64) {
            prop_assert_eq!(deal_rank(&deal_from_rank(rank).unwrap()), Some(rank));
            let deal = deal_from_seed(seed);
            prop_assert_eq!(deal_from_rank(deal_rank(&deal).unwrap()), Some(deal));
        }
    }
}
