//! The symmetries of a board: 8 of a square, 4 of an oblong.

use super::{Board, Direction, Size};

/// A symmetry of a board: exchanges rows and columns or not, then flips left and right or not,
/// then top and bottom or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry {
    transpose: bool,
    flip: bool,
    turn_over: bool,
}

impl Symmetry {
    /// The symmetries of a board of this size, the identity first.
    pub fn all(size: Size) -> impl Iterator<Item = Self> {
        (0..if size.is_square() { 8 } else { 4 }).map(|number| Self {
            transpose: number & 4 != 0,
            flip: number & 1 != 0,
            turn_over: number & 2 != 0,
        })
    }

    /// The image of a board.
    #[must_use]
    pub fn board(self, board: Board, size: Size) -> Board {
        let mut image = board.0;
        if self.transpose {
            image = transpose(image);
        }
        if self.flip {
            image = flip(image) >> size.right_shift();
        }
        if self.turn_over {
            image = turn_over(image) >> size.down_shift();
        }
        Board(image)
    }

    /// The image of a direction.
    #[must_use]
    pub const fn direction(self, direction: Direction) -> Direction {
        use Direction::{Down, Left, Right, Up};
        let direction = match (self.transpose, direction) {
            (false, direction) => direction,
            (true, Up) => Left,
            (true, Left) => Up,
            (true, Down) => Right,
            (true, Right) => Down,
        };
        match (direction, self.flip, self.turn_over) {
            (Left, true, _) => Right,
            (Right, true, _) => Left,
            (Up, _, true) => Down,
            (Down, _, true) => Up,
            (direction, _, _) => direction,
        }
    }

    /// The direction whose image is this one.
    #[must_use]
    pub fn direction_before(self, image: Direction) -> Direction {
        let before = Direction::ALL.into_iter().find(|&it| self.direction(it) == image);
        before.expect("a symmetry maps directions one-to-one")
    }
}

impl Size {
    /// Whether it has as many rows as columns.
    #[must_use]
    pub const fn is_square(self) -> bool {
        self.rows() == self.columns()
    }
}

impl Board {
    /// All images under the symmetries, as numbers, in the order of [`Symmetry::all`]; those of an
    /// oblong board twice.
    #[inline]
    pub(super) fn images(self, size: Size) -> [u64; 8] {
        let (right, down) = (size.right_shift(), size.down_shift());
        let four = |board: u64| {
            let flipped = flip(board) >> right;
            [board, flipped, turn_over(board) >> down, turn_over(flipped) >> down]
        };
        let [a, b, c, d] = four(self.0);
        let [e, f, g, h] = if size.is_square() { four(transpose(self.0)) } else { [a, b, c, d] };
        [a, b, c, d, e, f, g, h]
    }

    /// The smallest of the board's images: the form that tables store.
    #[inline]
    #[must_use]
    pub fn canonical(self, size: Size) -> Self {
        Self(smallest(self.images(size)))
    }

    /// The first symmetry that leads to the canonical form.
    #[must_use]
    pub fn to_canonical(self, size: Size) -> Symmetry {
        let first = Symmetry::all(size).min_by_key(|symmetry| symmetry.board(self, size));
        first.expect("the identity at least")
    }
}

/// The smallest of some numbers, without a chain of waits.
#[inline]
pub(super) fn smallest([a, b, c, d, e, f, g, h]: [u64; 8]) -> u64 {
    a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)))
}

/// Exchanges rows and columns: first inside each 2x2 square, then the squares.
pub(super) const fn transpose(board: u64) -> u64 {
    let board = board & 0xf0f0_0f0f_f0f0_0f0f
        | (board & 0x0000_f0f0_0000_f0f0) << 12
        | (board & 0x0f0f_0000_0f0f_0000) >> 12;
    board & 0xff00_ff00_00ff_00ff
        | (board & 0x0000_0000_ff00_ff00) << 24
        | (board & 0x00ff_00ff_0000_0000) >> 24
}

/// Reverses each row of the full board.
const fn flip(board: u64) -> u64 {
    let board = (board & 0x0f0f_0f0f_0f0f_0f0f) << 4 | (board & 0xf0f0_f0f0_f0f0_f0f0) >> 4;
    (board & 0x00ff_00ff_00ff_00ff) << 8 | (board & 0xff00_ff00_ff00_ff00) >> 8
}

/// Reverses the order of the rows of the full board.
const fn turn_over(board: u64) -> u64 {
    let board = board.rotate_left(32);
    (board & 0x0000_ffff_0000_ffff) << 16 | (board & 0xffff_0000_ffff_0000) >> 16
}
