//! Slides: a look-up for every row and for every column.

use super::super::pattern::LARGE;
use super::super::rows::slide;
use super::numbering::{Contents, Numbering};
use super::shape::Cells;

/// What sliding does to the lines of a frame's boards, as boards of one mask see it. As boards are
/// known both row by row and column by column, nothing is transposed: a look-up gives what the cells of
/// a line count in the contents of the board afterwards, and those of all lines are added up.
pub struct Slides {
    /// The frame that sees the boards afterwards.
    pub frame: usize,
    /// Whether large tiles stay where they are.
    pub in_place: bool,
    /// For each line, rows from the top and then columns from the left, all that it can hold.
    lines: Vec<Slid>,
    scores: Vec<u32>,
    /// Where each line begins.
    starts: [usize; 8],
}

/// The contents of a line's cells after its slides: towards its first cell, and towards its last one.
#[derive(Clone, Copy, Default)]
struct Slid {
    first: Pair,
    last: Pair,
}

/// Contents as one number, so that both are added up at once.
#[derive(Clone, Copy, Default)]
struct Pair(u64);

impl Pair {
    fn new(contents: Contents) -> Self {
        Self(u64::from(contents.first) | u64::from(contents.second) << 32)
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }

    #[inline(always)]
    fn contents(self) -> Contents {
        Contents { first: self.0 as u32, second: (self.0 >> 32) as u32 }
    }
}

/// What a board's contents say besides. No content is as large.
impl Contents {
    /// Counted for every line in which the tile to reach appears.
    const WON: u32 = 1 << 24;
    /// Counted for every line in which a large tile leaves the mask.
    const ILLEGAL: u32 = 1 << 27;

    /// Whether the large tiles stand on the mask.
    #[inline]
    pub fn is_legal(self) -> bool {
        self.first < Self::ILLEGAL
    }

    /// Whether the tile to reach is there, on a legal board.
    #[inline]
    pub fn is_won(self) -> bool {
        self.first >= Self::WON
    }

    /// Whether it is legal and the tile to reach is not there.
    #[inline]
    pub fn is_plain(self) -> bool {
        self.first < Self::WON
    }
}

impl Slides {
    /// From the boards of a frame to those of a mask, given by its place.
    pub fn new(numbering: &Numbering, from: usize, mask: usize) -> Self {
        let shape = numbering.shape();
        let view = &numbering.views()[mask];
        let lines = Lines {
            base: numbering.base(),
            before: numbering.frames()[from].mask(),
            after: shape.masks()[mask],
            weights: &view.weights,
        };
        let mut slides = Self {
            frame: view.frame,
            in_place: lines.before == lines.after,
            lines: Vec::new(),
            scores: Vec::new(),
            starts: [0; 8],
        };
        for (start, cells) in slides.starts.iter_mut().zip(shape.lines()) {
            *start = slides.lines.len();
            for (slid, score) in lines.slid(&cells) {
                slides.lines.push(slid);
                slides.scores.push(score);
            }
        }
        slides
    }

    /// Those from each frame to each mask.
    pub fn all(numbering: &Numbering) -> Vec<Vec<Self>> {
        let masks = numbering.shape().masks().len();
        let from = |frame| (0..masks).map(|mask| Self::new(numbering, frame, mask)).collect();
        (0..numbering.frames().len()).map(from).collect()
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> u64 {
        (self.lines.len() * (size_of::<Slid>() + size_of::<u32>())) as u64
    }

    /// The contents after each slide: up, right, down, left. Those of the same board where nothing
    /// moves.
    #[inline(always)]
    pub fn boards<const ROWS: usize, const COLUMNS: usize>(
        &self,
        rows: u64,
        columns: u64,
    ) -> [Contents; 4] {
        let [mut up, mut right, mut down, mut left] = [Pair::default(); 4];
        for y in 0..ROWS {
            let slid = &self.lines[self.starts[y] + (rows >> (16 * y) & 0xffff) as usize];
            left = left.plus(slid.first);
            right = right.plus(slid.last);
        }
        for x in 0..COLUMNS {
            let slid = &self.lines[self.starts[ROWS + x] + (columns >> (16 * x) & 0xffff) as usize];
            up = up.plus(slid.first);
            down = down.plus(slid.last);
        }
        [up, right, down, left].map(Pair::contents)
    }

    /// What each slide scores.
    #[inline]
    pub fn scores<const ROWS: usize, const COLUMNS: usize>(
        &self,
        rows: u64,
        columns: u64,
    ) -> [u32; 4] {
        let score = |line: usize, content: u64| {
            self.scores[self.starts[line] + (content & 0xffff) as usize]
        };
        let across = (0..ROWS).map(|y| score(y, rows >> (16 * y))).sum();
        let along = (0..COLUMNS).map(|x| score(ROWS + x, columns >> (16 * x))).sum();
        [along, across, along, across]
    }
}

/// Lines, while they are slid.
struct Lines<'a> {
    base: u32,
    /// The mask that large tiles stand on before, and where they must stand afterwards.
    before: Cells,
    after: Cells,
    /// What a digit of each cell counts afterwards.
    weights: &'a [Contents; 16],
}

impl Lines<'_> {
    /// All that a line with these cells can hold, slid.
    fn slid(&self, cells: &[u8]) -> Vec<(Slid, u32)> {
        let free = cells.iter().filter(|&&cell| !self.is_large(self.before, cell)).count();
        let reverse =
            |line: u16| (0..cells.len()).fold(0, |all, place| all << 4 | line >> (4 * place) & 15);
        let all = 0..self.base.pow(free as u32);
        all.map(|content| {
            let line = self.line(cells, content);
            let (first, score) = slide(line);
            let last = reverse(slide(reverse(line)).0);
            let [first, last] = [first, last].map(|line| Pair::new(self.contents(cells, line)));
            (Slid { first, last }, score)
        })
        .collect()
    }

    fn is_large(&self, mask: Cells, cell: u8) -> bool {
        mask >> cell & 1 == 1
    }

    /// The tiles of a line with this content on its free cells.
    fn line(&self, cells: &[u8], content: u32) -> u16 {
        let (mut line, mut rest) = (0, content);
        for (place, &cell) in cells.iter().enumerate() {
            let tile = if self.is_large(self.before, cell) {
                LARGE.into()
            } else {
                let digit = rest % self.base;
                rest /= self.base;
                digit
            };
            line |= (tile as u16) << (4 * place);
        }
        line
    }

    /// What the cells of a slid line count.
    fn contents(&self, cells: &[u8], line: u16) -> Contents {
        let mut contents = Contents::default();
        for (place, &cell) in cells.iter().enumerate() {
            let tile = u32::from(line >> (4 * place) & 15);
            let is_large = self.before != 0 && tile == u32::from(LARGE);
            if is_large != self.is_large(self.after, cell) {
                return Contents { first: Contents::ILLEGAL, second: 0 };
            }
            if is_large {
                continue;
            }
            if tile >= self.base {
                contents.first |= Contents::WON;
                continue;
            }
            let weight = self.weights[usize::from(cell)];
            contents.first += tile * weight.first;
            contents.second += tile * weight.second;
        }
        if contents.first & Contents::WON != 0 {
            contents = Contents { first: Contents::WON, second: 0 };
        }
        contents
    }
}

#[cfg(test)]
mod tests {
    use super::super::numbering::{Cursor, Numbers};
    use super::super::shape::Shape;
    use super::*;
    use crate::games::twenty48::{Board, Pattern, Size};
    use crate::random::SplitMix64;

    fn check<const ROWS: usize, const COLUMNS: usize>(
        shape: Shape,
        legal: impl Fn(Board) -> [Option<(Board, u32)>; 4],
    ) {
        let numbering = Numbering::new(shape, 6).unwrap();
        let slides = Slides::all(&numbering);
        let mut random = SplitMix64::new(7);
        let mut counts = [0; 3];
        let mut numbers = Numbers::default();
        for turn in 0..4000 {
            // Another layer now and then; some have no boards.
            while turn % 100 == 0 || numbers.len() == 0 {
                let half = random.below(numbering.lengths().len() as u64) as u32;
                numbering.number_layer(2 * half, &mut numbers);
                if numbers.len() > 0 {
                    break;
                }
            }
            let number = random.below(numbers.len() as u64) as usize;
            let place = Cursor::new(&numbering, &numbers, number).place(number);
            let board = numbering.board(place);
            let frame = &numbering.frames()[place.frame];
            let (first, second) = (frame.first[place.first], frame.second[place.second]);
            let (rows, columns) = (first.rows + second.rows, first.columns + second.columns);
            let own = Contents { first: first.number, second: second.number };
            let all = legal(board);
            for (direction, expected) in all.into_iter().enumerate() {
                let found = slides[place.frame].iter().filter_map(|slides| {
                    let after = slides.boards::<ROWS, COLUMNS>(rows, columns)[direction];
                    let score = slides.scores::<ROWS, COLUMNS>(rows, columns)[direction];
                    let moved = after != own || !slides.in_place;
                    (after.is_legal() && moved).then_some((slides.frame, after, score))
                });
                let found: Vec<_> = found.collect();
                match expected {
                    None => assert!(found.is_empty(), "{board} {direction}"),
                    Some((after, score)) => {
                        let [(frame, contents, scored)] = found[..] else { panic!("{board}") };
                        assert_eq!(scored, score, "{board} {direction}");
                        assert_eq!(contents.is_won(), has_target(after), "{board} {direction}");
                        if !contents.is_won() {
                            assert_eq!(numbering.contents(after), Some((frame, contents)));
                        }
                        counts[usize::from(contents.is_won())] += 1;
                    }
                }
                counts[2] += usize::from(expected.is_none());
            }
        }
        assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
    }

    /// Whether there is a tile of exponent 6 or more that is not large.
    fn has_target(board: Board) -> bool {
        (0..16).any(|cell| (6..u64::from(LARGE)).contains(&(board.0 >> (4 * cell) & 15)))
    }

    fn check_board<const ROWS: usize, const COLUMNS: usize>(size: &str) {
        let size: Size = size.parse().unwrap();
        check::<ROWS, COLUMNS>(Shape::board(size), |board| board.slides(size));
    }

    #[test]
    fn slides_are_those_of_the_board() {
        check_board::<2, 3>("2x3");
        check_board::<2, 4>("2x4");
        check_board::<3, 2>("3x2");
        check_board::<4, 2>("4x2");
        check_board::<3, 3>("3x3");
        check_board::<3, 4>("3x4");
        check_board::<4, 3>("4x3");
    }

    #[test]
    fn slides_are_those_of_the_pattern() {
        let two = "two ..../F..F/F..F/F..F ..../.FFF/..../.FFF 0,0,0,0/F,0,0,F/F,0,0,F/F,0,2,F";
        for name in ["L3", "442", "t", "44", "4421", "LL", two] {
            let pattern = Pattern::named(name).unwrap();
            check::<4, 4>(Shape::pattern(&pattern).unwrap(), |board| {
                let scored =
                    board.slides(Size::FULL).map(|slid| slid.map_or(0, |(_, score)| score));
                let legal = pattern.slides(board);
                std::array::from_fn(|at| legal[at].map(|after| (after, scored[at])))
            });
        }
    }
}
