//! The sizes of boards, 3x3 to 8x8, and what follows from a size: how stacks are stored, and the sets
//! of squares that rules speak of.
//!
//! Square (file `x`, rank `y`), both from 0, is bit `N*y + x`: a1 is the lowest bit, and a step up is
//! a shift by `N`.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, Shl, Shr};

/// What is stored for every square.
pub trait Item: Copy + Default + Eq + Hash + Debug + Send + Sync + 'static {}

impl<T: Copy + Default + Eq + Hash + Debug + Send + Sync + 'static> Item for T {}

/// The colours of the stones of a stack, a bit each, black 1, the lowest bit nearest to the top.
pub trait Stack:
    Item
    + Ord
    + From<u8>
    + Into<u128>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// How many stones fit.
    const STONES: u32;

    /// The eight lowest bits: as many as can be carried.
    fn low_byte(self) -> u8;

    /// A stack of bits, as far as they fit.
    fn from_bits(bits: u128) -> Self;
}

impl Stack for u64 {
    const STONES: u32 = Self::BITS;

    fn low_byte(self) -> u8 {
        self as u8
    }

    fn from_bits(bits: u128) -> Self {
        bits as Self
    }
}

impl Stack for u128 {
    const STONES: u32 = Self::BITS;

    fn low_byte(self) -> u8 {
        self as u8
    }

    fn from_bits(bits: u128) -> Self {
        bits
    }
}

/// A size of board.
pub trait Size: Copy + Default + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// How many squares an edge has.
    const N: usize;

    /// What holds a stack of all stones there are.
    type Stack: Stack;

    /// An array with an entry a square.
    type PerSquare<T: Item>: Copy + Eq + Hash + Debug + Send + Sync + AsRef<[T]> + AsMut<[T]>;

    /// An array of equal entries.
    fn per_square<T: Item>(value: T) -> Self::PerSquare<T>;

    /// How many squares there are.
    const SQUARES: usize = Self::N * Self::N;

    /// All squares.
    const ALL: u64 = u64::MAX >> (64 - Self::SQUARES);

    /// The first rank.
    const BOTTOM: u64 = (1 << Self::N) - 1;

    /// The last rank.
    const TOP: u64 = Self::BOTTOM << (Self::SQUARES - Self::N);

    /// The first file: a bit every N, which is the quotient of two numbers of ones.
    const LEFT: u64 = Self::ALL / Self::BOTTOM;

    /// The last file.
    const RIGHT: u64 = Self::LEFT << (Self::N - 1);
}

/// The board with `N` squares an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Grid<const N: usize>;

macro_rules! sizes {
    ($($n:literal: $stack:ty),*) => {$(
        impl Size for Grid<$n> {
            const N: usize = $n;
            type Stack = $stack;
            type PerSquare<T: Item> = [T; $n * $n];

            fn per_square<T: Item>(value: T) -> Self::PerSquare<T> {
                [value; $n * $n]
            }
        }
    )*};
}

// Up to 6x6 all stones in one stack are at most 62; on 7x7 they are 84, on 8x8 104.
sizes!(3: u64, 4: u64, 5: u64, 6: u64, 7: u128, 8: u128);

/// The sizes that there are.
pub const SIZES: std::ops::RangeInclusive<usize> = 3..=8;

/// Does something for a size that is known only now, as a type: `for_size!(n, S => read::<S>(text))`.
macro_rules! for_size {
    ($n:expr, $size:ident => $body:expr) => {{
        macro_rules! with {
            ($number:literal) => {{
                type $size = $crate::games::tak::Grid<$number>;
                $body
            }};
        }
        match $n {
            3 => with!(3),
            4 => with!(4),
            5 => with!(5),
            6 => with!(6),
            7 => with!(7),
            _ => with!(8),
        }
    }};
}
pub(super) use for_size;

/// Squares one step away, in the four directions. Steps off the board lead nowhere.
#[inline]
pub(super) fn step<S: Size>(squares: u64, direction: Direction) -> u64 {
    match direction {
        Direction::Up => squares << S::N & S::ALL,
        Direction::Right => (squares & !S::RIGHT) << 1,
        Direction::Down => squares >> S::N,
        Direction::Left => (squares & !S::LEFT) >> 1,
    }
}

/// The directions of slides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// To higher ranks: `+`.
    Up = 0,
    /// To later files: `>`.
    Right = 1,
    /// To lower ranks: `-`.
    Down = 2,
    /// To earlier files: `<`.
    Left = 3,
}

impl Direction {
    /// All of them, in the order in which moves are listed.
    pub const ALL: [Self; 4] = [Self::Up, Self::Right, Self::Down, Self::Left];

    /// What is added to the number of a square by a step.
    #[inline]
    pub(super) const fn delta<S: Size>(self) -> isize {
        match self {
            Self::Up => S::N as isize,
            Self::Right => 1,
            Self::Down => -(S::N as isize),
            Self::Left => -1,
        }
    }
}
