//! Positions as text: the picture-like form, the eight hex numbers, and a drawing for terminals.

use std::fmt;
use std::str::FromStr;

use super::board::{Board, Card, IllegalBoard, Side};
use super::geometry::{Cell, Mask};
use crate::games::{Picture, Tone};

/// Row by row from the top left: a card, `.` for a collapsed cell, `J` for a joker; `x` or `o`
/// behind the cell where that pawn stands; then a blank and the side to move. Cards that have
/// collapsed are not shown.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for cell in Cell::all() {
            if cell.column() == 0 && cell.row() > 0 {
                f.write_str("/")?;
            }
            f.write_str(face(self, cell))?;
            f.write_str(pawn_mark(self, cell))?;
        }
        write!(f, " {}", self.turn())
    }
}

impl FromStr for Board {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let (rows, side) =
            text.trim().split_once(char::is_whitespace).ok_or(NotationError::NoSide)?;
        let turn = match side.trim() {
            "x" => 0,
            "o" => 1,
            found => return Err(NotationError::Side { found: found.into() }),
        };
        if rows.split('/').count() != 4 {
            return Err(NotationError::Rows { found: rows.split('/').count() });
        }
        let mut boards = [0; 7];
        for (row, cells) in (0..).zip(rows.split('/')) {
            parse_row(row, cells, &mut boards)?;
        }
        Ok(Self::from_raw(boards, turn)?)
    }
}

/// The boards' places among the eight numbers.
const X: usize = 4;
const O: usize = 5;
const COLLAPSED: usize = 6;

fn parse_row(row: u8, text: &str, boards: &mut [u16; 7]) -> Result<(), NotationError> {
    let mut column = 0;
    for found in text.chars() {
        let bad =
            |expected| NotationError::Cell { row: row + 1, column: column + 1, found, expected };
        if let 'x' | 'o' = found {
            let Some(behind) = u8::checked_sub(column, 1) else {
                return Err(bad("a card before the pawn"));
            };
            let pawn = Cell::at(row, behind).mask().0;
            let board = &mut boards[if found == 'x' { X } else { O }];
            if *board & pawn != 0 {
                return Err(bad("each pawn once"));
            }
            *board |= pawn;
            continue;
        }
        if column == 4 {
            return Err(bad("the row to end after four cells"));
        }
        let cell = Cell::at(row, column).mask().0;
        match found {
            'A' => boards[0] |= cell,
            '2' => boards[1] |= cell,
            '3' => boards[2] |= cell,
            '4' => boards[3] |= cell,
            '.' => boards[COLLAPSED] |= cell,
            'J' => {}
            _ => return Err(bad("A, 2, 3, 4, J or .")),
        }
        column += 1;
    }
    if column == 4 { Ok(()) } else { Err(NotationError::ShortRow { row: row + 1, found: column }) }
}

pub(super) fn face(board: &Board, cell: Cell) -> &'static str {
    if board.collapsed().contains(cell) {
        return ".";
    }
    board.card_at(cell).map_or("J", Card::name)
}

pub(super) fn pawn_mark(board: &Board, cell: Cell) -> &'static str {
    let here = [Side::X, Side::O].into_iter().find(|&side| board.pawn(side) == cell);
    here.map_or("", Side::name)
}

impl Board {
    /// The eight numbers that other programs exchange: `A,2,3,4,X,O,collapsed,turn`, in hex.
    #[must_use]
    pub fn to_hex(&self) -> String {
        let (boards, turn) = self.to_raw();
        let boards = boards.map(|board| format!("{board:04x}"));
        format!("{},{turn}", boards.join(","))
    }

    /// Reads what [`to_hex`](Self::to_hex) writes; leading zeros may be missing.
    ///
    /// # Errors
    /// Names the field that is no hex number of 16 bits, or what is wrong with the board.
    pub fn from_hex(text: &str) -> Result<Self, NotationError> {
        let fields: Vec<&str> = text.split(',').map(str::trim).collect();
        if fields.len() != Field::ALL.len() {
            return Err(NotationError::Fields { found: fields.len() });
        }
        let mut numbers = [0; 8];
        for ((number, text), field) in numbers.iter_mut().zip(fields).zip(Field::ALL) {
            let legible =
                (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
            *number = legible
                .then(|| u16::from_str_radix(text, 16).ok())
                .flatten()
                .ok_or_else(|| NotationError::Field { field, found: text.into() })?;
        }
        let [a, two, three, four, x, o, collapsed, turn] = numbers;
        Ok(Self::from_raw([a, two, three, four, x, o, collapsed], turn)?)
    }

    /// The board drawn for a terminal, the cells in `marked` between angle brackets.
    #[must_use]
    pub fn picture(&self, marked: Mask) -> Picture {
        let mut picture = Picture::default();
        let frame = |picture: &mut Picture| {
            picture.line([("+-----+-----+-----+-----+".into(), Tone::Faint)]);
        };
        frame(&mut picture);
        for row in 0..4 {
            let mut pieces = vec![("|".into(), Tone::Faint)];
            for cell in (0..4).map(|column| Cell::at(row, column)) {
                let inside = format!("{}{}", face(self, cell), pawn_mark(self, cell));
                let is_marked = marked.contains(cell);
                let inside = if is_marked { format!(">{inside}<") } else { inside };
                let tone = match self.tone(cell) {
                    Tone::Plain if is_marked => Tone::Marked,
                    tone => tone,
                };
                pieces.extend([(format!("{inside:^5}"), tone), ("|".into(), Tone::Faint)]);
            }
            picture.line(pieces);
            frame(&mut picture);
        }
        picture
    }

    /// How a cell is drawn: a pawn's, collapsed, or a card like others.
    #[must_use]
    pub fn tone(&self, cell: Cell) -> Tone {
        match cell {
            _ if cell == self.pawn(Side::X) => Tone::First,
            _ if cell == self.pawn(Side::O) => Tone::Second,
            _ if self.collapsed().contains(cell) => Tone::Faint,
            _ => Tone::Plain,
        }
    }
}

/// One of the eight numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The cells of a card.
    Cards(Card),
    /// The cell of a pawn.
    Pawn(Side),
    /// The collapsed cells.
    Collapsed,
    /// The side to move.
    Turn,
}

impl Field {
    /// All eight, in the order in which they are written.
    pub const ALL: [Self; 8] = [
        Self::Cards(Card::Ace),
        Self::Cards(Card::Two),
        Self::Cards(Card::Three),
        Self::Cards(Card::Four),
        Self::Pawn(Side::X),
        Self::Pawn(Side::O),
        Self::Collapsed,
        Self::Turn,
    ];
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cards(card) => write!(f, "{card}"),
            Self::Pawn(Side::X) => f.write_str("X"),
            Self::Pawn(Side::O) => f.write_str("O"),
            Self::Collapsed => f.write_str("collapsed"),
            Self::Turn => f.write_str("turn"),
        }
    }
}

/// Why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotationError {
    /// Nothing behind the rows.
    #[error("expected four rows, a blank and the side to move, as in \"JxA23/4Jo32/A2A3/2A43 x\"")]
    NoSide,
    /// A side that is neither x nor o.
    #[error("the side to move is x or o, found {found:?}")]
    Side {
        /// What stood there.
        found: String,
    },
    /// Not four rows.
    #[error("expected 4 rows parted by /, found {found}")]
    Rows {
        /// How many.
        found: usize,
    },
    /// A row with too few cells.
    #[error("row {row} has {found} cells, expected 4")]
    ShortRow {
        /// Which row, from 1.
        row: u8,
        /// How many cells it has.
        found: u8,
    },
    /// A character that does not belong.
    #[error("row {row}, column {column}: expected {expected}, found {found:?}")]
    Cell {
        /// Which row, from 1.
        row: u8,
        /// Which column, from 1.
        column: u8,
        /// What stood there.
        found: char,
        /// What could have.
        expected: &'static str,
    },
    /// Not eight numbers.
    #[error("expected 8 hex numbers A,2,3,4,X,O,collapsed,turn, found {found}")]
    Fields {
        /// How many.
        found: usize,
    },
    /// A field that is no 16-bit hex number.
    #[error("field {field}: expected 1 to 4 hex digits, found {found:?}")]
    Field {
        /// Which one.
        field: Field,
        /// What stood there.
        found: String,
    },
    /// Legible, but no position of the game.
    #[error(transparent)]
    Illegal(#[from] IllegalBoard),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_hex_agree() {
        let text = "JxA23/4Jo32/A2A3/2A43 x";
        let board: Board = text.parse().unwrap();
        assert_eq!(board.to_string(), text);
        assert_eq!(board.to_hex(), "2502,1284,8848,4010,0001,0020,0000,0");
        assert_eq!(Board::from_hex(&board.to_hex()), Ok(board));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let says = |text: &str| text.parse::<Board>().unwrap_err().to_string();
        assert_eq!(says("JxA23/4Jo32/A2A3/2A43 y"), "the side to move is x or o, found \"y\"");
        assert_eq!(says("JxA23/4Jo32/A2A3 x"), "expected 4 rows parted by /, found 3");
        assert_eq!(says("JxA23/4Jo3/A2A3/2A43 x"), "row 2 has 3 cells, expected 4");
        assert_eq!(
            says("JxA23/4Jo3K/A2A3/2A43 x"),
            "row 2, column 4: expected A, 2, 3, 4, J or ., found 'K'"
        );
        assert_eq!(
            says("JxA23/4JA32/A2A3/2A43 x"),
            "row 2, column 5: expected the row to end after four cells, found '2'"
        );
        assert_eq!(says("JxA23/4J32/A2A3/2A43 x"), "0 pawns o, expected exactly one");
        assert_eq!(says("JxA23/4Jo32/A2A3/2A44 x"), "3 cards 4, but the deck has 2");
        let hex = |text: &str| Board::from_hex(text).unwrap_err().to_string();
        assert_eq!(hex("1,2,3"), "expected 8 hex numbers A,2,3,4,X,O,collapsed,turn, found 3");
        assert_eq!(
            hex("2502,1284,8848,4010,0001,0020,g,0"),
            "field collapsed: expected 1 to 4 hex digits, found \"g\""
        );
    }
}
