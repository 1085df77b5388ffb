//! The steps of a layer, cut into pieces for all hands on it.
//!
//! A piece is a range of numbers. Forward it gives numbers of other layers, which are joined with those of the
//! other pieces; backward it gives the values of its own numbers. How a step is cut depends on its layer and on
//! the number of hands alone. A step of one piece is every hand's own, and leaves no file: that of a small layer,
//! or of a hand that is alone.

use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;

use super::bits::{Bits, Gathered};
use super::numbering::Numbers;
use super::sweep::{Code, SolvedLayer, SolvedPart, Sweep};
use crate::job::hands::{Hand, Pieces};
use crate::table::TableError;

/// How many boards a piece has at the least: what takes some 5 ms. In tests, so few that small layers have
/// pieces.
pub const WORTH: u64 = if cfg!(test) { 1 << 8 } else { 1 << 16 };

/// The same of positions that are slid, which is done in a quarter of the time.
const SLIDES_WORTH: u64 = 4 * WORTH;

/// The hands on a layer.
#[derive(Clone, Copy)]
pub struct Steps<'a> {
    hand: &'a Hand<'a>,
    /// The sum of the layer, which tells its steps from others.
    sum: u32,
}

impl<'a> Steps<'a> {
    /// Of the layer with this sum.
    pub fn new(hand: &'a Hand<'a>, sum: u32) -> Self {
        Self { hand, sum }
    }

    /// The afterstates of positions, some of them under several numbers.
    pub fn slide(
        self,
        sweep: &Sweep,
        now: &Numbers,
        states: &Bits,
        slid: &mut Gathered,
    ) -> Result<Bits, TableError> {
        let found = self.find("slide", states, [now.len()], |range| {
            slid.reset(now.len());
            sweep.slide(now, states, range, slid);
            [slid.join()]
        });
        found.map(|[found]| found)
    }

    /// Values afterstates, by number: `value` those in a range.
    pub fn value_afterstates(
        self,
        sweep: &Sweep,
        now: &Numbers,
        afterstates: &Bits,
        values: &mut [f64],
        value: impl FnMut(Range<usize>, &mut [f64]),
    ) -> Result<(), TableError> {
        self.value("afterstates", afterstates, values, value)?;
        sweep.numbering.spread(now, afterstates, values);
        Ok(())
    }

    /// Values positions by the values of their afterstates, both by number, and answers what tables say of
    /// them.
    pub fn solve_states<C: Code>(
        self,
        sweep: &Sweep,
        now: &Numbers,
        states: &Bits,
        afterstates: &[f64],
        values: &mut [f64],
    ) -> Result<SolvedLayer<C>, TableError> {
        let name = self.name("states");
        let ranges = self.cut(states, WORTH);
        let mut ends = Vec::with_capacity(ranges.len());
        for range in &ranges {
            ends.push(ends.last().copied().unwrap_or(0) + states.count_in(range.clone()));
        }
        let mut work = SolvedPieces {
            hand: self.hand,
            name: &name,
            solved: SolvedLayer::zeroed(ends.last().copied().unwrap_or(0)),
            ranges,
            ends,
            has_codes: true,
            set: states,
            values,
            solve: |range, values: &mut [f64], solved: SolvedPart<'_, C>| {
                sweep.solve_states(now, states, range, afterstates, values, solved);
            },
        };
        self.share(&name, work.ranges.len(), &mut work)?;
        let SolvedPieces { mut solved, has_codes, .. } = work;
        if !has_codes {
            solved.codes = Vec::new();
        }
        sweep.numbering.spread(now, states, values);
        Ok(solved)
    }

    fn find<const N: usize>(
        self,
        step: &str,
        set: &Bits,
        lengths: [usize; N],
        find: impl FnMut(Range<usize>) -> [Bits; N],
    ) -> Result<[Bits; N], TableError> {
        let name = self.name(step);
        let found = lengths.map(|_| Bits::default());
        let (hand, ranges) = (self.hand, self.cut(set, SLIDES_WORTH));
        let mut work = FoundPieces { hand, name: &name, ranges, lengths, found, find };
        self.share(&name, work.ranges.len(), &mut work)?;
        Ok(work.found)
    }

    fn value(
        self,
        step: &str,
        set: &Bits,
        values: &mut [f64],
        value: impl FnMut(Range<usize>, &mut [f64]),
    ) -> Result<(), TableError> {
        let name = self.name(step);
        let mut work = ValuedPieces {
            hand: self.hand,
            name: &name,
            ranges: self.cut(set, WORTH),
            set,
            values,
            value,
        };
        self.share(&name, work.ranges.len(), &mut work)
    }

    fn name(self, step: &str) -> String {
        format!("{step}-{}", self.sum)
    }

    fn cut(self, set: &Bits, worth: u64) -> Vec<Range<usize>> {
        if self.hand.is_alone() {
            return vec![set.all()];
        }
        set.cut(self.hand.pieces(set.count() as u64, worth))
    }

    /// Shares pieces with the others.
    fn share(self, name: &str, pieces: usize, work: &mut dyn Pieces) -> Result<(), TableError> {
        match self.hand.exchange(name, pieces as u64, work)? {
            true => Ok(()),
            false => Err(TableError::io(Path::new(name))(ErrorKind::Interrupted.into())),
        }
    }
}

/// Pieces that give numbers of other layers.
struct FoundPieces<'a, const N: usize, F> {
    hand: &'a Hand<'a>,
    name: &'a str,
    ranges: Vec<Range<usize>>,
    /// How many numbers the other layers have.
    lengths: [usize; N],
    found: [Bits; N],
    find: F,
}

impl<const N: usize, F> FoundPieces<'_, N, F> {
    fn join(&mut self, more: [Bits; N]) {
        for (all, more) in self.found.iter_mut().zip(more) {
            match all.words().is_empty() {
                true => *all = more,
                false => all.join(&more),
            }
        }
    }
}

impl<const N: usize, F: FnMut(Range<usize>) -> [Bits; N]> Pieces for FoundPieces<'_, N, F> {
    fn take(&mut self, piece: u64) -> Result<bool, TableError> {
        let Some(bytes) = self.hand.taken(self.name, piece) else { return Ok(false) };
        let mut rest = &bytes[..];
        let sets = self.lengths.map(|numbers| unpack(&mut rest, numbers.div_ceil(64)));
        if !rest.is_empty() || sets.iter().any(Option::is_none) {
            return Ok(false);
        }
        self.join(sets.map(Option::unwrap_or_default));
        Ok(true)
    }

    fn make(&mut self, piece: u64) -> Result<bool, TableError> {
        let found = (self.find)(self.ranges[piece as usize].clone());
        if self.hand.has_others() {
            let mut bytes = Vec::new();
            found.iter().for_each(|set| pack(set, &mut bytes));
            self.hand.give(self.name, piece, &bytes)?;
        }
        self.join(found);
        Ok(true)
    }
}

/// Packs a set as bytes: of sixty-four words at a time, which are there, and those.
fn pack(set: &Bits, bytes: &mut Vec<u8>) {
    for words in set.words().chunks(64) {
        let there = (0..).zip(words).map(|(place, &word)| u64::from(word != 0) << place);
        bytes.extend(there.sum::<u64>().to_le_bytes());
        words.iter().filter(|&&word| word != 0).for_each(|it| bytes.extend(it.to_le_bytes()));
    }
}

/// A set of so many words from the front of bytes; `None` if it is not there.
fn unpack(bytes: &mut &[u8], length: usize) -> Option<Bits> {
    let mut words = vec![0; length];
    let mut next = || Some(u64::from_le_bytes(*bytes.split_off(..8)?.first_chunk()?));
    for words in words.chunks_mut(64) {
        let mut there = next()?;
        while there != 0 {
            *words.get_mut(there.trailing_zeros() as usize)? = next()?;
            there &= there - 1;
        }
    }
    Some(Bits::from_words(words))
}

/// Pieces that give the values of their own numbers.
struct ValuedPieces<'a, F> {
    hand: &'a Hand<'a>,
    name: &'a str,
    ranges: Vec<Range<usize>>,
    set: &'a Bits,
    /// By number.
    values: &'a mut [f64],
    value: F,
}

impl<F: FnMut(Range<usize>, &mut [f64])> Pieces for ValuedPieces<'_, F> {
    fn take(&mut self, piece: u64) -> Result<bool, TableError> {
        let Some(bytes) = self.hand.taken(self.name, piece) else { return Ok(false) };
        let range = self.ranges[piece as usize].clone();
        Ok(put(self.set, range, numbers_of(&bytes), self.values))
    }

    fn make(&mut self, piece: u64) -> Result<bool, TableError> {
        let range = self.ranges[piece as usize].clone();
        (self.value)(range.clone(), self.values);
        if self.hand.has_others() {
            let values = self.set.select_in(range, self.values);
            self.hand.give(self.name, piece, bytemuck::cast_slice(&little_endian(values)))?;
        }
        Ok(true)
    }
}

/// Pieces that give the values and best moves of their own positions.
struct SolvedPieces<'a, C, F> {
    hand: &'a Hand<'a>,
    name: &'a str,
    ranges: Vec<Range<usize>>,
    /// Where the positions of each piece end.
    ends: Vec<usize>,
    set: &'a Bits,
    /// By number.
    values: &'a mut [f64],
    solved: SolvedLayer<C>,
    /// Whether the codes of all positions are there: others do not give those.
    has_codes: bool,
    solve: F,
}

impl<C, F> SolvedPieces<'_, C, F> {
    /// The positions of a piece.
    fn rows(&self, piece: u64) -> Range<usize> {
        let piece = piece as usize;
        piece.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[piece]
    }
}

impl<C: Code, F> Pieces for SolvedPieces<'_, C, F>
where
    F: FnMut(Range<usize>, &mut [f64], SolvedPart<'_, C>),
{
    fn take(&mut self, piece: u64) -> Result<bool, TableError> {
        let Some(bytes) = self.hand.taken(self.name, piece) else { return Ok(false) };
        let rows = self.rows(piece);
        let part = self.solved.part(rows.clone());
        let Some((values, moves)) = bytes.split_at_checked(rows.len() * size_of::<f64>()) else {
            return Ok(false);
        };
        if moves.len() != rows.len() {
            return Ok(false);
        }
        part.values.iter_mut().zip(numbers_of(values)).for_each(|(there, value)| *there = value);
        part.moves.copy_from_slice(moves);
        self.has_codes = false;
        let range = self.ranges[piece as usize].clone();
        Ok(put(self.set, range, part.values.iter().copied(), self.values))
    }

    fn make(&mut self, piece: u64) -> Result<bool, TableError> {
        let (range, rows) = (self.ranges[piece as usize].clone(), self.rows(piece));
        let has_others = self.hand.has_others();
        self.has_codes &= !has_others;
        let mut part = self.solved.part(rows.clone());
        if has_others {
            // Who writes the layer works them out, and those of the others, too.
            part.codes = &mut [];
        }
        (self.solve)(range, self.values, part);
        if has_others {
            let SolvedPart { values, moves, .. } = self.solved.part(rows);
            let mut bytes = Vec::with_capacity(values.len() * (size_of::<f64>() + 1));
            values.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
            bytes.extend_from_slice(moves);
            self.hand.give(self.name, piece, &bytes)?;
        }
        Ok(true)
    }
}

/// Values as they stand in files.
fn little_endian(values: Vec<f64>) -> Vec<u64> {
    values.into_iter().map(|value| value.to_bits().to_le()).collect()
}

fn numbers_of(bytes: &[u8]) -> impl ExactSizeIterator<Item = f64> {
    let values = bytes.chunks_exact(size_of::<f64>());
    values.map(|value| f64::from_le_bytes(value.try_into().unwrap_or_default()))
}

/// Gives the numbers of a set in a range their values; `false` if there are not as many.
fn put(
    set: &Bits,
    range: Range<usize>,
    known: impl ExactSizeIterator<Item = f64>,
    values: &mut [f64],
) -> bool {
    if set.count_in(range.clone()) != known.len() {
        return false;
    }
    let mut known = known;
    set.each_of(range.start as u32..range.end as u32, |number| {
        if let Some(value) = known.next() {
            values[number as usize] = value;
        }
    });
    true
}
