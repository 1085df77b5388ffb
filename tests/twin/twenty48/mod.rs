//! The naive twin of 2048: a grid of tiles that slide and merge line by line.

pub mod heuristics;
pub mod network;
pub mod patterns;
pub mod random;
pub mod search;

use endtable::games::twenty48::{Board, Direction, Size};

/// Tiles as numbers, 0 for an empty cell. A smaller board is the top left of the cells, and the
/// others stay empty.
///
/// Searches make millions of them, so that none comes from the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    cells: [[u32; 4]; 4],
    rows: usize,
    columns: usize,
}

/// There is no larger tile, so two of these do not merge.
const LARGEST: u32 = 32768;

impl Grid {
    pub fn new(board: Board, size: Size) -> Self {
        let [rows, columns] = [size.rows(), size.columns()].map(usize::from);
        let mut grid = Self { cells: [[0; 4]; 4], rows, columns };
        for (y, row) in (0..size.rows()).zip(&mut grid.cells) {
            for (x, cell) in (0..size.columns()).zip(row) {
                let exponent = board.exponent(x, y);
                *cell = if exponent == 0 { 0 } else { 1 << exponent };
            }
        }
        grid
    }

    pub fn board(&self) -> Board {
        let mut board = 0;
        for (y, row) in self.rows().enumerate() {
            for (x, &tile) in row.iter().enumerate() {
                board |= u64::from(tile.checked_ilog2().unwrap_or(0)) << (16 * y + 4 * x);
            }
        }
        Board(board)
    }

    /// The rows, from the top.
    pub fn rows(&self) -> impl DoubleEndedIterator<Item = &[u32]> {
        self.cells[..self.rows].iter().map(|row| &row[..self.columns])
    }

    /// All cells, row by row.
    pub fn tiles(&self) -> impl Iterator<Item = u32> + '_ {
        self.rows().flatten().copied()
    }

    pub fn has(&self, tile: u32) -> bool {
        self.tiles().any(|it| it == tile)
    }

    pub fn empty(&self) -> usize {
        self.tiles().filter(|&tile| tile == 0).count()
    }

    /// Rows and columns exchanged.
    pub fn transposed(&self) -> Self {
        let mut cells = [[0; 4]; 4];
        for (y, row) in self.cells.iter().enumerate() {
            for (x, &tile) in row.iter().enumerate() {
                cells[x][y] = tile;
            }
        }
        Self { cells, rows: self.columns, columns: self.rows }
    }

    /// Left and right exchanged.
    pub fn mirrored(&self) -> Self {
        let mut mirrored = *self;
        mirrored.rows_mut().for_each(<[u32]>::reverse);
        mirrored
    }

    /// Each tile replaced by another.
    pub fn map(&self, tile: impl Fn(u32) -> u32) -> Self {
        let mut mapped = *self;
        mapped.rows_mut().flatten().for_each(|it| *it = tile(*it));
        mapped
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut [u32]> {
        let columns = self.columns;
        self.cells[..self.rows].iter_mut().map(move |row| &mut row[..columns])
    }

    /// The grid after a move, whether anything moved or not, and what the move scores.
    pub fn slide(&self, direction: Direction) -> (Self, u32) {
        match direction {
            Direction::Left => {
                let mut after = *self;
                let score = after.rows_mut().map(slide_to_start).sum();
                (after, score)
            }
            Direction::Right => {
                let (after, score) = self.mirrored().slide(Direction::Left);
                (after.mirrored(), score)
            }
            Direction::Up => {
                let (after, score) = self.transposed().slide(Direction::Left);
                (after.transposed(), score)
            }
            Direction::Down => {
                let (after, score) = self.transposed().slide(Direction::Right);
                (after.transposed(), score)
            }
        }
    }

    /// What may follow a move: each empty cell, row by row, with a 2 and with a 4; the tile and how
    /// likely it is to come there.
    pub fn spawns(&self) -> impl Iterator<Item = (Self, u32, f64)> + '_ {
        let cells = self.empty() as f64;
        let places = (0..self.rows).flat_map(|y| (0..self.columns).map(move |x| (x, y)));
        let empty = places.filter(|&(x, y)| self.cells[y][x] == 0);
        empty.flat_map(move |(x, y)| {
            [(2, 0.9), (4, 0.1)].map(|(tile, chance)| {
                let mut next = *self;
                next.cells[y][x] = tile;
                (next, tile, chance / cells)
            })
        })
    }
}

/// Slides the tiles of a line to its start, where each merges with an equal neighbour, once. Answers
/// the score.
fn slide_to_start(line: &mut [u32]) -> u32 {
    let (mut score, mut end, mut merged) = (0, 0, false);
    for at in 0..line.len() {
        let tile = std::mem::take(&mut line[at]);
        if tile == 0 {
            continue;
        }
        if end > 0 && line[end - 1] == tile && !merged && tile < LARGEST {
            line[end - 1] = 2 * tile;
            score += 2 * tile;
            merged = true;
        } else {
            line[end] = tile;
            end += 1;
            merged = false;
        }
    }
    score
}
