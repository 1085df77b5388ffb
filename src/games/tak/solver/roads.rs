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

/// Where roads can be joined: the squares of each edge, with what is next to stones that lead to it.
struct Ends {
    left: u64,
    right: u64,
    bottom: u64,
    top: u64,
}

impl Ends {
    #[inline]
    fn new<S: Size>(road: u64) -> Self {
        let from = |edge| edge | grown::<S>(fill::<S>(road & edge, road));
        Self {
            left: from(S::LEFT),
            right: from(S::RIGHT),
            bottom: from(S::BOTTOM),
            top: from(S::TOP),
        }
    }

    /// The squares that complete a road if one of them is added.
    #[inline]
    fn joining(&self) -> u64 {
        self.left & self.right | self.bottom & self.top
    }

    /// Whether some squares that are added together may complete a road. A road through new squares
    /// comes to the first of them from one edge, and leaves the last for the other.
    #[inline]
    fn may_join(&self, added: u64) -> bool {
        added & self.left != 0 && added & self.right != 0
            || added & self.bottom != 0 && added & self.top != 0
    }
}

/// How a player would complete a road if it was his turn.
pub(super) struct Threats {
    /// The empty squares where a stone does.
    pub squares: u64,
    /// Whether a slide does, looked for if no stone would.
    pub slide: bool,
}

impl Threats {
    pub const NONE: Self = Self { squares: 0, slide: false };

    /// How a player would complete a road if it was his turn, whosever it is. There is none on the
    /// board, and the opening is over.
    pub fn new<S: Size>(board: &Board<S>, colour: Colour) -> Self {
        let (road, reserve) = (board.road_stones(colour), board.reserve(colour));
        let ends = Ends::new::<S>(road);
        let has_stones = reserve.flats + reserve.caps > 0;
        let squares = if has_stones { ends.joining() & board.empty() } else { 0 };
        Self { squares, slide: squares == 0 && slide_completes(board, colour, &ends) }
    }

    pub fn any(&self) -> bool {
        self.squares != 0 || self.slide
    }
}

/// Whether a player would complete a road if it was his turn.
pub(super) fn threatens<S: Size>(board: &Board<S>, colour: Colour) -> bool {
    Threats::new(board, colour).any()
}

/// Whether a slide of a player's completes a road.
#[inline]
fn slide_completes<S: Size>(board: &Board<S>, colour: Colour, ends: &Ends) -> bool {
    let road = board.road_stones(colour);
    // A single stone can only complete a road where one that is added does.
    let entered =
        ends.joining() & !(board.caps() | board.standing() & !next_to_caps(board, colour));
    let movable = grown::<S>(entered) & road;
    squares(board.tops(colour)).any(|from| {
        if board.heights()[from] == 1 && movable >> from & 1 == 0 {
            return false;
        }
        // One by one, so that each is compiled with its own shifts.
        let slide = Slide { road, ends, from };
        slide.completes(board, colour, Direction::Up)
            || slide.completes(board, colour, Direction::Right)
            || slide.completes(board, colour, Direction::Down)
            || slide.completes(board, colour, Direction::Left)
    })
}

/// A stack that may complete a road.
struct Slide<'a> {
    road: u64,
    ends: &'a Ends,
    from: usize,
}

impl Slide<'_> {
    /// Whether it does in a direction.
    #[inline(always)]
    fn completes<S: Size>(&self, board: &Board<S>, colour: Colour, direction: Direction) -> bool {
        let line = Line::new(board, self.from, direction);
        if !self.ends.may_join(line.squares) {
            return false;
        }
        let stack = Stack::new(board, colour, self.from);
        let mut patterns = 1..=u8::MAX >> (8 - line.hand);
        patterns.any(|drops| {
            line.allows(drops) && {
                let after = stack.after(self.road, &line, drops);
                self.ends.may_join(after & !self.road) && is_road::<S>(after)
            }
        })
    }
}

/// The squares next to a player's capstones.
#[inline]
fn next_to_caps<S: Size>(board: &Board<S>, colour: Colour) -> u64 {
    grown::<S>(board.caps() & board.tops(colour))
}

/// The slides of a stack in a direction.
struct Line {
    from: usize,
    delta: isize,
    /// The most stones that can be carried.
    hand: u32,
    /// How many squares can be dropped on.
    free: u32,
    /// Whether the square behind these is a wall that the top can flatten.
    crush: bool,
    /// The squares that may count for a road after a slide, and may not have before.
    squares: u64,
}

impl Line {
    #[inline]
    fn new<S: Size>(board: &Board<S>, from: usize, direction: Direction) -> Self {
        let hand = u32::from(board.heights()[from]).min(S::N as u32);
        let blocked = board.standing() | board.caps();
        // Below a wall may be what counts.
        let mut squares = board.standing() & 1 << from;
        let (mut free, mut next) = (0, step::<S>(1 << from, direction));
        while next & !blocked != 0 && free < hand {
            free += 1;
            squares |= next;
            next = step::<S>(next, direction);
        }
        let crush = free < hand && board.caps() >> from & 1 != 0 && next & board.standing() != 0;
        if crush {
            squares |= next;
        }
        Self { from, delta: direction.delta::<S>(), hand, free, crush, squares }
    }

    /// Whether the rules have a slide with this pattern of drops.
    #[inline]
    fn allows(&self, drops: u8) -> bool {
        let passed = drops.count_ones();
        let alone = drops == 1 || (drops << drops.leading_zeros()) & 0x40 != 0;
        passed <= self.free || self.crush && passed == self.free + 1 && alone
    }
}

/// What of a stack counts for roads.
struct Stack {
    /// Which of the stones that can be carried, and of the next, are the player's, the top in the
    /// lowest bit.
    own: u16,
    /// Whether the top counts for roads.
    top: bool,
}

impl Stack {
    #[inline]
    fn new<S: Size>(board: &Board<S>, colour: Colour, from: usize) -> Self {
        let below: u128 = board.stacks()[from].into();
        let black = (below << 1) as u16 | colour as u16;
        let there = u16::MAX >> (16 - board.heights()[from].min(16));
        let own = (if colour == Colour::Black { black } else { !black }) & there;
        Self { own, top: board.standing() >> from & 1 == 0 }
    }

    /// The player's road stones after a slide.
    #[inline]
    fn after(&self, road: u64, line: &Line, drops: u8) -> u64 {
        let mut carried = 8 - drops.leading_zeros();
        let mut square = line.from;
        let mut after = road & !(1 << square) | u64::from(self.own >> carried & 1) << square;
        for count in drop_counts(drops) {
            square = square.wrapping_add_signed(line.delta);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::tak::board::Rules;
    use crate::games::tak::size::Grid;
    use crate::random::SplitMix64;

    /// Compares on the positions of random games. Answers how many roads only slides completed.
    fn compare<S: Size>(games: usize, random: &mut SplitMix64) -> usize {
        let mut by_slides = 0;
        for _ in 0..games {
            let mut board = Board::<S>::new(Rules::usual::<S>());
            let mut moves = Vec::new();
            while !board.is_over() && board.ply() < 150 {
                moves.clear();
                board.push_moves(&mut moves);
                if !board.is_opening() {
                    let completes = |mv: &&Move| {
                        let mut after = board;
                        after.make(**mv);
                        after.has_road(board.turn())
                    };
                    let found: Vec<&Move> = moves.iter().filter(completes).collect();
                    let placed = found.iter().filter(|mv| !mv.is_slide());
                    let squares = placed.fold(0, |set, mv| set | 1 << mv.square());
                    let threats = Threats::new(&board, board.turn());
                    assert_eq!(threats.squares, squares, "{board}");
                    assert_eq!(threats.any(), !found.is_empty(), "{board}");
                    by_slides += usize::from(squares == 0 && !found.is_empty());
                }
                // Slides as often as stones: stacks grow, and walls are met.
                let slides = random.below(2) == 0;
                let some: Vec<Move> =
                    moves.iter().copied().filter(|mv| mv.is_slide() == slides).collect();
                let some = if some.is_empty() { &moves } else { &some };
                board.make(some[random.below(some.len() as u64) as usize]);
            }
        }
        by_slides
    }

    #[test]
    fn roads_are_those_that_moves_complete() {
        let mut random = SplitMix64::new(1);
        let by_slides = compare::<Grid<3>>(2000, &mut random)
            + compare::<Grid<4>>(500, &mut random)
            + compare::<Grid<5>>(150, &mut random)
            + compare::<Grid<6>>(80, &mut random)
            + compare::<Grid<8>>(20, &mut random);
        assert!(by_slides > 100, "{by_slides}");
    }
}
