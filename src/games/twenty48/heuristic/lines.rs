//! Heuristics that value each line by itself: a look-up for every row and every column.

use std::sync::Arc;

use super::Evaluation;
use super::one_by_one::OneByOne;
use crate::games::twenty48::round::{
    Afterstate, Cases, LANES, LastRound, Machine, SlidLines, Slides, Tiles, Valuation, lanes, line,
};
use crate::games::twenty48::{Board, Size};

/// What each of the 65,536 lines is worth.
type Table = Arc<[f32; 1 << 16]>;

/// A heuristic by lines.
pub(in crate::games::twenty48) struct Lines {
    /// The worth of rows, then of columns. On a square board the two are one.
    tables: [Table; 2],
    /// What the lines outside of a smaller board are worth by the tables, to be taken off.
    outside: f32,
    /// What a largest tile in a corner is worth.
    corner: f32,
    /// The corners of the board, then of the board with rows and columns exchanged.
    corners: [u64; 2],
    /// For full boards, if corners are worth nothing.
    cases: Option<ByCase>,
}

impl Lines {
    /// An empty cell is worth `open`, each line whose largest tile is at one of its ends `edge`.
    pub fn edges(size: Size, open: f64, edge: f64) -> Self {
        Self::new(size, 0.0, |line| {
            let largest = line.iter().max().copied().unwrap_or(0);
            let at_edge = largest > 0 && [line.first(), line.last()].contains(&Some(&largest));
            // Every cell is in a row and in a column.
            open / 2.0 * empty(line) + if at_edge { edge } else { 0.0 }
        })
    }

    /// A tile is worth its number times `tiles`, an empty cell `open`. For each step of exponents
    /// between neighbouring tiles `smoothness` is taken off; and in each line `monotonicity` for
    /// each such step up or down, whichever are fewer.
    pub fn sum(size: Size, [tiles, open, smoothness, monotonicity]: [f64; 4], corner: f64) -> Self {
        Self::new(size, corner, |line| {
            let there: Vec<i32> = line.iter().filter(|&&it| it > 0).map(|&it| it.into()).collect();
            let sum: f64 = there.iter().map(|&exponent| f64::from(1 << exponent)).sum();
            let steps = there.windows(2).map(|pair| f64::from(pair[1] - pair[0]));
            let (up, down) = steps
                .fold((0.0, 0.0), |(up, down), step| (up + step.max(0.0), down - step.min(0.0)));
            (tiles * sum + open * empty(line)) / 2.0
                - smoothness * (up + down)
                - monotonicity * up.min(down)
        })
    }

    fn new(size: Size, corner: f64, worth: impl Fn(&[u8]) -> f64) -> Self {
        let table = |length: u8| -> Table {
            let worth = |line: usize| {
                let cells: [u8; 4] = std::array::from_fn(|x| (line >> (4 * x) & 15) as u8);
                worth(&cells[..length.into()])
            };
            let worth: Vec<f64> = (0..1 << 16).map(worth).collect();
            let least = worth.iter().copied().fold(0.0, f64::min);
            let worth: Arc<[f32]> = worth.iter().map(|&worth| (worth - least) as f32).collect();
            worth.try_into().expect("as many as lines")
        };
        let rows = table(size.columns());
        let columns = if size.is_square() { rows.clone() } else { table(size.rows()) };
        let outside =
            f32::from(4 - size.rows()) * rows[0] + f32::from(4 - size.columns()) * columns[0];
        let corners = |rows: u8, columns: u8| {
            let ends = 0xf | 0xf << (4 * (columns - 1));
            ends | ends << (16 * (rows - 1))
        };
        let corners = [corners(size.rows(), size.columns()), corners(size.columns(), size.rows())];
        let cases = (size == Size::FULL && corner == 0.0).then(|| ByCase::new(rows.clone()));
        Self { tables: [rows, columns], outside, corner: corner as f32, corners, cases }
    }
}

impl Evaluation for Lines {
    const SCORES: bool = false;
    const FORESEES: bool = false;
    type Memory = ();

    fn memory(&self) {}

    #[inline(always)]
    fn without<const AXIS: usize>(&self, along: u64, y: usize) -> f32 {
        let worth = |other: usize| self.tables[AXIS][usize::from(line(along, (y + other) & 3))];
        worth(1) + worth(2) + worth(3) - self.outside
    }

    #[inline(always)]
    fn with<const AXIS: usize>(&self, along: u64, across: u64, y: usize, (): &mut ()) -> f32 {
        let worth = |axis: usize, lines, y| self.tables[axis][usize::from(line(lines, y))];
        let crossing = |x| worth(1 - AXIS, across, x);
        let crossing = (crossing(0) + crossing(1)) + (crossing(2) + crossing(3));
        let in_corner = || {
            let corners = along & self.corners[AXIS];
            Board(corners).highest() == Board(along).highest()
        };
        let corner = if self.corner != 0.0 && in_corner() { self.corner } else { 0.0 };
        worth(AXIS, along, y) + crossing + corner
    }

    #[inline]
    fn last_round(&self, round: &LastRound, after: Afterstate, memory: &mut ()) -> [f64; 2] {
        match &self.cases {
            Some(cases) => round.sums(Round { cases, others: [[[0.0; 2]; 4]; 2] }, after),
            None => round.sums(OneByOne { heuristic: self, memory }, after),
        }
    }
}

/// What the cases of a last round are worth on full boards, line by line.
///
/// Of each line across, a new tile changes only one cell. What the line is worth for each of the
/// sixteen tiles there stands in one line of the cache.
struct ByCase {
    /// What every line is worth.
    worth: Table,
    /// What the line itself is worth, in its cases.
    own: Box<[[f32; LANES]]>,
    /// What a line across is worth by the cell left open, the other three cells, and the tile in it.
    across: [Box<[Tiles; 1 << 12]>; 4],
}

impl ByCase {
    fn new(worth: Table) -> Self {
        let own = |cases: &Cases| cases.to.map(|to| worth[usize::from(to)]);
        let own = SlidLines::of(4).for_cases(own);
        let across = [0, 1, 2, 3].map(|y| {
            let tiles = |rest: usize| {
                let low = rest & !(!0 << (4 * y));
                let open = low | (rest ^ low) << 4;
                Tiles(std::array::from_fn(|tile| worth[open | tile << (4 * y)]))
            };
            let lines: Box<[Tiles]> = (0..1 << 12).map(tiles).collect();
            lines.try_into().ok().expect("as many as asked for")
        });
        Self { worth, own, across }
    }
}

/// A round on its way.
struct Round<'a> {
    cases: &'a ByCase,
    /// What each line is worth by axis, slid either way without a new tile.
    others: [[[f32; 2]; 4]; 2],
}

impl Valuation for Round<'_> {
    #[inline(always)]
    fn prepare(&mut self, _: impl Machine, slides: &[Slides; 2], _: Afterstate) {
        let worth = |to: u16| self.cases.worth[usize::from(to)];
        for (others, slides) in self.others.iter_mut().zip(slides) {
            for (other, slid) in others.iter_mut().zip(slides.slid) {
                *other = [worth(slid.to[0]), worth(slid.to[1])];
            }
        }
    }

    #[inline(always)]
    fn values<const AXIS: usize, const Y: usize>(
        &mut self,
        machine: impl Machine,
        slides: &Slides,
        _: Afterstate,
    ) -> [f32; LANES] {
        let others = |end: usize| {
            let other = |other: usize| self.others[AXIS][(Y + other) & 3][end];
            other(1) + other(2) + other(3)
        };
        let others = [others(0), others(1)];
        let across = |end: usize| {
            let crossing = slides.crossing[end];
            let below = 0x0001_0001_0001_0001 * ((1 << (4 * Y)) - 1);
            let rest = crossing & below | crossing >> 4 & !below & 0x0fff_0fff_0fff_0fff;
            let tiles = |x| &self.cases.across[Y][usize::from(line(rest, x)) & 0xfff];
            [tiles(0), tiles(1), tiles(2), tiles(3)]
        };
        let across = [across(0), across(1)];
        let across = machine.open_lines(across, slides.cases::<Y>().to);
        let own = &self.cases.own[slides.slid[Y].number()];
        lanes(|case| (others[case / 4] + own[case]) + across[case])
    }
}

fn empty(line: &[u8]) -> f64 {
    line.iter().filter(|&&exponent| exponent == 0).count() as f64
}
