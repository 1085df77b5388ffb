//! What a search remembers of positions, for all its threads.

use std::hash::{BuildHasher, Hash};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxBuildHasher, FxHashMap};

/// What is known of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<M> {
    /// The attacker fails within so many plies.
    pub fails: u8,
    /// The attacker wins within so many plies, [`NEVER`] if that is not known.
    pub wins: u8,
    /// The move that showed the last of it.
    pub best: Option<M>,
}

/// No number of plies.
pub(super) const NEVER: u8 = u8::MAX;

impl<M> Default for Known<M> {
    fn default() -> Self {
        Self { fails: 0, wins: NEVER, best: None }
    }
}

impl<M> Known<M> {
    /// What it says of so many plies, if anything.
    pub fn verdict(&self, plies: u8) -> Option<bool> {
        if self.wins <= plies {
            Some(true)
        } else if self.fails >= plies {
            Some(false)
        } else {
            None
        }
    }

    /// How much would be lost with it.
    fn worth(&self) -> u8 {
        if self.wins == NEVER { self.fails } else { self.fails.max(self.wins) }
    }
}

/// What is known of positions, by their keys.
#[derive(Debug)]
pub struct Memory<K, M> {
    /// Parts that threads can use at the same time, by the keys' hashes.
    parts: Vec<Mutex<Part<K, M>>>,
    /// The most positions of a part.
    capacity: usize,
}

type Part<K, M> = FxHashMap<K, Known<M>>;

const PARTS: usize = 256;

impl<K: Copy + Eq + Hash, M: Copy> Memory<K, M> {
    /// A memory for so many bytes, about.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        // A map has room for up to twice as many entries as it has.
        let entry = 2 * (size_of::<(K, Known<M>)>() + 1);
        let capacity = (bytes / entry / PARTS).max(1);
        Self { parts: (0..PARTS).map(|_| Mutex::default()).collect(), capacity }
    }

    pub(super) fn get(&self, key: &K) -> Known<M> {
        self.part(key).get(key).copied().unwrap_or_default()
    }

    /// Remembers whether the attacker wins within so many plies, and the move that showed it.
    pub(super) fn learn(&self, key: K, plies: u8, wins: bool, best: Option<M>) {
        let mut part = self.part(&key);
        if part.len() >= self.capacity && !part.contains_key(&key) {
            forget(&mut part, self.capacity / 2);
        }
        let known = part.entry(key).or_default();
        if wins {
            known.wins = known.wins.min(plies);
        } else {
            known.fails = known.fails.max(plies);
        }
        known.best = best.or(known.best);
    }

    fn part(&self, key: &K) -> MutexGuard<'_, Part<K, M>> {
        // The map uses the lower bits.
        let hash = FxBuildHasher.hash_one(key).rotate_left(20) as usize;
        // Nothing can panic while a part is held, and each entry is true on its own.
        self.parts[hash % PARTS].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets what took the least work until no more than so many are left.
fn forget<K: Eq + Hash, M>(part: &mut Part<K, M>, most: usize) {
    let mut least = 0;
    while part.len() > most {
        least += 1;
        part.retain(|_, known| known.worth() > least);
    }
}
