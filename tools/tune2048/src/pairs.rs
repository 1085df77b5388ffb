//! Weights of whole pairs of lines: those that were met, in a table by hash.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU32, Ordering};

use endtable::games::twenty48::Board;
#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::MmapMut;

use crate::network::{Learned, fetch};
use crate::pattern::mirror;

/// Whole pairs that a board has: four outer ones, then two inner ones.
pub const WHOLE: usize = 6;

/// How many of them are outer ones.
pub const OUTER: usize = 4;

/// Room for pairs of one kind, a power of two. Games meet ten million; those that find no place where their
/// hash leads have no weight.
const ROOM: usize = 1 << 26;

/// Places beside each other where a pair may be: a line of the cache.
const PLACES: usize = 4;

/// The pairs of a board in their canonical forms: the smallest of the ways to read them.
#[inline(always)]
pub fn whole_pairs(board: Board) -> [u32; WHOLE] {
    let (Board(along), Board(across)) = (board, board.transposed());
    let outer = |pair: u32| pair.min(mirror(pair));
    let inner = |pair: u32| outer(pair).min(outer(pair.rotate_left(16)));
    let last = |lines: u64| ((lines >> 32) as u32).rotate_left(16);
    [
        outer(along as u32),
        outer(last(along)),
        outer(across as u32),
        outer(last(across)),
        inner((along >> 16) as u32),
        inner((across >> 16) as u32),
    ]
}

/// Pairs of one kind with their weights. A place has four numbers: the pair plus one, for none is 0; then what
/// was learned of it.
pub struct Pairs {
    bytes: MmapMut,
}

/// Where a pair has its weight.
#[derive(Clone, Copy)]
pub struct Place(usize);

impl Pairs {
    pub fn new() -> io::Result<Self> {
        let bytes = MmapMut::map_anon(ROOM * 4 * size_of::<u32>())?;
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(Advice::HugePage);
        Ok(Self { bytes })
    }

    #[inline(always)]
    fn number(&self, place: usize, which: usize) -> &AtomicU32 {
        let first = self.bytes.as_ptr().cast::<AtomicU32>();
        // SAFETY: the mapping begins a page, and has four numbers at every masked place; while it is
        // shared, its bytes are only read and written through such atomics.
        unsafe { &*first.add(4 * (place & (ROOM - 1)) + (which & 3)) }
    }

    /// The first place where a pair may be.
    #[inline(always)]
    fn first(pair: u32) -> usize {
        let hash = (u64::from(pair) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> (64 - ROOM.trailing_zeros())) as usize & !(PLACES - 1)
    }

    /// Fetches from the memory where a pair may be.
    #[inline(always)]
    pub fn prefetch(&self, pair: u32) {
        fetch(self.number(Self::first(pair), 0));
    }

    /// The place of a pair that has one.
    #[inline(always)]
    pub fn find(&self, pair: u32) -> Option<Place> {
        let first = Self::first(pair);
        let is_there =
            |&place: &usize| self.number(place, 0).load(Ordering::Relaxed) == pair.wrapping_add(1);
        (first..first + PLACES).find(is_there).map(Place)
    }

    /// The place of a pair, a free one if it had none.
    #[inline(always)]
    pub fn place(&self, pair: u32) -> Option<Place> {
        let (first, key) = (Self::first(pair), pair.wrapping_add(1));
        for place in first..first + PLACES {
            let taken = self.number(place, 0).compare_exchange(
                0,
                key,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            if taken.map_or_else(|there| there == key, |_| true) {
                return Some(Place(place));
            }
        }
        None
    }

    #[inline(always)]
    pub fn get(&self, Place(place): Place) -> Learned {
        let number = |which| f32::from_bits(self.number(place, which).load(Ordering::Relaxed));
        Learned { weight: number(1), errors: [number(2), number(3)] }
    }

    #[inline(always)]
    pub fn set(&self, Place(place): Place, learned: Learned) {
        let Learned { weight, errors: [signed, size] } = learned;
        for (which, number) in [(1, weight), (2, signed), (3, size)] {
            self.number(place, which).store(number.to_bits(), Ordering::Relaxed);
        }
    }

    /// The pairs that have a place, in no order.
    pub fn all(&self) -> impl Iterator<Item = (u32, Place)> {
        let key = |place| self.number(place, 0).load(Ordering::Relaxed);
        (0..ROOM)
            .filter(move |&place| key(place) != 0)
            .map(move |place| (key(place) - 1, Place(place)))
    }

    /// How many they are, then each with what was learned of it.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&(self.all().count() as u64).to_le_bytes())?;
        for (pair, place) in self.all() {
            let Learned { weight, errors: [signed, size] } = self.get(place);
            out.write_all(&pair.to_le_bytes())?;
            for number in [weight, signed, size] {
                out.write_all(&number.to_le_bytes())?;
            }
        }
        Ok(())
    }

    pub fn read(file: &mut impl Read) -> io::Result<Self> {
        let pairs = Self::new()?;
        let mut count = [0; 8];
        file.read_exact(&mut count)?;
        for _ in 0..u64::from_le_bytes(count) {
            let mut bytes = [0; 16];
            file.read_exact(&mut bytes)?;
            let [pair, weight, signed, size] = std::array::from_fn(|at| {
                u32::from_le_bytes(std::array::from_fn(|byte| bytes[4 * at + byte]))
            });
            if let Some(place) = pairs.place(pair) {
                let [weight, signed, size] = [weight, signed, size].map(f32::from_bits);
                pairs.set(place, Learned { weight, errors: [signed, size] });
            }
        }
        Ok(pairs)
    }
}
