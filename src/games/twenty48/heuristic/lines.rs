//! Heuristics that value each line by itself: a look-up for every row and every column.

use std::sync::Arc;

use super::Evaluation;
use crate::games::twenty48::round::ByLines;
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
    by_lines: Option<ByLines>,
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
        let by_lines = (size == Size::FULL && corner == 0.0)
            .then(|| ByLines::new(|to, _| rows[usize::from(to)], Some(&rows)));
        Self { tables: [rows, columns], outside, corner: corner as f32, corners, by_lines }
    }
}

impl Evaluation for Lines {
    const SCORES: bool = false;
    const FORESEES: bool = false;
    type Memory = ();

    fn memory(&self) {}

    #[inline(always)]
    fn without<const TURNED: bool>(&self, along: u64, y: u32) -> f32 {
        let table = &self.tables[usize::from(TURNED)];
        let line = |other: u32| table[usize::from((along >> (16 * ((y + other) & 3))) as u16)];
        line(1) + line(2) + line(3) - self.outside
    }

    #[inline(always)]
    fn with<const TURNED: bool>(&self, along: u64, across: u64, y: u32, (): &mut ()) -> f32 {
        let line = |table: &Table, board: u64, y| table[usize::from((board >> (16 * y)) as u16)];
        let table = &self.tables[usize::from(!TURNED)];
        let crossing = (line(table, across, 0) + line(table, across, 1))
            + (line(table, across, 2) + line(table, across, 3));
        let own = line(&self.tables[usize::from(TURNED)], along, y);
        let in_corner = || {
            let corners = along & self.corners[usize::from(TURNED)];
            Board(corners).highest() == Board(along).highest()
        };
        let corner = if self.corner != 0.0 && in_corner() { self.corner } else { 0.0 };
        own + crossing + corner
    }

    #[inline]
    fn round(&self, board: u64, empty: u64, first: usize, (): &mut ()) -> Option<[f64; 2]> {
        self.by_lines.as_ref().map(|lines| lines.round(board, empty, first))
    }
}

fn empty(line: &[u8]) -> f64 {
    line.iter().filter(|&&exponent| exponent == 0).count() as f64
}
