//! Slides: a look-up for every row and for every column.

use super::super::rows::slide;
use super::super::{Board, Size};
use super::numbering::{Layout, Packed};

/// What sliding does to the lines of a board. As boards are known both row by row and column by
/// column, nothing is transposed: a look-up gives a line's cells where they stand in the layout.
pub struct Slides {
    /// For each line, rows from the top and then columns from the left, all that it can hold.
    lines: Vec<Slid>,
    /// Bits of the longest line.
    line_bits: u32,
}

/// A line after its slides: towards its first cell and towards its last one.
#[derive(Clone, Copy, Default)]
struct Slid {
    first: Packed,
    last: Packed,
    score: u32,
}

impl Slides {
    pub fn new(size: Size) -> Self {
        let (rows, columns) = (size.rows(), size.columns());
        let row = |y: u8| (0..columns).map(|x| (x, y)).collect::<Vec<_>>();
        let column = |x: u8| (0..rows).map(|y| (x, y)).collect::<Vec<_>>();
        let lines = (0..rows).map(row).chain((0..columns).map(column));
        let layout = Layout::new(size);
        let line_bits = 4 * u32::from(rows.max(columns));
        let mut all = Vec::new();
        for (number, cells) in lines.enumerate() {
            all.resize(number << line_bits, Slid::default());
            all.extend(line(&layout, &cells));
        }
        Self { lines: all, line_bits }
    }

    /// Bytes of memory that it takes.
    pub fn bytes(&self) -> u64 {
        (self.lines.len() * size_of::<Slid>()) as u64
    }

    /// The board after each slide: up, right, down, left. The same board where nothing moves.
    #[inline]
    pub fn boards<const ROWS: usize, const COLUMNS: usize>(
        &self,
        rows: u64,
        columns: u64,
    ) -> [Packed; 4] {
        let [mut up, mut right, mut down, mut left] = [0; 4];
        for y in 0..ROWS {
            let slid = self.line(y, rows, COLUMNS, y);
            left |= slid.first;
            right |= slid.last;
        }
        for x in 0..COLUMNS {
            let slid = self.line(ROWS + x, columns, ROWS, x);
            up |= slid.first;
            down |= slid.last;
        }
        [up, right, down, left]
    }

    /// What each slide scores.
    #[inline]
    pub fn scores<const ROWS: usize, const COLUMNS: usize>(
        &self,
        rows: u64,
        columns: u64,
    ) -> [u32; 4] {
        let across = (0..ROWS).map(|y| self.line(y, rows, COLUMNS, y).score).sum();
        let along = (0..COLUMNS).map(|x| self.line(ROWS + x, columns, ROWS, x).score).sum();
        [along, across, along, across]
    }

    /// The line with this number, which is the one at `place` of so many cells each.
    #[inline]
    fn line(&self, number: usize, lines: u64, cells: usize, place: usize) -> &Slid {
        let line = lines >> (4 * cells * place) & ((1 << (4 * cells)) - 1);
        &self.lines[number << self.line_bits | line as usize]
    }
}

/// All that a line with these cells can hold, slid.
fn line(layout: &Layout, cells: &[(u8, u8)]) -> Vec<Slid> {
    let count = cells.len();
    let put = |line: u16| {
        let tiles = cells.iter().enumerate();
        layout.pack(tiles.fold(Board::default(), |board, (place, &(x, y))| {
            board.put(4 * y + x, (line >> (4 * place) & 15) as u8)
        }))
    };
    let reverse = |line: u16| (0..count).fold(0, |all, place| all << 4 | line >> (4 * place) & 15);
    let all = 0..=u16::MAX >> (16 - 4 * count);
    all.map(|line| {
        let (first, score) = slide(line);
        Slid { first: put(first), last: put(reverse(slide(reverse(line)).0)), score }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::dense::numbering::{Layout, line_of};
    use crate::random::SplitMix64;

    fn check<const ROWS: usize, const COLUMNS: usize>(size: &str) {
        let size: Size = size.parse().unwrap();
        let (slides, layout) = (Slides::new(size), Layout::new(size));
        let mut random = SplitMix64::new(7);
        for _ in 0..20_000 {
            let tiles = random.next() & random.next() & size.mask();
            let board = Board(tiles);
            let (rows, columns) = (line_of(board, size, false), line_of(board, size, true));
            let boards = slides.boards::<ROWS, COLUMNS>(rows, columns);
            let scores = slides.scores::<ROWS, COLUMNS>(rows, columns);
            for (place, slid) in board.slides(size).into_iter().enumerate() {
                let found = (boards[place] != layout.pack(board))
                    .then(|| (layout.unpack(boards[place]), scores[place]));
                assert_eq!(found, slid, "{board} {place}");
            }
        }
    }

    #[test]
    fn slides_are_those_of_the_board() {
        check::<2, 2>("2x2");
        check::<2, 3>("2x3");
        check::<2, 4>("2x4");
        check::<3, 2>("3x2");
        check::<4, 2>("4x2");
        check::<3, 3>("3x3");
    }
}
