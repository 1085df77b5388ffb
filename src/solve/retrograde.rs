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
//! What moves out of the layer are worth stands in the entries from the beginning, so a win that takes
//! x plies that way is found by the pass for x - 1, if no shorter one was found before. In the same way
//! a loss stands there, but counts only when its counter is 0.
//!
//! All positions of a distance are done, in any order and by any number of threads, before those of the
//! next one: they read entries of distance d alone and write d + 1 alone, or decrement. So the result
//! does not depend on the threads.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

use rayon::prelude::*;

use crate::value::{Plies, Value};

/// The entry of a number that no position has.
pub const ABSENT: u8 = 0;
/// The entry of a draw.
pub const DRAW: u8 = 1;
/// The entry of a position that one move wins.
pub const WON_AT_ONCE: u8 = won(1);
/// The entry of a position of which nothing is known yet. A move inside the layer takes two plies to lose,
/// so that beginning with a loss in one changes nothing.
pub const OPEN: u8 = lost(1);
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
    /// A move after which the next one wins.
    const LOSS_IN_TWO: Self = Self(2);

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

    /// Visits the numbers that a move inside the layer leads from to some positions of a group, each with
    /// the number of such moves. Some may be no positions.
    fn unmoves(&self, group: usize, positions: &[u32], visit: impl FnMut(usize, u8));
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

/// Solves a layer. `entries` has room for all of its numbers; `advance` hears of groups as they are
/// begun with, as many as there are.
///
/// # Errors
/// When stopped, or a win is too long.
pub fn solve<L: Layer>(
    layer: &L,
    entries: &[AtomicU8],
    stop: &AtomicBool,
    advance: impl Fn(u64) + Sync,
) -> Result<(), Unsolved> {
    let going = || if stop.load(Relaxed) { Err(Unsolved::Stopped) } else { Ok(()) };
    let groups = || (0..layer.groups()).into_par_iter();
    groups().try_for_each(|group| {
        layer.mark(group, &entries[layer.numbers(group)]);
        going()
    })?;
    let counters: Vec<AtomicU8> = (0..entries.len()).map(|_| AtomicU8::new(0)).collect();
    let begin = |group| {
        let numbers = layer.numbers(group);
        let begun = begin(layer, group, entries, &counters[numbers.clone()]);
        advance(numbers.len() as u64);
        going().and(begun)
    };
    let begun: Vec<Begun> = groups().map(begin).collect::<Result<_, _>>()?;
    let longest = begun.iter().map(|begun| begun.longest).max().unwrap_or(0);
    take_back_first_wins(layer, entries, &counters, &begun);
    going()?;
    for plies in 1..=MOST_PLIES as u8 {
        // One after the other: whether a position is lost, its counter tells.
        let mut found = groups()
            .map(|group| {
                let found = take_back_losses(layer, group, entries, &counters, plies);
                going().map(|()| found)
            })
            .try_reduce(|| 0, |one, other| Ok(one + other))?;
        if plies > 1 {
            found += groups()
                .map(|group| {
                    let wins = select(&entries[layer.numbers(group)], won(plies));
                    take_back_wins(layer, group, entries, &counters, &wins, plies);
                    going().map(|()| wins.len())
                })
                .try_reduce(|| 0, |one, other| Ok(one + other))?;
        }
        if found == 0 && plies > longest {
            entries.par_iter().zip(&counters).for_each(|(entry, counter)| {
                if is_open(entry.load(Relaxed), counter) {
                    entry.store(DRAW, Relaxed);
                }
            });
            return Ok(());
        }
    }
    Err(Unsolved::TooLong)
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

/// Whether a position may still avoid losing inside the layer, as long as no win was found for it.
fn is_open(entry: u8, counter: &AtomicU8) -> bool {
    entry != ABSENT && entry.is_multiple_of(2) && counter.load(Relaxed) > 0
}

/// What is known of a group when its moves have been seen.
struct Begun {
    /// The longest distance of an entry.
    longest: u8,
    /// The positions that are won at once and were not marked so. Their entries must not say it before all
    /// moves to them have been counted.
    wins: Vec<u32>,
}

/// Sets the entries of a group to what moves out of the layer are worth and counts those inside.
fn begin<L: Layer>(
    layer: &L,
    group: usize,
    entries: &[AtomicU8],
    counters: &[AtomicU8],
) -> Result<Begun, Unsolved> {
    let own = &entries[layer.numbers(group)];
    let mut best = vec![Score::LOSS; own.len()];
    let mut most_moves = 0;
    let is_open = |entry| entry != ABSENT && entry != WON_AT_ONCE;
    layer.moves(group, entries, is_open, |position, reply| match reply {
        Reply::Inside(WON_AT_ONCE) => best[position] = best[position].max(Score::LOSS_IN_TWO),
        Reply::Inside(_) => {
            let counted = counters[position].load(Relaxed);
            most_moves = most_moves.max(counted);
            counters[position].store(counted.wrapping_add(1), Relaxed);
        }
        Reply::Out(score) => best[position] = best[position].max(score),
    });
    if most_moves == u8::MAX {
        return Err(Unsolved::TooManyMoves);
    }
    let mut begun = Begun { longest: 0, wins: Vec::new() };
    for (position, (entry, best)) in (0..).zip(own.iter().zip(best)) {
        if !is_open(entry.load(Relaxed)) {
            continue;
        }
        if best == Score::WIN {
            begun.wins.push(position);
        } else {
            entry.store(best.entry(), Relaxed);
            begun.longest = begun.longest.max(best.entry() / 2);
        }
    }
    Ok(begun)
}

/// Does what [`take_back_wins`] does for the wins at once that were not marked. All of them are marked
/// before the first move is taken back: a position that is about to be must not be taken for lost.
fn take_back_first_wins<L: Layer>(
    layer: &L,
    entries: &[AtomicU8],
    counters: &[AtomicU8],
    begun: &[Begun],
) {
    let groups = || begun.par_iter().enumerate();
    groups().for_each(|(group, begun)| {
        let own = &entries[layer.numbers(group)];
        for &position in &begun.wins {
            own[position as usize].store(WON_AT_ONCE, Relaxed);
        }
    });
    groups().for_each(|(group, begun)| {
        take_back_wins(layer, group, entries, counters, &begun.wins, 1);
    });
}

/// The positions of a group whose entry is this one.
fn select(entries: &[AtomicU8], entry: u8) -> Vec<u32> {
    let numbered = (0..).zip(entries);
    numbered.filter(|(_, it)| it.load(Relaxed) == entry).map(|(position, _)| position).collect()
}

/// Takes moves back from the positions of a group that are lost in so many plies: whoever made them wins.
/// Answers how many there are.
fn take_back_losses<L: Layer>(
    layer: &L,
    group: usize,
    entries: &[AtomicU8],
    counters: &[AtomicU8],
    plies: u8,
) -> usize {
    let numbers = layer.numbers(group);
    let mut losses = select(&entries[numbers.clone()], lost(plies));
    let counters = &counters[numbers];
    losses.retain(|&position| counters[position as usize].load(Relaxed) == 0);
    if !losses.is_empty() {
        layer.unmoves(group, &losses, |number, _| {
            let entry = entries[number].load(Relaxed);
            let is_won_sooner = entry % 2 == 1 && entry != DRAW && entry / 2 <= plies;
            if entry != ABSENT && !is_won_sooner {
                entries[number].store(won(plies + 1), Relaxed);
            }
        });
    }
    losses.len()
}

/// Takes moves back from positions of a group that are won in so many plies: whoever made them has one way
/// less to avoid losing.
fn take_back_wins<L: Layer>(
    layer: &L,
    group: usize,
    entries: &[AtomicU8],
    counters: &[AtomicU8],
    wins: &[u32],
    plies: u8,
) {
    if wins.is_empty() {
        return;
    }
    layer.unmoves(group, wins, |number, times| {
        let entry = entries[number].load(Relaxed);
        // What was won at once before moves were counted has no counter.
        let is_counted = entry != ABSENT && entry != WON_AT_ONCE;
        if is_counted
            && counters[number].fetch_sub(times, Relaxed) == times
            && entry.is_multiple_of(2)
        {
            entries[number].store(lost((entry / 2).max(plies + 1)), Relaxed);
        }
    });
}
