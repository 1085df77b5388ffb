//! The last round of a search with `strong`.
//!
//! What makes it slow is to guess wrong what comes next, and to wait for the network. So no branch
//! depends on which pairs are remembered: those that are not go on a list. When all pairs of a
//! direction are looked up, what the network knows of the missing ones is fetched, and only when the
//! other direction is done, too, it is read.

use super::whole::{canonical_inner, canonical_outer};
use super::{Memory, Network, Pairs, Table, Weights, block_of, inner, mirror, outer};
use crate::games::twenty48::round::{
    Afterstate, Entry, LANES, Machine, Slides, Valuation, for_open_lines, lanes, larger, line,
    place,
};
use crate::games::twenty48::symmetry::transpose;

/// A round on its way.
pub(super) struct Round<'a> {
    outer: &'a Weights,
    inner: &'a Weights,
    scale: f32,
    pairs: &'a mut Pairs,
    /// What pairs are worth: for each row and each column, by case, those that hold it or cross it;
    /// then the outer and the inner ones that no tile has changed.
    sums: [[i32; LANES]; 10],
}

/// The numbers of the last two.
const OUTER: usize = 8;
const INNER: usize = 9;

impl Memory {
    /// Begins a round: nothing is missing.
    #[inline(always)]
    fn begin(&mut self) {
        self.missing.clear();
        self.fetched = 0;
    }

    /// What pairs are worth. Where that is not remembered it is 0, and those that are wanted are missing
    /// from the sum of that number.
    #[inline(always)]
    fn look_up(
        &mut self,
        machine: impl Machine,
        pairs: [u32; LANES],
        wanted: u8,
        sum: usize,
    ) -> [i32; LANES] {
        let tag = (LANES * sum) as u8;
        machine.look_up(&self.known, pairs, wanted, tag, &mut self.missing)
    }
}

impl<'a> Round<'a> {
    pub fn new(network: &'a Network, pairs: &'a mut Pairs) -> Self {
        let Network { outer, inner, scale } = network;
        Self { outer, inner, scale: *scale, pairs, sums: [[0; LANES]; 10] }
    }

    /// Looks up the pairs of lines that slide without a new tile, as far as there are others to have it.
    #[inline(always)]
    fn look_up_unchanged(
        &mut self,
        machine: impl Machine,
        slides: &[Slides; 2],
        empties: [u64; 2],
    ) {
        let ends = [slides[0].ends[0], slides[0].ends[1], slides[1].ends[0], slides[1].ends[1]];
        let has = |axis: usize, lines: u64| u8::from(empties[axis] & lines != 0);
        let outer = lanes(|lane| {
            let end = ends[lane / 2];
            if lane % 2 == 0 { end as u32 } else { ((end >> 32) as u32).rotate_left(16) }
        });
        let wanted = |axis| (has(axis, !0 << 32) * 0b0101) | (has(axis, !0 >> 32) * 0b1010);
        let wanted = wanted(0) | wanted(1) << 4;
        self.sums[OUTER] = self.pairs.outer.look_up(machine, outer, wanted, OUTER);
        let inner = lanes(|lane| (ends[lane % 4] >> 16) as u32);
        let wanted = |axis| has(axis, 0xffff_0000_0000_ffff) * 0b11;
        let wanted = wanted(0) | wanted(1) << 2;
        self.sums[INNER] = self.pairs.inner.look_up(machine, inner, wanted, INNER);
    }

    /// Looks up the pairs that a new tile in a line changes.
    #[inline(always)]
    fn look_up<const AXIS: usize, const Y: usize>(
        &mut self,
        machine: impl Machine,
        slides: &Slides,
        after: Afterstate,
    ) {
        let number = 4 * AXIS + Y;
        let to = slides.cases::<Y>().to;
        let wanted = slides.wanted::<Y>(after);

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
        let a = outer.look_up(machine, at_edge, wanted, number);
        let b = outer.look_up(machine, crossing(0, 1), wanted, number);
        let c = outer.look_up(machine, crossing(3, 2), wanted, number);
        let d = inner.look_up(machine, crossing(1, 2), wanted, number);
        let e = match in_middle {
            Some(pairs) => inner.look_up(machine, pairs, wanted, number),
            None => [0; LANES],
        };
        self.sums[number] = lanes(|lane| a[lane] + b[lane] + c[lane] + d[lane] + e[lane]);
    }

    /// Fetches what the network knows of missing pairs.
    #[inline(always)]
    fn fetch(&mut self, machine: impl Machine) {
        let Pairs { outer, inner } = &mut *self.pairs;
        for &pair in &outer.missing.keys()[outer.fetched..] {
            fetch(machine, self.outer.table(), pair);
            machine.fetch(self.outer.whole.bucket(canonical_outer(pair)));
        }
        for &pair in &inner.missing.keys()[inner.fetched..] {
            fetch(machine, self.inner.table(), pair);
            fetch(machine, self.inner.table(), pair.rotate_left(16));
            machine.fetch(self.inner.whole.bucket(canonical_inner(pair)));
        }
        outer.fetched = outer.missing.keys().len();
        inner.fetched = inner.missing.keys().len();
    }

    /// Reads it.
    #[inline(always)]
    fn read(&mut self) {
        let sums = self.sums.as_flattened_mut();
        let mut read = |memory: &mut Memory, worth: fn(&Weights, u32) -> i32, weights| {
            let Memory { known, missing, .. } = memory;
            for (&pair, &sum) in missing.keys().iter().zip(missing.tags()) {
                let worth = worth(weights, pair);
                known[place(pair)] = Entry { key: pair, value: worth };
                sums[usize::from(sum)] += worth;
            }
        };
        read(&mut self.pairs.outer, outer, self.outer);
        read(&mut self.pairs.inner, inner, self.inner);
    }
}

/// Fetches the patterns of a pair.
#[inline(always)]
fn fetch(machine: impl Machine, table: &Table, pair: u32) {
    machine.fetch(&table[block_of(pair)]);
    machine.fetch(&table[block_of(mirror(pair))]);
}

impl Valuation for Round<'_> {
    #[inline(always)]
    fn prepare(&mut self, machine: impl Machine, slides: &[Slides; 2], after: Afterstate) {
        self.pairs.outer.begin();
        self.pairs.inner.begin();
        let empties = [after.empty, transpose(after.empty)];
        self.look_up_unchanged(machine, slides, empties);
        for_open_lines!(empties[0], Y => self.look_up::<0, Y>(machine, &slides[0], after));
        self.fetch(machine);
        for_open_lines!(empties[1], Y => self.look_up::<1, Y>(machine, &slides[1], after));
        self.fetch(machine);
        self.read();
    }

    #[inline(always)]
    fn values<const AXIS: usize, const Y: usize>(
        &mut self,
        _: impl Machine,
        slides: &Slides,
        _: Afterstate,
    ) -> [f32; LANES] {
        let unchanged = |end: usize| {
            let outer = |last: usize| self.sums[OUTER][4 * AXIS + 2 * end + last];
            let inner = || self.sums[INNER][2 * AXIS + end];
            match Y {
                0 => inner() + outer(1),
                1 => outer(1),
                2 => outer(0),
                _ => outer(0) + inner(),
            }
        };
        let unchanged = [unchanged(0), unchanged(1)];
        let (sums, scores) = (&self.sums[4 * AXIS + Y], slides.scores::<Y>());
        lanes(|case| {
            let points = (unchanged[case / 4] + sums[case]) as f32 * self.scale;
            larger(points, 0.0) + scores[case % 4]
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::games::twenty48::Size;
    use crate::games::twenty48::heuristic::strong::{Network, SMALL, Strong, Weights};
    use crate::games::twenty48::heuristic::tests::check;
    use crate::random::SplitMix64;

    #[test]
    fn a_last_round_is_the_naive_one_on_all_machines() {
        let mut random = SplitMix64::new(1);
        let mut weights = || {
            let mut four =
                || -> Vec<i16> { (0..SMALL).map(|_| random.below(4001) as i16 - 1900).collect() };
            let [line, end, middle] = [four(), four(), four()];
            // All pairs of cells that are empty or hold a 2 or a 4.
            let cell = |number: u32, cell| (number / 3u32.pow(cell) % 3) << (4 * cell);
            let pairs = (0..3u32.pow(8)).map(|number| (0..8).map(|at| cell(number, at)).sum());
            let whole: Vec<(u32, i16)> = pairs.zip(four()).collect();
            Weights::new(&line, &end, &middle, &whole).unwrap()
        };
        let network = Network { outer: weights(), inner: weights(), scale: 0.25 };
        check(&Strong { network: network.into() }, Size::FULL, 20_000);
    }
}
