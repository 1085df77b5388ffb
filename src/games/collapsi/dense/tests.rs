//! The index numbers every position once, its inverse is exact, and golden numbers stay.

use std::sync::LazyLock;

use super::*;
use crate::games::collapsi::Symmetry;
use crate::random::SplitMix64;

static INDEX: LazyLock<Index> = LazyLock::new(Index::new);

/// A legal board with so many cards, made without the index.
fn random_board(random: &mut SplitMix64, cards: u8) -> Board {
    let mut shuffle = |things: &mut [u8]| {
        for i in (1..things.len()).rev() {
            things.swap(i, random.below(i as u64 + 1) as usize);
        }
    };
    let mut cells: Vec<u8> = (0..16).collect();
    let mut deck = *b"\x00\x00\x00\x00\x01\x01\x01\x01\x02\x02\x02\x02\x03\x03";
    shuffle(&mut cells);
    shuffle(&mut deck);
    let (alive, collapsed) = cells.split_at(usize::from(cards));
    let set = |cells: &[u8]| cells.iter().fold(0, |set, cell| set | 1 << cell);
    let mut boards = [0, 0, 0, 0, set(&alive[..1]), set(&alive[1..2]), set(collapsed)];
    let jokers = alive.len().saturating_sub(deck.len());
    for (&cell, &card) in alive[jokers..].iter().zip(&deck) {
        boards[usize::from(card)] |= 1 << cell;
    }
    Board::from_raw(boards, 0).unwrap()
}

fn inverse_is_exact(cards: u8, numbers: impl Iterator<Item = u64>) {
    for number in numbers {
        let board = INDEX.unrank(cards, number).unwrap();
        assert_eq!(board.alive().len(), u32::from(cards));
        assert_eq!(INDEX.rank(&board), number, "{board}");
    }
}

#[test]
fn bijective_on_small_layers() {
    use rayon::prelude::*;
    for cards in 2..=7 {
        (0..INDEX.len(cards).div_ceil(1 << 16)).into_par_iter().for_each(|piece| {
            let end = ((piece + 1) << 16).min(INDEX.len(cards));
            inverse_is_exact(cards, piece << 16..end);
        });
    }
}

#[test]
fn bijective_on_samples_of_large_layers() {
    let mut random = SplitMix64::new(1);
    for cards in 8..=16 {
        let len = INDEX.len(cards);
        inverse_is_exact(cards, (0..10_000).map(|_| random.below(len)).chain([0, len - 1]));
    }
}

/// Every board has a number, and the number leads back to one that plays alike.
#[test]
fn every_board_is_numbered() {
    let mut random = SplitMix64::new(2);
    for cards in 2..=16 {
        for _ in 0..3000 {
            let board = random_board(&mut random, cards);
            let found = INDEX.unrank(cards, INDEX.rank(&board)).unwrap();
            assert_eq!(found.canonical().board, board.canonical().board);
        }
    }
}

/// A board and its images may have several numbers, but few; those without symmetries have one.
#[test]
fn images_share_their_number() {
    let mut random = SplitMix64::new(3);
    let (mut boards, mut numbers) = (0, 0);
    for cards in 8..=16 {
        for _ in 0..30 {
            let board = random_board(&mut random, cards);
            let mut found: Vec<u64> =
                Symmetry::all().map(|symmetry| INDEX.rank(&board.image(symmetry))).collect();
            found.sort_unstable();
            found.dedup();
            boards += 1;
            numbers += found.len();
        }
    }
    assert!(numbers < boards + boards / 5, "{numbers} numbers for {boards} boards");
}

#[test]
fn weights_count_deals() {
    let mut deals = 0;
    INDEX.weights(16, |numbers, weight| deals += (numbers.end - numbers.start) * u64::from(weight));
    assert_eq!(deals, u64::from(crate::games::collapsi::DEALS));
}

#[test]
fn layers_have_their_sizes() {
    let sizes: Vec<u64> = (0..=17).map(|cards| INDEX.len(cards)).collect();
    let expected = [
        0, 0, 64, 1386, 21949, 267495, 2426238, 16134948, 78495070, 275951400, 684590510,
        1152565540, 1235852520, 747876150, 189837900, 30369150, 2469600, 0,
    ];
    assert_eq!(sizes, expected);
}

/// A second program, in another language, numbers these alike (see docs/FORMAT.md).
#[test]
fn golden_numbers() {
    let golden = include_str!("../../../../tests/dense_index.csv");
    for line in golden.lines() {
        let fields: Vec<&str> = line.split(',').collect();
        let decimal = |at: usize| fields[at].parse::<u64>().unwrap();
        let hex = |at: usize| u16::from_str_radix(fields[at], 16).unwrap();
        let position = Position {
            alive: hex(2),
            cards: [3, 4, 5, 6].map(hex),
            mover: decimal(7) as u8,
            other: decimal(8) as u8,
        };
        assert_eq!(INDEX.rank(&board(&position)), decimal(1), "{line}");
    }
    assert_eq!(golden.lines().count(), 120);
}
