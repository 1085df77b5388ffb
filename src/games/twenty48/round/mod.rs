//! The last round of a search, a spawn and a move: most of the work.
//!
//! A spawn changes one line. Slid along it, the other lines go where they go without the new tile; and
//! whichever cell of a run of empty cells the tile comes to, it slides to the same place. A line has at
//! most two such runs, there are two tiles, and they slide towards two ends: that makes eight cases,
//! which are worked out side by side, in the lanes of a vector. What the cases are worth is up to the
//! heuristic: it is a [`Valuation`]. All the rest is the same for all heuristics and sizes.
//!
//! # Speed
//! A round is compiled for the instructions of the processor, but only what is inlined into it. So
//! everything here is inlined by force, and there are neither closures nor `array::map` around the
//! operations of a [`Machine`]: left to itself, the compiler makes functions of these, without the
//! instructions, and a search takes two or three times as long.

mod machine;
mod slid;

pub(super) use machine::{
    Entries, Entry, LANES, Machine, Missing, PLACE_BITS, Tiles, lanes, members, place,
};
use machine::{Processor, Work};
pub(super) use slid::{Cases, Slid, SlidLines};

use super::Size;
use super::symmetry::transpose;

/// Does something for each line with an empty cell, whose number is a constant there.
macro_rules! for_open_lines {
    ($empty:expr, $y:ident => $each:expr) => {
        for_open_lines!(@ $empty, $y = 0 => $each);
        for_open_lines!(@ $empty, $y = 1 => $each);
        for_open_lines!(@ $empty, $y = 2 => $each);
        for_open_lines!(@ $empty, $y = 3 => $each);
    };
    (@ $empty:expr, $y:ident = $number:literal => $each:expr) => {
        if $empty & 0xffff << (16 * $number) != 0 {
            const $y: usize = $number;
            $each;
        }
    };
}
pub(super) use for_open_lines;

/// The last rounds on boards of one size.
#[derive(Clone, Copy)]
pub(super) struct LastRound {
    /// Rows, then columns.
    lines: [&'static SlidLines; 2],
    processor: Processor,
}

/// A board after a move, the lowest bit of each empty cell, and the first kind of tile that may come
/// there: 0 for a 2, 1 for a 4.
#[derive(Clone, Copy)]
pub(super) struct Afterstate {
    pub board: u64,
    pub empty: u64,
    pub first_kind: usize,
}

/// What the cases of a round are worth, along rows (axis 0) and columns (axis 1).
pub(super) trait Valuation {
    /// Sees all slides before the first of them is to be valued.
    #[inline(always)]
    fn prepare(&mut self, _machine: impl Machine, _slides: &[Slides; 2], _after: Afterstate) {}

    /// What the cases of a line are worth, with what they score. Only those that are
    /// [wanted](Slides::wanted) count.
    fn values<const AXIS: usize, const Y: usize>(
        &mut self,
        machine: impl Machine,
        slides: &Slides,
        after: Afterstate,
    ) -> [f32; LANES];
}

impl LastRound {
    /// On boards of this size.
    pub fn new(size: Size) -> Self {
        let lines = [SlidLines::of(size.columns()), SlidLines::of(size.rows())];
        Self { lines, processor: Processor::detect() }
    }

    /// The same without special instructions.
    #[cfg(test)]
    pub fn portable(self) -> Self {
        Self { processor: Processor::portable(), ..self }
    }

    /// The slides of a board's rows, then of its columns.
    #[inline(always)]
    pub fn slides(&self, board: u64) -> [Slides; 2] {
        [Slides::new(self.lines[0], board), Slides::new(self.lines[1], transpose(board))]
    }

    /// For each kind of tile from the first on, the sum over all empty cells of what the best move is
    /// worth, 0 where there is no move.
    #[inline]
    pub fn sums(&self, valuation: impl Valuation, after: Afterstate) -> [f64; 2] {
        self.processor.run(Sums { round: self, valuation, after })
    }
}

/// A board whose lines slide towards their first and their last cells.
pub(super) struct Slides {
    lines: &'static SlidLines,
    pub slid: [Slid; 4],
    pub ends: [u64; 2],
    /// The same with rows and columns exchanged.
    pub crossing: [u64; 2],
    /// What the slides change.
    moved: [u64; 2],
}

impl Slides {
    #[inline(always)]
    fn new(lines: &'static SlidLines, board: u64) -> Self {
        let slid = |y| lines.slid(line(board, y));
        let slid = [slid(0), slid(1), slid(2), slid(3)];
        let end = |end: usize| {
            let to = |y: usize| u64::from(slid[y].to[end]) << (16 * y);
            to(0) | to(1) | to(2) | to(3)
        };
        let ends = [end(0), end(1)];
        let crossing = [transpose(ends[0]), transpose(ends[1])];
        Self { lines, slid, ends, crossing, moved: [ends[0] ^ board, ends[1] ^ board] }
    }

    /// What either slide scores.
    #[inline(always)]
    pub fn score(&self) -> f32 {
        let score = |y: usize| self.slid[y].score();
        (score(0) + score(1) + score(2) + score(3)) as f32
    }

    /// The cases of a line with an empty cell.
    #[inline(always)]
    pub fn cases<const Y: usize>(&self) -> &'static Cases {
        self.lines.cases(self.slid[Y])
    }

    /// What the cases of a line score, towards either end.
    #[inline(always)]
    pub fn scores<const Y: usize>(&self) -> [f32; LANES / 2] {
        let score = |other: usize| self.slid[(Y + other) & 3].score();
        let others = (score(1) + score(2) + score(3)) as f32;
        let [a, b, c, d] = self.cases::<Y>().scores;
        [others + a, others + b, others + c, others + d]
    }

    /// Whether lines other than this one move.
    #[inline(always)]
    fn others_move<const Y: usize>(&self) -> [bool; 2] {
        let others = !(0xffff << (16 * Y));
        [self.moved[0] & others != 0, self.moved[1] & others != 0]
    }

    /// The cases of a line in which something moves, with tiles that may come.
    #[inline(always)]
    pub fn wanted<const Y: usize>(&self, after: Afterstate) -> u8 {
        let cases = self.cases::<Y>();
        let kinds = [0b1111_1111, 0b1100_1100][after.first_kind];
        let others_move = self.others_move::<Y>();
        let others_move =
            (u8::from(others_move[0]) * 0b1111) | (u8::from(others_move[1]) * 0b1111_0000);
        cases.all & kinds & (cases.moving | others_move)
    }

    /// By tile and cell, the better of the two slides along a line, 0 if nothing moves.
    #[inline(always)]
    fn best<const Y: usize>(&self, machine: impl Machine, values: [f32; LANES]) -> [f32; LANES] {
        let first = self.by_cell::<0, Y>(machine, values);
        let last = self.by_cell::<1, Y>(machine, values);
        lanes(|cell| larger(first[cell], last[cell]))
    }

    /// By tile and cell, the slide along a line towards one end, 0 if nothing moves.
    #[inline(always)]
    fn by_cell<const END: usize, const Y: usize>(
        &self,
        machine: impl Machine,
        values: [f32; LANES],
    ) -> [f32; LANES] {
        let cases = self.cases::<Y>();
        let numbers = lanes(|cell| cases.numbers[cell] | (4 * END as u8));
        let others_move = u8::from(self.others_move::<Y>()[END]).wrapping_neg();
        machine.choose(values, numbers, cases.moves[END] | others_move)
    }
}

/// The work of a round.
struct Sums<'a, V> {
    round: &'a LastRound,
    valuation: V,
    after: Afterstate,
}

impl<V: Valuation> Work for Sums<'_, V> {
    type Output = [f64; 2];

    #[inline(always)]
    fn on(mut self, machine: impl Machine) -> [f64; 2] {
        let Afterstate { board, empty, first_kind } = self.after;
        let slides = self.round.slides(board);
        self.valuation.prepare(machine, &slides, self.after);
        let rows = self.best::<0>(machine, &slides[0], empty);
        let columns = self.best::<1>(machine, &slides[1], transpose(empty));
        let mut sums = [0.0; 2];
        let mut cells = empty;
        while cells != 0 {
            let cell = cells.trailing_zeros() as usize / 4;
            cells &= cells - 1;
            let (y, x) = (cell >> 2 & 3, cell & 3);
            sums[0] += f64::from(larger(rows[y][x], columns[x][y]));
            sums[1] += f64::from(larger(rows[y][4 + x], columns[x][4 + y]));
        }
        if first_kind == 0 { sums } else { [0.0, sums[1]] }
    }
}

impl<V: Valuation> Sums<'_, V> {
    /// For each line with an empty cell the best of the slides along it, by tile and cell.
    #[inline(always)]
    fn best<const AXIS: usize>(
        &mut self,
        machine: impl Machine,
        slides: &Slides,
        empty: u64,
    ) -> [[f32; LANES]; 4] {
        let mut best = [[0.0; LANES]; 4];
        for_open_lines!(empty, Y => {
            let values = self.valuation.values::<AXIS, Y>(machine, slides, self.after);
            best[Y] = slides.best::<Y>(machine, values);
        });
        best
    }
}

#[inline(always)]
pub(super) fn line(board: u64, y: usize) -> u16 {
    (board >> (16 * y)) as u16
}

/// The larger of two numbers; one instruction, as neither is ever not a number.
#[inline(always)]
pub(super) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}
