//! Eight lanes: the operations of a last round that deserve instructions of their own.
//!
//! Eight numbers that are handled side by side are an array. To add or compare two arrays takes
//! nothing special, because a round is compiled for each machine and the compiler finds the vectors. Here
//! is what it does not find.

/// How many numbers are handled side by side.
pub const LANES: usize = 8;

/// Something for each lane.
#[inline(always)]
pub fn lanes<T>(lane: impl Fn(usize) -> T) -> [T; LANES] {
    [lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7)]
}

/// What a line is worth with each tile in one of its cells: one line of the cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct Tiles(pub [f32; 16]);

/// A key and its value.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Entry {
    pub key: u32,
    pub value: i32,
}

/// Values that were found, each at the [place] of its key; the last one stays.
pub type Entries = [Entry; 1 << PLACE_BITS];

/// How many places there are, as a power of two.
pub const PLACE_BITS: u32 = 16;

const HASH: u32 = 0x9e37_79b1;

/// The place of a key.
#[inline(always)]
pub const fn place(key: u32) -> usize {
    (key.wrapping_mul(HASH) >> (32 - PLACE_BITS)) as usize
}

/// Keys that were not found.
pub struct Missing {
    keys: [u32; Self::MOST + LANES],
    /// What belongs to each of them.
    tags: [u8; Self::MOST + LANES],
    len: usize,
}

impl Missing {
    /// More than there are in a round, so that there is always room for all lanes.
    const MOST: usize = 256;

    /// None.
    pub const fn new() -> Self {
        Self { keys: [0; Self::MOST + LANES], tags: [0; Self::MOST + LANES], len: 0 }
    }

    /// Forgets them.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// The keys.
    #[inline(always)]
    pub fn keys(&self) -> &[u32] {
        &self.keys[..self.len]
    }

    /// What belongs to each of them.
    #[inline(always)]
    pub fn tags(&self) -> &[u8] {
        &self.tags[..self.len]
    }

    /// Room for one more of each lane.
    #[inline(always)]
    fn room(&mut self) -> (&mut [u32; LANES], &mut [u8; LANES]) {
        debug_assert!(self.len < Self::MOST, "more missing keys than there are");
        let at = self.len % Self::MOST;
        let keys = self.keys[at..].first_chunk_mut().expect("room for all lanes");
        let tags = self.tags[at..].first_chunk_mut().expect("room for all lanes");
        (keys, tags)
    }
}

/// A processor, as the eight lanes see it. All give the same answers, bit by bit.
pub trait Machine: Copy {
    /// Lane `i` becomes `values[by[i] % 8]`, or 0 if it is not in the set.
    fn choose(self, values: [f32; LANES], by: [u8; LANES], set: u8) -> [f32; LANES];

    /// The sum of what four lines are worth, in each of which one cell is open. The lowest nybble of a
    /// lane is the tile in the first line, and so on. The last four lanes have lines of their own.
    fn open_lines(self, lines: [[&Tiles; 4]; 2], tiles: [u16; LANES]) -> [f32; LANES];

    /// The values of the keys that are there, 0 for all others. Those of the others that are wanted go to
    /// the missing ones, each with the bits of the tag and the number of its lane.
    fn look_up(
        self,
        entries: &Entries,
        keys: [u32; LANES],
        wanted: u8,
        tag: u8,
        missing: &mut Missing,
    ) -> [i32; LANES];

    /// Fetches something into the cache that will be read soon.
    fn fetch<T>(self, place: &T);
}

/// What can be done on any machine.
pub trait Work {
    /// What comes of it.
    type Output;

    /// Does it. To be inlined, so that it is compiled for the machine.
    fn on(self, machine: impl Machine) -> Self::Output;
}

/// The instructions that this processor has.
#[derive(Clone, Copy)]
pub struct Processor {
    #[cfg(target_arch = "x86_64")]
    avx2: Option<x86::Avx2>,
}

impl Processor {
    /// Asks the processor.
    pub fn detect() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            avx2: x86::Avx2::detect(),
        }
    }

    /// A processor with nothing special, to compare with.
    #[cfg(test)]
    pub fn portable() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            avx2: None,
        }
    }

    /// Does work with the best instructions there are.
    #[inline]
    pub fn run<W: Work>(self, work: W) -> W::Output {
        #[cfg(target_arch = "x86_64")]
        if let Some(machine) = self.avx2 {
            return machine.run(work);
        }
        work.on(Portable)
    }
}

/// Any machine.
#[derive(Clone, Copy)]
struct Portable;

impl Machine for Portable {
    #[inline(always)]
    fn choose(self, values: [f32; LANES], by: [u8; LANES], set: u8) -> [f32; LANES] {
        lanes(|lane| match set >> lane & 1 {
            0 => 0.0,
            _ => values[usize::from(by[lane]) % LANES],
        })
    }

    #[inline(always)]
    fn open_lines(self, lines: [[&Tiles; 4]; 2], tiles: [u16; LANES]) -> [f32; LANES] {
        lanes(|lane| {
            let line = |x: usize| lines[lane / 4][x].0[usize::from(tiles[lane] >> (4 * x) & 15)];
            (line(0) + line(1)) + (line(2) + line(3))
        })
    }

    #[inline(always)]
    fn look_up(
        self,
        entries: &Entries,
        keys: [u32; LANES],
        wanted: u8,
        tag: u8,
        missing: &mut Missing,
    ) -> [i32; LANES] {
        let mut values = [0; LANES];
        for lane in members(wanted) {
            let entry = entries[place(keys[lane])];
            if entry.key == keys[lane] {
                values[lane] = entry.value;
            } else {
                missing.keys[missing.len] = keys[lane];
                missing.tags[missing.len] = tag | lane as u8;
                missing.len += 1;
            }
        }
        values
    }

    #[inline(always)]
    fn fetch<T>(self, _: &T) {}
}

/// The lanes in a set.
#[inline(always)]
pub fn members(mut set: u8) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let lane = set.trailing_zeros() as usize % LANES;
            set &= set - 1;
            lane
        })
    })
}

/// Vectors of eight. The contract: an [`x86::Avx2`] exists only where the processor has the
/// instructions, because only [`x86::Avx2::detect`] makes one; vectors are read from and written to
/// arrays of their own size, wherever they lie; there are as many entries as there are places.
#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(
        unsafe_code,
        reason = "a search takes half to two thirds of the time of portable code"
    )]

    use std::arch::x86_64::*;

    use super::{Entries, HASH, LANES, Machine, Missing, PLACE_BITS, Tiles, Work};

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

        /// Does work with them.
        #[inline]
        pub fn run<W: Work>(self, work: W) -> W::Output {
            // SAFETY: see the module's contract.
            unsafe { run_avx2(self, work) }
        }
    }

    #[target_feature(enable = "avx2,bmi1,popcnt")]
    fn run_avx2<W: Work>(machine: Avx2, work: W) -> W::Output {
        work.on(machine)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn to_floats(values: __m256) -> [f32; LANES] {
        let mut lanes = [0.0; LANES];
        // SAFETY: as large as the array.
        unsafe { _mm256_storeu_ps(lanes.as_mut_ptr(), values) };
        lanes
    }

    /// What one of the four lines is worth: the tile of each lane lies so far from the lowest bit,
    /// and so far from the highest.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn open_line<const LOW: i32, const HIGH: i32>(lines: [&Tiles; 2], tiles: __m256i) -> __m256 {
        // Only the lowest three bits of a lane choose, then the fourth, as a sign.
        let number = _mm256_srli_epi32::<LOW>(tiles);
        let is_high = _mm256_castsi256_ps(_mm256_slli_epi32::<HIGH>(tiles));
        _mm256_blendv_ps(choose::<0>(lines, number), choose::<8>(lines, number), is_high)
    }

    /// The same for tiles from the first on, and the seven behind it.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn choose<const FIRST: usize>(lines: [&Tiles; 2], number: __m256i) -> __m256 {
        const { assert!(FIRST <= 8) };
        // SAFETY: two vectors of eight are what an array of sixteen has.
        let (first, last) = unsafe {
            (
                _mm256_loadu_ps(lines[0].0.as_ptr().add(FIRST)),
                _mm256_loadu_ps(lines[1].0.as_ptr().add(FIRST)),
            )
        };
        let first = _mm256_permutevar8x32_ps(first, number);
        _mm256_blend_ps::<0b1111_0000>(first, _mm256_permutevar8x32_ps(last, number))
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

    // SAFETY: see the module's contract. What is fetched is only a hint.
    impl Machine for Avx2 {
        #[inline(always)]
        fn choose(self, values: [f32; LANES], by: [u8; LANES], set: u8) -> [f32; LANES] {
            unsafe {
                let by = _mm256_cvtepu8_epi32(_mm_loadl_epi64(by.as_ptr().cast()));
                let chosen = _mm256_permutevar8x32_ps(_mm256_loadu_ps(values.as_ptr()), by);
                let bits = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
                let set = _mm256_and_si256(_mm256_set1_epi32(set.into()), bits);
                let set = _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, bits));
                to_floats(_mm256_and_ps(set, chosen))
            }
        }

        #[inline(always)]
        fn open_lines(self, lines: [[&Tiles; 4]; 2], tiles: [u16; LANES]) -> [f32; LANES] {
            unsafe {
                let tiles = _mm256_cvtepu16_epi32(_mm_loadu_si128(tiles.as_ptr().cast()));
                let a = open_line::<0, 28>([lines[0][0], lines[1][0]], tiles);
                let b = open_line::<4, 24>([lines[0][1], lines[1][1]], tiles);
                let c = open_line::<8, 20>([lines[0][2], lines[1][2]], tiles);
                let d = open_line::<12, 16>([lines[0][3], lines[1][3]], tiles);
                to_floats(_mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d)))
            }
        }

        #[inline(always)]
        fn look_up(
            self,
            entries: &Entries,
            keys: [u32; LANES],
            wanted: u8,
            tag: u8,
            missing: &mut Missing,
        ) -> [i32; LANES] {
            let mut lanes = [0; LANES];
            unsafe {
                let keys = _mm256_loadu_si256(keys.as_ptr().cast());
                let hash = _mm256_mullo_epi32(keys, _mm256_set1_epi32(HASH as i32));
                let places = _mm256_srli_epi32::<{ 32 - PLACE_BITS as i32 }>(hash);
                // The halves are to be taken apart and put together by quarters.
                let places = _mm256_permute4x64_epi64::<0b11_01_10_00>(places);
                let low = _mm256_castsi256_si128(places);
                let high = _mm256_extracti128_si256::<1>(places);
                let entries = entries.as_ptr().cast();
                let low = _mm256_castsi256_ps(_mm256_i32gather_epi64::<8>(entries, low));
                let high = _mm256_castsi256_ps(_mm256_i32gather_epi64::<8>(entries, high));
                let there = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(low, high));
                let values = _mm256_castps_si256(_mm256_shuffle_ps::<0b11_01_11_01>(low, high));
                let found = _mm256_cmpeq_epi32(there, keys);
                let values = _mm256_and_si256(values, found);
                _mm256_storeu_si256(lanes.as_mut_ptr().cast(), values);

                // All lanes are written, those that are missing first; the next ones overwrite the rest.
                let found = _mm256_movemask_ps(_mm256_castsi256_ps(found)) as u8;
                let set = wanted & !found;
                let members = _mm_loadl_epi64(MEMBERS[usize::from(set)].as_ptr().cast());
                let keys = _mm256_permutevar8x32_epi32(keys, _mm256_cvtepu8_epi32(members));
                let tags = _mm_or_si128(members, _mm_set1_epi8(tag as i8));
                let room = missing.room();
                _mm256_storeu_si256(room.0.as_mut_ptr().cast(), keys);
                _mm_storel_epi64(room.1.as_mut_ptr().cast(), tags);
                missing.len += set.count_ones() as usize;
            }
            lanes
        }

        #[inline(always)]
        fn fetch<T>(self, place: &T) {
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
        }
    }
}
