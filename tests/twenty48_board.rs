//! The 64-bit board of 2048 against a grid of numbers that slides and merges as the rules say.

use std::collections::BTreeSet;

use endtable::games::random::SplitMix64;
use endtable::games::twenty48::{Board, BoardError, Direction, Size, Symmetry};

/// A naive board: exponents row by row, as many as the size has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Grid(Vec<Vec<u8>>);

impl Grid {
    fn of(board: Board, size: Size) -> Self {
        let row = |y| (0..size.columns()).map(|x| board.exponent(x, y)).collect();
        Self((0..size.rows()).map(row).collect())
    }

    fn board(&self) -> Board {
        let mut board = 0;
        for (y, row) in self.0.iter().enumerate() {
            for (x, &exponent) in row.iter().enumerate() {
                board |= u64::from(exponent) << (16 * y + 4 * x);
            }
        }
        Board(board)
    }

    fn transposed(&self) -> Self {
        let column = |x: usize| self.0.iter().map(|row| row[x]).collect();
        Self((0..self.0[0].len()).map(column).collect())
    }

    fn flipped(&self) -> Self {
        Self(self.0.iter().map(|row| row.iter().rev().copied().collect()).collect())
    }

    fn slide(&self, direction: Direction) -> (Self, u32) {
        match direction {
            Direction::Left => {
                let slid: Vec<(Vec<u8>, u32)> = self.0.iter().map(|row| slide_row(row)).collect();
                let score = slid.iter().map(|(_, score)| score).sum();
                (Self(slid.into_iter().map(|(row, _)| row).collect()), score)
            }
            Direction::Right => {
                let (after, score) = self.flipped().slide(Direction::Left);
                (after.flipped(), score)
            }
            Direction::Up => {
                let (after, score) = self.transposed().slide(Direction::Left);
                (after.transposed(), score)
            }
            Direction::Down => {
                let (after, score) = self.transposed().slide(Direction::Right);
                (after.transposed(), score)
            }
        }
    }
}

/// Pack, merge each pair once, pack again. There is no tile beyond 2^15, so two of those stay.
fn slide_row(row: &[u8]) -> (Vec<u8>, u32) {
    let mut tiles: Vec<u8> = row.iter().copied().filter(|&tile| tile > 0).collect();
    let mut score = 0;
    let mut at = 0;
    while at + 1 < tiles.len() {
        if tiles[at] == tiles[at + 1] && tiles[at] < 15 {
            tiles[at] += 1;
            score += 2u32.pow(tiles[at].into());
            tiles.remove(at + 1);
        }
        at += 1;
    }
    tiles.resize(row.len(), 0);
    (tiles, score)
}

/// A random board: each cell empty, small or anything.
fn random_board(random: &mut SplitMix64, size: Size) -> Board {
    let spread = 2 + random.below(u64::from(size.highest()));
    let empty = random.below(4);
    let mut board = 0;
    for y in 0..size.rows() {
        for x in 0..size.columns() {
            if random.below(4) >= empty {
                board |= random.below(spread) << (16 * y + 4 * x);
            }
        }
    }
    Board(board)
}

/// Everything that can be done with a board, done both ways.
fn compare(board: Board, size: Size) {
    let grid = Grid::of(board, size);
    assert_eq!(grid.board(), board);
    let mut over = true;
    for direction in Direction::ALL {
        let (after, score) = grid.slide(direction);
        let expected = (after != grid).then(|| (after.board(), score));
        over &= expected.is_none();
        assert_eq!(board.slide(direction, size), expected, "{board} {direction:?} {size}");
    }
    assert_eq!(board.is_over(size), over, "{board} {size}");
    let cells: Vec<u8> = grid.0.iter().flatten().copied().collect();
    let tiles = cells.iter().filter(|&&exponent| exponent > 0);
    assert_eq!(board.sum(), tiles.map(|&exponent| 2u32.pow(exponent.into())).sum::<u32>());
    assert_eq!(board.highest(), cells.iter().copied().max().unwrap_or(0));
    assert_eq!(board.empty(size) as usize, cells.iter().filter(|&&cell| cell == 0).count());
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
        compare(random_board(&mut random, size), size);
    }
}

#[test]
fn one_merge_a_tile_a_move() {
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
            let board = random_board(&mut random, size);
            let grid = Grid::of(board, size);
            let mut expected = Vec::new();
            for y in 0..usize::from(size.rows()) {
                for x in 0..usize::from(size.columns()) {
                    for exponent in [1, 2] {
                        if grid.0[y][x] == 0 {
                            let mut next = grid.clone();
                            next.0[y][x] = exponent;
                            expected.push(next.board());
                        }
                    }
                }
            }
            let spawns: Vec<_> = board.spawns(size).collect();
            assert_eq!(spawns.iter().map(|(next, _)| *next).collect::<Vec<_>>(), expected);
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
            let board = random_board(&mut random, size);
            let grid = Grid::of(board, size);
            let mut images = BTreeSet::new();
            let turns =
                if size.is_square() { vec![grid.clone(), grid.transposed()] } else { vec![grid] };
            for image in turns {
                let over = Grid(image.0.iter().rev().cloned().collect());
                images.extend([image.flipped(), image, over.flipped(), over].map(|it| it.board()));
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
        let mut boards: Vec<Board> = (0..2_000).map(|_| random_board(&mut random, size)).collect();
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
