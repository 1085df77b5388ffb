//! Exact solving, layer by layer: every position of a layer from the two layers behind it.
//!
//! A layer is a sorted list of positions. [`expand`] gives the positions that follow a layer's,
//! [`solve`] values its positions once the ones that follow have been valued. What is kept where,
//! and for how long, is the caller's business.

use rayon::prelude::*;

/// A game of one player against chance. A position's layer grows by one or two every turn, so
/// that no position comes back.
pub trait Solitaire: Sync {
    /// Visits every legal move, in order: its number, the afterstate that it leads to, before chance
    /// has had its turn, and what it gains.
    fn moves(&self, state: u64, visit: impl FnMut(u8, u64, f64));

    /// Visits everything that chance may do: the position, 0 if it is in the next layer and 1 if
    /// it is in the one behind that, and how often it comes, in comparison with the others.
    fn spawns(&self, after: u64, visit: impl FnMut(u64, usize, f64));

    /// The mean of values, given the sum of them with their weights, and that of the weights. A game
    /// whose values must not depend on the order of the sum rounds it.
    fn mean(&self, sum: f64, weights: f64) -> f64;

    /// What a move is worth that finishes the game, told from the afterstate that it leads to.
    /// Nothing follows it.
    fn finished(&self, after: u64) -> Option<f64>;
}

/// What is known of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// The expected gain of the best play.
    pub value: f64,
    /// The first of the best moves, `None` if there is none: the game is over.
    pub best: Option<u8>,
}

/// The positions of a layer with their values, found by position.
#[derive(Debug, Default)]
pub struct Values {
    /// Open addressing, two thirds full: the smaller, the more of it stays in the caches.
    slots: Vec<(u64, f64)>,
}

/// Marks a slot that is free. No position is without tiles.
const FREE: u64 = 0;

impl Values {
    /// Puts positions and their values where they are found again.
    #[must_use]
    pub fn new(positions: impl ExactSizeIterator<Item = (u64, f64)>) -> Self {
        let length = positions.len() + positions.len() / 2 + 1;
        let mut slots = vec![(FREE, 0.0); length];
        for (state, value) in positions {
            let at = find(&slots, state);
            slots[at] = (state, value);
        }
        Self { slots }
    }

    /// The value of a position, `None` if it is not here.
    #[inline]
    #[must_use]
    pub fn get(&self, state: u64) -> Option<f64> {
        if self.slots.is_empty() {
            return None;
        }
        let (there, value) = self.slots[find(&self.slots, state)];
        (there == state).then_some(value)
    }
}

/// The place of a position, or the free one where it would be.
#[inline]
fn find(slots: &[(u64, f64)], state: u64) -> usize {
    // The upper bits of a product are a number below the length, and no division.
    let mut at = ((u128::from(spread(state)) * slots.len() as u128) >> 64) as usize;
    while slots[at].0 != state && slots[at].0 != FREE {
        at += 1;
        if at == slots.len() {
            at = 0;
        }
    }
    at
}

/// Neighbouring numbers far apart, in the upper bits above all.
#[inline]
const fn spread(state: u64) -> u64 {
    (state ^ state >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A cache of recently seen positions and what is known of them, each at the slot that its number
/// gives it: cheap, and good enough to save most of the work that would be done twice.
struct RecentlySeen<T> {
    slots: Box<[(u64, T)]>,
}

impl<T: Copy + Default> RecentlySeen<T> {
    const BITS: u32 = 14;

    fn new() -> Self {
        Self { slots: vec![(FREE, T::default()); 1 << Self::BITS].into() }
    }

    #[inline]
    const fn slot(state: u64) -> usize {
        (spread(state) >> (64 - Self::BITS)) as usize
    }

    /// What is known of a position, if it was seen recently.
    #[inline]
    fn get(&self, state: u64) -> Option<T> {
        let (there, known) = self.slots[Self::slot(state)];
        (there == state).then_some(known)
    }

    #[inline]
    fn insert(&mut self, state: u64, known: T) {
        self.slots[Self::slot(state)] = (state, known);
    }

    /// Whether a position comes for the first time, as far as is known.
    #[inline]
    fn is_new(&mut self, state: u64) -> bool
    where
        T: PartialEq,
    {
        let new = self.get(state).is_none();
        if new {
            self.insert(state, T::default());
        }
        new
    }
}

/// How many positions a thread takes at a time.
fn share(positions: usize) -> usize {
    positions.div_ceil(rayon::current_num_threads()).max(2048)
}

/// The positions that follow those of a layer, in the next layer and in the one behind it, not
/// sorted, some of them more than once.
#[must_use]
pub fn expand<G: Solitaire>(game: &G, layer: &[u64]) -> [Vec<u64>; 2] {
    expand_by(layer, |states, next| {
        let (mut afterstates, mut followers) =
            (RecentlySeen::<()>::new(), RecentlySeen::<()>::new());
        for &state in states {
            game.moves(state, |_, after, _| {
                if afterstates.is_new(after) && game.finished(after).is_none() {
                    game.spawns(after, |state, ahead, _| {
                        if followers.is_new(state) {
                            next[ahead].push(state);
                        }
                    });
                }
            });
        }
    })
}

/// The same from afterstates to afterstates: first chance has its turn, then the player.
#[must_use]
pub fn expand_afterstates<G: Solitaire>(game: &G, layer: &[u64]) -> [Vec<u64>; 2] {
    expand_by(layer, |afterstates, next| {
        let (mut states, mut followers) = (RecentlySeen::<()>::new(), RecentlySeen::<()>::new());
        for &after in afterstates {
            game.spawns(after, |state, ahead, _| {
                if states.is_new(state) {
                    game.moves(state, |_, after, _| {
                        if followers.is_new(after) && game.finished(after).is_none() {
                            next[ahead].push(after);
                        }
                    });
                }
            });
        }
    })
}

/// Lets all threads expand parts of a layer, and joins what they find.
fn expand_by(layer: &[u64], expand: impl Fn(&[u64], &mut [Vec<u64>; 2]) + Sync) -> [Vec<u64>; 2] {
    let parts = layer.par_chunks(share(layer.len())).map(|some| {
        let mut next = [Vec::new(), Vec::new()];
        expand(some, &mut next);
        next
    });
    let mut next = [Vec::new(), Vec::new()];
    for part in parts.collect::<Vec<_>>() {
        for (all, mut some) in next.iter_mut().zip(part) {
            all.append(&mut some);
        }
    }
    next
}

/// Values the positions of a layer. `value` is asked for positions of the layers that follow: 0
/// for the next one, 1 for the one behind it. `None` if it does not know one.
#[must_use]
pub fn solve<G: Solitaire>(
    game: &G,
    layer: &[u64],
    value: impl Fn(usize, u64) -> Option<f64> + Sync,
) -> Option<Vec<Solved>> {
    let parts: Vec<Vec<Solved>> = layer
        .par_chunks(share(layer.len()))
        .map(|states| {
            let mut afterstates = RecentlySeen::<f64>::new();
            let mut after_value = |after| {
                afterstates.get(after).or_else(|| {
                    let value = expected(game, after, &value)?;
                    afterstates.insert(after, value);
                    Some(value)
                })
            };
            states.iter().map(|&state| best(game, state, &mut after_value)).collect()
        })
        .collect::<Option<_>>()?;
    Some(parts.concat())
}

/// The same for afterstates, by the values of afterstates.
#[must_use]
pub fn solve_afterstates<G: Solitaire>(
    game: &G,
    layer: &[u64],
    value: impl Fn(usize, u64) -> Option<f64> + Sync,
) -> Option<Vec<f64>> {
    let parts: Vec<Vec<f64>> = layer
        .par_chunks(share(layer.len()))
        .map(|afterstates| {
            let mut states = RecentlySeen::<f64>::new();
            let mut state_value = |ahead, state| {
                states.get(state).or_else(|| {
                    let worth = |after| game.finished(after).or_else(|| value(ahead, after));
                    let value = best(game, state, worth)?.value;
                    states.insert(state, value);
                    Some(value)
                })
            };
            afterstates.iter().map(|&after| expected(game, after, &mut state_value)).collect()
        })
        .collect::<Option<_>>()?;
    Some(parts.concat())
}

/// Values one position, `None` if `value` does not know one that follows.
#[must_use]
pub fn solve_one<G: Solitaire>(
    game: &G,
    state: u64,
    mut value: impl FnMut(usize, u64) -> Option<f64>,
) -> Option<Solved> {
    best(game, state, |after| expected(game, after, &mut value))
}

/// The best move of a position, if all that they lead to have a value.
#[inline]
fn best<G: Solitaire>(
    game: &G,
    state: u64,
    mut value: impl FnMut(u64) -> Option<f64>,
) -> Option<Solved> {
    let mut solved = Some(Solved { value: 0.0, best: None });
    game.moves(state, |number, after, gain| {
        let Some(best) = solved else { return };
        solved = value(after).map(|value| gain + value).map(|value| {
            let better = best.best.is_none() || value > best.value;
            if better { Solved { value, best: Some(number) } } else { best }
        });
    });
    solved
}

/// What an afterstate is worth, before chance has had its turn, if all that may follow has a value.
#[inline]
fn expected<G: Solitaire>(
    game: &G,
    after: u64,
    mut value: impl FnMut(usize, u64) -> Option<f64>,
) -> Option<f64> {
    if let Some(value) = game.finished(after) {
        return Some(value);
    }
    let (mut sum, mut weights, mut missing) = (0.0, 0.0, false);
    game.spawns(after, |state, ahead, weight| {
        match value(ahead, state) {
            Some(value) => sum += weight * value,
            None => missing = true,
        }
        weights += weight;
    });
    (!missing).then(|| game.mean(sum, weights))
}
