//! Roads that one move completes, found on sets of squares without making the moves.

use crate::games::tak::board::{Board, Colour, Kind};
use crate::games::tak::ends::{fill, is_road};
use crate::games::tak::moves::{Move, drop_counts, squares};
use crate::games::tak::size::{Direction, Size, step};

/// A set and the squares next to it.
#[inline]
fn grown<S: Size>(set: u64) -> u64 {
    Direction::ALL.into_iter().fold(set, |grown, direction| grown | step::<S>(set, direction))
}

/// The squares that join two opposite edges if they are added to a set, one of them.
#[inline]
fn joining<S: Size>(set: u64) -> u64 {
    let from = |edge| edge | grown::<S>(fill::<S>(set & edge, set));
    from(S::LEFT) & from(S::RIGHT) | from(S::BOTTOM) & from(S::TOP)
}

/// How a player would complete a road if it was his turn.
pub(super) struct Threats {
    /// The empty squares where a stone does.
    pub squares: u64,
    /// A slide that does, looked for if no stone would.
    pub slide: Option<Move>,
}

impl Threats {
    pub const NONE: Self = Self { squares: 0, slide: None };

    pub fn any(&self) -> bool {
        self.squares != 0 || self.slide.is_some()
    }
}

/// How a player would complete a road if it was his turn, whosever it is. Not for the opening.
pub(super) fn threats<S: Size>(board: &Board<S>, colour: Colour) -> Threats {
    let squares = joining_squares(board, colour);
    let slide = if squares == 0 { completing_slide(board, colour) } else { None };
    Threats { squares, slide }
}

/// Whether a player would complete a road if it was his turn.
pub(super) fn threatens<S: Size>(board: &Board<S>, colour: Colour) -> bool {
    joining_squares(board, colour) != 0 || completing_slide(board, colour).is_some()
}

/// The empty squares where a player's stone would complete a road.
#[inline]
pub(super) fn joining_squares<S: Size>(board: &Board<S>, colour: Colour) -> u64 {
    let (road, reserve) = (board.road_stones(colour), board.reserve(colour));
    let enough = road.count_ones() as usize + 1 >= S::N && reserve.flats + reserve.caps > 0;
    if enough { joining::<S>(road) & board.empty() } else { 0 }
}

/// A slide of a player's that completes a road.
pub(super) fn completing_slide<S: Size>(board: &Board<S>, colour: Colour) -> Option<Move> {
    let road = board.road_stones(colour);
    squares(board.tops(colour)).find_map(|from| {
        Direction::ALL.into_iter().find_map(|direction| {
            let line = Line::new(board, colour, from, direction);
            if line.carried == 0 || !is_road::<S>(line.most(road)) {
                return None;
            }
            let patterns = 1..=u8::MAX >> (8 - line.carried);
            patterns
                .filter(|&drops| line.allows(drops) && is_road::<S>(line.after(road, drops)))
                .map(|drops| Move::slide(from, direction, drops))
                .next()
        })
    })
}

/// The slides of a stack in a direction.
struct Line {
    from: usize,
    delta: isize,
    /// The most stones that can be carried, 0 if there is no way to go.
    carried: u8,
    /// How many squares can be dropped on.
    free: u32,
    /// Whether the square behind these is a wall that the top can flatten.
    crush: bool,
    /// Which stones of the stack are the player's, the top in the lowest bit.
    own: u16,
    /// Whether the top counts for roads.
    top: bool,
}

impl Line {
    #[inline]
    fn new<S: Size>(
        board: &Board<S>,
        colour: Colour,
        from: usize,
        direction: Direction,
    ) -> Self {
        let height = board.heights()[from];
        let hand = usize::from(height).min(S::N) as u8;
        let blocked = board.standing() | board.caps();
        let (mut free, mut next) = (0, step::<S>(1 << from, direction));
        while next & !blocked != 0 && free < u32::from(hand) {
            free += 1;
            next = step::<S>(next, direction);
        }
        let crush = free < u32::from(hand)
            && board.caps() >> from & 1 != 0
            && next & board.standing() != 0;
        let stones: u128 = (board.stacks()[from] << 1).into();
        let black = stones as u16 | u16::from(colour == Colour::Black);
        let there = (1_u32 << (height.min(15))) - 1;
        let own = (if colour == Colour::Black { black } else { !black }) & there as u16;
        Self {
            from,
            delta: direction.delta::<S>(),
            carried: if free == 0 && !crush { 0 } else { hand },
            free,
            crush,
            own,
            top: board.standing() >> from & 1 == 0,
        }
    }

    /// Whether the rules have a slide with this pattern of drops.
    #[inline]
    fn allows(&self, drops: u8) -> bool {
        let passed = drops.count_ones();
        let alone = drops == 1 || (drops << drops.leading_zeros()) & 0x40 != 0;
        passed <= self.free || self.crush && passed == self.free + 1 && alone
    }

    /// The player's road stones after any of the slides, and perhaps more.
    #[inline]
    fn most(&self, road: u64) -> u64 {
        let mut most = road & !(1 << self.from) | u64::from(self.own >> 1 != 0) << self.from;
        let mut square = self.from;
        for _ in 0..self.free + u32::from(self.crush) {
            square = square.wrapping_add_signed(self.delta);
            most |= 1 << square;
        }
        most
    }

    /// The player's road stones after a slide.
    #[inline]
    fn after(&self, road: u64, drops: u8) -> u64 {
        let mut carried = 8 - drops.leading_zeros();
        let mut after = road & !(1 << self.from) | u64::from(self.own >> carried & 1) << self.from;
        let mut square = self.from;
        for count in drop_counts(drops) {
            square = square.wrapping_add_signed(self.delta);
            carried -= u32::from(count);
            let counts = self.own >> carried & 1 != 0 && (carried != 0 || self.top);
            after = after & !(1 << square) | u64::from(counts) << square;
        }
        after
    }
}

/// Whether a move can add to the roads of the one who makes it. A wall cannot: it only blocks what
/// could be entered before, also by a capstone.
#[inline]
pub(super) fn may_threaten(mv: Move) -> bool {
    mv.kind() != Some(Kind::Standing)
}
