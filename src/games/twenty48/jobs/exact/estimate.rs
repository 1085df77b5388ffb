//! What a job will take, before it begins.
//!
//! Boards that are numbered are found all, if there are not too many numbers, which is a small part of
//! the work and is not done again when the job begins: their number is exact. Of others the first layers
//! are found. How many
//! boards have a given sum can be counted: every board that has room for its tiles, as
//! [`Board::check_possible`] judges it, divided by the symmetries. Not all of them can be reached;
//! the share of them that the last layers found turn out to be is taken for that of all layers
//! behind. It changes slowly from layer to layer.

use std::mem;
use std::sync::atomic::AtomicBool;

use super::super::layers::answers::LayerAnswers;
use super::super::layers::kernel::Kernel;
use super::super::layers::{Domain, sorted};
use super::BoardDomain;
use super::numbered::Numbered;
use crate::games::twenty48::dense::NumberedLayer;
use crate::games::twenty48::size::largest_sum;
use crate::games::twenty48::{Objective, Symmetry};
use crate::job::hands::Hand;
use crate::job::{Expectation, FIXED_MEMORY, Stopwatch};
use crate::table::ValueKind;

/// How many positions are found to estimate the rest, of boards that are not numbered.
const SAMPLE: usize = 2_000_000;

/// Seconds that the rest of a job takes, for one that finding the positions takes: of boards that
/// are numbered, measured on 2x4 and 3x3, and on 3x4 to 32 and 64, whose layers leave the caches. Of others, that
/// all of it takes, measured on 3x4 to 32: the first layers, which are found to estimate the rest, stay in the
/// caches.
const REST_SMALL: f64 = 3.5;
const REST_LARGE: f64 = 7.0;
const WHOLE_SORTED: f64 = 7.0;

/// The same for boards that are numbered, of whose first layers it is known how long sorting them takes: measured
/// on 3x4 to 64.
const WHOLE_NUMBERED: f64 = 0.75;

/// Boards are all found for an estimate if there are so many numbers at the most: in some seconds.
const ALL_FOUND: u64 = 1 << 30;

/// Bytes of a table without records; of a position in it, its value aside; and in the shards.
const EMPTY_TABLE: f64 = 350.0;
const TABLE_BYTES: f64 = 0.5;
const SHARD_BYTES: f64 = 10.5;

/// Estimates what a job will take, and gives the layers that were all found on the way.
pub fn expect(domain: &BoardDomain, value: ValueKind) -> (Expectation, Vec<NumberedLayer>) {
    let stop = AtomicBool::new(false);
    match Numbered::<u64>::new(domain, Hand::alone(&stop)) {
        Some(kernel) if kernel.numbers() <= ALL_FOUND => expect_numbered(domain, value, kernel),
        numbered => (expect_by_sample(domain, value, numbered), Vec::new()),
    }
}

fn expect_numbered(
    domain: &BoardDomain,
    value: ValueKind,
    mut kernel: Numbered<'_, u64>,
) -> (Expectation, Vec<NumberedLayer>) {
    let start = Stopwatch::start();
    let own = kernel.bytes();
    kernel.begin(0);
    // A hand that is alone has nothing to read or write that could fail.
    let next = || {
        let layer = kernel.find().ok().filter(|layer| layer.len() > 0)?;
        kernel.follow(&layer).ok().map(|()| layer)
    };
    let layers: Vec<NumberedLayer> = std::iter::from_fn(next).collect();
    let rest = match domain.rules.size.cells() {
        ..=9 => REST_SMALL,
        _ => REST_LARGE,
    };
    let seconds = start.seconds() * rest;
    let positions = layers.iter().map(NumberedLayer::len).sum::<usize>() as f64;
    let bits = layers.iter().map(NumberedLayer::bytes).sum::<usize>() as f64;
    // All layers stay in memory as long as they fit.
    let memory = own as f64 + bits + positions * LayerAnswers::<u64>::BYTES as f64;
    (expectation(positions, true, value, memory, seconds), layers)
}

fn expect_by_sample(
    domain: &BoardDomain,
    value: ValueKind,
    numbered: Option<Numbered<'_, u64>>,
) -> Expectation {
    let boards = boards_by_layer(domain);
    let found = FirstLayers::of(domain);
    let sample: f64 = found.layers.iter().map(|&count| count as f64).sum();
    let recent = found.layers.len().saturating_sub(found.layers.len().div_ceil(4));
    let recently_found: f64 = found.layers[recent..].iter().map(|&count| count as f64).sum();
    let recently_counted: f64 = boards[..found.layers.len()][recent..].iter().sum();
    let share = (recently_found / recently_counted.max(1.0)).min(1.0);
    let rest: f64 = boards.iter().skip(found.layers.len()).sum();
    let positions = if found.all { sample } else { sample + rest * share };
    // Of any single layer, so that nothing is spilled.
    let largest = boards.iter().copied().fold(0.0, f64::max) * share;
    let (memory, whole) = match &numbered {
        Some(kernel) => (kernel.bytes() as f64 + kernel.numbers() as f64 / 4.0, WHOLE_NUMBERED),
        None => (largest * sorted::BYTES_A_POSITION as f64, WHOLE_SORTED),
    };
    let seconds = found.seconds * positions / sample * whole;
    expectation(positions, found.all, value, memory, seconds)
}

fn expectation(
    positions: f64,
    exact: bool,
    value: ValueKind,
    memory: f64,
    seconds: f64,
) -> Expectation {
    let table = EMPTY_TABLE + positions * (TABLE_BYTES + value.bytes() as f64);
    Expectation {
        positions,
        exact,
        table,
        disk: table + positions * SHARD_BYTES,
        memory: Some(memory + FIXED_MEMORY as f64),
        seconds: Some(seconds),
    }
}

/// The first layers of boards that are not numbered.
struct FirstLayers {
    /// How many positions each has.
    layers: Vec<usize>,
    /// Whether these are all layers.
    all: bool,
    /// How long it took to find them.
    seconds: f64,
}

impl FirstLayers {
    fn of(domain: &BoardDomain) -> Self {
        let start = Stopwatch::start();
        let starts = domain.starts();
        let mut next = [Vec::new(), Vec::new()];
        let mut layers = Vec::new();
        let mut all = false;
        while !all && layers.iter().sum::<usize>() < SAMPLE {
            let layer = layers.len() as u64;
            let [mut states, second] = mem::take(&mut next);
            let starts = starts.iter().filter(|&&it| domain.layer(it) == layer);
            states.extend(starts.map(|board| board.0));
            states.sort_unstable();
            states.dedup();
            next = domain.expand(&states);
            next[0].extend(second);
            match states.len() {
                0 => all = true,
                count => layers.push(count),
            }
        }
        Self { layers, all, seconds: start.seconds() }
    }
}

/// How many layers there can be.
pub fn most_layers(domain: &BoardDomain) -> u64 {
    (half_sums(domain) - domain.first_sum() as usize / 2) as u64
}

/// How many sums boards can have, if those of one half are counted: none is odd.
fn half_sums(domain: &BoardDomain) -> usize {
    largest_sum(domain.rules.size.cells(), highest(domain)) as usize / 2 + 1
}

/// The highest exponent.
fn highest(domain: &BoardDomain) -> u8 {
    match domain.rules.objective {
        Objective::Score | Objective::Search => domain.rules.size.highest(),
        Objective::Tile(target) => target.exponent() - 1,
    }
}

/// How many boards there are in each layer that have room for their tiles, up to symmetry.
pub fn boards_by_layer(domain: &BoardDomain) -> Vec<f64> {
    let size = domain.rules.size;
    let cells = usize::from(size.cells());
    let highest = highest(domain);
    // Ways to choose tiles from the highest on down, by the cells they take and half their sum.
    let most = half_sums(domain);
    let mut ways = vec![vec![0.0; most]; cells + 1];
    ways[0][0] = 1.0;
    for exponent in (3..=highest).rev() {
        ways = with_tiles(&ways, exponent, size.most_tiles(exponent).into());
    }
    let smallest = with_tiles(&with_tiles(&ways, 2, cells), 1, cells);
    let symmetries = Symmetry::all(size).count() as f64;
    let first = domain.first_sum() as usize / 2;
    let boards = (first..most).map(|sum| {
        // Without a 2 or a 4 it is nobody's turn.
        let all: f64 = smallest.iter().map(|ways| ways[sum]).sum();
        let without: f64 = ways.iter().map(|ways| ways[sum]).sum();
        (all - without) / symmetries
    });
    boards.collect()
}

/// Adds tiles of one exponent to empty cells in every way, as long as there are no more than
/// `room` tiles then.
fn with_tiles(ways: &[Vec<f64>], exponent: u8, room: usize) -> Vec<Vec<f64>> {
    let tile = 1usize << exponent >> 1;
    let mut more = ways.to_vec();
    for (used, sums) in ways.iter().enumerate() {
        let free = ways.len() - 1 - used;
        let mut choices = 1.0;
        for count in 1..=free {
            choices *= (free + 1 - count) as f64 / count as f64;
            if used + count > room {
                break;
            }
            for (sum, &number) in sums.iter().enumerate().filter(|(_, number)| **number > 0.0) {
                if let Some(there) = more[used + count].get_mut(sum + count * tile) {
                    *there += number * choices;
                }
            }
        }
    }
    more
}
