//! Boards with tiles that no nybble holds: a 65536, and what can come of it.

use std::fmt;

use super::notation::exponents_of;
use super::{Board, BoardError, Direction, Size};

/// A board as a game has it, its tiles of any size.
///
/// A nybble ends at 32768. A larger tile is such a nybble, and how much larger it is stands beside
/// the board. Keys, searches and tables know the [nybbles](Self::nybbles) alone.
///
/// ```
/// use endtable::games::twenty48::{Direction, Size, TallBoard};
///
/// let board = TallBoard::parse("32768,32768,2,0/0,0,0,0/0,0,0,0/0,0,0,0", Size::FULL)?;
/// let (after, score) = board.slide(Direction::Left, Size::FULL).expect("tiles move");
/// assert_eq!(after.text(Size::FULL), "65536,2,0,0/0,0,0,0/0,0,0,0/0,0,0,0");
/// assert_eq!(score, 65536);
/// # Ok::<(), endtable::games::twenty48::BoardError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TallBoard {
    nybbles: Board,
    /// Two bits a cell: by how much the exponent of its tile is above 15.
    above: u32,
}

/// The largest exponent of a nybble.
const NYBBLE: u8 = 15;

impl TallBoard {
    /// The exponent of the largest tile that a game can have: 131072.
    pub const HIGHEST: u8 = 17;

    /// The board of some exponents, row by row. None is above [`HIGHEST`](Self::HIGHEST).
    fn of(exponents: [u8; 16]) -> Self {
        let mut board = Self::default();
        for (cell, exponent) in (0..).zip(exponents) {
            let nybble = exponent.min(NYBBLE);
            board.nybbles.0 |= u64::from(nybble) << (4 * cell);
            board.above |= u32::from(exponent - nybble) << (2 * cell);
        }
        board
    }

    /// A board of a pattern: its large tiles, the largest of nybbles, stand for tiles that never merge,
    /// and only the largest of all tiles never does.
    pub(super) fn of_pattern(board: Board) -> Self {
        let never = |exponent| if exponent == NYBBLE { Self::HIGHEST } else { exponent };
        Self::of(Self::from(board).exponents().map(never))
    }

    /// What keys, searches and tables know of it: tiles above 32768 are 32768s.
    #[must_use]
    pub const fn nybbles(self) -> Board {
        self.nybbles
    }

    /// The board itself, if nybbles hold all of its tiles.
    #[must_use]
    pub const fn small(self) -> Option<Board> {
        if self.above == 0 { Some(self.nybbles) } else { None }
    }

    /// The exponent on a cell; coordinates are from 0 to 3, and taken modulo 4.
    #[must_use]
    pub const fn exponent(self, x: u8, y: u8) -> u8 {
        let cell = 4 * (y & 3) + (x & 3);
        self.nybbles.exponent(x, y) + (self.above >> (2 * cell) & 3) as u8
    }

    /// The exponents, row by row.
    #[must_use]
    pub fn exponents(self) -> [u8; 16] {
        std::array::from_fn(|cell| self.exponent(cell as u8 % 4, cell as u8 / 4))
    }

    /// The exponent of the largest tile.
    #[must_use]
    pub fn highest(self) -> u8 {
        match self.above {
            0 => self.nybbles.highest(),
            _ => self.exponents().into_iter().max().unwrap_or(0),
        }
    }

    /// The sum of all tiles.
    #[must_use]
    pub fn sum(self) -> u32 {
        self.exponents().into_iter().map(|exponent| (1 << exponent) & !1).sum()
    }

    /// The board after a slide and what it scores, or `None` if nothing moves.
    #[must_use]
    pub fn slide(self, direction: Direction, size: Size) -> Option<(Self, u32)> {
        if !self.outgrows() {
            let slid = self.nybbles.slide(direction, size);
            return slid.map(|(board, score)| (board.into(), score));
        }
        let before = self.exponents();
        let mut after = [0; 16];
        let mut score = 0;
        let (lines, length) = match direction {
            Direction::Up | Direction::Down => (size.columns(), size.rows()),
            Direction::Left | Direction::Right => (size.rows(), size.columns()),
        };
        for line in 0..lines {
            // The cells of the line, the first where its tiles slide to.
            let cell = |at: u8| match direction {
                Direction::Up => 4 * at + line,
                Direction::Right => 4 * line + length - 1 - at,
                Direction::Down => 4 * (length - 1 - at) + line,
                Direction::Left => 4 * line + at,
            };
            let (mut next, mut waiting) = (0, 0);
            let mut put = |exponent: u8| {
                after[usize::from(cell(next))] = exponent;
                next += 1;
            };
            let tiles = (0..length).map(|at| before[usize::from(cell(at))]);
            for tile in tiles.filter(|&tile| tile != 0) {
                if tile == waiting && tile < Self::HIGHEST {
                    put(tile + 1);
                    score += 1 << (tile + 1);
                    waiting = 0;
                } else {
                    if waiting != 0 {
                        put(waiting);
                    }
                    waiting = tile;
                }
            }
            if waiting != 0 {
                put(waiting);
            }
        }
        (after != before).then(|| (Self::of(after), score))
    }

    /// The slides that move something, with the boards after them and what they score.
    pub fn slides(self, size: Size) -> impl Iterator<Item = (Direction, Self, u32)> {
        Direction::ALL.into_iter().filter_map(move |direction| {
            let (after, score) = self.slide(direction, size)?;
            Some((direction, after, score))
        })
    }

    /// Whether it has a tile that no nybble holds, or a slide may make one.
    pub(super) fn outgrows(self) -> bool {
        let Board(board) = self.nybbles;
        let largest = board & board >> 1 & board >> 2 & board >> 3 & 0x1111_1111_1111_1111;
        self.above != 0 || largest & largest.wrapping_sub(1) != 0
    }

    /// The board with a new tile on an empty cell, given as 4y + x.
    pub(super) const fn put(self, cell: u8, exponent: u8) -> Self {
        Self { nybbles: self.nybbles.put(cell, exponent), above: self.above }
    }

    /// Whether no slide moves anything.
    #[must_use]
    pub fn is_over(self, size: Size) -> bool {
        match self.outgrows() {
            true => self.slides(size).next().is_none(),
            false => self.nybbles.is_over(size),
        }
    }

    /// Reads a board: a hex number, or rows of tiles as in `2,4,0/0,2,0/0,0,8`. Only rows have
    /// tiles above 32768.
    ///
    /// # Errors
    /// When it is neither, or not of this size.
    pub fn parse(text: &str, size: Size) -> Result<Self, BoardError> {
        if size != Size::FULL || !text.contains([',', '/']) {
            return Board::parse(text, size).map(Self::from);
        }
        exponents_of(text.trim(), size, Self::HIGHEST).map(Self::of)
    }

    /// The board as rows of tiles.
    #[must_use]
    pub fn text(self, size: Size) -> String {
        let tile = |x, y| match self.exponent(x, y) {
            0 => 0,
            exponent => 1u32 << exponent,
        };
        let row = |y| {
            let tiles: Vec<String> = (0..size.columns()).map(|x| tile(x, y).to_string()).collect();
            tiles.join(",")
        };
        (0..size.rows()).map(row).collect::<Vec<_>>().join("/")
    }
}

impl From<Board> for TallBoard {
    fn from(nybbles: Board) -> Self {
        Self { nybbles, above: 0 }
    }
}

/// As 16 hex digits; as rows of tiles if nybbles do not hold all of them.
impl fmt::Display for TallBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.small() {
            Some(board) => board.fmt(f),
            None => f.write_str(&self.text(Size::FULL)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn tall(rows: &str) -> TallBoard {
        TallBoard::parse(rows, Size::FULL).unwrap()
    }

    #[test]
    fn slides_are_those_of_smaller_boards_with_larger_tiles() {
        // Tiles of a small board doubled a few times slide as they did, and score as many times more.
        let mut random = SplitMix64::new(5);
        for _ in 0..20_000 {
            let empty = random.below(12);
            let cells: [u8; 16] = std::array::from_fn(|_| match random.below(16) < empty {
                true => 0,
                false => 1 + random.below(4) as u8,
            });
            let grow = |cells: [u8; 16]| cells.map(|it| if it == 0 { 0 } else { it + 12 });
            let (small, large) = (TallBoard::of(cells), TallBoard::of(grow(cells)));
            for direction in Direction::ALL {
                let slid = small.nybbles().slide(direction, Size::FULL);
                let expected = slid
                    .map(|(after, score)| (grow(TallBoard::from(after).exponents()), score << 12));
                let found = large.slide(direction, Size::FULL);
                assert_eq!(found.map(|(after, score)| (after.exponents(), score)), expected);
            }
            assert_eq!(large.is_over(Size::FULL), small.nybbles().is_over(Size::FULL));
        }
    }

    #[test]
    fn tiles_that_no_nybble_holds_have_rows_and_no_hex() {
        let board = tall("65536,32768,2,0/131072,0,0,0/0,0,0,0/0,0,0,2");
        assert_eq!(board.to_string(), "65536,32768,2,0/131072,0,0,0/0,0,0,0/0,0,0,2");
        assert_eq!(board.nybbles(), Board(0x1000_0000_000f_01ff));
        assert_eq!((board.highest(), board.small()), (17, None));
        assert_eq!(board.sum(), 65536 + 32768 + 131072 + 4);
        assert_eq!(tall("2,4,0,0/0,0,0,0/0,0,0,0/0,0,0,0").to_string(), "0000000000000021");
        for wrong in ["65536,2/2,2", "65537,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0", "65536,0,0,0/0,0", ""] {
            assert!(TallBoard::parse(wrong, Size::FULL).is_err(), "{wrong}");
        }
        assert!(TallBoard::parse("65536,2/2,2", "2x2".parse().unwrap()).is_err());
        let many = vec!["65536"; 40].join(",");
        assert!(TallBoard::parse(&many, Size::FULL).is_err());
    }
}
