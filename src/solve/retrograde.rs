//! Retrograde analysis: every position of a layer with its exact distance, where moves inside the layer
//! may bring positions back.
//!
//! A layer is all positions between which players can go to and fro. Other moves leave it, to layers
//! that are solved already, or end the game. The analysis works backwards, by distance:
//!
//! 1. Every position gets the best of what its moves out of the layer are worth, and a counter of its
//!    moves inside. Positions that are won at once are the most, and most of them are easily told: a layer
//!    marks them first, and moves to them are moves that lose in two plies and are not counted.
//! 2. For d = 1, 2, …: from every position that is lost in d, taking moves back gives positions that are
//!    won in d + 1, unless they are won sooner. From every position that is won in d, it gives positions
//!    with one way less to avoid losing: their counters are decremented. A counter of 0 means that every
//!    move inside loses, the last of them in d + 1 plies; if the moves out of the layer lose, too, the
//!    position is lost, in as many plies as the longest of them takes.
//! 3. What is left when no distance is open can avoid losing for ever, and is drawn.
//!
//! [`Analysis`] does so, in one go or in pieces that several programs share.

mod analysis;
mod found;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

pub use analysis::{Analysis, solve};
use rayon::prelude::*;

use crate::value::{Plies, Value};

/// The entry of a number that no position has.
pub const ABSENT: u8 = 0;
/// The entry of a draw.
pub const DRAW: u8 = 1;
/// The entry of a position that one move wins.
pub const WON_AT_ONCE: u8 = won(1);
/// Stands where an entry is not known yet.
pub const OPEN: u8 = u8::MAX;
/// The most plies that an entry has room for.
pub const MOST_PLIES: u16 = 126;

/// The entry of a win or a loss in so many plies.
const fn won(plies: u8) -> u8 {
    2 * plies + 1
}

const fn lost(plies: u8) -> u8 {
    2 * plies
}

/// What an entry says; `None` if no position has its number, or there is no such entry.
#[must_use]
pub const fn value(entry: u8) -> Option<Value> {
    let plies = (entry / 2) as u16;
    match entry {
        ABSENT => None,
        DRAW => Some(Value::Draw),
        _ if plies > MOST_PLIES => None,
        _ if entry % 2 == 1 => Some(Value::Win(Plies(plies))),
        _ => Some(Value::Loss(Plies(plies))),
    }
}

/// What a position or a move is worth, as a number that is larger the better: the plies of a loss, 128
/// for a draw, 255 less the plies of a win. 0 is worse than all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(u8);

impl Score {
    /// What a move is worth that wins, draws or loses the game at once.
    pub const WIN: Self = Self(254);
    /// A move that draws.
    pub const DRAW: Self = Self(128);
    /// A move that loses at once.
    pub const LOSS: Self = Self(1);

    /// What a move is worth that leads to a position with this entry, to the one who makes it.
    #[inline]
    #[must_use]
    pub fn before_move(entry: u8) -> Self {
        Self(BEFORE_MOVE[entry as usize])
    }

    /// The entry that says so; [`ABSENT`] where nothing is known.
    #[inline]
    #[must_use]
    pub const fn entry(self) -> u8 {
        match self.0 {
            128 => DRAW,
            score @ ..128 => lost(score),
            score => won(255 - score),
        }
    }
}

/// The score of a move by the entry of the position that it leads to.
static BEFORE_MOVE: [u8; 256] = {
    let mut scores = [0; 256];
    let mut entry = 0;
    while entry < 256 {
        scores[entry] = match value(entry as u8) {
            None => 0,
            Some(Value::Draw) => 128,
            Some(Value::Win(Plies(plies))) => plies as u8 + 1,
            Some(Value::Loss(Plies(plies))) => 254 - plies as u8,
        };
        entry += 1;
    }
    scores
};

/// Where a move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Out of the layer, or to the end: what the move is worth.
    Out(Score),
    /// To a position of the layer, whose entry this is.
    Inside(u8),
}

/// A layer of positions, by number. Numbers come in groups, which are what a thread takes at a time.
pub trait Layer: Sync {
    /// How many groups there are.
    fn groups(&self) -> usize;

    /// The numbers of a group, behind those of the one before it.
    fn numbers(&self, group: usize) -> Range<usize>;

    /// Writes the entries of a group: [`ABSENT`] for numbers that no position has, [`WON_AT_ONCE`] where
    /// that is easily told, [`OPEN`] for all others.
    fn mark(&self, group: usize, entries: &[AtomicU8]);

    /// Visits every move of those positions of a group whose entries are asked for: the position's number
    /// inside the group, and where the move leads. `entries` are those of the layer.
    fn moves(
        &self,
        group: usize,
        entries: &[AtomicU8],
        asked: impl Fn(u8) -> bool,
        visit: impl FnMut(usize, Reply),
    );

    /// Visits what a move inside the layer leads from to some positions of a group, each with the number of
    /// such moves: what `target` answers for its group, and its number inside that. Groups for which it
    /// answers nothing are left out, and some of what is visited may be no positions.
    fn unmoves<T: Copy>(
        &self,
        group: usize,
        positions: &[u32],
        target: impl Fn(usize) -> Option<T>,
        visit: impl FnMut(T, usize, u8),
    );
}

/// Why a layer was not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsolved {
    /// It was stopped.
    #[error("stopped")]
    Stopped,
    /// A win takes more plies than an entry has room for.
    #[error("a win takes more than {MOST_PLIES} plies")]
    TooLong,
    /// A position has more moves inside the layer than a counter counts.
    #[error("a position has more than 255 moves that can be taken back")]
    TooManyMoves,
}

/// How entries differ from what they should say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// In how many numbers.
    pub count: u64,
    /// The first of them.
    pub first: Option<usize>,
}

/// Works out every entry of a solved layer anew from those that its moves lead to. `advance` hears of
/// numbers as they are done.
///
/// # Errors
/// When stopped.
pub fn check<L: Layer>(
    layer: &L,
    entries: &[AtomicU8],
    stop: &AtomicBool,
    advance: impl Fn(u64) + Sync,
) -> Result<Differences, Unsolved> {
    let check = |group| {
        if stop.load(Relaxed) {
            return Err(Unsolved::Stopped);
        }
        let numbers = layer.numbers(group);
        let own = &entries[numbers.clone()];
        let marked: Vec<AtomicU8> = own.iter().map(|_| AtomicU8::new(ABSENT)).collect();
        layer.mark(group, &marked);
        let mut best = vec![Score::default(); own.len()];
        let is_there = |entry| entry != ABSENT;
        layer.moves(group, entries, is_there, |position, reply| {
            let score = match reply {
                Reply::Out(score) => score,
                Reply::Inside(entry) => Score::before_move(entry),
            };
            best[position] = best[position].max(score);
        });
        let mut differences = Differences::default();
        for (number, ((entry, marked), best)) in
            numbers.clone().zip(own.iter().zip(&marked).zip(best))
        {
            let entry = entry.load(Relaxed);
            let is_right = match marked.load(Relaxed) {
                ABSENT => entry == ABSENT,
                _ => entry != ABSENT && entry == best.entry(),
            };
            if !is_right {
                differences.count += 1;
                differences.first.get_or_insert(number);
            }
        }
        advance(numbers.len() as u64);
        Ok(differences)
    };
    let add = |one: Differences, other: Differences| {
        Ok(Differences { count: one.count + other.count, first: one.first.or(other.first) })
    };
    (0..layer.groups()).into_par_iter().map(check).try_reduce(Differences::default, add)
}
