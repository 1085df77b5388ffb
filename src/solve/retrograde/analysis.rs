//! The analysis itself, distance by distance, and how several programs share it.
//!
//! What is known of the layer, the entries up to some distance, everyone has. A distance adds to it: all
//! positions that are decided at the next one. These are found by taking moves back from what the last one
//! has added, and the work is cut by where that leads to. A *piece* is some groups: who makes it keeps
//! counters for its positions, and what they are worth by what is known so far. From all that the last
//! distance has added, wherever it lies, moves are taken back as far as they lead into these groups, and then
//! the piece has what is decided in them. That goes to the others, as bytes, and theirs come from them.
//!
//! Counters follow from what is known: whoever has to make a piece of which he has none looks at the moves of
//! its positions, as everyone does in the beginning. So nobody has what the others cannot do without.
//!
//! All writes to a position of a piece in one distance are the same: from what is lost in d it becomes won in
//! d + 1; from what is won in d its counter is decremented, and whoever finds it 0 notes the loss. It cannot
//! be both, as a move to a lost position stays counted. So neither the order shows, nor the threads.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

use rayon::prelude::*;

use super::found::{Found, decode, encode};
use super::{ABSENT, DRAW, Layer, MOST_PLIES, OPEN, Reply, Score, Unsolved, lost, won};

/// A layer that is being solved.
#[derive(Debug)]
pub struct Analysis<'a, L> {
    layer: &'a L,
    stop: &'a AtomicBool,
    /// What is known: [`OPEN`] where nothing is.
    known: Vec<AtomicU8>,
    /// The groups of each piece.
    pieces: Vec<Range<usize>>,
    /// For each piece what its maker has.
    own: Vec<Option<Own>>,
    /// The distance up to which entries are known.
    plies: u8,
    /// By group, what is decided at that distance.
    found: Vec<Found>,
    /// Whether moves were taken back from it.
    is_taken_back: bool,
    /// By group, what is decided at the next one.
    next: Vec<Found>,
    /// For each piece, the longest distance by what was known in the beginning.
    longest: Vec<u8>,
}

/// What the maker of a piece has.
#[derive(Debug)]
struct Own {
    /// The number of its first position.
    start: usize,
    /// What positions are worth by what is known. A loss counts only when all moves inside are known to lose.
    entries: Vec<AtomicU8>,
    /// How many moves inside are not known to lose.
    counters: Vec<AtomicU8>,
}

/// What the maker of a piece has of one group.
#[derive(Clone, Copy)]
struct Target<'a> {
    entries: &'a [AtomicU8],
    counters: &'a [AtomicU8],
}

/// Solves a layer in one go, and answers its entries. `advance` hears of numbers as they are begun with.
///
/// # Errors
/// When stopped, or a win is too long.
pub fn solve<L: Layer>(
    layer: &L,
    stop: &AtomicBool,
    advance: impl Fn(u64) + Sync,
) -> Result<Vec<u8>, Unsolved> {
    let mut analysis = Analysis::new(layer, 1, stop)?;
    loop {
        analysis.make(0, &advance)?;
        if analysis.advance()? {
            return Ok(analysis.entries());
        }
    }
}

impl<'a, L: Layer> Analysis<'a, L> {
    /// Begins with a layer, cut into so many pieces, or fewer: whoever shares it cuts it in the same way.
    ///
    /// # Errors
    /// When stopped.
    pub fn new(layer: &'a L, pieces: u64, stop: &'a AtomicBool) -> Result<Self, Unsolved> {
        let groups = layer.groups();
        let total = groups.checked_sub(1).map_or(0, |last| layer.numbers(last).end);
        let pieces = cut(layer, total, pieces.clamp(1, groups.max(1) as u64));
        let count = pieces.len();
        let known = (0..total).into_par_iter().map(|_| AtomicU8::new(ABSENT)).collect();
        let analysis = Self {
            layer,
            stop,
            known,
            own: pieces.iter().map(|_| None).collect(),
            pieces,
            plies: 0,
            found: vec![Found::default(); groups],
            is_taken_back: false,
            next: vec![Found::default(); groups],
            longest: vec![0; count],
        };
        (0..groups).into_par_iter().try_for_each(|group| {
            layer.mark(group, &analysis.known[layer.numbers(group)]);
            analysis.going()
        })?;
        Ok(analysis)
    }

    /// How many pieces there are.
    #[must_use]
    pub fn pieces(&self) -> u64 {
        self.pieces.len() as u64
    }

    /// How many numbers a piece has.
    #[must_use]
    pub fn numbers(&self, piece: u64) -> u64 {
        let groups = self.pieces[piece as usize].clone();
        groups.map(|group| self.layer.numbers(group).len() as u64).sum()
    }

    /// The distance up to which entries are known.
    #[must_use]
    pub fn plies(&self) -> u8 {
        self.plies
    }

    /// Whether this one has made a piece so far, and has what it takes to go on with it.
    #[must_use]
    pub fn has(&self, piece: u64) -> bool {
        self.own[piece as usize].is_some()
    }

    /// Finds what is decided at the next distance in a piece. `advance` hears of groups that are begun with
    /// for the first time.
    ///
    /// # Errors
    /// When stopped.
    pub fn make(&mut self, piece: u64, advance: impl Fn(u64) + Sync) -> Result<(), Unsolved> {
        // In all pieces at once: what moves lead from is worked out once.
        if !self.is_taken_back {
            self.take_back()?;
            self.is_taken_back = true;
        }
        let place = piece as usize;
        if self.own[place].is_none() {
            let (own, longest) = self.begin(place, advance)?;
            self.own[place] = Some(own);
            if self.plies == 0 {
                self.longest[place] = longest;
            }
        }
        let next: Vec<Found> = self.pieces[place]
            .clone()
            .into_par_iter()
            .map(|group| self.decided(group, self.plies + 1))
            .collect();
        self.put_next(place, next);
        self.going()
    }

    /// What was found in a piece that was made, for the others.
    #[must_use]
    pub fn bytes(&self, piece: u64) -> Vec<u8> {
        let mut bytes = vec![self.longest[piece as usize]];
        let groups = self.pieces[piece as usize].clone();
        encode(
            groups.map(|group| (self.layer.numbers(group).start, &self.next[group])),
            &mut bytes,
        );
        bytes
    }

    /// Takes a piece that another has made. Whoever makes it goes on with it. `false` if it is another's.
    pub fn take(&mut self, piece: u64, bytes: &[u8]) -> bool {
        let place = piece as usize;
        let Some((&longest, bytes)) = bytes.split_first() else { return false };
        let groups: Vec<Range<usize>> =
            self.pieces[place].clone().map(|group| self.layer.numbers(group)).collect();
        let Some(next) = decode(bytes, &groups) else { return false };
        self.longest[place] = longest;
        self.own[place] = None;
        self.put_next(place, next);
        true
    }

    /// Goes on to the next distance when all pieces were made or taken; answers whether all is known then.
    ///
    /// # Errors
    /// When a win is too long.
    pub fn advance(&mut self) -> Result<bool, Unsolved> {
        self.plies += 1;
        self.is_taken_back = false;
        self.found = std::mem::take(&mut self.next);
        self.next = vec![Found::default(); self.found.len()];
        self.found.par_iter().enumerate().for_each(|(group, found)| {
            let known = &self.known[self.layer.numbers(group)];
            let note = |positions: &[u32], entry| {
                positions.iter().for_each(|&it| known[it as usize].store(entry, Relaxed));
            };
            note(&found.losses, lost(self.plies));
            note(&found.wins, won(self.plies));
        });
        let is_solved = self.longest.iter().all(|&longest| longest < self.plies)
            && self.found.iter().all(|it| it.len() == 0);
        match u16::from(self.plies) < MOST_PLIES {
            _ if is_solved => Ok(true),
            true => Ok(false),
            false => Err(Unsolved::TooLong),
        }
    }

    /// The entries of a layer that is solved.
    #[must_use]
    pub fn entries(self) -> Vec<u8> {
        let entry = |entry: AtomicU8| match entry.into_inner() {
            OPEN => DRAW,
            entry => entry,
        };
        self.known.into_iter().map(entry).collect()
    }

    fn going(&self) -> Result<(), Unsolved> {
        if self.stop.load(Relaxed) { Err(Unsolved::Stopped) } else { Ok(()) }
    }

    fn put_next(&mut self, piece: usize, next: Vec<Found>) {
        for (group, found) in self.pieces[piece].clone().zip(next) {
            self.next[group] = found;
        }
    }

    /// What the maker of a group's piece has of it, if that is this one.
    fn target(&self, group: usize) -> Option<Target<'_>> {
        let piece = self.pieces.partition_point(|groups| groups.end <= group);
        Some(self.own.get(piece)?.as_ref()?.target(self.layer.numbers(group)))
    }

    /// Takes moves back from all that was decided last, as far as they lead into pieces of this one.
    fn take_back(&self) -> Result<(), Unsolved> {
        self.found.par_iter().enumerate().filter(|(_, found)| found.len() > 0).try_for_each(
            |(group, found)| {
                let target = |group| self.target(group);
                if !found.losses.is_empty() {
                    self.layer.unmoves(group, &found.losses, target, |target, position, _| {
                        target.wins(position, self.plies + 1);
                    });
                }
                if !found.wins.is_empty() {
                    self.layer.unmoves(group, &found.wins, target, |target, position, times| {
                        target.loses(position, times, self.plies + 1);
                    });
                }
                self.going()
            },
        )
    }

    /// Looks at the moves of all positions of a piece that are not decided. Answers the longest distance of
    /// what they are worth, too.
    fn begin(&self, piece: usize, advance: impl Fn(u64) + Sync) -> Result<(Own, u8), Unsolved> {
        let groups = self.pieces[piece].clone();
        let start = groups.clone().next().map_or(0, |first| self.layer.numbers(first).start);
        let end = groups.clone().last().map_or(start, |last| self.layer.numbers(last).end);
        let numbers = || (start..end).into_par_iter();
        let own = Own {
            start,
            entries: numbers().map(|it| AtomicU8::new(self.known[it].load(Relaxed))).collect(),
            counters: numbers().map(|_| AtomicU8::new(0)).collect(),
        };
        let begin = |group| {
            let longest = self.begin_group(group, own.target(self.layer.numbers(group)))?;
            if self.plies == 0 {
                advance(self.layer.numbers(group).len() as u64);
            }
            self.going().map(|()| longest)
        };
        let longest = groups.into_par_iter().map(begin);
        let longest = longest.try_reduce(|| 0, |one, other| Ok(one.max(other)))?;
        Ok((own, longest))
    }

    fn begin_group(&self, group: usize, target: Target<'_>) -> Result<u8, Unsolved> {
        let Target { entries, counters } = target;
        let mut best = vec![Score::LOSS; entries.len()];
        let mut most_moves = 0;
        let is_open = |entry| entry == OPEN;
        self.layer.moves(group, &self.known, is_open, |position, reply| match reply {
            Reply::Inside(OPEN) => {
                let counted = counters[position].load(Relaxed);
                most_moves = most_moves.max(counted);
                counters[position].store(counted.wrapping_add(1), Relaxed);
            }
            Reply::Inside(entry) => {
                best[position] = best[position].max(Score::before_move(entry));
            }
            Reply::Out(score) => best[position] = best[position].max(score),
        });
        if most_moves == u8::MAX {
            return Err(Unsolved::TooManyMoves);
        }
        let mut longest = 0;
        for (entry, best) in entries.iter().zip(best).filter(|(it, _)| it.load(Relaxed) == OPEN) {
            entry.store(best.entry(), Relaxed);
            longest = longest.max(best.entry() / 2);
        }
        Ok(longest)
    }

    /// What is decided in a group at some distance, and was not known before.
    fn decided(&self, group: usize, plies: u8) -> Found {
        let mut found = Found::default();
        let Some(Target { entries, counters }) = self.target(group) else { return found };
        let known = &self.known[self.layer.numbers(group)];
        for (position, entry) in (0..).zip(entries) {
            let (entry, place) = (entry.load(Relaxed), position as usize);
            if entry / 2 != plies || known[place].load(Relaxed) != OPEN {
                continue;
            }
            if entry == won(plies) {
                found.wins.push(position);
            } else if counters[place].load(Relaxed) == 0 {
                found.losses.push(position);
            }
        }
        found
    }
}

impl Own {
    /// The same of some numbers.
    fn target(&self, numbers: Range<usize>) -> Target<'_> {
        let numbers = numbers.start - self.start..numbers.end - self.start;
        Target { entries: &self.entries[numbers.clone()], counters: &self.counters[numbers] }
    }
}

impl Target<'_> {
    /// A move was found that wins in so many plies.
    fn wins(&self, position: usize, plies: u8) {
        let entry = self.entries[position].load(Relaxed);
        let is_won_sooner = entry % 2 == 1 && entry != DRAW && entry < won(plies);
        if entry != ABSENT && !is_won_sooner {
            self.entries[position].store(won(plies), Relaxed);
        }
    }

    /// Some moves were found to lose in so many plies.
    fn loses(&self, position: usize, times: u8, plies: u8) {
        let entry = self.entries[position].load(Relaxed);
        // What wins or draws does not lose, whatever its counter.
        let may_lose = entry != ABSENT && entry.is_multiple_of(2);
        if may_lose && self.counters[position].fetch_sub(times, Relaxed) == times {
            self.entries[position].store(lost((entry / 2).max(plies)), Relaxed);
        }
    }
}

/// Cuts the groups of a layer into pieces of about as many numbers.
fn cut<L: Layer>(layer: &L, total: usize, pieces: u64) -> Vec<Range<usize>> {
    let piece =
        |group| layer.numbers(group).start as u128 * u128::from(pieces) / total.max(1) as u128;
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut last = None;
    for group in 0..layer.groups() {
        match ranges.last_mut() {
            Some(range) if last == Some(piece(group)) => range.end = group + 1,
            _ => ranges.push(group..group + 1),
        }
        last = Some(piece(group));
    }
    if ranges.is_empty() {
        ranges.push(0..0);
    }
    ranges
}
