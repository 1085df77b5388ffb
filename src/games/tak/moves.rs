//! Moves: how they are packed, generated and counted.

use super::board::{Board, Kind};
use super::size::{Direction, Size, step};

/// A move in sixteen bits: the square, the kind of stone or the direction, and the drops.
///
/// The drops of a slide are a pattern of as many bits as stones are carried, at most eight. The lowest
/// bit is the lowest stone in the hand; a set bit is the last stone that falls on its square. So the
/// highest bit is set, and as many bits are set as squares are passed. All patterns of up to `k`
/// stones are the numbers below `2^k`, without 0, which makes a move the placing of a stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u16);

impl Move {
    /// The placing of a stone.
    #[inline]
    #[must_use]
    pub const fn place(square: usize, kind: Kind) -> Self {
        Self((square as u16) << 10 | (kind as u16) << 8)
    }

    /// A slide by a pattern of drops, which is not 0.
    #[inline]
    #[must_use]
    pub const fn slide(square: usize, direction: Direction, drops: u8) -> Self {
        Self((square as u16) << 10 | (direction as u16) << 8 | drops as u16)
    }

    /// Where a stone is placed, or a slide begins.
    #[inline]
    #[must_use]
    pub const fn square(self) -> usize {
        (self.0 >> 10) as usize
    }

    /// The stone that is placed, if one is.
    #[inline]
    #[must_use]
    pub const fn kind(self) -> Option<Kind> {
        match (self.drops(), self.0 >> 8 & 3) {
            (0, 0) => Some(Kind::Flat),
            (0, 1) => Some(Kind::Standing),
            (0, _) => Some(Kind::Capstone),
            _ => None,
        }
    }

    /// Whether stones slide.
    #[inline]
    #[must_use]
    pub const fn is_slide(self) -> bool {
        self.drops() != 0
    }

    /// Where a slide goes.
    #[inline]
    #[must_use]
    pub const fn direction(self) -> Direction {
        Direction::ALL[(self.0 >> 8 & 3) as usize]
    }

    /// The pattern of drops, 0 where a stone is placed.
    #[inline]
    #[must_use]
    pub const fn drops(self) -> u8 {
        self.0 as u8
    }

    /// How many stones slide.
    #[inline]
    #[must_use]
    pub const fn carried(self) -> u32 {
        8 - self.drops().leading_zeros()
    }

    /// How many squares a slide passes.
    #[inline]
    #[must_use]
    pub const fn distance(self) -> u32 {
        self.drops().count_ones()
    }

    /// The move as a number, by which it can be stored.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// The move of a number.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }
}

/// The drop counts of a pattern, in the order in which they fall.
pub fn drop_counts(drops: u8) -> impl Iterator<Item = u8> {
    let mut rest = drops;
    std::iter::from_fn(move || {
        let count = (rest != 0).then(|| rest.trailing_zeros() as u8 + 1)?;
        rest = if count == 8 { 0 } else { rest >> count };
        Some(count)
    })
}

/// The most stones that are carried on any board.
const HAND: usize = 8;

/// Whether a pattern drops its last stone alone.
const fn ends_alone(drops: u8) -> bool {
    let top = 7 - drops.leading_zeros();
    top == 0 || drops >> (top - 1) & 1 == 1
}

/// How many slides a stack has in a direction, by how many stones it may carry and how many squares are
/// free.
const SLIDES: [[u16; HAND + 1]; HAND + 1] = count_patterns(false);

/// How many slides of a capstone flatten a wall behind so many free squares.
const CRUSHES: [[u16; HAND + 1]; HAND + 1] = count_patterns(true);

/// Counts the patterns of up to so many stones that pass free squares only, or end alone on the square
/// behind them.
const fn count_patterns(behind: bool) -> [[u16; HAND + 1]; HAND + 1] {
    let mut table = [[0; HAND + 1]; HAND + 1];
    let mut hand = 0;
    while hand <= HAND {
        let mut free = 0;
        while free <= HAND {
            let mut drops = 1_u32;
            while drops < 1 << hand {
                let passed = drops.count_ones() as usize;
                let counts = match behind {
                    false => passed <= free,
                    true => passed == free + 1 && ends_alone(drops as u8),
                };
                table[hand][free] += counts as u16;
                drops += 1;
            }
            free += 1;
        }
        hand += 1;
    }
    table
}

/// How far a stack may slide in a direction.
#[derive(Clone, Copy)]
struct Reach {
    /// The squares that it may drop stones on, no more of them than stones it may carry.
    free: usize,
    /// Whether a capstone can flatten the wall behind these.
    crush: bool,
}

impl<S: Size> Board<S> {
    /// The squares of stacks that the side to move may slide.
    #[inline]
    fn own(&self) -> u64 {
        if self.is_opening() { 0 } else { self.tops(self.turn()) }
    }

    /// How many stones of a stack may slide.
    #[inline]
    fn hand(&self, square: usize) -> usize {
        usize::from(self.heights()[square]).min(S::N)
    }

    #[inline]
    fn reach(&self, from: u64, hand: usize, direction: Direction) -> Reach {
        let open = !(self.standing | self.caps);
        let (mut free, mut next) = (0, step::<S>(from, direction));
        while next & open != 0 {
            free += 1;
            if free == hand {
                return Reach { free, crush: false };
            }
            next = step::<S>(next, direction);
        }
        Reach { free, crush: from & self.caps != 0 && next & self.standing != 0 }
    }

    /// Appends the legal moves to a list, as if the game was not over: stones that can be placed, square
    /// by square from a1 to the right and up, flat, standing, capstone; then slides, in the same order
    /// of squares, by direction (up, right, down, left) and by pattern of drops.
    pub fn push_moves(&self, moves: &mut Vec<Move>) {
        let reserve = self.reserve(self.turn());
        let (flats, caps) = (reserve.flats > 0, reserve.caps > 0);
        for square in squares(self.empty()) {
            if self.is_opening() {
                moves.push(Move::place(square, Kind::Flat));
                continue;
            }
            if flats {
                moves.push(Move::place(square, Kind::Flat));
                moves.push(Move::place(square, Kind::Standing));
            }
            if caps {
                moves.push(Move::place(square, Kind::Capstone));
            }
        }
        for square in squares(self.own()) {
            let hand = self.hand(square);
            for direction in Direction::ALL {
                let Reach { free, crush } = self.reach(1 << square, hand, direction);
                for drops in 1..=u8::MAX >> (HAND - hand) {
                    let passed = drops.count_ones() as usize;
                    if passed <= free || crush && passed == free + 1 && ends_alone(drops) {
                        moves.push(Move::slide(square, direction, drops));
                    }
                }
            }
        }
    }

    /// How many moves [`push_moves`](Self::push_moves) would list.
    #[must_use]
    pub fn count_moves(&self) -> u64 {
        let empty = u64::from(self.empty().count_ones());
        if self.is_opening() {
            return empty;
        }
        let reserve = self.reserve(self.turn());
        let kinds = 2 * u64::from(reserve.flats > 0) + u64::from(reserve.caps > 0);
        let mut count = empty * kinds;
        for square in squares(self.own()) {
            let hand = self.hand(square);
            for direction in Direction::ALL {
                let Reach { free, crush } = self.reach(1 << square, hand, direction);
                count += u64::from(SLIDES[hand][free]);
                if crush {
                    count += u64::from(CRUSHES[hand][free]);
                }
            }
        }
        count
    }
}

/// The numbers of the squares in a set, from a1 on.
#[inline]
pub fn squares(set: u64) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let square = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(square)
    })
}
