//! The networks of `strong`, as their description says.

use rustc_hash::FxHashMap;

use super::Grid;

/// Which cells each pattern has, by row and column, laid on the board in all eight ways. The cells
/// are in the order of the nybbles of an entry.
const PATTERNS: [&[(usize, usize)]; 10] = [
    &[(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)],
    &[(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)],
    &[(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)],
    &[(1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1)],
    &[(0, 0), (0, 1), (0, 2), (0, 3)],
    &[(1, 0), (1, 1), (1, 2), (1, 3)],
    &[(0, 0), (0, 1), (1, 0), (1, 1)],
    &[(1, 0), (1, 1), (2, 0), (2, 1)],
    &[(0, 1), (0, 2), (1, 1), (1, 2)],
    &[(1, 1), (1, 2), (2, 1), (2, 2)],
];

/// A network.
pub struct Network {
    scale: f64,
    /// By table and entry.
    weights: FxHashMap<(usize, usize), f64>,
    /// Of whole pairs, by whether the pair is an inner one, and by the pair.
    whole: FxHashMap<(bool, u32), f64>,
}

/// The bytes of the parts of the first network, of a file's content, and what follows it.
struct Parts<'a> {
    scale: f32,
    small: &'a [u8],
    maps: &'a [u8],
    large: &'a [u8],
    /// The differences of the outer and the inner pairs, and the weights of both.
    pairs: [&'a [u8]; 2],
    whole: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Parts<'a> {
    fn new(content: &'a [u8]) -> Self {
        let scale = f32::from_le_bytes(content[8..12].try_into().unwrap());
        let (small, rest) = content[12..].split_at(2 * (6 << 16));
        let (maps, rest) = rest.split_at(4 << 21);
        let count: u32 = maps.iter().map(|map| map.count_ones()).sum();
        let (large, rest) = rest.split_at(2 * count as usize);
        let count = |at: usize| u32::from_le_bytes(rest[at..at + 4].try_into().unwrap()) as usize;
        let (outer, inner) = (count(0), count(4));
        let (outer_pairs, rest) = rest[8..].split_at(4 * outer);
        let (inner_pairs, rest) = rest.split_at(4 * inner);
        let (whole, rest) = rest.split_at(2 * (outer + inner));
        Self { scale, small, maps, large, pairs: [outer_pairs, inner_pairs], whole, rest }
    }
}

/// The bytes of both networks in a file of weights.
pub fn split(content: &[u8]) -> (&[u8], &[u8]) {
    content.split_at(content.len() - Parts::new(content).rest.len())
}

impl Network {
    /// A network of these bytes.
    pub fn new(content: &[u8]) -> Self {
        let Parts { scale, small, maps, large, pairs, whole, rest } = Parts::new(content);
        assert!(rest.is_empty());
        let weight = |bytes: &[u8], at: usize| {
            f64::from(i16::from_le_bytes([bytes[at], bytes[bytes.len() / 2 + at]]))
        };
        let met = (0..4 << 24).filter(|at| maps[at / 8] >> (at % 8) & 1 == 1);
        let met = met.enumerate().map(|(at, it)| ((it >> 24, it % (1 << 24)), weight(large, at)));
        let all = (0..6 << 16).map(|it| ((4 + (it >> 16), it % (1 << 16)), weight(small, it)));
        let mut found = FxHashMap::default();
        for (kind, bytes) in pairs.into_iter().enumerate() {
            let (mut pair, planes) = (0, bytes.len() / 4);
            for at in 0..planes {
                pair +=
                    (0..4).map(|it| u32::from(bytes[it * planes + at]) << (8 * it)).sum::<u32>();
                found.insert((kind == 1, pair), weight(whole, found.len()));
            }
        }
        Self { scale: scale.into(), weights: met.chain(all).collect(), whole: found }
    }

    /// What a board is worth.
    pub fn value(&self, grid: &Grid) -> f64 {
        let mut sum = 0.0;
        let mut seen = *grid;
        for _ in 0..4 {
            // A mirror image, then a quarter turn.
            for seen in [seen, seen.mirrored()] {
                for (table, pattern) in PATTERNS.iter().enumerate() {
                    let nybble = |(at, &(y, x)): (usize, &(usize, usize))| {
                        (seen.cells[y][x].max(1).ilog2() as usize) << (4 * at)
                    };
                    let entry = pattern.iter().enumerate().map(nybble).sum();
                    sum += self.weights.get(&(table, entry)).unwrap_or(&0.0);
                }
            }
            seen = seen.transposed().mirrored();
        }
        for lines in [*grid, grid.transposed()] {
            for (is_inner, first, second) in [(false, 0, 1), (false, 3, 2), (true, 1, 2)] {
                let orders = [(first, second), (second, first)];
                let ways = orders.iter().take(1 + usize::from(is_inner));
                let ends = [lines, lines.mirrored()];
                let read = ways.flat_map(|&(a, b)| ends.map(|it| pair(&it.cells[a], &it.cells[b])));
                let smallest = read.min().expect("two or four ways");
                sum += self.whole.get(&(is_inner, smallest)).unwrap_or(&0.0);
            }
        }
        (self.scale * sum).max(0.0)
    }
}

/// A pair of lines as a number: the nybbles, the lowest first, are its cells.
fn pair(first: &[u32; 4], second: &[u32; 4]) -> u32 {
    let cells = first.iter().chain(second).enumerate();
    cells.map(|(at, tile)| tile.max(&1).ilog2() << (4 * at)).sum()
}

/// The board that the first network looks at: no 16384, tiles halved above the largest missing one.
pub fn familiar(grid: Grid) -> Grid {
    halved(grid, 16384)
}

/// What the second network values instead of a board, if it is one of its boards.
pub fn late(grid: Grid) -> Option<Grid> {
    let grid = halved(grid, 32768);
    let all = [4096, 8192, 16384].into_iter().all(|tile| grid.has(tile));
    (all && !grid.has(32768)).then_some(grid)
}

/// Tiles above gaps are halved until none is so large.
fn halved(mut grid: Grid, large: u32) -> Grid {
    while let Some(highest) = grid.tiles().max().filter(|&highest| highest >= large) {
        let mut tiles = (6..15).rev().map(|exponent| 1 << exponent).filter(|&tile| tile < highest);
        let Some(gap) = tiles.find(|&tile| !grid.has(tile)) else { break };
        grid = grid.map(|tile| if tile > gap { tile / 2 } else { tile });
    }
    grid
}
