//! Expectimax: depth-limited search of a game of one player against chance.
//!
//! # The tree
//! The player moves, then chance answers, and so on. A move is worth its reward and what the
//! position after it is worth; a position is worth its best move, and nothing, the worst there is,
//! when no move is left; a position that waits for chance is worth the mean over all outcomes. At
//! depth d, d rounds of chance and move follow the first move, and what stands after the last of
//! them is evaluated. A way less likely than the cut-off ends sooner, wherever it stands: at once if
//! values at a glance foresee what is to come, else after one round more.
//!
//! # Moves that are left out
//! With a cut-off, and if the game has [margins](Margins), the moves of a position are looked at before
//! they are searched, with a search that costs little. The one that looks best is searched first;
//! another only if it does not look worse than what has been found by more than the margin.
//!
//! # The table
//! Different ways lead to the same position, and its value is searched once and kept. It depends on
//! three things only: the position, the depth left, and how likely the way was, because that decides
//! what the cut-off takes away below. Likelihoods are therefore counted as whole numbers, in
//! sixteenths of a bit: what an outcome costs is rounded once, and costs add up to the same sum in
//! whatever order they come. A position is searched with the budget that its way has left. Each
//! search finds out along the way between which budgets every decision of the cut-off would have
//! been the same; the value holds for exactly those, and is only used again within them. So a value
//! from the table is bit by bit the value that a search would give, and no answer depends on the
//! order of search, on the number of threads, or on what was searched before.
//!
//! The table has a fixed size. A position has one place in it, and what comes last stays.

mod pool;
mod transposition;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pool::{Lent, Pool};
use rayon::prelude::*;
use transposition::{Bounds, Rounds, Seen, TranspositionTable, Valued};

use crate::solve;

/// A game of one player against chance, its positions 64-bit numbers.
///
/// Chance has some places, all equally likely, and in each of them one of two kinds of outcome.
pub trait OnePlayer: Sync {
    /// What a thread keeps from one evaluation to the next, to be faster.
    type Memory: Send;

    /// How likely the two kinds of outcome are, the likelier one first.
    const CHANCES: [f64; 2];

    /// Whether values at a glance are expectations of what is to come, whatever the depth. Then a way
    /// that is cut off ends where it stands; otherwise values are comparable only after a move that
    /// answers chance, and a cut-off way goes on for one round.
    const FORESEES: bool;

    /// When moves are left out, where there is a cut-off; if `None`, none ever is. Only where values
    /// foresee can those of different depths be compared.
    const MARGINS: Option<Margins>;

    /// A memory to begin with.
    fn memory(&self) -> Self::Memory;

    /// The four moves: the position after each that is legal, and its reward.
    fn moves(&self, position: u64) -> [Option<(u64, f32)>; 4];

    /// How many places chance has. At least one, after a move.
    fn places(&self, after: u64) -> u32;

    /// The positions that chance may make, one for each place, with one kind of outcome.
    fn outcomes(&self, after: u64, kind: usize) -> impl Iterator<Item = u64>;

    /// What a position that waits for chance is worth at a glance: never less than nothing.
    fn value(&self, after: u64, memory: &mut Self::Memory) -> f32;

    /// What a position is worth if that is known, so that it need not be searched.
    fn known(&self, position: u64) -> Option<f32>;

    /// The last round: for each kind of outcome from `first` on, the sum over all places of the
    /// best move's reward and value, 0 where there is no move.
    ///
    /// Most of a search is spent here.
    fn last_round(&self, after: u64, first: usize, memory: &mut Self::Memory) -> [f64; 2];
}

/// By how much a move has to look worse than the best one is, to be left out.
#[derive(Clone, Copy, Debug)]
pub struct Margins {
    /// At a glance, with one round to go.
    pub glance: f32,
    /// With one round searched, where there are more to go.
    pub round: f32,
    /// For the first move, searched one round less deep.
    pub first: f32,
}

/// How a search is limited.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Ways less likely than this are not searched any further; 0 cuts nothing off.
    pub cut_off: f64,
    /// How many positions the table holds, as a power of two.
    pub table_bits: u32,
    /// Whether to search on all threads of the rayon pool in which it is called.
    pub parallel: bool,
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// What each legal move is worth; one that was left out, as far as it was searched. That is less
    /// than the best one's worth.
    pub moves: [Option<f32>; 4],
    /// The depth that was searched.
    pub depth: u8,
    /// Ways less likely than this were not searched any further.
    pub cut_off: f64,
    /// Whether the depth has ended a way that the cut-off would not have ended. If not, a deeper search
    /// is the same search. A hint for when to go on: what the table held may show in it.
    pub cut_short: bool,
    /// How many moves were tried: four for each position in which the player is to move.
    pub evaluated: u64,
}

/// The deepest search there is.
pub const DEEPEST: u8 = transposition::DEEPEST;

/// A searcher of a game. Keep one for many positions: its table is used again.
pub struct Expectimax<G: OnePlayer> {
    game: G,
    parallel: bool,
    budget: u16,
    /// What an outcome costs, by the number of places and by kind.
    costs: [[u16; 2]; 17],
    margins: Option<Margins>,
    table: TranspositionTable,
    /// What threads keep, while no thread has it. In boxes, because they come and go with each search.
    notebooks: Pool<Box<Notebook<G::Memory>>>,
}

/// What one thread keeps.
struct Notebook<M> {
    memory: M,
    rounds: Rounds,
}

/// A node whose branches are shared among threads has at least this depth left: below that, there
/// is too little to do.
const SHARED: u8 = 3;

/// By how much a budget grows with each step of depth: to a third of the likelihood. This, and where it
/// begins, agreed best with much deeper searches on boards of games, at 3, 10 and 30 ms a move.
const WIDER: u16 = 25;
const FIRST_CUT_OFF: f64 = 0.01;

/// How many moves are tried between two looks at the clock.
const PATIENCE: u64 = 1 << 11;

impl<G: OnePlayer> Expectimax<G> {
    /// A searcher with an empty table.
    pub fn new(game: G, limits: Limits) -> Self {
        // With no budget and outcomes that cost nothing, nothing is ever cut off.
        let cuts = limits.cut_off > 0.0;
        let cost = |places: usize, kind: usize| {
            let likely = G::CHANCES[kind] / places.max(1) as f64;
            if cuts { bits(likely).round() as u16 } else { 0 }
        };
        Self {
            game,
            parallel: limits.parallel,
            budget: if cuts { budget(limits.cut_off) } else { 0 },
            costs: std::array::from_fn(|places| [0, 1].map(|kind| cost(places, kind))),
            margins: G::MARGINS.filter(|_| cuts),
            table: TranspositionTable::new(limits.table_bits),
            notebooks: Pool::default(),
        }
    }

    /// The game.
    pub const fn game(&self) -> &G {
        &self.game
    }

    /// Searches a position to a depth.
    pub fn search(&self, position: u64, depth: u8) -> Found {
        self.search_until(position, depth, self.budget, &Clock::default())
    }

    /// The same, unless a limit is reached before it has come to its end.
    pub fn search_within(
        &self,
        position: u64,
        depth: u8,
        limits: solve::Limits<'_>,
    ) -> Option<Found> {
        let clock = Clock { limits, ..Clock::default() };
        let found = self.search_until(position, depth, self.budget, &clock);
        (!clock.is_over()).then_some(found)
    }

    /// Searches a position deeper and deeper until the time is over or a limit reached, and gives what the last
    /// search to come to its end has found. The first of them takes whatever time it needs. The cut-off
    /// falls with the depth until it is what was asked for, so that time goes into depth and width
    /// alike. When it ends all ways, and the depth none, it falls further; if there is no cut-off, all
    /// has been searched then.
    pub fn search_for(&self, position: u64, time: Duration, limits: solve::Limits<'_>) -> Found {
        let end = Instant::now() + time;
        let deadline = Some(limits.deadline.map_or(end, |deadline| deadline.min(end)));
        let limits = solve::Limits { deadline, ..limits };
        let clock = Clock { limits, ..Clock::default() };
        // In no time, and with nothing cut off there.
        let mut found = self.search(position, 1);
        let (mut budget, mut most) = (budget(FIRST_CUT_OFF).min(self.budget), self.budget);
        for depth in 2..=DEEPEST {
            if !found.cut_short && budget == most {
                if most == 0 || most == Bounds::MOST {
                    break;
                }
                most = (most + WIDER).min(Bounds::MOST);
            }
            budget = (budget + WIDER).min(most);
            let deeper = self.search_until(position, depth, budget, &clock);
            let evaluated = found.evaluated + deeper.evaluated;
            if clock.is_over() {
                return Found { evaluated, ..found };
            }
            found = Found { evaluated, ..deeper };
        }
        found
    }

    /// What an outcome after the next one costs at the least, where a way that cannot pay for it ends
    /// at once: a move may leave one place less, but not two.
    fn least(&self, places: u32) -> u16 {
        if G::FORESEES { self.costs[places as usize - 1][0] } else { 0 }
    }

    fn search_until(&self, position: u64, depth: u8, budget: u16, clock: &Clock<'_>) -> Found {
        let depth = depth.min(DEEPEST);
        let root = Root { search: self, budget, clock, evaluated: AtomicU64::new(4) };
        let (moves, cut_short) = root.moves(self.game.moves(position), depth);
        Found {
            moves,
            depth,
            cut_off: if budget == 0 { 0.0 } else { likelihood(budget) },
            cut_short,
            evaluated: root.evaluated.into_inner(),
        }
    }
}

/// The moves of a position, and the position after each with its reward.
type Moves = [Option<(u64, f32)>; 4];

/// Where a search begins.
struct Root<'a, G: OnePlayer> {
    search: &'a Expectimax<G>,
    budget: u16,
    clock: &'a Clock<'a>,
    evaluated: AtomicU64,
}

impl<G: OnePlayer> Root<'_, G> {
    /// What moves are worth, and whether the depth has cut a way short. The one that looks best is
    /// searched first, then those that do not look much worse than it is.
    fn moves(&self, moves: Moves, depth: u8) -> ([Option<f32>; 4], bool) {
        let margins = self.search.margins.filter(|_| depth > 1 && has_choice(&moves));
        let Some(Margins { first: margin, .. }) = margins else { return self.values(moves, depth) };
        let (mut values, _) = self.values(moves, depth - 1);
        let looks = values.map(|look| look.unwrap_or(0.0));
        let best = best_of(&looks);
        let mut cut_short = false;
        let mut search = |some: &dyn Fn(usize) -> bool| {
            let some = std::array::from_fn(|number| moves[number].filter(|_| some(number)));
            let (found, cut) = self.values(some, depth);
            cut_short |= cut;
            for (value, found) in values.iter_mut().zip(found) {
                *value = found.or(*value);
            }
            values[best].unwrap_or(0.0)
        };
        let least = search(&|number| number == best) - margin;
        search(&|number| number != best && looks[number] >= least);
        (values, cut_short)
    }

    /// The same, each of the moves searched to the depth.
    fn values(&self, moves: Moves, depth: u8) -> ([Option<f32>; 4], bool) {
        let cut_short = AtomicBool::new(false);
        let walk = || Walk::new(self.search, self.clock, &self.evaluated);
        let value = |walk: &mut Walk<'_, G>, (after, reward): (u64, f32)| {
            let seen = self.search.table.look(after, depth);
            let known = walk.after(after, depth, self.budget, seen);
            cut_short.fetch_or(known.cut_short, Ordering::Relaxed);
            reward + known.value
        };
        let values = if self.search.parallel {
            let mut values = [None; 4];
            let each = moves.par_iter().zip(&mut values);
            each.for_each(|(it, to)| *to = it.map(|it| value(&mut walk(), it)));
            values
        } else {
            let mut walk = walk();
            moves.map(|it| it.map(|it| value(&mut walk, it)))
        };
        (values, cut_short.into_inner())
    }
}

/// Whether there are several moves.
fn has_choice(moves: &Moves) -> bool {
    moves.iter().flatten().count() > 1
}

/// The number of the largest value, the first one of equals.
fn best_of(values: &[f32; 4]) -> usize {
    (1..4).fold(0, |best, number| if values[number] > values[best] { number } else { best })
}

/// How unlikely something is, in sixteenths of a bit.
fn bits(chance: f64) -> f64 {
    -16.0 * chance.log2()
}

/// What a way may cost that is not cut off.
fn budget(cut_off: f64) -> u16 {
    // What comes of a budget gives the same budget again. None at all stands for no cut-off.
    (bits(cut_off) + 1e-6).clamp(1.0, f64::from(Bounds::MOST)) as u16
}

/// How likely the least likely way is that such a budget pays for.
fn likelihood(budget: u16) -> f64 {
    (-f64::from(budget) / 16.0).exp2()
}

/// When a search has to end.
#[derive(Default)]
struct Clock<'a> {
    limits: solve::Limits<'a>,
    over: AtomicBool,
}

impl Clock<'_> {
    fn look(&self) {
        if self.limits.reached() {
            self.over.store(true, Ordering::Relaxed);
        }
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
}

/// One thread's way through the tree.
struct Walk<'a, G: OnePlayer> {
    search: &'a Expectimax<G>,
    clock: &'a Clock<'a>,
    total: &'a AtomicU64,
    notebook: Lent<'a, Box<Notebook<G::Memory>>>,
    evaluated: u64,
    next_look: u64,
}

impl<'a, G: OnePlayer> Walk<'a, G> {
    fn new(search: &'a Expectimax<G>, clock: &'a Clock<'a>, total: &'a AtomicU64) -> Self {
        let new = || Box::new(Notebook { memory: search.game.memory(), rounds: Rounds::new() });
        let notebook = Lent::new(&search.notebooks, new);
        // Many short ways must not add up to a long time without a look.
        clock.look();
        Self { search, clock, total, notebook, evaluated: 0, next_look: PATIENCE }
    }

    /// The value of a position after a move. `seen` is what the table shows at its place.
    fn after(&mut self, after: u64, depth: u8, budget: u16, seen: Seen) -> Valued {
        if depth == 0 {
            let value = self.search.game.value(after, &mut self.notebook.memory);
            return Valued { cut_short: true, ..Valued::always(value) };
        }
        let places = self.search.game.places(after);
        let costs = self.search.costs[places as usize];
        if costs[0] > budget && (G::FORESEES || depth > 1) {
            let value = if G::FORESEES {
                self.search.game.value(after, &mut self.notebook.memory)
            } else {
                self.round(after, places)
            };
            let bounds = Bounds { high: costs[0] - 1, ..Bounds::ALWAYS };
            return Valued { value, bounds, cut_short: false };
        }
        let enough = costs[0] + self.search.least(places);
        if depth == 1 {
            let low = if G::FORESEES { costs[0] } else { 0 };
            let bounds = Bounds { low, ..Bounds::ALWAYS };
            let cut_short = enough <= budget;
            return Valued { value: self.round(after, places), bounds, cut_short };
        }
        if enough > budget {
            // Every way ends behind the next move, wherever that leads: it is as if the depth did.
            let bounds = Bounds { low: costs[0], high: enough - 1 };
            return Valued { value: self.round(after, places), bounds, cut_short: false };
        }
        if let Some(known) = seen.known(after, depth, budget) {
            return known;
        }
        if self.evaluated >= self.next_look {
            self.next_look = self.evaluated + PATIENCE;
            self.clock.look();
        }
        if self.clock.is_over() {
            return Valued::always(0.0);
        }
        let known = self.rounds(after, depth, budget, places, costs);
        // What was found after the end is worth nothing: not all of it was searched.
        if !self.clock.is_over() {
            self.search.table.put(after, depth, known);
        }
        known
    }

    /// The value of a position after a move, with one round to go.
    fn round(&mut self, after: u64, places: u32) -> f32 {
        let Notebook { memory, rounds } = &mut **self.notebook;
        let known = rounds.at(after);
        if known.0 != after {
            self.evaluated += 8 * u64::from(places);
            let sums = self.search.game.last_round(after, 0, memory);
            *known = (after, mean::<G>(sums, places));
        }
        known.1
    }

    /// The same, with several rounds to go.
    fn rounds(
        &mut self,
        after: u64,
        depth: u8,
        budget: u16,
        places: u32,
        costs: [u16; 2],
    ) -> Valued {
        let game = &self.search.game;
        let mut sums = [0.0; 2];
        let mut bounds = Bounds::ALWAYS;
        let mut cut_short = false;
        let enough = costs[1] + self.search.least(places);
        let deeper = if enough <= budget { 2 } else { 1 };
        if deeper < 2 {
            sums = game.last_round(after, 1, &mut self.notebook.memory);
            self.evaluated += 4 * u64::from(places);
            bounds.high = enough - 1;
        }
        for kind in 0..deeper {
            let cost = costs[kind];
            bounds.low = bounds.low.max(cost);
            let mut add = |known: Valued| {
                sums[kind] += f64::from(known.value);
                bounds.narrow(known.bounds.costing(cost));
                cut_short |= known.cut_short;
            };
            if self.search.parallel && depth >= SHARED {
                let outcomes: Vec<u64> = game.outcomes(after, kind).collect();
                let (search, clock, total) = (self.search, self.clock, self.total);
                let walk = || Walk::new(search, clock, total);
                let known: Vec<Valued> = outcomes
                    .into_par_iter()
                    .map_init(walk, |walk, outcome| {
                        walk.position(outcome, depth - 1, budget - cost)
                    })
                    .collect();
                known.into_iter().for_each(add);
            } else {
                for outcome in game.outcomes(after, kind) {
                    add(self.position(outcome, depth - 1, budget - cost));
                }
            }
        }
        Valued { value: mean::<G>(sums, places), bounds, cut_short }
    }

    /// The value of a position in which the player is to move.
    fn position(&mut self, position: u64, depth: u8, budget: u16) -> Valued {
        self.evaluated += 4;
        if let Some(value) = self.search.game.known(position) {
            return Valued::always(value);
        }
        let mut best = Valued::always(0.0);
        let moves = self.search.game.moves(position);
        let table = &self.search.table;
        let look = |it: Option<(u64, f32)>| match it {
            Some((after, _)) if depth > 1 => table.look(after, depth),
            _ => Seen::NOTHING,
        };
        let seen = [look(moves[0]), look(moves[1]), look(moves[2]), look(moves[3])];
        let (looks, margin) = self.looks(&moves, depth);
        // The one that looks best comes first. Which are left out then depends on nothing but their
        // values, so that the bounds of those that are searched hold for the choice, too.
        let first = best_of(&looks);
        for number in [first, first ^ 1, first ^ 2, first ^ 3] {
            let Some((after, reward)) = moves[number] else { continue };
            if looks[number] < best.value - margin {
                continue;
            }
            let known = self.after(after, depth, budget, seen[number]);
            best.value = best.value.max(reward + known.value);
            best.bounds.narrow(known.bounds);
            best.cut_short |= known.cut_short;
        }
        best
    }

    /// What moves look like that are to be searched to a depth, and how much worse than the best one is
    /// worth a move may look.
    #[inline]
    fn looks(&mut self, moves: &Moves, depth: u8) -> ([f32; 4], f32) {
        let Some(margins) = self.search.margins.filter(|_| has_choice(moves)) else {
            return ([0.0; 4], f32::INFINITY);
        };
        let mut looks = [0.0; 4];
        for (it, look) in moves.iter().zip(&mut looks) {
            let Some((after, reward)) = *it else { continue };
            let value = if depth == 1 {
                self.search.game.value(after, &mut self.notebook.memory)
            } else {
                self.round(after, self.search.game.places(after))
            };
            *look = reward + value;
        }
        (looks, if depth == 1 { margins.glance } else { margins.round })
    }
}

/// The mean over all outcomes, given the sums over all places.
fn mean<G: OnePlayer>(sums: [f64; 2], places: u32) -> f32 {
    ((sums[0] * G::CHANCES[0] + sums[1] * G::CHANCES[1]) / f64::from(places)) as f32
}

impl<G: OnePlayer> Drop for Walk<'_, G> {
    fn drop(&mut self) {
        self.total.fetch_add(self.evaluated, Ordering::Relaxed);
    }
}
