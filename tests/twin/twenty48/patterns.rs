//! The naive twin of endgame patterns: forward by sets, backward by maps, every orientation apart.

use std::collections::{BTreeMap, HashMap, HashSet};

use endtable::games::twenty48::{Board, Direction, Pattern, Size};

use super::Grid;

/// A large tile: the largest that there is, so that two of them do not merge.
const LARGE: u32 = 32768;

/// A pattern and the tile to reach.
pub struct Endgame {
    /// The cells of each mask, row by row.
    masks: Vec<Vec<bool>>,
    seeds: Vec<Grid>,
    target: u32,
    /// Whether images of a board are told apart.
    unturned: bool,
}

/// Afterstates with their chances, by the sum of their small tiles.
pub type Layers = BTreeMap<u32, HashMap<Board, f64>>;

impl Endgame {
    pub fn new(pattern: &Pattern, target: u32) -> Self {
        let mask = |&mask: &u16| (0..16).map(|cell| mask >> cell & 1 == 1).collect();
        Self {
            masks: pattern.masks().iter().map(mask).collect(),
            seeds: pattern.seeds().iter().map(|&seed| Grid::new(seed, Size::FULL)).collect(),
            target,
            unturned: pattern.symmetries().len() == 1,
        }
    }

    fn is_legal(&self, after: &Grid) -> bool {
        let filled = |mask: &Vec<bool>| {
            after.tiles().zip(mask).all(|(it, &in_mask)| !in_mask || it == LARGE)
        };
        self.masks.is_empty() || self.masks.iter().any(filled)
    }

    fn is_won(&self, grid: &Grid) -> bool {
        grid.tiles().any(|tile| tile >= self.target && tile != LARGE)
    }

    /// Every legal move's afterstate.
    fn slides(&self, grid: &Grid) -> Vec<Grid> {
        let slid = Direction::ALL.map(|direction| grid.slide(direction).0);
        slid.into_iter().filter(|after| after != grid && self.is_legal(after)).collect()
    }

    /// All afterstates that follow the seeds and have not won, with their chances.
    pub fn solve(&self) -> Layers {
        let mut found: BTreeMap<u32, HashSet<Board>> = BTreeMap::new();
        for seed in &self.seeds {
            found.entry(sum(seed)).or_default().insert(seed.board());
        }
        let mut next = found.keys().next().copied();
        while let Some(now) = next {
            for board in found[&now].clone() {
                for (grid, tile, _) in Grid::new(board, Size::FULL).spawns() {
                    for after in self.slides(&grid).iter().filter(|after| !self.is_won(after)) {
                        found.entry(now + tile).or_default().insert(after.board());
                    }
                }
            }
            next = found.range(now + 1..).next().map(|(&sum, _)| sum);
        }
        let mut layers = Layers::new();
        for (&sum, boards) in found.iter().rev() {
            let value = |&board: &Board| (board, self.chance(board, sum, &layers));
            let valued = boards.iter().map(value).collect();
            layers.insert(sum, valued);
        }
        layers
    }

    fn chance(&self, board: Board, sum: u32, layers: &Layers) -> f64 {
        let mut expected = 0.0;
        for (grid, tile, chance) in Grid::new(board, Size::FULL).spawns() {
            let worth = |after: &Grid| match self.is_won(after) {
                true => 1.0,
                false => layers[&(sum + tile)][&after.board()],
            };
            expected += chance * self.slides(&grid).iter().map(worth).fold(0.0, f64::max);
        }
        expected
    }

    /// The smallest of a board's images under the symmetries that map masks to masks.
    pub fn canonical(&self, board: Board) -> Board {
        let grid = Grid::new(board, Size::FULL);
        let images = images(&grid).into_iter().enumerate();
        let own =
            images.filter(|(number, _)| *number == 0 || !self.unturned && self.is_own(*number));
        own.map(|(_, image)| image.board()).min().unwrap()
    }

    fn is_own(&self, symmetry: usize) -> bool {
        let drawn = |mask: &Vec<bool>| {
            let cells = mask.iter().enumerate().filter(|(_, is_in)| **is_in);
            Grid::new(Board(cells.fold(0, |board, (cell, _)| board | 15 << (4 * cell))), Size::FULL)
        };
        let masks: Vec<Grid> = self.masks.iter().map(drawn).collect();
        masks.iter().all(|mask| masks.contains(&images(mask)[symmetry]))
    }
}

/// The eight images of a square.
pub fn images(grid: &Grid) -> [Grid; 8] {
    let turned = |grid: &Grid| grid.transposed().mirrored();
    let mut all = [*grid; 8];
    for number in 1..4 {
        all[number] = turned(&all[number - 1]);
    }
    for number in 4..8 {
        all[number] = all[number - 4].mirrored();
    }
    all
}

/// The sum of the tiles but the large ones.
pub fn sum(grid: &Grid) -> u32 {
    grid.tiles().filter(|&tile| tile != LARGE).sum()
}
