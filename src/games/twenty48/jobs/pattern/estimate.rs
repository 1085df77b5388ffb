//! What a pattern's tables will take, before they are made.
//!
//! All afterstates to some small targets are found, which is quick. Of all boards that could be
//! numbered a certain share turns out to be reached. From the first targets on that share grows, and then it
//! falls slowly and steadily from one target to the next: it is taken to go on changing so. Of a pattern whose
//! share is known for the first target alone it is taken to become what that of others does.

use std::sync::atomic::AtomicBool;

use super::domain::PatternGame;
use crate::games::twenty48::dense::{AfterstateLayers, Forward};
use crate::games::twenty48::{Board, Pattern, PatternRules, Target};
use crate::job::hands::Hand;
use crate::job::{Expectation, FIXED_MEMORY, Stopwatch};
use crate::solve::layered;
use crate::table::ValueKind;

/// How many afterstates a pattern has, and how the number grows from target to target.
#[derive(Clone, Debug)]
pub struct PatternGrowth {
    /// What was found for the first targets, the smallest first.
    samples: Vec<Sample>,
    /// Whether its afterstates are numbered.
    numbered: bool,
}

/// What was found for a target.
#[derive(Clone, Copy, Debug)]
struct Sample {
    target: Target,
    /// Afterstates, and the share of boards that they are.
    found: f64,
    share: f64,
    seconds: f64,
}

/// Seconds that a whole job takes, for one that finding the afterstates takes: by number, and by
/// sorting.
const WHOLE_NUMBERED: f64 = 2.6;
const WHOLE_SORTED: f64 = 7.0;

/// The share of boards that are reached, from the second or third target on: measured on L3, 44 and free8, of
/// which it is 0.12 to 0.15.
const SHARE: f64 = 0.13;

/// Bytes of a table without records; and of an afterstate in it and in the shards, its value aside.
const EMPTY_TABLE: f64 = 400.0;
const TABLE_BYTES: f64 = 0.75;
const SHARD_BYTES: f64 = 1.5;

/// Bytes that an afterstate takes in memory when it is sorted.
const SORTED_BYTES: f64 = 30.0;

/// How many times as many numbers as others the largest layer has, and the bytes that each of them takes
/// while it is solved.
const LARGEST: f64 = 2.5;
const NUMBER_BYTES: f64 = 52.0;

impl PatternGrowth {
    /// How many boards are looked at, and how many where few of them are reached.
    const MOST: f64 = (1 << 24) as f64;
    const MOST_FOR_FEW: f64 = (1 << 28) as f64;
    /// Fewer afterstates tell little.
    const FEW: f64 = 10_000.0;

    /// Finds the afterstates of a pattern to the first targets, which takes part of a second.
    #[must_use]
    pub fn new(pattern: &Pattern) -> Self {
        let mut samples: Vec<Sample> = Vec::new();
        for target in (3..15).filter_map(Target::new) {
            let Ok(rules) = PatternRules::new(pattern.clone(), target) else { continue };
            let boards = boards(&rules);
            let few = samples.last().is_none_or(|sample| sample.found < Self::FEW);
            let most = if few { Self::MOST_FOR_FEW } else { Self::MOST };
            if !samples.is_empty() && boards > most {
                break;
            }
            samples.push(Sample::of(&rules, boards));
        }
        let first = Target::new(3).and_then(|target| AfterstateLayers::new(pattern, target));
        Self { samples, numbered: first.is_some() }
    }

    /// What the tables to a target will take.
    #[must_use]
    pub fn expect(&self, rules: &PatternRules, value: ValueKind) -> Expectation {
        let Some(last) = self.samples.last() else { return Expectation::default() };
        let (exact, found, seconds) = match self.at(rules.target()) {
            Some(sample) => (true, sample.found, sample.seconds),
            None => {
                let steps = f64::from(rules.target().exponent() - last.target.exponent());
                let share = match self.samples.iter().rev().nth(1) {
                    Some(before) => last.share * (last.share / before.share).min(1.0).powf(steps),
                    None => SHARE.max(last.share),
                };
                let found = share * boards(rules);
                (false, found, last.seconds * found / last.found)
            }
        };
        let table = EMPTY_TABLE + found * (TABLE_BYTES + value.bytes() as f64);
        let (memory, whole) = match self.numbered {
            true => {
                let (sets, values) = (boards(rules) / 8.0, found * value.bytes() as f64);
                let layers = f64::from(rules.largest_sum() / 2);
                let largest = LARGEST * boards(rules) / layers;
                (largest * NUMBER_BYTES + sets + values, WHOLE_NUMBERED)
            }
            false => (found * SORTED_BYTES, WHOLE_SORTED),
        };
        Expectation {
            positions: found,
            exact,
            table,
            disk: 2.0 * table + found * SHARD_BYTES,
            memory: Some(memory + FIXED_MEMORY as f64),
            seconds: Some(seconds * whole),
        }
    }

    fn at(&self, target: Target) -> Option<&Sample> {
        self.samples.iter().find(|sample| sample.target == target)
    }
}

impl Sample {
    fn of(rules: &PatternRules, boards: f64) -> Self {
        let start = Stopwatch::start();
        let found = match AfterstateLayers::new(rules.pattern(), rules.target()) {
            Some(layers) => numbered(rules, &layers),
            None => sorted(rules),
        };
        let found = found as f64;
        let seconds = start.seconds();
        Self { target: rules.target(), found, share: found / boards, seconds }
    }
}

/// How many boards there are, reached or not: tiles below the target on the free cells, up to
/// symmetry, for every way in which the large tiles can stand.
fn boards(rules: &PatternRules) -> f64 {
    let pattern = rules.pattern();
    let tiles = f64::from(rules.target().exponent()).powi(pattern.free_cells().into());
    let ways = match pattern.masks().len() {
        0 => (0..pattern.larges())
            .fold(1.0, |ways, taken| ways * f64::from(16 - taken) / f64::from(taken + 1)),
        masks => masks as f64,
    };
    tiles * ways / pattern.symmetries().len() as f64
}

/// How many boards there are of each sum, from a first one on, in comparison with others.
pub fn boards_by_sum(rules: &PatternRules, first_sum: u32) -> Vec<f64> {
    let sums = rules.largest_sum() as usize / 2 + 1;
    let mut ways = vec![0.0; sums];
    ways[0] = 1.0;
    for _ in 0..rules.pattern().free_cells() {
        let before = ways.clone();
        for exponent in 0..rules.target().exponent() - 1 {
            for (ways, before) in ways[1 << exponent..].iter_mut().zip(&before) {
                *ways += before;
            }
        }
    }
    ways.split_off((first_sum as usize / 2).min(sums - 1))
}

fn first_sum(seeds: &[Board]) -> u32 {
    seeds.iter().map(|&seed| PatternRules::sum(seed)).min().unwrap_or(0)
}

fn numbered(rules: &PatternRules, layers: &AfterstateLayers) -> u64 {
    let seeds = rules.pattern().seeds();
    let last = seeds.iter().map(|&seed| PatternRules::sum(seed)).max().unwrap_or(0);
    let mut forward = Forward::new(layers, seeds, first_sum(seeds));
    let (mut found, mut empty, mut sum) = (0, 0, first_sum(seeds));
    let stop = AtomicBool::new(false);
    let hand = Hand::alone(&stop);
    while empty < 2 || sum <= last {
        // A hand that is alone has nothing to read or write that could fail.
        let Ok(layer) = forward.find(&hand) else { break };
        forward.follow(&layer);
        let count = layer.count() as u64;
        empty = if count == 0 { empty + 1 } else { 0 };
        found += count;
        sum += 2;
    }
    found
}

fn sorted(rules: &PatternRules) -> u64 {
    let game = PatternGame::new(rules);
    let seeds = rules.pattern().seeds();
    let mut sum = first_sum(seeds);
    let last = seeds.iter().map(|&seed| PatternRules::sum(seed)).max().unwrap_or(0);
    let (mut found, mut next) = (0, [Vec::new(), Vec::new()]);
    while sum <= last || next.iter().any(|layer: &Vec<u64>| !layer.is_empty()) {
        let [mut layer, second] = std::mem::take(&mut next);
        let starts = seeds.iter().filter(|&&seed| PatternRules::sum(seed) == sum);
        layer.extend(starts.map(|&seed| game.canonical(seed).0));
        layer.sort_unstable();
        layer.dedup();
        found += layer.len() as u64;
        next = layered::expand_afterstates(&game, &layer);
        next[0].extend(second);
        sum += 2;
    }
    found
}
