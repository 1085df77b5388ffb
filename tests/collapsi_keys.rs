//! Keys and notations: each gives its board back, and what is no board is refused.

mod twin;

use endtable::games::collapsi::{Board, Card, Cell, IllegalBoard, Side};
use endtable::games::key::{Key64, Key128};
use endtable::random::SplitMix64;
use proptest::prelude::*;
use twin::collapsi::random;

fn board() -> impl Strategy<Value = Board> {
    (2..=16_usize, any::<u64>())
        .prop_map(|(alive, seed)| random::state(alive, &mut SplitMix64::new(seed)))
}

/// Eight numbers that are a board but for one of them, so that every check has its turn.
fn nearly_a_board() -> impl Strategy<Value = ([u16; 7], u16)> {
    (board(), 0..8_usize, any::<u16>()).prop_map(|(board, field, number)| {
        let (mut boards, turn) = board.to_raw();
        match boards.get_mut(field) {
            Some(set) => *set = number,
            None => return (boards, number),
        }
        (boards, turn)
    })
}

/// A text with one byte changed, taken out or put in.
fn nearly(text: String, at: usize, byte: u8, edit: u8) -> String {
    let mut bytes = text.into_bytes();
    let at = at % bytes.len();
    match edit {
        0 => bytes[at] = byte,
        1 => drop(bytes.remove(at)),
        _ => bytes.insert(at, byte),
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What every parser makes of a text: an error, or something that is written and read again.
fn assert_refused_or_inverted(text: &str) {
    if let Ok(board) = text.parse::<Board>() {
        assert_eq!(board.to_string().parse(), Ok(board));
    }
    if let Ok(board) = Board::from_hex(text) {
        assert_eq!(Board::from_hex(&board.to_hex()), Ok(board));
    }
    if let Ok(key) = text.parse::<Key128>() {
        assert_eq!(key.to_string().parse(), Ok(key));
    }
    if let Ok(key) = text.parse::<Key64>() {
        assert_eq!(key.to_string().parse(), Ok(key));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn a_key_gives_its_board_back(board in board()) {
        prop_assert_eq!(Board::unkey(board.key()), Ok(board));
    }

    #[test]
    fn hex_is_inverted(board in board()) {
        prop_assert_eq!(Board::from_hex(&board.to_hex()), Ok(board));
    }

    #[test]
    fn text_is_inverted_but_for_collapsed_cards(board in board()) {
        let (mut boards, turn) = board.to_raw();
        let collapsed = boards[6];
        for set in &mut boards[..4] {
            *set &= !collapsed;
        }
        let forgotten = Board::from_raw(boards, turn).expect("as legal");
        prop_assert_eq!(board.to_string().parse(), Ok(forgotten));
        prop_assert_eq!(forgotten.to_string(), board.to_string());
    }

    #[test]
    fn a_board_keeps_the_numbers_it_was_made_of(numbers in nearly_a_board()) {
        let (boards, turn) = numbers;
        if let Ok(board) = Board::from_raw(boards, turn) {
            prop_assert_eq!(board.to_raw(), numbers);
            prop_assert_eq!(Board::unkey(board.key()), Ok(board));
        }
    }

    #[test]
    fn any_number_is_a_board_s_key_or_refused(number: u128, board in board(), bit in 0..128_u32) {
        for key in [Key128(number), Key128(board.key().0 ^ 1 << bit)] {
            if let Ok(board) = Board::unkey(key) {
                prop_assert_eq!(board.key(), key);
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>, printable in "[0-9A-Jxo./,: ]{0,50}") {
        assert_refused_or_inverted(&String::from_utf8_lossy(&bytes));
        assert_refused_or_inverted(&printable);
    }

    #[test]
    fn slightly_damaged_texts_are_read_or_refused(
        board in board(), at: usize, byte: u8, edit in 0..3_u8,
    ) {
        for text in [board.to_string(), board.to_hex(), board.key().to_string()] {
            assert_refused_or_inverted(&nearly(text, at, byte, edit));
        }
    }
}

/// The numbers of `JxA23/4Jo32/A2A3/2A43 x`, to be spoilt.
const DEAL: [u16; 7] = [0x2502, 0x1284, 0x8848, 0x4010, 0x0001, 0x0020, 0x0000];

#[test]
fn what_is_no_board_is_refused_with_the_reason() {
    let with = |changes: &[(usize, u16)], turn| {
        let mut boards = DEAL;
        for &(field, number) in changes {
            boards[field] = number;
        }
        Board::from_raw(boards, turn)
    };
    let cell = |number| Cell::new(number).expect("below 16");
    assert_eq!(with(&[], 0).map(|board| board.to_raw()), Ok((DEAL, 0)));
    for (changes, turn, reason) in [
        (&[][..], 2, IllegalBoard::Turn { found: 2 }),
        (&[(1, 0x0286)], 0, IllegalBoard::TwoCards { cell: cell(1) }),
        (&[(0, 0x2522)], 0, IllegalBoard::TooMany { card: Card::Ace, found: 5 }),
        (&[(3, 0x4030)], 0, IllegalBoard::TooMany { card: Card::Four, found: 3 }),
        (&[(4, 0x0000)], 0, IllegalBoard::Pawns { side: Side::X, found: 0 }),
        (&[(5, 0x0420)], 0, IllegalBoard::Pawns { side: Side::O, found: 2 }),
        (&[(6, 0x0020)], 0, IllegalBoard::PawnOnCollapsed { side: Side::O, cell: cell(5) }),
        (&[(5, 0x0001)], 0, IllegalBoard::PawnsTogether { cell: cell(0) }),
        (&[(0, 0x2500)], 0, IllegalBoard::NoCard { cell: cell(1) }),
        (&[(4, 0x0002)], 0, IllegalBoard::NoCard { cell: cell(0) }),
        // A card has collapsed while both pawns are still on their jokers.
        (&[(6, 0x0002)], 0, IllegalBoard::Jokers { collapsed: 1, expected: 1, found: 2 }),
        (
            &[(4, 0x0002), (6, 0x8001)],
            1,
            IllegalBoard::Jokers { collapsed: 2, expected: 0, found: 1 },
        ),
        // X has made its move, so O must be next.
        (&[(4, 0x0002), (6, 0x0001)], 0, IllegalBoard::JokerNotMover { side: Side::X }),
    ] {
        assert_eq!(with(changes, turn), Err(reason));
    }
    // And so it is.
    assert!(with(&[(4, 0x0002), (6, 0x0001)], 1).is_ok());
}

#[test]
fn a_key_that_is_no_board_s_is_refused_with_the_reason() {
    assert_eq!(Board::unkey(Key128(0)), Err(IllegalBoard::Pawns { side: Side::X, found: 0 }));
    assert!(matches!(Board::unkey(Key128(u128::MAX)), Err(IllegalBoard::Turn { found: 0xffff })));
}
