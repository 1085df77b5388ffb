//! The eight symmetries of the board, and the canonical form of a position.

use super::board::Board;
use super::moves::{Move, squares};
use super::size::{Direction, Size};

/// A symmetry of the square. All of them map legal games to legal games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Files in reverse order.
    const FILES: u8 = 1;
    /// Ranks in reverse order.
    const RANKS: u8 = 2;
    /// Files and ranks exchanged, before they are reversed.
    const DIAGONAL: u8 = 4;

    /// All eight, the identity first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..8).map(Self)
    }

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        // Of those with the diagonal, a reversal of files alone becomes one of ranks and the other way
        // round: a quarter turn is undone by the other one. All others undo themselves.
        match self.0 {
            5 => Self(6),
            6 => Self(5),
            _ => self,
        }
    }

    /// Where a square goes.
    #[inline]
    #[must_use]
    pub const fn square<S: Size>(self, square: usize) -> usize {
        let (mut file, mut rank) = (square % S::N, square / S::N);
        if self.0 & Self::DIAGONAL != 0 {
            (file, rank) = (rank, file);
        }
        if self.0 & Self::FILES != 0 {
            file = S::N - 1 - file;
        }
        if self.0 & Self::RANKS != 0 {
            rank = S::N - 1 - rank;
        }
        S::N * rank + file
    }

    /// Where a set of squares goes.
    #[inline]
    #[must_use]
    pub fn set<S: Size>(self, set: u64) -> u64 {
        squares(set).fold(0, |image, square| image | 1 << self.square::<S>(square))
    }

    /// Where a direction goes.
    #[must_use]
    pub const fn direction(self, direction: Direction) -> Direction {
        use Direction::{Down, Left, Right, Up};
        let mut image = direction;
        if self.0 & Self::DIAGONAL != 0 {
            image = match image {
                Up => Right,
                Right => Up,
                Down => Left,
                Left => Down,
            };
        }
        match (image, self.0 & Self::FILES != 0, self.0 & Self::RANKS != 0) {
            (Right, true, _) => Left,
            (Left, true, _) => Right,
            (Up, _, true) => Down,
            (Down, _, true) => Up,
            _ => image,
        }
    }

    /// Where a move goes.
    #[must_use]
    pub fn image_of_move<S: Size>(self, mv: Move) -> Move {
        let square = self.square::<S>(mv.square());
        match mv.kind() {
            Some(kind) => Move::place(square, kind),
            None => Move::slide(square, self.direction(mv.direction()), mv.drops()),
        }
    }
}

/// A position in canonical form, and the way there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Canonical<S: Size> {
    /// The canonical board.
    pub board: Board<S>,
    /// The symmetry that took the board to it.
    pub symmetry: Symmetry,
}

impl<S: Size> Board<S> {
    /// The board carried along by a symmetry.
    #[must_use]
    pub fn image(&self, symmetry: Symmetry) -> Self {
        let mut image = Self {
            colours: self.colours.map(|set| symmetry.set::<S>(set)),
            standing: symmetry.set::<S>(self.standing),
            caps: symmetry.set::<S>(self.caps),
            ..*self
        };
        for square in 0..S::SQUARES {
            let to = symmetry.square::<S>(square);
            image.heights.as_mut()[to] = self.heights()[square];
            image.stacks.as_mut()[to] = self.stacks()[square];
        }
        image
    }

    /// The one position that stands for its eight images: the smallest by the sets of white tops, black
    /// tops, standing stones and capstones, heights and stacks, compared as numbers in that order,
    /// from a1 on.
    #[must_use]
    pub fn canonical(&self) -> Canonical<S> {
        let sets = [self.colours[0], self.colours[1], self.standing, self.caps];
        let (mut best, mut least, mut board) = (Symmetry::default(), sets, *self);
        for symmetry in Symmetry::all().skip(1) {
            let image = sets.map(|set| symmetry.set::<S>(set));
            // Mostly the sets are different, and the stacks need not be looked at.
            if image > least {
                continue;
            }
            let images = self.image(symmetry);
            if image < least || images.is_below(&board) {
                (best, least, board) = (symmetry, image, images);
            }
        }
        Canonical { board, symmetry: best }
    }

    /// Whether heights and stacks, compared in this order, are the smaller ones.
    fn is_below(&self, other: &Self) -> bool {
        (self.heights(), self.stacks()) < (other.heights(), other.stacks())
    }
}
