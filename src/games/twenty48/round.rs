//! The last round of a search, where every line has a worth of its own: most of the work.
//!
//! A new tile changes one line. Slid along it, the other lines go where they go without the tile, and
//! of each line across only one cell is another. A line has four cells and there are two tiles: that
//! makes eight cases, which are worked out side by side, in the eight lanes of a vector. What a line
//! across is worth for each of the sixteen tiles in one of its cells stands in one line of the cache.

use super::rows::ROWS;
use super::symmetry::transpose;

/// What there is to know of lines, for full boards.
pub(super) struct ByLines {
    /// Every line slid.
    slid: Box<[Slid; 1 << 16]>,
    /// For lines with an empty cell, which of the cases are theirs.
    numbers: Box<[u16; 1 << 16]>,
    cases: Box<[Cases]>,
    /// What a line is worth by the cell left open, the other three cells, and the tile in it. None if
    /// lines across are worth nothing.
    across: Option<[Box<[Tiles; 1 << 12]>; 4]>,
    #[cfg(target_arch = "x86_64")]
    avx2: Option<x86::Avx2>,
}

/// What a line is worth with each tile in one of its cells.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Tiles([f32; 16]);

/// A line slid towards its first and its last cell, and what that is worth.
#[derive(Clone, Copy)]
struct Slid {
    to: [u16; 2],
    worth: [f32; 2],
}

/// A line with a 2 in each of its cells, then with a 4, slid towards its first and its last cell.
/// What stands for a cell that is not empty means nothing.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Cases {
    worth: [[f32; LANES]; 2],
    to: [[u16; LANES]; 2],
}

/// Four cells, two tiles.
const LANES: usize = 8;

/// What makes the cases of a line: a tile in each of its cells.
const TILES: [u16; LANES] = [0x0001, 0x0010, 0x0100, 0x1000, 0x0002, 0x0020, 0x0200, 0x2000];

impl ByLines {
    /// Along its direction a slide is worth `along`, line by line: what it makes of the line, and
    /// what it scores. Every line across is worth `across` then.
    pub fn new(along: impl Fn(u16, u32) -> f32, across: Option<&[f32; 1 << 16]>) -> Self {
        let ends = |line: u16| [ROWS.left[usize::from(line)], ROWS.right(4)[usize::from(line)]];
        let slide = |line: u16| {
            let (to, score) = (ends(line), ROWS.score[usize::from(line)]);
            Slid { to, worth: to.map(|to| along(to, score)) }
        };
        let slid: Box<[Slid]> = (0..=u16::MAX).map(slide).collect();
        let (mut numbers, mut cases) = (vec![0; 1 << 16], Vec::new());
        for line in 0..=u16::MAX {
            if (0..4).all(|x| line >> (4 * x) & 15 != 0) {
                continue;
            }
            numbers[usize::from(line)] = cases.len() as u16;
            let slid = TILES.map(|tile| slid[usize::from(line | tile)]);
            cases.push(Cases {
                worth: [0, 1].map(|end| slid.map(|slid| slid.worth[end])),
                to: [0, 1].map(|end| slid.map(|slid| slid.to[end])),
            });
        }
        let across = across.map(|worth| {
            [0, 1, 2, 3].map(|y| {
                let tiles = |rest: usize| {
                    let low = rest & !(!0 << (4 * y));
                    let open = low | (rest ^ low) << 4;
                    Tiles(std::array::from_fn(|tile| worth[open | tile << (4 * y)]))
                };
                let lines: Box<[Tiles]> = (0..1 << 12).map(tiles).collect();
                lines.try_into().ok().expect("as many as asked for")
            })
        });
        Self {
            slid: slid.try_into().ok().expect("as many as lines"),
            numbers: numbers.try_into().expect("as many as lines"),
            cases: cases.into(),
            across,
            #[cfg(target_arch = "x86_64")]
            avx2: x86::Avx2::detect(),
        }
    }

    /// For each kind of tile from the first on, the sum over all empty cells of the best move's worth,
    /// 0 where there is no move.
    #[inline]
    pub fn round(&self, board: u64, empty: u64, first_kind: usize) -> [f64; 2] {
        let sums = self.round_on_best(board, empty);
        if first_kind == 0 { sums } else { [0.0, sums[1]] }
    }

    #[inline]
    fn round_on_best(&self, board: u64, empty: u64) -> [f64; 2] {
        #[cfg(target_arch = "x86_64")]
        if let Some(machine) = self.avx2 {
            return machine.round(self, board, empty);
        }
        self.round_on(Portable, board, empty)
    }

    #[inline(always)]
    fn round_on(&self, machine: impl Machine, board: u64, empty: u64) -> [f64; 2] {
        let rows = self.along(machine, board, empty);
        let columns = self.along(machine, transpose(board), transpose(empty));
        sums(&rows, &columns, empty)
    }

    /// For each line the best of the two slides along it, in all its cases.
    #[inline(always)]
    fn along(&self, machine: impl Machine, board: u64, empty: u64) -> [[f32; LANES]; 4] {
        let slid = |y| self.slid[usize::from(line(board, y))];
        let slid = [slid(0), slid(1), slid(2), slid(3)];
        let end = |end: usize| {
            let to = |y: usize| u64::from(slid[y].to[end]) << (16 * y);
            to(0) | to(1) | to(2) | to(3)
        };
        let ends = [end(0), end(1)];
        let slides =
            Slides { board, slid, ends, crossing: [transpose(ends[0]), transpose(ends[1])] };
        let mut best = [[0.0; LANES]; 4];
        if empty & 0xffff != 0 {
            best[0] = self.line::<0>(machine, &slides);
        }
        if empty & 0xffff << 16 != 0 {
            best[1] = self.line::<1>(machine, &slides);
        }
        if empty & 0xffff << 32 != 0 {
            best[2] = self.line::<2>(machine, &slides);
        }
        if empty & 0xffff << 48 != 0 {
            best[3] = self.line::<3>(machine, &slides);
        }
        best
    }

    /// The same for one line.
    #[inline(always)]
    fn line<const Y: usize>(&self, machine: impl Machine, slides: &Slides) -> [f32; LANES] {
        let own = line(slides.board, Y);
        let cases = &self.cases[usize::from(self.numbers[usize::from(own)])];
        machine.best(own, &[self.side::<Y>(slides, cases, 0), self.side::<Y>(slides, cases, 1)])
    }

    #[inline(always)]
    fn side<'a, const Y: usize>(
        &'a self,
        slides: &Slides,
        cases: &'a Cases,
        end: usize,
    ) -> Side<'a> {
        let worth = |other: usize| slides.slid[(Y + other) & 3].worth[end];
        let below = 0x0001_0001_0001_0001 * ((1 << (4 * Y)) - 1);
        let crossing = slides.crossing[end];
        let rest = crossing & below | crossing >> 4 & !below & 0x0fff_0fff_0fff_0fff;
        let across = match &self.across {
            Some(across) => {
                let tiles = |x| &across[Y][usize::from(line(rest, x)) & 0xfff];
                Some([tiles(0), tiles(1), tiles(2), tiles(3)])
            }
            None => None,
        };
        Side {
            to: &cases.to[end],
            own: &cases.worth[end],
            others: worth(1) + worth(2) + worth(3),
            others_move: (slides.ends[end] ^ slides.board) & !(0xffff << (16 * Y)) != 0,
            across,
        }
    }
}

/// A board whose lines slide towards their first and their last cells.
struct Slides {
    board: u64,
    slid: [Slid; 4],
    ends: [u64; 2],
    /// The same with rows and columns exchanged.
    crossing: [u64; 2],
}

/// What the eight cases of a line are worth, slid towards one end.
struct Side<'a> {
    to: &'a [u16; LANES],
    own: &'a [f32; LANES],
    others: f32,
    others_move: bool,
    across: Option<[&'a Tiles; 4]>,
}

/// The sum over all empty cells of the better of a move along its row and one along its column, for
/// either tile. What these are worth is given for each line, by tile and cell.
#[inline(always)]
pub(super) fn sums(rows: &[[f32; LANES]; 4], columns: &[[f32; LANES]; 4], empty: u64) -> [f64; 2] {
    let mut sums = [0.0; 2];
    let mut cells = empty;
    while cells != 0 {
        let cell = cells.trailing_zeros() as usize / 4;
        cells &= cells - 1;
        let (y, x) = (cell >> 2 & 3, cell & 3);
        sums[0] += f64::from(larger(rows[y][x], columns[x][y]));
        sums[1] += f64::from(larger(rows[y][4 + x], columns[x][4 + y]));
    }
    sums
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

/// A processor, as the eight lanes see it. All give the same sums, added up in the same order.
trait Machine: Copy {
    /// For each case of a line the better of two slides, 0 if neither moves anything.
    fn best(self, own: u16, sides: &[Side<'_>; 2]) -> [f32; LANES];
}

/// Any machine.
#[derive(Clone, Copy)]
struct Portable;

impl Machine for Portable {
    #[inline(always)]
    fn best(self, own: u16, sides: &[Side<'_>; 2]) -> [f32; LANES] {
        let mut best = [0.0; LANES];
        for side in sides {
            for (lane, best) in best.iter_mut().enumerate() {
                if own >> (4 * (lane % 4)) & 15 != 0 {
                    continue;
                }
                let to = side.to[lane];
                let mut worth = side.others + side.own[lane];
                if let Some(across) = side.across {
                    let tile = |x: usize| across[x].0[usize::from(to >> (4 * x) & 15)];
                    worth += (tile(0) + tile(1)) + (tile(2) + tile(3));
                }
                let moves = side.others_move | (to != own | TILES[lane]);
                *best = larger(*best, if moves { worth } else { 0.0 });
            }
        }
        best
    }
}

/// Vectors of eight. The contract: an [`x86::Avx2`] exists only where the processor has the
/// instructions, because only [`x86::Avx2::detect`] makes one; vectors are read from and written to
/// arrays of their own size, wherever they lie.
#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "a search takes two thirds of the time of portable code")]

    use std::arch::x86_64::*;

    use super::{ByLines, LANES, Machine, Side, TILES, Tiles};

    /// Processors with AVX2 and BMI1.
    #[derive(Clone, Copy)]
    pub struct Avx2(());

    impl Avx2 {
        /// The token, if this processor has the instructions.
        pub fn detect() -> Option<Self> {
            (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1"))
                .then_some(Avx2(()))
        }

        /// A round with them.
        #[inline]
        pub fn round(self, lines: &ByLines, board: u64, empty: u64) -> [f64; 2] {
            // SAFETY: see the module's contract.
            unsafe { round_avx2(self, lines, board, empty) }
        }
    }

    #[target_feature(enable = "avx2,bmi1")]
    fn round_avx2(machine: Avx2, lines: &ByLines, board: u64, empty: u64) -> [f64; 2] {
        lines.round_on(machine, board, empty)
    }

    /// What a line is worth with the tile of each lane that lies so far from the lowest bit, and so
    /// far from the highest.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn tile<const LOW: i32, const HIGH: i32>(tiles: &Tiles, to: __m256i) -> __m256 {
        // SAFETY: two vectors of eight are what an array of sixteen has.
        let (low, high) = unsafe {
            (_mm256_loadu_ps(tiles.0.as_ptr()), _mm256_loadu_ps(tiles.0.as_ptr().add(8)))
        };
        // Only the lowest three bits of a lane choose, then the fourth, as a sign.
        let number = _mm256_srli_epi32::<LOW>(to);
        _mm256_blendv_ps(
            _mm256_permutevar8x32_ps(low, number),
            _mm256_permutevar8x32_ps(high, number),
            _mm256_castsi256_ps(_mm256_slli_epi32::<HIGH>(to)),
        )
    }

    // SAFETY: see the module's contract.
    impl Machine for Avx2 {
        #[inline(always)]
        fn best(self, own: u16, sides: &[Side<'_>; 2]) -> [f32; LANES] {
            unsafe {
                let tiles = _mm_loadu_si128(TILES.as_ptr().cast());
                let cases = _mm256_cvtepu16_epi32(_mm_or_si128(tiles, _mm_set1_epi16(own as i16)));
                let mut best = _mm256_setzero_ps();
                for side in sides {
                    let to = _mm256_cvtepu16_epi32(_mm_loadu_si128(side.to.as_ptr().cast()));
                    let own = _mm256_loadu_ps(side.own.as_ptr());
                    let mut worth = _mm256_add_ps(_mm256_set1_ps(side.others), own);
                    if let Some(across) = side.across {
                        let a = tile::<0, 28>(across[0], to);
                        let b = tile::<4, 24>(across[1], to);
                        let c = tile::<8, 20>(across[2], to);
                        let d = tile::<12, 16>(across[3], to);
                        let sum = _mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d));
                        worth = _mm256_add_ps(worth, sum);
                    }
                    let others = _mm256_set1_epi32(-i32::from(side.others_move));
                    let stuck = _mm256_andnot_si256(others, _mm256_cmpeq_epi32(to, cases));
                    let worth = _mm256_andnot_ps(_mm256_castsi256_ps(stuck), worth);
                    best = _mm256_max_ps(best, worth);
                }
                let mut lanes = [0.0; LANES];
                _mm256_storeu_ps(lanes.as_mut_ptr(), best);
                lanes
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::{Board, Size};
    use crate::random::SplitMix64;

    /// What no test of a whole search shows where there are such vectors: the others do the same.
    #[test]
    fn all_machines_agree() {
        let mut random = SplitMix64::new(1);
        let worth: Vec<f32> = (0..1 << 16).map(|_| random.below(1 << 20) as f32 / 7.0).collect();
        let worth: &[f32; 1 << 16] = worth.as_slice().try_into().unwrap();
        let by_score = ByLines::new(|_, score| score as f32, None);
        let by_worth = ByLines::new(|to, _| worth[usize::from(to)], Some(worth));
        for _ in 0..10_000 {
            let spread = 2 + random.below(14);
            let cells = (0..16).map(|cell| random.below(spread) << (4 * cell));
            let board = Board(cells.sum());
            let empty = board.empty_bits(Size::FULL);
            for lines in [&by_score, &by_worth] {
                let portable = lines.round_on(Portable, board.0, empty);
                assert_eq!(lines.round(board.0, empty, 0), portable, "{board}");
            }
        }
    }
}
