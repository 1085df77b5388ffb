//! The 64-bit board of 2048 against a grid of numbers that slides and merges as the rules say.

mod twin;

use std::collections::BTreeSet;

use endtable::games::twenty48::{Board, BoardError, Direction, Size, Symmetry};
use endtable::random::SplitMix64;
use twin::twenty48::{Grid, random};

/// Everything that can be done with a board, done both ways.
fn compare(board: Board, size: Size) {
    let grid = Grid::new(board, size);
    assert_eq!(grid.board(), board);
    let mut over = true;
    for direction in Direction::ALL {
        let (after, score) = grid.slide(direction);
        let expected = (after != grid).then(|| (after.board(), score));
        over &= expected.is_none();
        assert_eq!(board.slide(direction, size), expected, "{board} {direction:?} {size}");
    }
    assert_eq!(board.is_over(size), over, "{board} {size}");
    assert_eq!(board.sum(), grid.tiles().sum::<u32>());
    assert_eq!(1 << board.highest(), grid.tiles().max().unwrap_or(0).max(1));
    assert_eq!(board.empty(size) as usize, grid.empty());
}

#[test]
fn every_row_slides_as_the_grid_does() {
    for row in 0..=u16::MAX {
        let board = Board(row.into());
        compare(board, Size::FULL);
        compare(board.transposed(), Size::FULL);
    }
}

#[test]
fn a_million_random_boards_of_all_sizes() {
    let mut random = SplitMix64::new(2048);
    let sizes: Vec<Size> = Size::all().collect();
    assert_eq!(sizes.len(), 9);
    for number in 0..1_000_000 {
        let size = sizes[number % sizes.len()];
        compare(random::board(&mut random, size), size);
    }
}

#[test]
fn a_tile_merges_once_a_move() {
    let slide = |text: &str, direction| {
        let size = "2x4".parse().unwrap();
        let board = Board::parse(text, size).unwrap();
        board.slide(direction, size).map(|(after, score)| (after.text(size), score))
    };
    let left = |row: &str| slide(&format!("{row}/0,0,0,0"), Direction::Left);
    assert_eq!(left("4,4,2,0"), Some(("8,2,0,0/0,0,0,0".into(), 8)));
    assert_eq!(left("2,2,2,2"), Some(("4,4,0,0/0,0,0,0".into(), 8)));
    assert_eq!(left("4,2,2,0"), Some(("4,4,0,0/0,0,0,0".into(), 4)));
    assert_eq!(left("8,4,2,0"), None);
    assert_eq!(
        slide("2,2,2,0/0,0,0,0", Direction::Right),
        Some(("0,0,2,4/0,0,0,0".into(), 4)),
        "the pair nearest the wall merges"
    );
}

#[test]
fn two_of_the_largest_tiles_stay_two() {
    let board = Board::parse("32768,32768,2,2/0,0,0,0/0,0,0,0/0,0,0,0", Size::FULL).unwrap();
    let (after, score) = board.slide(Direction::Left, Size::FULL).unwrap();
    assert_eq!(after.text(Size::FULL), "32768,32768,4,0/0,0,0,0/0,0,0,0/0,0,0,0");
    assert_eq!(score, 4);
}

#[test]
fn spawns_are_every_empty_cell_with_a_two_and_a_four() {
    let mut random = SplitMix64::new(5);
    for size in Size::all() {
        for _ in 0..200 {
            let board = random::board(&mut random, size);
            let grid = Grid::new(board, size);
            let spawns: Vec<_> = board.spawns(size).collect();
            let found = spawns.iter().map(|(next, spawn)| (*next, 1 << spawn.exponent));
            assert!(found.eq(grid.spawns().map(|(next, tile, _)| (next.board(), tile))), "{board}");
            for ((_, spawn), (_, _, chance)) in spawns.iter().zip(grid.spawns()) {
                assert!((spawn.chance - chance).abs() < 1e-12);
            }
            let chances: f64 = spawns.iter().map(|(_, spawn)| spawn.chance).sum();
            assert!(spawns.is_empty() || (chances - 1.0).abs() < 1e-12);
            let fours = spawns.iter().filter(|(_, spawn)| spawn.exponent == 2);
            let fours: f64 = fours.map(|(_, spawn)| spawn.chance).sum();
            assert!(spawns.is_empty() || (fours - 0.1).abs() < 1e-12);
        }
    }
}

#[test]
fn symmetries_are_those_of_the_grid() {
    let mut random = SplitMix64::new(8);
    for size in Size::all() {
        for _ in 0..500 {
            let board = random::board(&mut random, size);
            let grid = Grid::new(board, size);
            let mut images = BTreeSet::new();
            let turns = if size.is_square() { &[grid, grid.transposed()][..] } else { &[grid] };
            for image in turns {
                let over = image.transposed().mirrored().transposed();
                images
                    .extend([*image, image.mirrored(), over, over.mirrored()].map(|it| it.board()));
            }
            let ours: BTreeSet<_> =
                Symmetry::all(size).map(|symmetry| symmetry.board(board, size)).collect();
            assert_eq!(ours, images, "{board} {size}");
            let canonical = board.canonical(size);
            assert_eq!(Some(&canonical), images.first());
            assert_eq!(board.to_canonical(size).board(board, size), canonical);
            for symmetry in Symmetry::all(size) {
                let image = symmetry.board(board, size);
                assert_eq!(image.canonical(size), canonical);
                for direction in Direction::ALL {
                    let moved = board.slide(direction, size);
                    let moved = moved.map(|(after, score)| (symmetry.board(after, size), score));
                    let there = symmetry.direction(direction);
                    assert_eq!(image.slide(there, size), moved, "{board} {size} {symmetry:?}");
                    assert_eq!(symmetry.direction_before(there), direction);
                }
            }
        }
    }
}

#[test]
fn codes_and_text_give_the_board_back_and_codes_keep_the_order() {
    let mut random = SplitMix64::new(13);
    for size in Size::all() {
        let mut boards: Vec<Board> = (0..2_000).map(|_| random::board(&mut random, size)).collect();
        boards.sort_unstable();
        for &board in &boards {
            assert_eq!(Board::from_code(board.code(size), size), Ok(board));
            assert_eq!(Board::parse(&board.text(size), size), Ok(board));
            assert_eq!(Board::parse(&board.to_string(), size), Ok(board));
        }
        assert!(boards.windows(2).all(|two| two[0].code(size) <= two[1].code(size)), "{size}");
    }
    let size = "2x2".parse().unwrap();
    assert!(matches!(Board::from_code(6 * 6 * 6 * 6, size), Err(BoardError::Code { .. })));
}

#[test]
fn bad_boards_are_named() {
    let three = "3x3".parse::<Size>().unwrap();
    let error = |text: &str| Board::parse(text, three).unwrap_err().to_string();
    assert!(error("1000").contains("outside of the 3x3 board"), "{}", error("1000"));
    assert!(error("b").contains("a tile 2048 on a 3x3 board"), "{}", error("b"));
    assert!(error("2,4/2,4/2,4").contains("rows of 2 tiles"), "{}", error("2,4/2,4/2,4"));
    assert!(error("3,0,0/0,0,0/0,0,0").contains("3: not a tile"));
    assert!(error("hello").contains("not a board"));
    assert!(error("").contains("not a board"));
    assert!(error("11111111111111111").contains("not a board"));
    for size in ["5x5", "1x4", "3", "x", "3x", "3x3x3", "-2x2", ""] {
        assert!(matches!(size.parse::<Size>(), Err(BoardError::Size(_))), "{size}");
    }
}
