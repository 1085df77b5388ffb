//! The board: the stones on top as sets of squares, what lies below them as bits a square.

use super::komi::Komi;
use super::size::{Size, Stack};

/// The two players, and the colours of their stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Colour {
    /// Who moves first.
    White = 0,
    /// Who moves second.
    Black = 1,
}

impl Colour {
    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// The name: `white` or `black`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
        }
    }
}

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// The kinds of stones on top of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Part of roads, can be covered, counts at the end.
    Flat = 0,
    /// A wall: part of no road, can only be flattened by a capstone.
    Standing = 1,
    /// Part of roads, cannot be covered, flattens walls.
    Capstone = 2,
}

/// Stones that a player has not placed yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Reserve {
    /// Flats, which can be placed standing.
    pub flats: u8,
    /// Capstones.
    pub caps: u8,
}

/// What can be set: the stones that each player begins with, and the points that Black gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The reserve of each player.
    pub reserve: Reserve,
    /// What is added to Black's flats when they are counted.
    pub komi: Komi,
}

impl Rules {
    /// The usual rules of a size: no komi.
    #[must_use]
    pub const fn usual<S: Size>() -> Self {
        let (flats, caps) = match S::N {
            3 => (10, 0),
            4 => (15, 0),
            5 => (21, 1),
            6 => (30, 1),
            7 => (40, 2),
            _ => (50, 2),
        };
        Self { reserve: Reserve { flats, caps }, komi: Komi::ZERO }
    }

    /// Checks that there are stones to begin with, and that all of them fit one stack.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn check<S: Size>(&self) -> Result<(), String> {
        let (n, most) = (S::N, S::Stack::STONES / 2);
        let Reserve { flats, caps } = self.reserve;
        if flats == 0 {
            return Err("each player needs a flat at least, found 0 flats".into());
        }
        if u32::from(flats) + u32::from(caps) > most {
            return Err(format!(
                "on {n}x{n} a player has at most {most} stones, found {flats} flats and {caps} capstones"
            ));
        }
        Ok(())
    }
}

/// A stack as it lies on a square, its top apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pile<T> {
    /// Whose it is.
    pub colour: Colour,
    /// The stone on top.
    pub kind: Kind,
    /// How many stones there are, the top among them.
    pub height: u8,
    /// The colours of those below the top, the lowest bit next to it, black 1.
    pub below: T,
}

/// A player does not have the stones that a stack is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchStones {
    /// Whose stones there are too many of.
    pub colour: Colour,
    /// Which of them: flats, standing or not, or capstones.
    pub kind: Kind,
}

/// A position: the board, the stones in reserve, the ply.
///
/// Four sets of squares tell what is on top: whose stone, and if it stands or is a capstone. A height
/// and the colours below the top are stored for every square; of an empty one both are 0.
///
/// In the first two plies each player places a flat of the other's. A board has fewer than two stones
/// in these plies and in no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board<S: Size> {
    pub(super) colours: [u64; 2],
    pub(super) standing: u64,
    pub(super) caps: u64,
    pub(super) heights: S::PerSquare<u8>,
    pub(super) stacks: S::PerSquare<S::Stack>,
    pub(super) reserves: [Reserve; 2],
    pub(super) ply: u32,
    pub(super) komi: Komi,
}

impl<S: Size> Board<S> {
    /// The empty board.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            colours: [0; 2],
            standing: 0,
            caps: 0,
            heights: S::per_square(0),
            stacks: S::per_square(S::Stack::default()),
            reserves: [rules.reserve; 2],
            ply: 0,
            komi: rules.komi,
        }
    }

    /// The squares whose top is of a colour.
    #[inline]
    #[must_use]
    pub fn tops(&self, colour: Colour) -> u64 {
        self.colours[colour as usize]
    }

    /// The squares with a standing stone on top.
    #[inline]
    #[must_use]
    pub fn standing(&self) -> u64 {
        self.standing
    }

    /// The squares with a capstone on top.
    #[inline]
    #[must_use]
    pub fn caps(&self) -> u64 {
        self.caps
    }

    /// The squares without a stone.
    #[inline]
    #[must_use]
    pub fn empty(&self) -> u64 {
        S::ALL & !(self.colours[0] | self.colours[1])
    }

    /// The squares that count for a player's roads: flats and capstones.
    #[inline]
    #[must_use]
    pub fn road_stones(&self, colour: Colour) -> u64 {
        self.tops(colour) & !self.standing
    }

    /// The squares that count for a player at the end: flats on top.
    #[inline]
    #[must_use]
    pub fn flats(&self, colour: Colour) -> u64 {
        self.tops(colour) & !(self.standing | self.caps)
    }

    /// How many stones lie on each square, the top among them.
    #[inline]
    #[must_use]
    pub fn heights(&self) -> &[u8] {
        self.heights.as_ref()
    }

    /// The colours below the top of each square, the lowest bit next to it, black 1.
    #[inline]
    #[must_use]
    pub fn stacks(&self) -> &[S::Stack] {
        self.stacks.as_ref()
    }

    /// What lies on a square, if anything does.
    #[must_use]
    pub fn pile(&self, square: usize) -> Option<Pile<S::Stack>> {
        let bit = 1 << square;
        let colour = match (self.colours[0] & bit != 0, self.colours[1] & bit != 0) {
            (true, _) => Colour::White,
            (_, true) => Colour::Black,
            _ => return None,
        };
        let kind = match (self.standing & bit != 0, self.caps & bit != 0) {
            (true, _) => Kind::Standing,
            (_, true) => Kind::Capstone,
            _ => Kind::Flat,
        };
        let (height, below) = (self.heights()[square], self.stacks()[square]);
        Some(Pile { colour, kind, height, below })
    }

    /// Puts a stack on an empty square. Its stones come from the reserves.
    ///
    /// # Errors
    /// When a player does not have them. The board is left as it was.
    pub fn put(&mut self, square: usize, pile: Pile<S::Stack>) -> Result<(), NoSuchStones> {
        let stones = pile.below << 1 | (pile.colour as u8).into();
        let black = stones.into().count_ones() as u8;
        let mut reserves = self.reserves;
        for (colour, count) in [(Colour::White, pile.height - black), (Colour::Black, black)] {
            let caps = u8::from(pile.kind == Kind::Capstone && colour == pile.colour);
            let reserve = &mut reserves[colour as usize];
            let flats = reserve.flats.checked_sub(count - caps);
            reserve.flats = flats.ok_or(NoSuchStones { colour, kind: Kind::Flat })?;
            let caps = reserve.caps.checked_sub(caps);
            reserve.caps = caps.ok_or(NoSuchStones { colour, kind: Kind::Capstone })?;
        }
        self.reserves = reserves;
        self.set_stones(square, stones, pile.height);
        match pile.kind {
            Kind::Flat => {}
            Kind::Standing => self.standing |= 1 << square,
            Kind::Capstone => self.caps |= 1 << square,
        }
        Ok(())
    }

    /// Sets how many moves were made. It is 0 for a board without stones, 1 for one with one stone, a
    /// black flat, and 2 or more for others.
    pub fn set_ply(&mut self, ply: u32) {
        self.ply = ply;
    }

    /// The colours of all stones on a square, the top in the lowest bit.
    #[inline]
    pub(super) fn stones(&self, square: usize) -> S::Stack {
        let top = (self.colours[1] >> square) as u8 & 1;
        self.stacks()[square] << 1 | top.into()
    }

    /// Sets the stones on a square, the top in the lowest bit. If it stands or is a capstone is left
    /// as it is.
    #[inline]
    pub(super) fn set_stones(&mut self, square: usize, stones: S::Stack, height: u8) {
        let black = u64::from(stones.low_byte() & 1);
        let any = u64::from(height != 0);
        let others = !(1 << square);
        self.colours[0] = self.colours[0] & others | (any & !black) << square;
        self.colours[1] = self.colours[1] & others | black << square;
        self.stacks.as_mut()[square] = stones >> 1;
        self.heights.as_mut()[square] = height;
    }

    /// The stones that a player has not placed yet.
    #[inline]
    #[must_use]
    pub fn reserve(&self, colour: Colour) -> Reserve {
        self.reserves[colour as usize]
    }

    /// How many moves were made before this position.
    #[inline]
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Whose turn it is.
    #[inline]
    #[must_use]
    pub fn turn(&self) -> Colour {
        if self.ply.is_multiple_of(2) { Colour::White } else { Colour::Black }
    }

    /// Whether the next move places a flat of the opponent's.
    #[inline]
    #[must_use]
    pub fn is_opening(&self) -> bool {
        self.ply < 2
    }

    /// What is added to Black's flats when they are counted.
    #[inline]
    #[must_use]
    pub fn komi(&self) -> Komi {
        self.komi
    }
}
