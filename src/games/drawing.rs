//! Drawings of positions as data: what lies where, for a page to draw and to read out.

use super::Tone;

/// A board to be drawn: a grid of places with what lies on them. A game that draws itself this way needs
/// no page of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// The places, row by row from the top. Every row has as many. None if there is nothing to draw.
    pub rows: Vec<Vec<Place>>,
    /// What the rows are called; none if they have no names.
    pub row_names: Vec<String>,
    /// What the columns are called; none if they have no names.
    pub column_names: Vec<String>,
    /// What cannot be seen on the board, in a few words; may be empty.
    pub caption: String,
    /// The move that is marked, if one is that leads somewhere.
    pub arrow: Option<Arrow>,
}

/// A place of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What kind of place it is.
    pub ground: Ground,
    /// What moves call it, where the names of its row and column do not say it; may be empty.
    pub name: String,
    /// What is written on it; empty if nothing is.
    pub text: String,
    /// What lies on it, in words: `ace with pawn x`.
    pub words: String,
    /// The pieces on it, from the bottom.
    pub pieces: Vec<Piece>,
    /// Whether the marked move touches it.
    pub marked: bool,
    /// The legal moves that pointing at it can mean, the plainest first.
    pub moves: Vec<String>,
}

/// What a place looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Ground {
    /// A square of a board; dark ones and light ones take turns.
    Square {
        /// Whether it is a dark one.
        dark: bool,
    },
    /// A card that lies face up.
    Card,
    /// Where nothing is left.
    Gap,
    /// A tile, a step of a scale from 1; 0 is an empty cell.
    Tile(u8),
}

/// A piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Its shape.
    pub shape: Shape,
    /// Whose it is.
    pub tone: Tone,
}

/// The shape of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// A pawn, as on a card.
    Pawn,
    /// A flat stone, on which others can lie.
    Flat,
    /// A stone that stands on its edge.
    Wall,
    /// A stone with a round top.
    Capstone,
}

/// A move as an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Arrow {
    /// From one place to another, each its row and column from 0.
    Step {
        /// Where it begins.
        from: (usize, usize),
        /// Where it ends.
        to: (usize, usize),
    },
    /// Everything goes one way: so many rows down and columns to the right, -1 to 1.
    Slide {
        /// Rows.
        down: i8,
        /// Columns.
        right: i8,
    },
}

impl Drawing {
    /// How many columns there are.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }

    /// The board in words, row by row.
    ///
    /// ```
    /// use endtable::games::by_name;
    /// use endtable::table::Options;
    ///
    /// let game = by_name("2048").expect("there is such a game");
    /// let position = game.position("2,4,0/0,2,0", &Options::default())?;
    /// let words = position.drawing(None).words();
    /// assert_eq!(words, "Row 1: 2, 4, empty. Row 2: empty, 2, empty.");
    /// # Ok::<(), endtable::games::GameError>(())
    /// ```
    #[must_use]
    pub fn words(&self) -> String {
        let row = |(number, places): (usize, &Vec<Place>)| {
            let name = self.row_names.get(number).cloned();
            let name = name.unwrap_or_else(|| (number + 1).to_string());
            let words: Vec<&str> = places.iter().map(|place| place.words.as_str()).collect();
            format!("Row {name}: {}.", words.join(", "))
        };
        self.rows.iter().enumerate().map(row).collect::<Vec<_>>().join(" ")
    }
}

impl Place {
    /// A place with nothing on it.
    pub(crate) fn empty(ground: Ground) -> Self {
        Self {
            ground,
            name: String::new(),
            text: String::new(),
            words: "empty".into(),
            pieces: Vec::new(),
            marked: false,
            moves: Vec::new(),
        }
    }
}
