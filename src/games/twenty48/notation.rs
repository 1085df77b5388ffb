//! Boards as text: a hex number, or rows of tiles.

use std::fmt;

use super::{Board, Direction, Size, TallBoard};
use crate::games::{Picture, Tone};

/// What is wrong with a board or its size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// Not a size.
    #[error("{0:?}: not a board size; expected rows and columns from 2 to 4, as in 3x3")]
    Size(String),
    /// Neither hex nor rows.
    #[error("{0:?}: not a board; expected a hex number, or rows of tiles as in 2,4,0/0,2,0/0,0,8")]
    Text(String),
    /// A tile that there is not.
    #[error(
        "{0}: not a tile; tiles are 0 (empty), 2, 4, 8 and so on to 32768, on a 4x4 board to 131072"
    )]
    Tile(String),
    /// Rows of different lengths.
    #[error("row {row} has {found} tiles where the first has {first}")]
    Ragged {
        /// The row, from 1.
        row: usize,
        /// Its tiles.
        found: usize,
        /// The tiles of the first one.
        first: usize,
    },
    /// Rows or columns do not fit.
    #[error("{rows} rows of {columns} tiles where the board is {size}")]
    Shape {
        /// Rows given.
        rows: usize,
        /// Tiles in a row.
        columns: usize,
        /// The size of the board.
        size: Size,
    },
    /// A tile outside of a smaller board.
    #[error("{board}: a tile at row {}, column {}, outside of the {size} board", y + 1, x + 1)]
    Outside {
        /// The board.
        board: Board,
        /// The column, from 0.
        x: u8,
        /// The row, from 0.
        y: u8,
        /// The size of the board.
        size: Size,
    },
    /// A tile that is too large for its board.
    #[error("{board}: a tile {} on a {size} board, where {} is the largest that can be", 1u32 << exponent, 1u32 << size.highest())]
    TooLarge {
        /// The board.
        board: Board,
        /// The exponent of the tile.
        exponent: u8,
        /// The size of the board.
        size: Size,
    },
    /// Not an objective.
    #[error("{0:?}: not an objective; expected score, or tile: and a tile from 8 to 32768")]
    Objective(String),
    /// A tile to reach that is too large for the board.
    #[error("tile:{}: never seen on a {size} board, where {} is the largest that can be", 1u32 << exponent, 1u32 << size.highest())]
    Target {
        /// The exponent of the tile.
        exponent: u8,
        /// The size of the board.
        size: Size,
    },
    /// A board that no game leads to.
    #[error("{board}: no game leads to it: {why}")]
    Impossible {
        /// The board.
        board: Board,
        /// What gives it away.
        why: String,
    },
    /// A code that is no board's.
    #[error("{code:#x}: no code of a {size} board")]
    Code {
        /// The code.
        code: u64,
        /// The size of the board.
        size: Size,
    },
}

impl Board {
    /// A board of a size: no tile outside of it, none larger than the size allows.
    ///
    /// # Errors
    /// Names the first tile that cannot be.
    pub fn new(board: u64, size: Size) -> Result<Self, BoardError> {
        let board = Self(board);
        for y in 0..4 {
            for x in 0..4 {
                let exponent = board.exponent(x, y);
                if exponent > 0 && (x >= size.columns() || y >= size.rows()) {
                    return Err(BoardError::Outside { board, x, y, size });
                }
                if exponent > size.highest() {
                    return Err(BoardError::TooLarge { board, exponent, size });
                }
            }
        }
        Ok(board)
    }

    /// Checks what can be told at a glance of a board with the player to move. A board that
    /// passes may still be one that no game leads to.
    ///
    /// # Errors
    /// Says why no game leads to it.
    pub fn check_possible(self, size: Size) -> Result<(), BoardError> {
        let impossible = |why| Err(BoardError::Impossible { board: self, why });
        let count = |least: u8, most: u8| {
            let cells = (0..16).map(|cell| (self.0 >> (4 * cell) & 15) as u8);
            cells.filter(|exponent| (least..=most).contains(exponent)).count()
        };
        if count(1, 15) < 2 {
            return impossible("a game begins with two tiles".into());
        }
        if count(1, 2) == 0 {
            return impossible("the tile that came last, a 2 or a 4, is missing".into());
        }
        for exponent in 3..=size.highest() {
            let room = size.most_tiles(exponent);
            if count(exponent, 15) > room.into() {
                return impossible(format!(
                    "a {size} board has room for {room} tiles of {} and more",
                    1u32 << exponent
                ));
            }
        }
        Ok(())
    }

    /// Reads a board: a hex number, or rows of tiles as in `2,4,0/0,2,0/0,0,8`.
    ///
    /// # Errors
    /// When it is neither, or not of this size.
    pub fn parse(text: &str, size: Size) -> Result<Self, BoardError> {
        let text = text.trim();
        if !text.contains([',', '/']) {
            let digits = text.strip_prefix("0x").unwrap_or(text);
            let is_hex = (1..=16).contains(&digits.len())
                && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let number = is_hex.then(|| u64::from_str_radix(digits, 16).ok()).flatten();
            return Self::new(number.ok_or_else(|| BoardError::Text(text.into()))?, size);
        }
        let exponents = exponents_of(text, size, Size::FULL.highest())?;
        let nybbles = exponents.iter().rev();
        Self::new(nybbles.fold(0, |board, &exponent| board << 4 | u64::from(exponent)), size)
    }

    /// The board as rows of tiles.
    #[must_use]
    pub fn text(self, size: Size) -> String {
        TallBoard::from(self).text(size)
    }
}

impl TallBoard {
    /// A drawing: a line a row, and arrows on the side to which to slide.
    #[must_use]
    pub fn picture(self, size: Size, slide: Option<Direction>) -> Picture {
        let width = (1u32 << self.highest()).to_string().len();
        let arrow = |text: &str| (text.to_owned(), Tone::Marked);
        let gap = || (" ".to_owned(), Tone::Plain);
        let parted = |cells: Vec<(String, Tone)>| {
            let cells = cells.into_iter().flat_map(|cell| [gap(), cell]);
            cells.skip(1).collect::<Vec<_>>()
        };
        let across = |text: &str| {
            let cell = || (format!("{text:>width$}"), Tone::Marked);
            parted((0..size.columns()).map(|_| cell()).collect())
        };
        let mut picture = Picture::default();
        if slide == Some(Direction::Up) {
            picture.line(across("^"));
        }
        for y in 0..size.rows() {
            let cells = (0..size.columns()).map(|x| {
                let exponent = self.exponent(x, y);
                let tile = match exponent {
                    0 => ".".into(),
                    exponent => (1u32 << exponent).to_string(),
                };
                (format!("{tile:>width$}"), Tone::Step(exponent))
            });
            let row = parted(cells.collect());
            picture.line(match slide {
                Some(Direction::Left) => [vec![arrow("<"), gap()], row].concat(),
                Some(Direction::Right) => [row, vec![gap(), arrow(">")]].concat(),
                _ => row,
            });
        }
        if slide == Some(Direction::Down) {
            picture.line(across("v"));
        }
        picture
    }
}

/// The exponents of rows of tiles, of which none is above the highest, cell by cell of a full board.
///
/// # Errors
/// When they are not of this size, or a tile is none.
pub(super) fn exponents_of(text: &str, size: Size, highest: u8) -> Result<[u8; 16], BoardError> {
    let rows: Vec<Vec<&str>> = text.split('/').map(|row| row.split(',').collect()).collect();
    let first = rows[0].len();
    if let Some((row, tiles)) = (1..).zip(&rows).find(|(_, tiles)| tiles.len() != first) {
        return Err(BoardError::Ragged { row, found: tiles.len(), first });
    }
    if rows.len() != usize::from(size.rows()) || first != usize::from(size.columns()) {
        return Err(BoardError::Shape { rows: rows.len(), columns: first, size });
    }
    let mut exponents = [0; 16];
    for (y, row) in rows.iter().enumerate() {
        for (x, tile) in row.iter().enumerate() {
            exponents[4 * y + x] = exponent_of(tile.trim(), highest)?;
        }
    }
    Ok(exponents)
}

fn exponent_of(tile: &str, highest: u8) -> Result<u8, BoardError> {
    match tile.parse::<u32>() {
        Ok(0) => Ok(0),
        Ok(number) if number.is_power_of_two() && (2..=1 << highest).contains(&number) => {
            Ok(number.trailing_zeros() as u8)
        }
        _ => Err(BoardError::Tile(tile.into())),
    }
}

/// As 16 hex digits.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}
