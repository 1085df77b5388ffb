//! How games end: roads, and flats when nobody has one.

use std::fmt;

use super::board::{Board, Colour, Reserve};
use super::size::{Direction, Size, step};

/// How a game has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    /// A player has a road.
    Road(Colour),
    /// A player has more flats on top, komi counted.
    Flats(Colour),
    /// Both have as many.
    Draw,
}

impl End {
    /// Who has won, if anybody has.
    #[must_use]
    pub const fn winner(self) -> Option<Colour> {
        match self {
            Self::Road(colour) | Self::Flats(colour) => Some(colour),
            Self::Draw => None,
        }
    }
}

/// As PTN has it: `R-0`, `0-R`, `F-0`, `0-F` or `1/2-1/2`.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Road(Colour::White) => "R-0",
            Self::Road(Colour::Black) => "0-R",
            Self::Flats(Colour::White) => "F-0",
            Self::Flats(Colour::Black) => "0-F",
            Self::Draw => "1/2-1/2",
        })
    }
}

impl<S: Size> Board<S> {
    /// How the game has ended, if it has. Looked for in this order: a road of the player who moved, a
    /// road of the other; then flats, if the board is full or a player has no stones in reserve.
    #[inline]
    #[must_use]
    pub fn end(&self) -> Option<End> {
        let turn = self.turn();
        for colour in [turn.other(), turn] {
            if self.has_road(colour) {
                return Some(End::Road(colour));
            }
        }
        self.placing_is_over().then(|| self.flat_result())
    }

    /// Whether the game has ended.
    #[inline]
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.has_road(Colour::White) || self.has_road(Colour::Black) || self.placing_is_over()
    }

    /// Whether flats and capstones of a player join two opposite edges.
    #[inline]
    #[must_use]
    pub fn has_road(&self, colour: Colour) -> bool {
        is_road::<S>(self.road_stones(colour))
    }

    /// Whether the board is full, or a player has no stones left to place.
    #[inline]
    #[must_use]
    pub fn placing_is_over(&self) -> bool {
        self.empty() == 0 || self.reserves.contains(&Reserve { flats: 0, caps: 0 })
    }

    /// Who has more flats, komi counted.
    #[must_use]
    pub fn flat_result(&self) -> End {
        let twice = |colour| 2 * self.flats(colour).count_ones() as i32;
        let (white, black) =
            (twice(Colour::White), twice(Colour::Black) + i32::from(self.komi.half_points()));
        match white.cmp(&black) {
            std::cmp::Ordering::Greater => End::Flats(Colour::White),
            std::cmp::Ordering::Less => End::Flats(Colour::Black),
            std::cmp::Ordering::Equal => End::Draw,
        }
    }
}

/// Whether a set of squares joins two opposite edges.
#[inline]
#[must_use]
pub fn is_road<S: Size>(set: u64) -> bool {
    // Most positions have too few stones, and the rest are mostly missing at an edge.
    set.count_ones() as usize >= S::N
        && (joins::<S>(set, S::BOTTOM, S::TOP) || joins::<S>(set, S::LEFT, S::RIGHT))
}

#[inline]
fn joins<S: Size>(set: u64, one: u64, other: u64) -> bool {
    set & one != 0 && set & other != 0 && fill::<S>(set & one, set) & other != 0
}

/// The squares of a set that can be reached from some of its squares inside the set.
#[inline]
#[must_use]
pub fn fill<S: Size>(from: u64, set: u64) -> u64 {
    let mut reached = from;
    loop {
        let around = Direction::ALL
            .into_iter()
            .fold(reached, |around, direction| around | step::<S>(reached, direction));
        let next = around & set;
        if next == reached {
            return reached;
        }
        reached = next;
    }
}
