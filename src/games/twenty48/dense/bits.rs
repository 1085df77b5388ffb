//! Rows of bits, one for each number of a layer.

use std::ops::Range;
use std::sync::Mutex;

use rayon::prelude::*;

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
}

/// How many numbers a thread takes at a time.
pub const SHARE: usize = 4096;

/// How many words it takes at a time where there is next to nothing to do for each.
const PASSED: usize = 1 << 14;

impl Bits {
    /// Forgets all and makes room for so many numbers.
    pub fn reset(&mut self, numbers: usize) {
        self.words.clear();
        self.words.resize(numbers.div_ceil(64), 0);
    }

    #[inline]
    pub fn insert(&mut self, number: u32) {
        self.words[number as usize / 64] |= 1 << (number % 64);
    }

    /// Adds a number if it is wanted.
    #[inline]
    pub fn insert_if(&mut self, wanted: bool, number: u32) {
        self.words[number as usize / 64] |= u64::from(wanted) << (number % 64);
    }

    #[inline]
    pub fn remove(&mut self, number: u32) {
        self.words[number as usize / 64] &= !(1 << (number % 64));
    }

    /// How many numbers are in the set.
    pub fn count(&self) -> usize {
        self.count_in(self.all())
    }

    /// How many of those in a range that begins where a share does.
    pub fn count_in(&self, range: Range<usize>) -> usize {
        self.shares_in(range).map(|share| share.count()).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The numbers by sixty-four: those of each word, the smallest in the lowest bit.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The set with these words.
    pub fn from_words(words: Vec<u64>) -> Self {
        Self { words }
    }

    /// All numbers that there is room for.
    pub fn all(&self) -> Range<usize> {
        0..64 * self.words.len()
    }

    /// Cuts the numbers into so many ranges, or fewer, that have about as many of the set each. They begin
    /// and end where shares do.
    pub fn cut(&self, ranges: u64) -> Vec<Range<usize>> {
        if ranges <= 1 {
            return vec![self.all()];
        }
        let counts: Vec<usize> = self.shares().map(|share| share.count()).collect();
        let total = counts.iter().sum::<usize>() as u64;
        let (mut cuts, mut start, mut before) = (Vec::new(), 0, 0);
        for (share, count) in counts.iter().enumerate() {
            before += *count as u64;
            let end = ((share + 1) * SHARE).min(self.all().end);
            if before * ranges >= total * (cuts.len() as u64 + 1) && before < total {
                cuts.push(start..end);
                start = end;
            }
        }
        cuts.push(start..self.all().end);
        cuts
    }

    /// The numbers, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().zip(0..).flat_map(|(&word, place)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let at = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(64 * place + at)
            })
        })
    }

    /// The values of its numbers, in order, from those of all numbers.
    pub fn select(&self, values: &[f64]) -> Vec<f64> {
        self.select_in(self.all(), values)
    }

    /// The same of those in a range that begins where a share does.
    pub fn select_in(&self, range: Range<usize>, values: &[f64]) -> Vec<f64> {
        self.map_in(range, |share, selected| {
            let mut selected = selected.iter_mut();
            share.each(|number| {
                if let Some(selected) = selected.next() {
                    *selected = values[number];
                }
            });
        })
    }

    /// Something for each of its numbers in a range that begins where a share does, in order: `fill` is given
    /// each share with the room for what belongs to its numbers.
    pub fn map_in<T: Copy + Default + Send>(
        &self,
        range: Range<usize>,
        fill: impl Fn(Share<'_>, &mut [T]) + Sync,
    ) -> Vec<T> {
        let counts: Vec<usize> = self.shares_in(range.clone()).map(|share| share.count()).collect();
        let mut all = vec![T::default(); counts.iter().sum()];
        let mut rest = &mut all[..];
        let rooms: Vec<&mut [T]> =
            counts.iter().map(|&count| rest.split_off_mut(..count).unwrap_or_default()).collect();
        self.shares_in(range).zip(rooms).for_each(|(share, room)| fill(share, room));
        all
    }

    /// Its last numbers, so many or all that there are, in order.
    pub fn last(&self, count: usize) -> Vec<u32> {
        let words = self.words.iter().enumerate().rev();
        let numbers = words.flat_map(|(place, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let at = rest.checked_ilog2()?;
                rest ^= 1 << at;
                Some(64 * place as u32 + at)
            })
        });
        let mut last: Vec<u32> = numbers.take(count).collect();
        last.reverse();
        last
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    /// Adds the numbers of another set.
    pub fn join(&mut self, other: &Self) {
        if self.words.is_empty() {
            self.words.resize(other.words.len(), 0);
        }
        let pairs = self.words.par_chunks_mut(PASSED).zip(other.words.par_chunks(PASSED));
        pairs.for_each(|(all, some)| {
            for (all, some) in all.iter_mut().zip(some) {
                *all |= some;
            }
        });
    }

    /// Takes the numbers of another set out.
    pub fn subtract(&mut self, other: &Self) {
        let pairs = self.words.par_chunks_mut(PASSED).zip(other.words.par_chunks(PASSED));
        pairs.for_each(|(rest, some)| {
            for (rest, some) in rest.iter_mut().zip(some) {
                *rest &= !some;
            }
        });
    }

    /// Whether all numbers are in another set, too.
    pub fn is_subset(&self, other: &Self) -> bool {
        let pairs = self.words.iter().zip(&other.words);
        pairs.fold(0, |missing, (own, theirs)| missing | own & !theirs) == 0
    }

    /// Its shares, for all threads: each with its words and the number that it begins with.
    pub fn shares(&self) -> impl IndexedParallelIterator<Item = Share<'_>> {
        self.shares_in(self.all())
    }

    /// Those of a range that begins where one of them does.
    pub fn shares_in(&self, range: Range<usize>) -> impl IndexedParallelIterator<Item = Share<'_>> {
        let words = &self.words[range.start / 64..range.end / 64];
        let shares = words.par_chunks(SHARE / 64).enumerate();
        shares.map(move |(place, words)| Share { words, first: range.start + place * SHARE })
    }

    /// Some shares at a time, one behind the other.
    pub fn pieces(&self, shares: usize) -> impl Iterator<Item = Vec<Share<'_>>> {
        let shares_of = move |(piece, words): (usize, _)| {
            let places = (piece * shares..).zip(<[u64]>::chunks(words, SHARE / 64));
            places.map(|(place, words)| Share { words, first: place * SHARE }).collect()
        };
        self.words.chunks(shares * SHARE / 64).enumerate().map(shares_of)
    }

    /// Visits the numbers in a range, in order.
    pub fn each_of(&self, range: Range<u32>, mut visit: impl FnMut(u32)) {
        for at in range.start / 64..range.end.div_ceil(64) {
            let mut rest = word_in(self.words[at as usize], at, &range);
            while rest != 0 {
                visit(64 * at + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
    }
}

/// The bits of the word with this number that are in a range.
fn word_in(word: u64, at: u32, range: &Range<u32>) -> u64 {
    let from = range.start.saturating_sub(64 * at);
    let behind = (64 * at + 64).saturating_sub(range.end);
    if from >= 64 || behind >= 64 { 0 } else { word >> from << from << behind >> behind }
}

/// Some neighbouring numbers of a set.
#[derive(Clone, Copy)]
pub struct Share<'a> {
    words: &'a [u64],
    pub first: usize,
}

impl Share<'_> {
    #[inline]
    pub fn each(&self, mut visit: impl FnMut(usize)) {
        for (place, &word) in self.words.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                visit(self.first + 64 * place + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
}

/// A set that all threads add to, each to one of its own; in the end they are joined.
pub struct Gathered {
    parts: Vec<Mutex<Bits>>,
}

impl Gathered {
    /// One for all threads that there are now.
    pub fn new() -> Self {
        Self { parts: (0..rayon::current_num_threads()).map(|_| Mutex::default()).collect() }
    }

    pub fn reset(&mut self, numbers: usize) {
        self.parts.par_iter_mut().for_each(|bits| {
            bits.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()).reset(numbers);
        });
    }

    /// Lets this thread add to it.
    pub fn with<R>(&self, act: impl FnOnce(&mut Bits) -> R) -> R {
        let thread = rayon::current_thread_index().unwrap_or(0) % self.parts.len();
        act(&mut self.parts[thread].lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// All that was added.
    pub fn join(&mut self) -> Bits {
        let mut all = Bits::default();
        for bits in &mut self.parts {
            let bits = bits.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
            match all.words.is_empty() {
                // It is reset before it is used again.
                true => all = std::mem::take(bits),
                false => all.join(bits),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn what_belongs_to_numbers_comes_in_their_order() {
        let mut random = SplitMix64::new(20);
        for numbers in [1, 64, 65, SHARE, 3 * SHARE + 100] {
            let mut set = Bits::default();
            set.reset(numbers);
            let mut naive: Vec<u32> =
                (0..numbers as u32).filter(|_| random.below(5) == 0).collect();
            naive.iter().for_each(|&number| set.insert(number));
            let values: Vec<f64> = (0..64 * numbers).map(|number| number as f64 / 3.0).collect();
            let selected: Vec<f64> = naive.iter().map(|&it| values[it as usize]).collect();
            assert_eq!(set.select(&values), selected);
            for count in [0, 1, 7, 1000, numbers] {
                let last = &naive[naive.len().saturating_sub(count)..];
                assert_eq!(set.last(count), last);
            }
            naive.retain(|&number| number as usize >= SHARE);
            if numbers > SHARE {
                let rest: Vec<f64> = naive.iter().map(|&it| values[it as usize]).collect();
                assert_eq!(set.select_in(SHARE..set.all().end, &values), rest);
            }
        }
    }
}
