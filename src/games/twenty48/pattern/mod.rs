//! Endgame patterns of the 4x4 board: large tiles hold some cells, and the rest is a small game.
//!
//! Late in a game the largest tiles stand still in a formation, and the next tile of some size is to
//! be made beside them. A large tile, written `F`, slides but never merges. A move is legal only if
//! the board changes and at least one of the pattern's masks is all large tiles afterwards; a
//! pattern without masks lets them go anywhere. What a pattern is stands in a file, see
//! [`Pattern::from_toml`]; those that are shipped are such files, too.

mod code;
mod drawing;
mod error;
mod file;
mod fit;
mod rules;
mod shipped;
#[cfg(test)]
mod tests;
mod text;

pub(super) use code::PatternCodes;
pub use error::PatternError;
pub(super) use fit::{Fit, Fitting, equal_larges, normal_board};
pub use rules::PatternRules;
pub(super) use rules::are_of_pattern;

use super::{Board, Size, Symmetry};

/// The nybble of a large tile. Rows never merge two of them, and tiles below the target are smaller.
pub const LARGE: u8 = 15;

/// An endgame pattern: where large tiles must be, and the afterstates that its tables begin with.
///
/// ```
/// use endtable::games::twenty48::{Board, Pattern};
///
/// let pattern = Pattern::named("L3")?;
/// assert_eq!((pattern.larges(), pattern.free_cells()), (6, 10));
/// let board = Board(0xfff1_fff1_0000_0001);
/// let legal = pattern.slides(board).map(|after| after.is_some());
/// // Upwards the large tiles would leave their cells; to the left nothing moves.
/// assert_eq!(legal, [false, true, true, false]);
/// # Ok::<(), endtable::games::twenty48::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    name: String,
    sentence: String,
    masks: Vec<u16>,
    /// The masks as the nybbles of a board.
    nybbles: Vec<u64>,
    seeds: Vec<Board>,
    larges: u8,
    /// Whether boards that are images of each other are one.
    symmetric: bool,
}

impl Pattern {
    /// More masks or seeds than this are a mistake.
    const MOST: usize = 256;

    /// A pattern of sets of cells, cell (x, y) in bit 4y + x, and of afterstates in which large tiles
    /// are nybbles of [`LARGE`].
    ///
    /// # Errors
    /// When they do not go together, or the name will not do.
    pub fn new(
        name: impl Into<String>,
        sentence: impl Into<String>,
        masks: Vec<u16>,
        seeds: Vec<Board>,
    ) -> Result<Self, PatternError> {
        let larges = seeds.first().map_or(0, |seed| large_cells(*seed).count_ones() as u8);
        let nybbles = masks.iter().map(|&mask| wide(mask)).collect();
        let (name, sentence) = (name.into(), sentence.into());
        let symmetric = true;
        let pattern = Self { name, sentence, masks, nybbles, seeds, larges, symmetric };
        pattern.check()?;
        Ok(pattern)
    }

    fn check(&self) -> Result<(), PatternError> {
        let Self { name, masks, seeds, larges, .. } = self;
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if !(1..=32).contains(&name.len()) || !name.bytes().all(is_word) {
            return Err(PatternError::Name(name.clone()));
        }
        if seeds.is_empty() {
            return Err(PatternError::NoSeed);
        }
        if masks.len().max(seeds.len()) > Self::MOST {
            return Err(PatternError::TooMany { masks: masks.len(), seeds: seeds.len() });
        }
        if *larges == 0 {
            return Err(PatternError::NoLargeTile);
        }
        for (number, mask) in masks.iter().enumerate() {
            let number = number + 1;
            if *mask == 0 {
                return Err(PatternError::EmptyMask { number });
            }
            if let Some(first) = masks[..number - 1].iter().position(|it| it == mask) {
                return Err(PatternError::SameMask { number, first: first + 1 });
            }
            let cells = mask.count_ones() as u8;
            if cells > *larges {
                return Err(PatternError::MaskTooLarge { number, cells, larges: *larges });
            }
        }
        for (number, &seed) in seeds.iter().enumerate() {
            let (number, found) = (number + 1, large_cells(seed).count_ones() as u8);
            if found != *larges {
                return Err(PatternError::LargeTiles { number, found, first: *larges });
            }
            if !self.holds(seed) {
                return Err(PatternError::SeedOutside { number, seed: drawing::board(seed) });
            }
            if seed.empty(Size::FULL) == 0 {
                return Err(PatternError::SeedFull { number });
            }
        }
        Ok(())
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is, in a sentence. May be empty.
    #[must_use]
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    /// The sets of cells of which one must be all large tiles, cell (x, y) in bit 4y + x.
    #[must_use]
    pub fn masks(&self) -> &[u16] {
        &self.masks
    }

    /// The afterstates that tables begin with: a new tile comes next.
    #[must_use]
    pub fn seeds(&self) -> &[Board] {
        &self.seeds
    }

    /// How many large tiles there are.
    #[must_use]
    pub fn larges(&self) -> u8 {
        self.larges
    }

    /// How many cells they leave.
    #[must_use]
    pub fn free_cells(&self) -> u8 {
        16 - self.larges
    }

    /// The same pattern, whose tables tell a board and its mirror images apart.
    #[must_use]
    pub fn without_symmetry(self) -> Self {
        Self { symmetric: false, ..self }
    }

    /// The symmetries that map the set of masks to itself, in the order of [`Symmetry::all`]: the first
    /// alone, if the pattern is without symmetry.
    #[must_use]
    pub fn symmetries(&self) -> Vec<Symmetry> {
        let maps = |symmetry: &Symmetry| {
            let image = |&mask: &u64| symmetry.board(Board(mask), Size::FULL).0;
            self.nybbles.iter().all(|mask| self.nybbles.contains(&image(mask)))
        };
        let most = if self.symmetric { 8 } else { 1 };
        Symmetry::all(Size::FULL).filter(maps).take(most).collect()
    }

    /// Whether some mask is all large tiles, or there are no masks.
    #[inline]
    #[must_use]
    pub fn holds(&self, board: Board) -> bool {
        let filled = |&mask: &u64| board.0 & mask == mask;
        self.nybbles.is_empty() || self.nybbles.iter().any(filled)
    }

    /// The afterstate of each legal move, in the order of
    /// [`Direction::ALL`](super::Direction::ALL).
    #[inline]
    #[must_use]
    pub fn slides(&self, board: Board) -> [Option<Board>; 4] {
        let legal = |after: Board| after != board && self.holds(after);
        board.slid(Size::FULL).map(|after| legal(after).then_some(after))
    }

    /// A drawing of its masks side by side, `F` a large tile; empty without masks.
    #[must_use]
    pub fn picture(&self) -> String {
        drawing::picture(&self.masks)
    }

    /// A mask in a line, as in `..../..../.FFF/.FFF`.
    #[must_use]
    pub fn mask_text(mask: u16) -> String {
        drawing::mask(mask)
    }

    /// A seed in a line, as in `2,0,0,0/0,0,0,0/2,F,F,F/4,F,F,F`.
    #[must_use]
    pub fn board_text(board: Board) -> String {
        drawing::board(board)
    }
}

/// The cells with large tiles, cell (x, y) in bit 4y + x.
#[must_use]
pub fn large_cells(board: Board) -> u16 {
    let cells = (0..16).filter(|cell| board.0 >> (4 * cell) & 15 == u64::from(LARGE));
    cells.fold(0, |cells, cell| cells | 1 << cell)
}

/// A set of cells as the nybbles of a board, all bits set.
fn wide(cells: u16) -> u64 {
    (0..16).filter(|cell| cells >> cell & 1 == 1).fold(0, |wide, cell| wide | 15 << (4 * cell))
}
