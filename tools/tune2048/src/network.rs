//! The network while it learns: weights, and how coherent their errors have been.

use std::fs::File;
use std::io::{self, Read, Write};
use std::marker::PhantomData;
use std::path::Path;

use bytemuck::Pod;
use endtable::games::twenty48::{Board, Size};
#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::MmapMut;

use crate::pattern::{ENTRIES, Entries, PAIRS, PATTERNS, TABLES, entries, halved, offset};

/// Room for all entries, a power of two, so that a masked number never lies outside. The rest is
/// never touched and takes no memory.
const ROOM: usize = ENTRIES.next_power_of_two();
const MASK: usize = ROOM - 1;

pub struct Network {
    weights: Large<f32>,
    /// For every weight the sum of its errors and the sum of their sizes.
    errors: Large<[f32; 2]>,
}

impl Network {
    /// A network that knows nothing.
    pub fn new() -> io::Result<Self> {
        Ok(Self { weights: Large::new()?, errors: Large::new()? })
    }

    /// A network for late boards to begin with: half of what this one believes of them with their large
    /// tiles halved. Half, because such games are soon lost.
    pub fn for_late_boards(&self) -> io::Result<Self> {
        let mut late = Self::new()?;
        for (table, pattern) in TABLES.into_iter().enumerate() {
            for entry in 0..pattern.entries() {
                let [from, to] = [halved(entry), entry].map(|entry| offset(table) + entry);
                late.weights.get_mut()[to] = 0.5 * self.weights.get()[from];
                late.errors.get_mut()[to] = self.errors.get()[from].map(|sum| 0.5 * sum);
            }
        }
        Ok(late)
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
        let weights = self.weights.get();
        let mut sums = [0.0; PAIRS];
        for entries in entries(board) {
            for (sum, entry) in sums.iter_mut().zip(entries) {
                *sum += weights[entry as usize & MASK];
            }
        }
        total(sums)
    }

    /// Temporal coherence: a weight learns at the rate |sum of errors| / sum of |errors|, so
    /// that those whose errors cancel out stand still. A weight that a board looks up twice learns
    /// once. Tells what the board that looks up these entries is worth then.
    #[inline(always)]
    pub fn learn(&mut self, entries: &Entries, target: f32) -> f32 {
        let (weights, errors) = (self.weights.get_mut(), self.errors.get_mut());
        let places = entries.map(|entries| entries.map(|entry| entry as usize & MASK));
        let mut known = places.map(|places| places.map(|place| weights[place]));
        let mut sums = [0.0; PAIRS];
        for known in &known {
            for (sum, known) in sums.iter_mut().zip(known) {
                *sum += known;
            }
        }
        let error = target - total(sums);
        let step = error / (PAIRS * PATTERNS) as f32;
        sums = [0.0; PAIRS];
        for (places, known) in places.iter().zip(&mut known) {
            let [mut signed, mut sizes] = [[0.0; PAIRS]; 2];
            for (i, &place) in places.iter().enumerate() {
                [signed[i], sizes[i]] = errors[place];
            }
            for i in 0..PAIRS {
                let coherence = if sizes[i] > 0.0 { signed[i].abs() / sizes[i] } else { 1.0 };
                known[i] += step * coherence;
                sums[i] += known[i];
                signed[i] += error;
                sizes[i] += error.abs();
            }
            for (i, &place) in places.iter().enumerate() {
                weights[place] = known[i];
                errors[place] = [signed[i], sizes[i]];
            }
        }
        total(sums)
    }

    /// Fetches what will be learned of the large tables from the memory.
    #[inline(always)]
    pub fn prefetch(&self, entries: &Entries) {
        let (weights, errors) = (self.weights.get(), self.errors.get());
        for &entry in entries[..2].as_flattened() {
            fetch(&weights[entry as usize & MASK]);
            fetch(&errors[entry as usize & MASK]);
        }
    }

    /// All weights, then the sums of their errors and the sums of the sizes of these.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let partial = path.with_extension("partial");
        let mut out = File::create(&partial)?;
        out.write_all(bytemuck::cast_slice(&self.weights.get()[..ENTRIES]))?;
        out.write_all(bytemuck::cast_slice(&self.errors.get()[..ENTRIES]))?;
        std::fs::rename(partial, path)
    }

    pub fn read(path: &Path) -> io::Result<Self> {
        let mut network = Self::new()?;
        let mut file = File::open(path)?;
        file.read_exact(bytemuck::cast_slice_mut(&mut network.weights.get_mut()[..ENTRIES]))?;
        file.read_exact(bytemuck::cast_slice_mut(&mut network.errors.get_mut()[..ENTRIES]))?;
        Ok(network)
    }

    /// Every weight, and how much it has seen: the sum of the sizes of its errors.
    pub fn learned(&self) -> impl Iterator<Item = (f32, f32)> {
        let all = self.weights.get().iter().zip(self.errors.get()).take(ENTRIES);
        all.map(|(&weight, &[_, size])| (weight, size))
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

/// Something for each weight, 0 at first, in huge pages: with small ones most look-ups would have to
/// find the page first.
struct Large<T> {
    bytes: MmapMut,
    of: PhantomData<T>,
}

impl<T: Pod> Large<T> {
    fn new() -> io::Result<Self> {
        let bytes = MmapMut::map_anon(ROOM * size_of::<T>())?;
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(Advice::HugePage);
        Ok(Self { bytes, of: PhantomData })
    }

    #[inline(always)]
    fn get(&self) -> &[T; ROOM] {
        bytemuck::cast_slice(&self.bytes).first_chunk().expect("as long")
    }

    #[inline(always)]
    fn get_mut(&mut self) -> &mut [T; ROOM] {
        bytemuck::cast_slice_mut(&mut self.bytes).first_chunk_mut().expect("as long")
    }
}
