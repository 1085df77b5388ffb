//! The table of searched positions.

use std::sync::atomic::{AtomicU64, Ordering};

/// The deepest search that an entry can tell.
pub(super) const DEEPEST: u8 = 63;

/// The budgets, both included, for which a value holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub low: u16,
    pub high: u16,
}

impl Bounds {
    /// The largest budget there is.
    pub const MOST: u16 = (1 << 12) - 1;
    pub const ALWAYS: Self = Self { low: 0, high: Self::MOST };

    /// As seen one outcome earlier, when its cost was not yet paid.
    pub fn costing(self, cost: u16) -> Self {
        Self { low: self.low + cost, high: (self.high + cost).min(Self::MOST) }
    }

    /// Only what the others allow, too.
    pub fn narrow(&mut self, others: Self) {
        self.low = self.low.max(others.low);
        self.high = self.high.min(others.high);
    }
}

/// A value, and for which budgets it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Valued {
    pub value: f32,
    pub bounds: Bounds,
    /// Whether the depth has ended a way that the budget would not have ended.
    pub cut_short: bool,
}

impl Valued {
    /// A value that holds whatever the budget.
    pub const fn always(value: f32) -> Self {
        Self { value, bounds: Bounds::ALWAYS, cut_short: false }
    }
}

/// Entries of two words, which all threads read and write without locks. The second word is the
/// entry: value in bits 0–31, depth in 32–37, low and high budget in 38–49 and 50–61, in bit 62 whether
/// the depth has cut it short. The first is the position, exclusive-or the second word: words of two different entries, one overwritten while
/// it was read, do not give the position that is looked for.
pub(super) struct TranspositionTable {
    entries: Box<[[AtomicU64; 2]]>,
    shift: u32,
}

impl TranspositionTable {
    pub fn new(bits: u32) -> Self {
        let bits = bits.clamp(1, 40);
        let entry = || [AtomicU64::new(0), AtomicU64::new(0)];
        Self { entries: (0..1u64 << bits).map(|_| entry()).collect(), shift: 64 - bits }
    }

    fn entry(&self, position: u64, depth: u8) -> &[AtomicU64; 2] {
        let folded = position ^ position >> 31 ^ u64::from(depth) << 40;
        &self.entries[(folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize]
    }

    /// What stands at a position's place. To look at several places before it is told what was
    /// found at the first lets the memory fetch them all at once.
    #[inline]
    pub fn look(&self, position: u64, depth: u8) -> Seen {
        let [check, entry] = self.entry(position, depth);
        let entry = entry.load(Ordering::Relaxed);
        Seen { position: check.load(Ordering::Relaxed) ^ entry, entry }
    }

    /// Keeps what was found, in place of whatever stood there.
    #[inline]
    pub fn put(&self, position: u64, depth: u8, known: Valued) {
        let Bounds { low, high } = known.bounds;
        let new = u64::from(known.value.to_bits())
            | u64::from(depth) << 32
            | u64::from(low) << 38
            | u64::from(high) << 50
            | u64::from(known.cut_short) << 62;
        let [check, entry] = self.entry(position, depth);
        check.store(position ^ new, Ordering::Relaxed);
        entry.store(new, Ordering::Relaxed);
    }
}

/// What was seen in the table.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    position: u64,
    entry: u64,
}

impl Seen {
    /// An empty place.
    pub const NOTHING: Self = Self { position: 0, entry: 0 };

    /// What is known of a position, if it was searched to exactly this depth with a budget that
    /// makes no difference.
    #[inline]
    pub fn known(self, position: u64, depth: u8, budget: u16) -> Option<Valued> {
        let low = (self.entry >> 38) as u16 & Bounds::MOST;
        let high = (self.entry >> 50) as u16 & Bounds::MOST;
        let same = self.position == position
            && (self.entry >> 32) as u8 & DEEPEST == depth
            && (low..=high).contains(&budget);
        let value = f32::from_bits(self.entry as u32);
        let cut_short = self.entry >> 62 & 1 == 1;
        same.then_some(Valued { value, bounds: Bounds { low, high }, cut_short })
    }
}

/// What one thread remembers of positions with one round to go, whose value depends on nothing but
/// the position. They are many and quickly searched: remembering them pays only where memory is
/// fast, so that no more are remembered than a near cache holds, and those without sharing.
pub(super) struct Rounds(Box<[(u64, f32)]>);

impl Rounds {
    const BITS: u32 = 15;

    pub fn new() -> Self {
        Self(vec![(0, 0.0); 1 << Self::BITS].into())
    }

    /// The place of a position: what stands there may be another's. No position after a move is 0.
    #[inline]
    pub fn at(&mut self, position: u64) -> &mut (u64, f32) {
        let hash = (position ^ position >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &mut self.0[(hash >> (64 - Self::BITS)) as usize]
    }
}
