//! The network while it learns: weights, and how coherent their errors have been.
//!
//! Threads learn without locks. What one of them reads and writes is a number at a time, so that now
//! and then an update of another is lost: an error like any other, and soon made good.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use endtable::games::twenty48::{Board, Size};
#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::MmapMut;

use crate::pattern::{ENTRIES, Entries, PAIRS, PATTERNS, TABLES, entries, halved, offset};

/// Room for all entries, a power of two, so that a masked number never lies outside. The rest is
/// never touched and takes no memory.
const ROOM: usize = ENTRIES.next_power_of_two();

pub struct Network {
    weights: Large,
    /// For every weight the sum of its errors, and then the sum of their sizes.
    errors: Large,
    /// Whether weights stand still, and only their errors are summed up.
    is_fixed: bool,
}

impl Network {
    /// A network that knows nothing.
    pub fn new() -> io::Result<Self> {
        Ok(Self { weights: Large::new(ROOM)?, errors: Large::new(2 * ROOM)?, is_fixed: false })
    }

    /// A network with packed weights. What they have seen is not known: until [`Network::resume`] they stand
    /// still, and what errors they meet is summed up.
    pub fn packed(weights: &[f32]) -> io::Result<Self> {
        let network = Self { is_fixed: true, ..Self::new()? };
        for (entry, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            network.weights.set(entry, weight);
        }
        Ok(network)
    }

    /// Lets packed weights learn, as if each had seen so many times the errors that it has met since, and
    /// at least as much as a weight is packed for. Their errors are taken to have cancelled out; a weight
    /// that was not packed has seen nothing.
    pub fn resume(&mut self, times: f32, evidence: f32) {
        self.is_fixed = false;
        for entry in 0..ENTRIES {
            let seen = match self.weights.get(entry) {
                0.0 => 0.0,
                _ => (times * self.errors(entry)[1]).max(evidence),
            };
            self.set_errors(entry, [0.0, seen]);
        }
    }

    /// A network for late boards to begin with: half of what this one believes of them with their large
    /// tiles halved. Half, because such games are soon lost.
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
        for (after, gain) in board.slides(Size::FULL).into_iter().flatten() {
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
        total(sums)
    }

    /// Temporal coherence: a weight learns at the rate |sum of errors| / sum of |errors|, so
    /// that those whose errors cancel out stand still. A weight that a board looks up twice learns
    /// once. Tells what the board that looks up these entries is worth then.
    #[inline(always)]
    pub fn learn(&self, entries: &Entries, target: f32) -> f32 {
        let places = entries.map(|entries| entries.map(|entry| entry as usize));
        let mut known = places.map(|places| places.map(|place| self.weights.get(place)));
        let mut sums = [0.0; PAIRS];
        for known in &known {
            for (sum, known) in sums.iter_mut().zip(known) {
                *sum += known;
            }
        }
        let error = target - total(sums);
        let step = if self.is_fixed { 0.0 } else { error / (PAIRS * PATTERNS) as f32 };
        sums = [0.0; PAIRS];
        for (places, known) in places.iter().zip(&mut known) {
            let [mut signed, mut sizes] = [[0.0; PAIRS]; 2];
            for (i, &place) in places.iter().enumerate() {
                [signed[i], sizes[i]] = self.errors(place);
            }
            for i in 0..PAIRS {
                let coherence = if sizes[i] > 0.0 { signed[i].abs() / sizes[i] } else { 1.0 };
                known[i] += step * coherence;
                sums[i] += known[i];
                signed[i] += error;
                sizes[i] += error.abs();
            }
            for (i, &place) in places.iter().enumerate() {
                self.weights.set(place, known[i]);
                self.set_errors(place, [signed[i], sizes[i]]);
            }
        }
        total(sums)
    }

    /// Fetches what will be learned of the large tables from the memory.
    #[inline(always)]
    pub fn prefetch(&self, entries: &Entries) {
        for &entry in entries[..2].as_flattened() {
            fetch(self.weights.place(entry as usize));
            fetch(self.errors.place(2 * entry as usize));
        }
    }

    /// All weights, then the sums of their errors and the sums of the sizes of these.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let partial = path.with_extension("partial");
        let mut out = File::create(&partial)?;
        out.write_all(&self.weights.bytes[..4 * ENTRIES])?;
        out.write_all(&self.errors.bytes[..8 * ENTRIES])?;
        std::fs::rename(partial, path)
    }

    pub fn read(path: &Path) -> io::Result<Self> {
        let mut network = Self::new()?;
        let mut file = File::open(path)?;
        file.read_exact(&mut network.weights.bytes[..4 * ENTRIES])?;
        file.read_exact(&mut network.errors.bytes[..8 * ENTRIES])?;
        Ok(network)
    }

    /// Every weight, and how much it has seen: the sum of the sizes of its errors.
    pub fn learned(&self) -> impl Iterator<Item = (f32, f32)> {
        (0..ENTRIES).map(|entry| (self.weights.get(entry), self.errors(entry)[1]))
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
fn fetch<T>(place: &T) {
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
