//! A Collapsi board on the screen of someone who plays.

use endtable::games::collapsi::{Board, Cell, Move, Side};
use endtable::games::{Picture, Tone};

use super::perfect::Moves;

/// What is shown on the board besides cards and pawns.
pub struct Scene<'a> {
    pub board: &'a Board,
    /// The moves of the one who plays. None when it is not their turn.
    pub legal: &'a [Move],
    /// What they are worth, if that was asked for.
    pub hint: Option<&'a Moves>,
    pub cursor: Cell,
}

/// How many lines a window needs for large cells, and what stands around them.
const LARGE: u16 = 24;

impl Scene<'_> {
    /// Whether there is room for large cells, which say what moves there are worth.
    pub fn is_large(window_height: u16) -> bool {
        window_height >= LARGE
    }

    /// The board, in cells of three lines where there is room, else of one.
    pub fn picture(&self, window_height: u16) -> Picture {
        let lines = if Self::is_large(window_height) { 0..3 } else { 1..2 };
        let mut picture = Picture::default();
        let frame = |picture: &mut Picture| {
            picture.line([(format!("{}+", "+-------".repeat(4)), Tone::Faint)]);
        };
        frame(&mut picture);
        for row in 0..4 {
            for line in lines.clone() {
                let mut pieces = vec![("|".into(), Tone::Faint)];
                for cell in (0..4).map(|column| Cell::at(row, column)) {
                    let inside = format!("{:^7}", self.inside(cell, line));
                    pieces.extend([(inside, self.tone(cell)), ("|".into(), Tone::Faint)]);
                }
                picture.line(pieces);
            }
            frame(&mut picture);
        }
        picture
    }

    fn move_to(&self, cell: Cell) -> Option<Move> {
        self.legal.iter().find(|mv| mv.to == cell).copied()
    }

    fn tone(&self, cell: Cell) -> Tone {
        let Some(mv) = self.move_to(cell) else { return self.board.tone(cell) };
        match self.hint {
            Some(hint) if hint.best().all(|best| best != mv) => Tone::Step(2),
            _ => Tone::Marked,
        }
    }

    /// A line of a cell: its number, what lies and stands there, what a move there is worth.
    fn inside(&self, cell: Cell, line: u8) -> String {
        match line {
            0 => format!("{cell}      "),
            1 => {
                let card = match self.board.card_at(cell) {
                    _ if self.board.collapsed().contains(cell) => ".".into(),
                    Some(card) => card.to_string(),
                    None => "J".into(),
                };
                let pawns = [Side::X, Side::O].into_iter();
                let pawn = pawns.filter(|&side| self.board.pawn(side) == cell);
                let inside = pawn.fold(card, |inside, side| format!("{inside} {side}"));
                if cell == self.cursor { format!("[ {inside} ]") } else { inside }
            }
            _ => match (self.move_to(cell), self.hint) {
                (Some(mv), Some(hint)) => {
                    hint.value_of(mv).map_or(String::new(), |value| value.to_string())
                }
                (Some(_), None) => "move".into(),
                (None, _) => String::new(),
            },
        }
    }
}
