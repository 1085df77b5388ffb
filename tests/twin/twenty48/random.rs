//! Random boards, the same in every run.

use endtable::games::twenty48::{Board, Direction, Size};
use endtable::random::SplitMix64;

use super::Grid;

/// A random board: each cell empty, small or anything.
pub fn board(random: &mut SplitMix64, size: Size) -> Board {
    let spread = 2 + random.below(size.highest().into());
    let empty = random.below(4);
    filled(size, || if random.below(4) >= empty { random.below(spread) } else { 0 })
}

/// A random board with few empty cells, on which a naive search comes to its end.
pub fn full_board(random: &mut SplitMix64, size: Size, most_empty: usize) -> Board {
    loop {
        let spread = 2 + random.below(size.highest().into());
        let board = filled(size, || random.below(spread));
        if is_full(board, size, most_empty) {
            return board;
        }
    }
}

/// Whether not too many cells are empty, and hardly more after a move.
pub fn is_full(board: Board, size: Size, most_empty: usize) -> bool {
    let grid = Grid::new(board, size);
    let empty_after = |direction| grid.slide(direction).0.empty();
    grid.empty() <= most_empty
        && Direction::ALL.into_iter().all(|it| empty_after(it) <= most_empty + 1)
}

fn filled(size: Size, mut exponent: impl FnMut() -> u64) -> Board {
    let mut board = 0;
    for y in 0..size.rows() {
        for x in 0..size.columns() {
            board |= exponent() << (16 * y + 4 * x);
        }
    }
    Board(board)
}
