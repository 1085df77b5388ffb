//! What a job will take, before it begins.
//!
//! How many boards have a given sum can be counted: every board that has room for its tiles, as
//! [`Board::check_possible`] judges it, divided by the symmetries. Not all of them can be reached.
//! So the first layers are found, up to some hundred thousand positions, and the share of the
//! boards counted that they turn out to be is taken for that of all layers. It falls slowly from
//! layer to layer: the estimate is high, by up to a factor of two.

use std::mem;
use std::time::Instant;

use super::Domain;
use super::kernel::Kernel;
use super::numbered::Numbered;
use crate::games::twenty48::{Board, Objective, Size, Symmetry};
use crate::job::{Expectation, FIXED_MEMORY};
use crate::solve::layered;
use crate::table::ValueKind;

/// How many positions are found to estimate the rest.
const SAMPLE: usize = 300_000;

/// Seconds that all of a job takes, for one that finding the positions takes: of boards that
/// are numbered, measured on 2x4 and 3x3, and of others.
const WHOLE_NUMBERED: f64 = 4.5;
const WHOLE_SORTED: f64 = 3.5;

/// Bytes of a position in the table, its value aside; in the shards; and in memory, of boards that
/// are numbered, where all layers stay as long as they fit.
const TABLE_BYTES: f64 = 1.2;
const SHARD_BYTES: f64 = 10.5;
const LOADED_BYTES: f64 = 14.0;

/// Estimates what a job will take.
#[must_use]
pub fn expect(domain: Domain, value: ValueKind) -> Expectation {
    let boards = boards_by_layer(domain);
    let found = first_layers(domain);
    let sample: f64 = found.layers.iter().map(|&count| count as f64).sum();
    let counted: f64 = boards.iter().take(found.layers.len()).sum();
    let rest: f64 = boards.iter().skip(found.layers.len()).sum();
    let positions = if found.all { sample } else { sample + rest * (sample / counted).min(1.0) };
    let largest = boards.iter().copied().fold(0.0, f64::max) * sample / counted;
    let (whole, memory) = match found.kernel {
        Some(kernel) => (WHOLE_NUMBERED, kernel as f64 + positions * LOADED_BYTES),
        None => (WHOLE_SORTED, largest * super::sorted::BYTES_A_POSITION as f64),
    };
    let table = positions * (TABLE_BYTES + value.bytes() as f64);
    Expectation {
        positions,
        exact: found.all,
        table,
        disk: table + positions * SHARD_BYTES,
        // Of all layers if boards are numbered, of any single layer if they are not: so that nothing
        // is spilled.
        memory: Some(memory + FIXED_MEMORY as f64),
        seconds: Some(found.seconds * positions / sample * whole),
    }
}

/// The first layers.
struct FirstLayers {
    /// How many positions each has.
    layers: Vec<usize>,
    /// Whether these are all layers.
    all: bool,
    /// How long it took to find them.
    seconds: f64,
    /// What a kernel takes that numbers them.
    kernel: Option<u64>,
}

impl FirstLayers {
    /// Lets `next` give the positions of one layer after the other.
    fn find(mut next: impl FnMut() -> usize, kernel: Option<u64>) -> Self {
        let start = Instant::now();
        let mut layers = Vec::new();
        let mut all = false;
        while !all && layers.iter().sum::<usize>() < SAMPLE {
            match next() {
                0 => all = true,
                count => layers.push(count),
            }
        }
        Self { layers, all, seconds: start.elapsed().as_secs_f64(), kernel }
    }
}

fn first_layers(domain: Domain) -> FirstLayers {
    let starts = domain.starts();
    if let Some(mut kernel) = Numbered::new(domain) {
        let bytes = kernel.bytes();
        kernel.begin(0);
        return FirstLayers::find(|| kernel.find(&starts).len(), Some(bytes));
    }
    let mut next = [Vec::new(), Vec::new()];
    let mut layer = 0;
    let find = || {
        let [mut states, second] = mem::take(&mut next);
        let starts = starts.iter().filter(|&&it| domain.layer(it) == layer);
        states.extend(starts.map(|board| board.0));
        states.sort_unstable();
        states.dedup();
        next = layered::expand(&domain.rules, &states);
        next[0].extend(second);
        layer += 1;
        states.len()
    };
    FirstLayers::find(find, None)
}

/// How many layers there can be.
pub fn most_layers(domain: Domain) -> u64 {
    boards_by_layer(domain).len() as u64
}

/// How many boards there are in each layer that have room for their tiles, up to symmetry.
fn boards_by_layer(domain: Domain) -> Vec<f64> {
    let size = domain.rules.size;
    let cells = usize::from(size.cells());
    let highest = match domain.rules.objective {
        Objective::Score | Objective::Search => size.highest(),
        Objective::Tile(target) => target.exponent() - 1,
    };
    // Ways to choose tiles from the highest on down, by the cells they take and half their sum.
    let most = largest_sum(size, highest) / 2 + 1;
    let mut ways = vec![vec![0.0; most]; cells + 1];
    ways[0][0] = 1.0;
    for exponent in (3..=highest).rev() {
        ways = with_tiles(&ways, exponent, size.most_tiles(exponent).into());
    }
    let smallest = with_tiles(&with_tiles(&ways, 2, cells), 1, cells);
    let symmetries = Symmetry::all(size).count() as f64;
    let first = domain.start.map_or(4, Board::sum) as usize / 2;
    let boards = (first..most).map(|sum| {
        // Without a 2 or a 4 it is nobody's turn.
        let all: f64 = smallest.iter().map(|ways| ways[sum]).sum();
        let without: f64 = ways.iter().map(|ways| ways[sum]).sum();
        (all - without) / symmetries
    });
    boards.collect()
}

/// The largest sum of tiles: as many of the highest as there is room for, then one of each smaller
/// one, and a 4 as the last.
fn largest_sum(size: Size, highest: u8) -> usize {
    let each = (0..size.cells()).map(|before| highest.min(size.cells() + 1 - before));
    each.map(|exponent| 1usize << exponent).sum()
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
