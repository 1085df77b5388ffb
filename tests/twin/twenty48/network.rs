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
}

/// The bytes of the parts of the first network, of a file's content, and what follows it.
struct Parts<'a> {
    scale: f32,
    small: &'a [u8],
    maps: &'a [u8],
    large: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Parts<'a> {
    fn new(content: &'a [u8]) -> Self {
        let scale = f32::from_le_bytes(content[8..12].try_into().unwrap());
        let (small, rest) = content[12..].split_at(2 * (6 << 16));
        let (maps, rest) = rest.split_at(4 << 21);
        let count: u32 = maps.iter().map(|map| map.count_ones()).sum();
        let (large, rest) = rest.split_at(2 * count as usize);
        Self { scale, small, maps, large, rest }
    }
}

/// The bytes of both networks in a file of weights.
pub fn split(content: &[u8]) -> (&[u8], &[u8]) {
    content.split_at(content.len() - Parts::new(content).rest.len())
}

impl Network {
    /// A network of these bytes.
    pub fn new(content: &[u8]) -> Self {
        let Parts { scale, small, maps, large, rest } = Parts::new(content);
        assert!(rest.is_empty());
        let weight = |bytes: &[u8], at: usize| {
            f64::from(i16::from_le_bytes([bytes[at], bytes[bytes.len() / 2 + at]]))
        };
        let met = (0..4 << 24).filter(|at| maps[at / 8] >> (at % 8) & 1 == 1);
        let met = met.enumerate().map(|(at, it)| ((it >> 24, it % (1 << 24)), weight(large, at)));
        let all = (0..6 << 16).map(|it| ((4 + (it >> 16), it % (1 << 16)), weight(small, it)));
        Self { scale: scale.into(), weights: met.chain(all).collect() }
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
        (self.scale * sum).max(0.0)
    }
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
