//! A position as data for pages: how it is drawn, and what it is put together from.

use super::board::Side;
use super::geometry::Cell;
use super::moves::{Move, Rules};
use super::notation::{face, pawn_mark};
use super::position::CollapsiPosition;
use crate::games::{
    Arrow, Choice, Drawing, Ground, Parts, Piece, Place, Setting, Shape, Start, Tone,
};
use crate::table::Options;

/// What can lie on a cell, as it is typed and as it is called.
const FACES: [(&str, &str); 5] =
    [("A", "ace"), ("2", "two"), ("3", "three"), ("4", "four"), ("J", "joker")];

/// The rows of the torus.
fn rows() -> impl Iterator<Item = [Cell; 4]> {
    (0..4).map(|row| [0, 1, 2, 3].map(|column| Cell::at(row, column)))
}

impl CollapsiPosition {
    pub(super) fn draw(&self, best: Option<Move>) -> Drawing {
        let moves: Vec<Move> = self.board.moves(self.rules).collect();
        let place = |cell: Cell| self.place(cell, best, &moves);
        let spot = |cell: Cell| (usize::from(cell.row()), usize::from(cell.column()));
        let caption = match self.rules {
            Rules::One => "A pawn goes one step from its joker",
            Rules::Wild => "A pawn goes one to four steps from its joker",
        };
        Drawing {
            rows: rows().map(|row| row.map(place).into()).collect(),
            caption: caption.into(),
            arrow: best.map(|mv| Arrow::Step { from: spot(mv.from), to: spot(mv.to) }),
            ..Drawing::default()
        }
    }

    fn place(&self, cell: Cell, best: Option<Move>, moves: &[Move]) -> Place {
        let text = face(&self.board, cell);
        let name = FACES.iter().find(|(face, _)| *face == text);
        let pawn = [Side::X, Side::O].into_iter().find(|&side| self.board.pawn(side) == cell);
        let piece = |side| {
            let tone = if side == Side::X { Tone::First } else { Tone::Second };
            Piece { shape: Shape::Pawn, tone }
        };
        let moves = moves.iter().filter(|mv| mv.to == cell);
        Place {
            ground: if name.is_some() { Ground::Card } else { Ground::Gap },
            name: cell.to_string(),
            words: match (name, pawn) {
                (None, _) => "collapsed".into(),
                (Some((_, name)), None) => (*name).into(),
                (Some((_, name)), Some(side)) => format!("{name} with pawn {side}"),
            },
            text: name.map_or(String::new(), |(face, _)| (*face).into()),
            pieces: pawn.map(piece).into_iter().collect(),
            marked: best.is_some_and(|mv| mv.from == cell || mv.to == cell),
            moves: moves.map(|mv| mv.to_string()).collect(),
        }
    }

    pub(super) fn to_parts(self) -> Parts {
        let cell = |cell| format!("{}{}", face(&self.board, cell), pawn_mark(&self.board, cell));
        let pawns = [("", ""), ("x", ", x"), ("o", ", o")];
        let contents = pawns.iter().flat_map(|(mark, with)| {
            FACES.map(|(face, name)| Choice::new(format!("{face}{mark}"), format!("{name}{with}")))
        });
        let collapsed = Choice::new(".", "collapsed");
        let rules = [(Rules::One, "one step"), (Rules::Wild, "one to four steps")];
        Parts {
            cells: rows().map(|row| row.map(cell).into()).collect(),
            contents: contents.chain([collapsed]).collect(),
            others: "",
            settings: vec![
                Setting {
                    name: "turn",
                    label: "To move",
                    value: self.board.turn().to_string(),
                    choices: [Side::X, Side::O].map(|side| Choice::new(side, side)).into(),
                },
                Setting {
                    name: "rules",
                    label: "From its joker a pawn goes",
                    value: self.rules.to_string(),
                    choices: rules.map(|(rules, name)| Choice::new(rules, name)).into(),
                },
            ],
        }
    }
}

/// The text of a position with these cells: the inverse of [`CollapsiPosition::to_parts`].
pub(super) fn assemble(cells: &[Vec<String>], settings: &Options) -> String {
    let rows: Vec<String> = cells.iter().map(|row| row.concat()).collect();
    format!("{} {}", rows.join("/"), settings.get("turn").unwrap_or("x"))
}

/// Some deals; a number names any other.
pub(super) fn starts() -> Vec<Start> {
    let start =
        |seed: u64| Start { kind: "Deal", label: format!("seed {seed}"), text: seed.to_string() };
    (1..=5).map(start).collect()
}
