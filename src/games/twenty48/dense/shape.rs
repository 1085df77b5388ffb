//! What is numbered: the cells that hold tiles, those that hold large ones, and which boards are the
//! same.

use super::super::pattern::{Pattern, large_cells};
use super::super::{Board, Size, Symmetry};

/// A set of cells, cell (x, y) as bit 4y + x.
pub type Cells = u16;

/// A board on which small tiles move, and large ones, F, stand on all cells of a mask and nowhere
/// else. Small boards have one mask, without a cell.
#[derive(Clone, Debug)]
pub struct Shape {
    size: Size,
    masks: Vec<Cells>,
    symmetries: Vec<Symmetry>,
}

impl Shape {
    /// A board without large tiles.
    pub fn board(size: Size) -> Self {
        Self { size, masks: vec![0], symmetries: Symmetry::all(size).collect() }
    }

    /// A pattern whose large tiles stand on masks and nowhere else; `None` for others.
    pub fn pattern(pattern: &Pattern) -> Option<Self> {
        let masks = pattern.masks().to_vec();
        let stands = |mask: &Cells| mask.count_ones() == u32::from(pattern.larges());
        let symmetries = pattern.symmetries();
        let shape = Self { size: Size::FULL, masks, symmetries };
        (!shape.masks.is_empty() && shape.masks.iter().all(stands)).then_some(shape)
    }

    pub fn size(&self) -> Size {
        self.size
    }

    pub fn masks(&self) -> &[Cells] {
        &self.masks
    }

    /// The symmetries that map masks to masks.
    pub fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    /// How many cells hold small tiles.
    pub fn free(&self) -> u8 {
        self.size.cells() - self.masks[0].count_ones() as u8
    }

    /// The cells of a mask's board that hold small tiles, in order.
    pub fn free_cells(&self, mask: Cells) -> Vec<u8> {
        let on_board = |cell: &u8| cell % 4 < self.size.columns() && cell / 4 < self.size.rows();
        (0..16).filter(on_board).filter(|cell| mask >> cell & 1 == 0).collect()
    }

    /// The lines of the board, the rows from the top and then the columns from the left, each as its
    /// cells in order.
    pub fn lines(&self) -> Vec<Vec<u8>> {
        let (rows, columns) = (self.size.rows(), self.size.columns());
        let row = |y: u8| (0..columns).map(|x| 4 * y + x).collect();
        let column = |x: u8| (0..rows).map(|y| 4 * y + x).collect();
        (0..rows).map(row).chain((0..columns).map(column)).collect()
    }

    /// The mask that the large tiles of a board stand on, by its place; `None` if they do not.
    pub fn mask_of(&self, board: Board) -> Option<usize> {
        match self.masks[..] {
            [0] => Some(0),
            _ => self.masks.iter().position(|&mask| mask == large_cells(board)),
        }
    }
}

/// The cell that a symmetry maps a cell to.
pub fn image_of_cell(symmetry: Symmetry, cell: u8, size: Size) -> u8 {
    symmetry.board(Board(1 << (4 * cell)), size).0.trailing_zeros() as u8 / 4
}

/// The cells that a symmetry maps some cells to.
pub fn image(symmetry: Symmetry, cells: Cells, size: Size) -> Cells {
    let cells = (0..16).filter(|cell| cells >> cell & 1 == 1);
    cells.fold(0, |set, cell| set | 1 << image_of_cell(symmetry, cell, size))
}
