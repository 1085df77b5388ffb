//! The network while it learns: weights, and how coherent their errors have been.
//!
//! Threads learn without locks. What one of them reads and writes is a number at a time, so that now
//! and then an update of another is lost: an error like any other, and soon made good.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use endtable::games::twenty48::{Board, Size};
#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::MmapMut;

use crate::pack::Weights;
use crate::pairs::{OUTER, Pairs, WHOLE, whole_pairs};
use crate::pattern::{ENTRIES, Entries, PAIRS, PATTERNS, TABLES, entries, halved, offset};

/// Room for all entries, a power of two, so that a masked number never lies outside. The rest is
/// never touched and takes no memory.
const ROOM: usize = ENTRIES.next_power_of_two();

pub struct Network {
    weights: Large,
    /// For every weight the sum of its errors, and then the sum of their sizes.
    errors: Large,
    /// The weights of whole pairs, outer and inner ones.
    pairs: [Pairs; 2],
    /// Whether weights stand still, and only their errors are summed up.
    is_fixed: bool,
}

/// What was learned of a weight.
#[derive(Clone, Copy)]
pub struct Learned {
    pub weight: f32,
    /// The sum of its errors, and the sum of their sizes.
    pub errors: [f32; 2],
}

impl Learned {
    /// The rate at which it learns: temporal coherence.
    #[inline(always)]
    fn coherence(self) -> f32 {
        let [signed, size] = self.errors;
        if size > 0.0 { signed.abs() / size } else { 1.0 }
    }
}

/// What a board looks up: entries of patterns, and whole pairs.
#[derive(Clone, Copy)]
pub struct Looked {
    entries: Entries,
    pairs: [u32; WHOLE],
}

impl Looked {
    #[inline(always)]
    pub fn up(board: Board) -> Self {
        Self { entries: entries(board), pairs: whole_pairs(board) }
    }
}

/// The share of an error that whole pairs make good: half, as much as all that they add up to.
const OF_PAIRS: f32 = 0.5;

impl Network {
    /// A network that knows nothing.
    pub fn new() -> io::Result<Self> {
        let (weights, errors) = (Large::new(ROOM)?, Large::new(2 * ROOM)?);
        let pairs = [Pairs::new()?, Pairs::new()?];
        Ok(Self { weights, errors, pairs, is_fixed: false })
    }

    /// A network with packed weights. What they have seen is not known: until [`Network::resume`] they stand
    /// still, and what errors they meet is summed up.
    pub fn packed(packed: &Weights) -> io::Result<Self> {
        let network = Self { is_fixed: true, ..Self::new()? };
        let entries = packed.entries.iter().enumerate();
        for (entry, &weight) in entries.filter(|(_, weight)| **weight != 0.0) {
            network.weights.set(entry, weight);
        }
        for (pairs, weights) in network.pairs.iter().zip(&packed.pairs) {
            for &(pair, weight) in weights {
                if let Some(place) = pairs.place(pair) {
                    pairs.set(place, Learned { weight, errors: [0.0; 2] });
                }
            }
        }
        Ok(network)
    }

    /// Lets packed weights learn, as if each had seen so many times the errors that it has met since, and
    /// at least as much as a weight is packed for. Their errors are taken to have cancelled out; a weight
    /// that was not packed has seen nothing.
    pub fn resume(&mut self, times: f32, evidence: f32) {
        self.is_fixed = false;
        let resumed = |Learned { weight, errors: [_, size] }| match weight {
            0.0 => [0.0; 2],
            _ => [0.0, (times * size).max(evidence)],
        };
        for entry in 0..ENTRIES {
            self.set_errors(entry, resumed(self.learned(entry)));
        }
        for pairs in &self.pairs {
            for (_, place) in pairs.all() {
                let learned = pairs.get(place);
                pairs.set(place, Learned { errors: resumed(learned), ..learned });
            }
        }
    }

    /// A network for late boards to begin with: half of what this one believes of them with their large
    /// tiles halved, but for whole pairs. Half, because such games are soon lost.
    pub fn for_late_boards(&self) -> io::Result<Self> {
        let late = Self::new()?;
        for (table, pattern) in TABLES.into_iter().enumerate() {
            for entry in 0..pattern.entries() {
                let [from, to] = [halved(entry), entry].map(|entry| offset(table) + entry);
                late.weights.set(to, 0.5 * self.weights.get(from));
                late.set_errors(to, self.errors(from).map(|sum| 0.5 * sum));
            }
        }
        Ok(late)
    }

    /// The sum of the errors of a weight, and the sum of their sizes.
    #[inline(always)]
    fn errors(&self, entry: usize) -> [f32; 2] {
        [self.errors.get(2 * entry), self.errors.get(2 * entry + 1)]
    }

    #[inline(always)]
    fn set_errors(&self, entry: usize, [signed, size]: [f32; 2]) {
        self.errors.set(2 * entry, signed);
        self.errors.set(2 * entry + 1, size);
    }

    /// The best move: what it is believed to be worth, the board after it, and what it scores.
    pub fn best(&self, board: Board) -> Option<(f32, Board, u32)> {
        let mut best: Option<(f32, Board, u32)> = None;
        let moves = board.slides(Size::FULL);
        for (after, _) in moves.into_iter().flatten() {
            self.prefetch_pairs(whole_pairs(after));
        }
        for (after, gain) in moves.into_iter().flatten() {
            let total = self.value(after) + gain as f32;
            if best.is_none_or(|(most, ..)| total > most) {
                best = Some((total, after, gain));
            }
        }
        best
    }

    /// What a board after a move is worth.
    #[inline(always)]
    pub fn value(&self, board: Board) -> f32 {
        let mut sums = [0.0; PAIRS];
        for entries in entries(board) {
            for (sum, entry) in sums.iter_mut().zip(entries) {
                *sum += self.weights.get(entry as usize);
            }
        }
        let mut value = total(sums);
        for (which, pair) in whole_pairs(board).into_iter().enumerate() {
            let pairs = self.pairs(which);
            value += pairs.find(pair).map_or(0.0, |place| pairs.get(place).weight);
        }
        value
    }

    /// The weights of one of a board's whole pairs.
    #[inline(always)]
    fn pairs(&self, which: usize) -> &Pairs {
        &self.pairs[usize::from(which >= OUTER)]
    }

    /// Temporal coherence: a weight learns at the rate |sum of errors| / sum of |errors|, so
    /// that those whose errors cancel out stand still. A weight that a board looks up twice learns
    /// once. Tells what the board that looks these up is worth then.
    #[inline(always)]
    pub fn learn(&self, looked: &Looked, target: f32) -> f32 {
        let places = looked.entries.map(|entries| entries.map(|entry| entry as usize));
        let mut known = places.map(|places| places.map(|place| self.weights.get(place)));
        let mut sums = [0.0; PAIRS];
        for known in &known {
            for (sum, known) in sums.iter_mut().zip(known) {
                *sum += known;
            }
        }
        let pairs: [_; WHOLE] = std::array::from_fn(|which| {
            let pairs = self.pairs(which);
            pairs.place(looked.pairs[which]).map(|place| (pairs, place, pairs.get(place)))
        });
        let whole: f32 = pairs.iter().flatten().map(|(_, _, learned)| learned.weight).sum();
        let error = target - total(sums) - whole;
        let rate = if self.is_fixed { 0.0 } else { error };

        let step = rate / (PAIRS * PATTERNS) as f32;
        sums = [0.0; PAIRS];
        for (places, known) in places.iter().zip(&mut known) {
            let [mut signed, mut sizes] = [[0.0; PAIRS]; 2];
            for (i, &place) in places.iter().enumerate() {
                [signed[i], sizes[i]] = self.errors(place);
            }
            for i in 0..PAIRS {
                let errors = [signed[i], sizes[i]];
                known[i] += step * Learned { weight: known[i], errors }.coherence();
                sums[i] += known[i];
                signed[i] += error;
                sizes[i] += error.abs();
            }
            for (i, &place) in places.iter().enumerate() {
                self.weights.set(place, known[i]);
                self.set_errors(place, [signed[i], sizes[i]]);
            }
        }

        let step = OF_PAIRS * rate / WHOLE as f32;
        let mut value = total(sums);
        for (pairs, place, learned) in pairs.into_iter().flatten() {
            let weight = learned.weight + step * learned.coherence();
            let [signed, size] = learned.errors;
            pairs.set(place, Learned { weight, errors: [signed + error, size + error.abs()] });
            value += weight;
        }
        value
    }

    /// Fetches what will be learned of the large tables and of whole pairs from the memory.
    #[inline(always)]
    pub fn prefetch(&self, looked: &Looked) {
        for &entry in looked.entries[..2].as_flattened() {
            fetch(self.weights.place(entry as usize));
            fetch(self.errors.place(2 * entry as usize));
        }
        self.prefetch_pairs(looked.pairs);
    }

    #[inline(always)]
    fn prefetch_pairs(&self, pairs: [u32; WHOLE]) {
        for (which, pair) in pairs.into_iter().enumerate() {
            self.pairs(which).prefetch(pair);
        }
    }

    /// All weights, then the sums of their errors and the sums of the sizes of these; then whole pairs.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let partial = path.with_extension("partial");
        let mut out = BufWriter::new(File::create(&partial)?);
        out.write_all(&self.weights.bytes[..4 * ENTRIES])?;
        out.write_all(&self.errors.bytes[..8 * ENTRIES])?;
        self.pairs.iter().try_for_each(|pairs| pairs.write(&mut out))?;
        out.flush()?;
        std::fs::rename(partial, path)
    }

    pub fn read(path: &Path) -> io::Result<Self> {
        let mut network = Self::new()?;
        let mut file = BufReader::new(File::open(path)?);
        file.read_exact(&mut network.weights.bytes[..4 * ENTRIES])?;
        file.read_exact(&mut network.errors.bytes[..8 * ENTRIES])?;
        network.pairs = [Pairs::read(&mut file)?, Pairs::read(&mut file)?];
        Ok(network)
    }

    /// What was learned of an entry.
    pub fn learned(&self, entry: usize) -> Learned {
        Learned { weight: self.weights.get(entry), errors: self.errors(entry) }
    }

    /// What was learned of whole pairs, outer and inner ones.
    pub fn learned_pairs(&self) -> [impl Iterator<Item = (u32, Learned)>; 2] {
        self.pairs.each_ref().map(|pairs| pairs.all().map(|(pair, place)| (pair, pairs.get(place))))
    }
}

/// The sum of all, in an order that processors can share.
#[inline(always)]
fn total(mut sums: [f32; PAIRS]) -> f32 {
    for half in [8, 4, 2, 1] {
        for i in 0..half {
            sums[i] += sums[i + half];
        }
    }
    sums[0]
}

#[inline(always)]
pub fn fetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint to the processor: it reads and writes nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Numbers, 0 at first, in huge pages: with small ones most look-ups would have to find the page first.
/// Their count is a power of two.
struct Large {
    bytes: MmapMut,
    mask: usize,
}

impl Large {
    fn new(count: usize) -> io::Result<Self> {
        let bytes = MmapMut::map_anon(count * size_of::<f32>())?;
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(Advice::HugePage);
        Ok(Self { bytes, mask: count - 1 })
    }

    #[inline(always)]
    fn place(&self, at: usize) -> &AtomicU32 {
        let first = self.bytes.as_ptr().cast::<AtomicU32>();
        // SAFETY: the mapping begins a page, and has a number at every masked place; while it is shared,
        // its bytes are only read and written through such atomics.
        unsafe { &*first.add(at & self.mask) }
    }

    #[inline(always)]
    fn get(&self, at: usize) -> f32 {
        f32::from_bits(self.place(at).load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn set(&self, at: usize, number: f32) {
        self.place(at).store(number.to_bits(), Ordering::Relaxed);
    }
}
