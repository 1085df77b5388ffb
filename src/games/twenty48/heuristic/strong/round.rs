//! The last round of a search with `strong`: most of the work.
//!
//! A new tile changes one line. Slid along it, the other lines go where they go without the tile; and
//! whichever cell of a run of empty cells the tile comes to, it slides to the same place. A line has
//! at most two such runs, there are two tiles, and they slide towards two ends: that makes eight cases,
//! which are worked out side by side.
//!
//! What makes it slow is to guess wrong what comes next, and to wait for the network. So no branch
//! depends on which pairs are remembered: those that are not go on a list. When all pairs of a
//! direction are looked up, what the network knows of the missing ones is asked for, and only when the
//! other direction is done, too, it is read.

use super::{Known, Memory, Network, Pairs, Table, block_of, inner, mirror, outer, place};
use crate::games::twenty48::round::{larger, line, sums};
use crate::games::twenty48::rows::ROWS;
use crate::games::twenty48::symmetry::transpose;

/// What there is to know of lines.
pub(super) struct Tables {
    slid: Box<[Slid; 1 << 16]>,
    cases: Box<[Cases]>,
    #[cfg(target_arch = "x86_64")]
    avx2: Option<x86::Avx2>,
}

/// A line slid towards its first and its last cell.
#[derive(Clone, Copy)]
struct Slid {
    to: [u16; 2],
    /// A quarter of what either scores.
    score: u16,
    /// If the line has an empty cell, which cases are its own.
    cases: u16,
}

/// A line with a new tile in it. Bit 0 of a case's number is the run of empty cells, bit 1 the tile,
/// bit 2 the end that it slides to.
#[repr(C, align(64))]
#[derive(Default)]
struct Cases {
    to: [u16; LANES],
    /// What they score towards either end.
    scores: [f32; LANES / 2],
    /// By tile and cell, the case that slides towards the first cell.
    numbers: [u8; LANES],
    /// By end, a bit for each tile and cell: does anything move?
    moves: [u8; 2],
    /// The cases there are, and those in which something moves, at least from one of the run's cells.
    all: u8,
    moving: u8,
}

/// Two runs, two tiles, two ends; or four cells and two tiles.
const LANES: usize = 8;

impl Tables {
    pub fn new() -> Self {
        let mut cases = Vec::new();
        let slid = |line: u16| {
            let own = Cases::new(line);
            let number = if own.is_some() { cases.len() as u16 } else { 0 };
            cases.extend(own);
            let score = (ROWS.score[usize::from(line)] / 4) as u16;
            Slid { to: ends(line), score, cases: number }
        };
        let slid: Box<[Slid]> = (0..=u16::MAX).map(slid).collect();
        Self {
            slid: slid.try_into().ok().expect("as many as lines"),
            cases: cases.into(),
            #[cfg(target_arch = "x86_64")]
            avx2: x86::Avx2::detect(),
        }
    }

    /// For each kind of tile from the first on, the sum over all empty cells of what the best move is
    /// worth and scores, 0 where there is no move.
    #[inline]
    pub fn round(&self, network: &Network, pairs: &mut Pairs, after: After) -> [f64; 2] {
        #[cfg(target_arch = "x86_64")]
        if let Some(machine) = self.avx2 {
            return machine.round(self, network, pairs, after);
        }
        self.round_on(Portable, network, pairs, after)
    }

    #[inline(always)]
    fn round_on(
        &self,
        machine: impl Machine,
        network: &Network,
        pairs: &mut Pairs,
        After { board, empty, first_kind }: After,
    ) -> [f64; 2] {
        let slides = [self.slides(board), self.slides(transpose(board))];
        let empties = [empty, transpose(empty)];
        pairs.outer.missing.clear();
        pairs.inner.missing.clear();
        let mut round = Round {
            machine,
            cases: &self.cases,
            outer: network.outer.table(),
            inner: network.inner.table(),
            scale: network.scale,
            kinds: [0b1111_1111, 0b1100_1100][first_kind],
            pairs,
            sums: [[0; LANES]; 10],
        };
        round.look_up_unchanged(&slides, empties);
        round.look_up(0, &slides[0], empties[0]);
        round.fetch();
        round.look_up(4, &slides[1], empties[1]);
        round.fetch();
        round.read();
        let rows = round.best(0, &slides[0], empties[0]);
        let columns = round.best(4, &slides[1], empties[1]);
        let sums = sums(&rows, &columns, empty);
        if first_kind == 0 { sums } else { [0.0, sums[1]] }
    }

    #[inline(always)]
    fn slides(&self, board: u64) -> Slides {
        let slid = |y| self.slid[usize::from(line(board, y))];
        let slid = [slid(0), slid(1), slid(2), slid(3)];
        let end = |end: usize| {
            let to = |y: usize| u64::from(slid[y].to[end]) << (16 * y);
            to(0) | to(1) | to(2) | to(3)
        };
        let ends = [end(0), end(1)];
        let crossing = [transpose(ends[0]), transpose(ends[1])];
        Slides { slid, ends, crossing, moved: [ends[0] ^ board, ends[1] ^ board] }
    }
}

/// A board after a move, its empty cells, and the first kind of tile that may come there.
#[derive(Clone, Copy)]
pub(super) struct After {
    pub board: u64,
    pub empty: u64,
    pub first_kind: usize,
}

/// A board whose lines slide towards their first and their last cells.
struct Slides {
    slid: [Slid; 4],
    ends: [u64; 2],
    /// The same with rows and columns exchanged.
    crossing: [u64; 2],
    /// What the slides change.
    moved: [u64; 2],
}

impl Slides {
    /// Whether lines other than this one move.
    #[inline(always)]
    fn others_move<const Y: usize>(&self) -> [bool; 2] {
        let others = !(0xffff << (16 * Y));
        [self.moved[0] & others != 0, self.moved[1] & others != 0]
    }
}

impl Cases {
    /// None if the line is full.
    fn new(line: u16) -> Option<Self> {
        let empty = |x: usize| line >> (4 * x) & 15 == 0;
        let mut cases = Self::default();
        let mut run = 0;
        for x in (0..4).filter(|&x| empty(x)) {
            if (0..x).any(empty) && !empty(x - 1) {
                run = 1;
            }
            for kind in 0..2 {
                let tile_there = line | (kind as u16 + 1) << (4 * x);
                let (cell, case) = (4 * kind + x, 2 * kind + run);
                cases.numbers[cell] = case as u8;
                cases.scores[case] = ROWS.score[usize::from(tile_there)] as f32;
                for (end, to) in ends(tile_there).into_iter().enumerate() {
                    let moves = u8::from(to != tile_there);
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

/// A line slid either way.
fn ends(line: u16) -> [u16; 2] {
    [ROWS.left[usize::from(line)], ROWS.right(4)[usize::from(line)]]
}

/// Pairs that are not remembered.
pub(super) struct Missing {
    pairs: [u32; Self::MOST + LANES],
    /// Where what they are worth belongs.
    slots: [u8; Self::MOST + LANES],
    len: usize,
    /// How many of them have been asked for.
    fetched: usize,
}

impl Missing {
    /// More than there are in a round, so that there is always room for all lanes.
    const MOST: usize = 256;

    pub const fn new() -> Self {
        let (pairs, slots) = ([0; Self::MOST + LANES], [0; Self::MOST + LANES]);
        Self { pairs, slots, len: 0, fetched: 0 }
    }

    #[inline(always)]
    fn clear(&mut self) {
        (self.len, self.fetched) = (0, 0);
    }
}

/// A round on its way.
struct Round<'a, M> {
    machine: M,
    cases: &'a [Cases],
    outer: &'a Table,
    inner: &'a Table,
    scale: f32,
    /// The cases of the tiles that may come.
    kinds: u8,
    pairs: &'a mut Pairs,
    /// What pairs are worth: for each row and each column, by case, those that hold it or cross it;
    /// then the outer and the inner ones that no tile has changed.
    sums: [[i32; LANES]; 10],
}

/// The numbers of the last two.
const OUTER: usize = 8;
const INNER: usize = 9;

impl<M: Machine> Round<'_, M> {
    /// Looks up the pairs of lines that slide without a new tile, as far as there are others to have it.
    #[inline(always)]
    fn look_up_unchanged(&mut self, slides: &[Slides; 2], empties: [u64; 2]) {
        let ends = [slides[0].ends[0], slides[0].ends[1], slides[1].ends[0], slides[1].ends[1]];
        let has = |axis: usize, lines: u64| u8::from(empties[axis] & lines != 0);
        let outer = lanes(|lane| {
            let end = ends[lane / 2];
            if lane % 2 == 0 { end as u32 } else { ((end >> 32) as u32).rotate_left(16) }
        });
        let wanted = |axis| (has(axis, !0 << 32) * 0b0101) | (has(axis, !0 >> 32) * 0b1010);
        let wanted = wanted(0) | wanted(1) << 4;
        self.sums[OUTER] = self.machine.look_up(&mut self.pairs.outer, &outer, wanted, OUTER);
        let inner = lanes(|lane| (ends[lane % 4] >> 16) as u32);
        let wanted = |axis| has(axis, 0xffff_0000_0000_ffff) * 0b11;
        let wanted = wanted(0) | wanted(1) << 2;
        self.sums[INNER] = self.machine.look_up(&mut self.pairs.inner, &inner, wanted, INNER);
    }

    /// Looks up the pairs that new tiles in the lines change, the first of which has this number.
    #[inline(always)]
    fn look_up(&mut self, number: usize, slides: &Slides, empty: u64) {
        if empty & 0xffff != 0 {
            self.look_up_line::<0>(number, slides);
        }
        if empty & 0xffff << 16 != 0 {
            self.look_up_line::<1>(number, slides);
        }
        if empty & 0xffff << 32 != 0 {
            self.look_up_line::<2>(number, slides);
        }
        if empty & 0xffff << 48 != 0 {
            self.look_up_line::<3>(number, slides);
        }
    }

    #[inline(always)]
    fn look_up_line<const Y: usize>(&mut self, number: usize, slides: &Slides) {
        let number = number + Y;
        let cases = &self.cases[usize::from(slides.slid[Y].cases)];
        let to = cases.to;
        let others_move = slides.others_move::<Y>();
        let others_move =
            (u8::from(others_move[0]) * 0b1111) | (u8::from(others_move[1]) * 0b1111_0000);
        let wanted = cases.all & self.kinds & (cases.moving | others_move);

        // The line with its neighbour before or behind it.
        let first = |neighbour| {
            let other = slides.ends.map(|end| u32::from(line(end, neighbour)) << 16);
            lanes(|lane| u32::from(to[lane]) | other[lane / 4])
        };
        let second = |neighbour| {
            let other = slides.ends.map(|end| u32::from(line(end, neighbour)));
            lanes(|lane| other[lane / 4] | u32::from(to[lane]) << 16)
        };
        // Two lines that cross it.
        let crossing = |a: usize, b: usize| {
            let rest = slides.crossing.map(|lines| {
                let rest = lines & !(0x000f_000f_000f_000f << (4 * Y));
                u32::from(line(rest, a)) | u32::from(line(rest, b)) << 16
            });
            lanes(|lane| {
                let tile = |x: usize| (u32::from(to[lane]) >> (4 * x) & 15) << (4 * Y);
                rest[lane / 4] | tile(a) | tile(b) << 16
            })
        };
        let at_edge = match Y {
            0 => first(1),
            1 => second(0),
            2 => second(3),
            _ => first(2),
        };
        let in_middle = match Y {
            1 => Some(first(2)),
            2 => Some(second(1)),
            _ => None,
        };
        let Pairs { outer, inner } = &mut *self.pairs;
        let a = self.machine.look_up(outer, &at_edge, wanted, number);
        let b = self.machine.look_up(outer, &crossing(0, 1), wanted, number);
        let c = self.machine.look_up(outer, &crossing(3, 2), wanted, number);
        let d = self.machine.look_up(inner, &crossing(1, 2), wanted, number);
        let e = match &in_middle {
            Some(pairs) => self.machine.look_up(inner, pairs, wanted, number),
            None => [0; LANES],
        };
        self.sums[number] = lanes(|lane| a[lane] + b[lane] + c[lane] + d[lane] + e[lane]);
    }

    /// Asks for what the network knows of missing pairs.
    #[inline(always)]
    fn fetch(&mut self) {
        let Pairs { outer, inner } = &mut *self.pairs;
        for at in outer.missing.fetched..outer.missing.len {
            let pair = outer.missing.pairs[at];
            self.machine.fetch(self.outer, pair);
        }
        for at in inner.missing.fetched..inner.missing.len {
            let pair = inner.missing.pairs[at];
            self.machine.fetch(self.inner, pair);
            self.machine.fetch(self.inner, pair.rotate_left(16));
        }
        outer.missing.fetched = outer.missing.len;
        inner.missing.fetched = inner.missing.len;
    }

    /// Reads it.
    #[inline(always)]
    fn read(&mut self) {
        let sums = self.sums.as_flattened_mut();
        let mut read = |memory: &mut Memory, worth: fn(&Table, u32) -> i32, table| {
            let Memory { known, missing } = memory;
            for at in 0..missing.len {
                let pair = missing.pairs[at];
                let worth = worth(table, pair);
                known[place(pair)] = Known { pair, worth };
                sums[usize::from(missing.slots[at])] += worth;
            }
        };
        read(&mut self.pairs.outer, outer, self.outer);
        read(&mut self.pairs.inner, inner, self.inner);
    }

    /// For each line the best of the two slides along it, by tile and cell.
    #[inline(always)]
    fn best(&self, number: usize, slides: &Slides, empty: u64) -> [[f32; LANES]; 4] {
        let mut best = [[0.0; LANES]; 4];
        if empty & 0xffff != 0 {
            best[0] = self.best_of_line::<0>(number, slides);
        }
        if empty & 0xffff << 16 != 0 {
            best[1] = self.best_of_line::<1>(number, slides);
        }
        if empty & 0xffff << 32 != 0 {
            best[2] = self.best_of_line::<2>(number, slides);
        }
        if empty & 0xffff << 48 != 0 {
            best[3] = self.best_of_line::<3>(number, slides);
        }
        best
    }

    #[inline(always)]
    fn best_of_line<const Y: usize>(&self, number: usize, slides: &Slides) -> [f32; LANES] {
        let unchanged = |end: usize| {
            let outer = |last: usize| self.sums[OUTER][number + 2 * end + last];
            let inner = || self.sums[INNER][number / 2 + end];
            match Y {
                0 => inner() + outer(1),
                1 => outer(1),
                2 => outer(0),
                _ => outer(0) + inner(),
            }
        };
        let unchanged = [unchanged(0), unchanged(1)];
        let sums = &self.sums[number + Y];
        let score = |other: usize| u32::from(slides.slid[(Y + other) & 3].score);
        let score = (4 * (score(1) + score(2) + score(3))) as f32;
        let cases = &self.cases[usize::from(slides.slid[Y].cases)];
        let values = lanes(|lane| {
            let points = (unchanged[lane / 4] + sums[lane]) as f32 * self.scale;
            larger(points, 0.0) + (score + cases.scores[lane % 4])
        });
        self.machine.best(cases, &values, slides.others_move::<Y>())
    }
}

#[inline(always)]
fn lanes<T>(lane: impl Fn(usize) -> T) -> [T; LANES] {
    [lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7)]
}

/// A processor, as the eight lanes see it.
trait Machine: Copy {
    /// What pairs are worth. Where that is not remembered it is 0, and those that are wanted are missing
    /// from the sum of that number.
    fn look_up(
        self,
        memory: &mut Memory,
        pairs: &[u32; LANES],
        wanted: u8,
        sum: usize,
    ) -> [i32; LANES];

    /// Asks for what will be read of a pair and its mirror image.
    fn fetch(self, table: &Table, pair: u32);

    /// By tile and cell the best of the cases, 0 if nothing moves.
    fn best(self, cases: &Cases, values: &[f32; LANES], others_move: [bool; 2]) -> [f32; LANES];
}

/// Any machine.
#[derive(Clone, Copy)]
struct Portable;

impl Machine for Portable {
    #[inline(always)]
    fn look_up(
        self,
        Memory { known, missing }: &mut Memory,
        pairs: &[u32; LANES],
        mut wanted: u8,
        sum: usize,
    ) -> [i32; LANES] {
        let mut worth = [0; LANES];
        while wanted != 0 {
            let lane = wanted.trailing_zeros() as usize % LANES;
            wanted &= wanted - 1;
            let known = known[place(pairs[lane])];
            if known.pair == pairs[lane] {
                worth[lane] = known.worth;
            } else {
                missing.pairs[missing.len] = pairs[lane];
                missing.slots[missing.len] = (LANES * sum + lane) as u8;
                missing.len += 1;
            }
        }
        worth
    }

    #[inline(always)]
    fn fetch(self, _: &Table, _: u32) {}

    #[inline(always)]
    fn best(self, cases: &Cases, values: &[f32; LANES], others_move: [bool; 2]) -> [f32; LANES] {
        lanes(|cell| {
            let value = |end: usize| {
                let moves = others_move[end] | (cases.moves[end] >> cell & 1 != 0);
                let case = usize::from(cases.numbers[cell] & 3);
                if moves { values[4 * end + case] } else { 0.0 }
            };
            larger(value(0), value(1))
        })
    }
}

/// Vectors of eight. The contract: an [`x86::Avx2`] exists only where the processor has the
/// instructions, because only [`x86::Avx2::detect`] makes one; vectors are read from and written to
/// arrays of their own size, wherever they lie; a memory has as many entries as there are places, each
/// a pair and then its worth.
#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "a search takes half of the time of portable code")]

    use std::arch::x86_64::*;

    use super::{
        After, Cases, LANES, Machine, Memory, Missing, Network, Pairs, Table, Tables, block_of,
        mirror,
    };
    use crate::games::twenty48::heuristic::strong::{BITS, HASH};

    /// Processors with AVX2, BMI1 and POPCNT.
    #[derive(Clone, Copy)]
    pub struct Avx2(());

    impl Avx2 {
        /// The token, if this processor has the instructions.
        pub fn detect() -> Option<Self> {
            (is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("popcnt"))
            .then_some(Avx2(()))
        }

        /// A round with them.
        #[inline]
        pub fn round(
            self,
            tables: &Tables,
            network: &Network,
            pairs: &mut Pairs,
            after: After,
        ) -> [f64; 2] {
            // SAFETY: see the module's contract.
            unsafe { round_avx2(self, tables, network, pairs, after) }
        }
    }

    #[target_feature(enable = "avx2,bmi1,popcnt")]
    fn round_avx2(
        machine: Avx2,
        tables: &Tables,
        network: &Network,
        pairs: &mut Pairs,
        after: After,
    ) -> [f64; 2] {
        tables.round_on(machine, network, pairs, after)
    }

    /// By a set of lanes, those in it, and then whatever.
    static MEMBERS: [[u8; LANES]; 1 << LANES] = {
        let mut members = [[0; LANES]; 1 << LANES];
        let mut set = 0;
        while set < 1 << LANES {
            let (mut lane, mut at) = (0, 0);
            while lane < LANES {
                if set >> lane & 1 == 1 {
                    members[set][at] = lane as u8;
                    at += 1;
                }
                lane += 1;
            }
            set += 1;
        }
        members
    };

    // SAFETY: see the module's contract. What is fetched need not even be there.
    impl Machine for Avx2 {
        #[inline(always)]
        fn look_up(
            self,
            Memory { known, missing }: &mut Memory,
            pairs: &[u32; LANES],
            wanted: u8,
            sum: usize,
        ) -> [i32; LANES] {
            unsafe {
                let pairs = _mm256_loadu_si256(pairs.as_ptr().cast());
                let hash = _mm256_mullo_epi32(pairs, _mm256_set1_epi32(HASH as i32));
                let place = _mm256_srli_epi32::<{ 32 - BITS as i32 }>(hash);
                // The halves are to be taken apart and put together by quarters.
                let place = _mm256_permute4x64_epi64::<0b11_01_10_00>(place);
                let (low, high) =
                    (_mm256_castsi256_si128(place), _mm256_extracti128_si256::<1>(place));
                let known = known.as_ptr().cast();
                let low = _mm256_castsi256_ps(_mm256_i32gather_epi64::<8>(known, low));
                let high = _mm256_castsi256_ps(_mm256_i32gather_epi64::<8>(known, high));
                let there = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(low, high));
                let worth = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(low, high));
                let right = _mm256_cmpeq_epi32(there, pairs);
                let mut lanes = [0; LANES];
                _mm256_storeu_si256(lanes.as_mut_ptr().cast(), _mm256_and_si256(worth, right));

                // All lanes are written, those that are missing first; the next ones overwrite the rest.
                let right = _mm256_movemask_ps(_mm256_castsi256_ps(right)) as u8;
                let set = wanted & !right;
                let members = _mm_loadl_epi64(MEMBERS[usize::from(set)].as_ptr().cast());
                let packed = _mm256_permutevar8x32_epi32(pairs, _mm256_cvtepu8_epi32(members));
                let slots = _mm_add_epi8(members, _mm_set1_epi8((LANES * sum) as i8));
                debug_assert!(missing.len < Missing::MOST, "more missing pairs than there are");
                let at = missing.len % Missing::MOST;
                let to = &mut missing.pairs[at..][..LANES];
                _mm256_storeu_si256(to.as_mut_ptr().cast(), packed);
                let to = &mut missing.slots[at..][..LANES];
                _mm_storel_epi64(to.as_mut_ptr().cast(), slots);
                missing.len += set.count_ones() as usize;
                lanes
            }
        }

        #[inline(always)]
        fn fetch(self, table: &Table, pair: u32) {
            for pair in [pair, mirror(pair)] {
                let block = (&raw const table[block_of(pair)]).cast();
                unsafe { _mm_prefetch::<_MM_HINT_T0>(block) };
            }
        }

        #[inline(always)]
        fn best(
            self,
            cases: &Cases,
            values: &[f32; LANES],
            others_move: [bool; 2],
        ) -> [f32; LANES] {
            unsafe {
                let values = _mm256_loadu_ps(values.as_ptr());
                let bits = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
                let by_cell = |end: usize, case: __m256i| {
                    let moves = i32::from(cases.moves[end]) | -i32::from(others_move[end]);
                    let moves = _mm256_and_si256(_mm256_set1_epi32(moves), bits);
                    let moves = _mm256_castsi256_ps(_mm256_cmpeq_epi32(moves, bits));
                    _mm256_and_ps(moves, _mm256_permutevar8x32_ps(values, case))
                };
                let first = _mm256_cvtepu8_epi32(_mm_loadl_epi64(cases.numbers.as_ptr().cast()));
                let last = _mm256_or_si256(first, _mm256_set1_epi32(4));
                let best = _mm256_max_ps(by_cell(0, first), by_cell(1, last));
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
    use crate::games::twenty48::heuristic::Evaluation;
    use crate::games::twenty48::heuristic::strong::{Blocks, SMALL, Strong};
    use crate::games::twenty48::{Board, Direction, Size};
    use crate::random::SplitMix64;

    /// Boards valued one by one.
    fn naive(
        strong: &Strong,
        pairs: &mut Pairs,
        After { board, empty, first_kind }: After,
    ) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (kind, sum) in sums.iter_mut().enumerate().skip(first_kind) {
            for cell in (0..16).filter(|cell| empty >> (4 * cell) & 1 == 1) {
                let board = Board(board | (kind as u64 + 1) << (4 * cell));
                let moves = Direction::ALL.into_iter().filter_map(|it| board.slide(it, Size::FULL));
                let values = moves.map(|(after, score)| {
                    let across = transpose(after.0);
                    let value = strong.with::<false>(after.0, across, 0, pairs);
                    value.max(0.0) + score as f32
                });
                *sum += f64::from(values.fold(0.0, f32::max));
            }
        }
        sums
    }

    #[test]
    fn all_machines_agree() {
        let mut random = SplitMix64::new(1);
        let mut blocks = || {
            let mut weights = || (0..SMALL).map(|_| random.below(4001) as i16 - 1900).collect();
            let [line, end, middle]: [Vec<i16>; 3] = [weights(), weights(), weights()];
            Blocks::new(&line, &end, &middle).unwrap()
        };
        let network = Network { outer: blocks(), inner: blocks(), scale: 0.25 };
        let strong = Strong::new(network.into());
        let [mut best, mut portable, mut one_by_one] = [(); 3].map(|()| strong.memory());
        for turn in 0..20_000 {
            // From full boards of few tiles to empty ones.
            let (spread, empty) = (1 + random.below(15), random.below(17));
            let cells = (0..16).map(|cell| {
                let tile = if random.below(16) < empty { 0 } else { 1 + random.below(spread) };
                tile << (4 * cell)
            });
            let board = Board(cells.sum());
            let empty = board.empty_bits(Size::FULL);
            let after = After { board: board.0, empty, first_kind: turn % 2 };
            let Strong { tables, network } = &strong;
            let expected = naive(&strong, &mut one_by_one, after);
            assert_eq!(
                tables.round_on(Portable, network, &mut portable, after),
                expected,
                "{board}"
            );
            assert_eq!(tables.round(network, &mut best, after), expected, "{board}");
        }
    }
}
