//! What slides make of lines, and of lines with a spawn in one of their cells: all of it looked up.

use std::sync::LazyLock;

use super::machine::LANES;
use crate::games::twenty48::rows::ROWS;

/// All lines of so many cells.
pub struct SlidLines {
    slid: Box<[Slid; 1 << 16]>,
    cases: Box<[Cases]>,
}

/// A line slid towards its first and its last cell. Aligned, so that one instruction loads it.
#[derive(Clone, Copy)]
#[repr(align(8))]
pub struct Slid {
    pub to: [u16; 2],
    /// A quarter of what either scores.
    score: u16,
    /// If the line has an empty cell, which of all cases are its own.
    number: u16,
}

/// The cases of a line with a spawn in it. Bit 0 of a case's number is the run of empty cells, bit 1 the
/// tile, bit 2 the end that it slides to.
#[repr(C, align(64))]
#[derive(Default)]
pub struct Cases {
    pub to: [u16; LANES],
    /// What they score, towards either end.
    pub scores: [f32; LANES / 2],
    /// By tile and cell, the case that slides towards the first cell.
    pub numbers: [u8; LANES],
    /// By end, a bit for each tile and cell: does anything move?
    pub moves: [u8; 2],
    /// The cases there are, and those in which something moves, at least from one of the run's cells.
    pub all: u8,
    pub moving: u8,
}

impl Slid {
    /// What either slide scores.
    #[inline(always)]
    pub fn score(self) -> u32 {
        4 * u32::from(self.score)
    }

    /// Which of all cases are those of the line, if it has an empty cell.
    #[inline(always)]
    pub fn number(self) -> usize {
        self.number.into()
    }
}

impl SlidLines {
    /// The lines of two, three or four cells. Made once, when they are first needed.
    pub fn of(cells: u8) -> &'static Self {
        static TWO: LazyLock<SlidLines> = LazyLock::new(|| SlidLines::new(2));
        static THREE: LazyLock<SlidLines> = LazyLock::new(|| SlidLines::new(3));
        static FOUR: LazyLock<SlidLines> = LazyLock::new(|| SlidLines::new(4));
        match cells {
            2 => &TWO,
            3 => &THREE,
            _ => &FOUR,
        }
    }

    fn new(cells: u8) -> Self {
        let slide = |line: u16| {
            let to = [ROWS.left[usize::from(line)], ROWS.right(cells)[usize::from(line)]];
            let score = (ROWS.score[usize::from(line)] / 4) as u16;
            Slid { to, score, number: 0 }
        };
        let mut slid: Box<[Slid]> = (0..=u16::MAX).map(slide).collect();
        let mut cases = Vec::new();
        for line in 0..=u16::MAX >> (16 - 4 * cells) {
            if let Some(own) = Cases::new(line, cells, &slid) {
                slid[usize::from(line)].number = cases.len() as u16;
                cases.push(own);
            }
        }
        Self { slid: slid.try_into().ok().expect("as many as lines"), cases: cases.into() }
    }

    /// A line slid.
    #[inline(always)]
    pub fn slid(&self, line: u16) -> Slid {
        self.slid[usize::from(line)]
    }

    /// The cases of a line that has an empty cell.
    #[inline(always)]
    pub fn cases(&self, line: Slid) -> &Cases {
        &self.cases[line.number()]
    }

    /// Something for the cases of each line that has an empty cell, by [number](Slid::number).
    pub fn for_cases<T>(&self, each: impl FnMut(&Cases) -> T) -> Box<[T]> {
        self.cases.iter().map(each).collect()
    }
}

impl Cases {
    /// None if the line is full.
    fn new(line: u16, cells: u8, slid: &[Slid]) -> Option<Self> {
        let empty = |x: usize| line >> (4 * x) & 15 == 0;
        let mut cases = Self::default();
        let mut run = 0;
        for x in (0..cells.into()).filter(|&x| empty(x)) {
            if (0..x).any(empty) && !empty(x - 1) {
                run = 1;
            }
            for kind in 0..2 {
                let spawned = line | (kind as u16 + 1) << (4 * x);
                let slid = slid[usize::from(spawned)];
                let (cell, case) = (4 * kind + x, 2 * kind + run);
                cases.numbers[cell] = case as u8;
                cases.scores[case] = slid.score() as f32;
                for (end, to) in slid.to.into_iter().enumerate() {
                    let moves = u8::from(to != spawned);
                    cases.to[4 * end + case] = to;
                    cases.moves[end] |= moves << cell;
                    cases.all |= 1 << (4 * end + case);
                    cases.moving |= moves << (4 * end + case);
                }
            }
        }
        (cases.all != 0).then_some(cases)
    }
}
