//! A board as data for pages: how it is drawn, and what it is put together from.

use super::board::{Board, Colour, Kind};
use super::moves::Move;
use super::picture::touched;
use super::size::{SIZES, Size};
use super::tps::square_name;
use crate::games::{
    Arrow, Choice, Drawing, Ground, Parts, Piece, Place, Setting, Shape, Start, Tone,
};
use crate::table::Options;

/// The squares of each rank, from the top.
fn ranks<S: Size>() -> impl Iterator<Item = std::ops::Range<usize>> {
    (0..S::N).rev().map(|rank| S::N * rank..S::N * (rank + 1))
}

fn tone(colour: Colour) -> Tone {
    match colour {
        Colour::White => Tone::First,
        Colour::Black => Tone::Second,
    }
}

impl<S: Size> Board<S> {
    /// The board as data, what a move touches marked.
    pub(super) fn drawing(&self, best: Option<Move>) -> Drawing {
        let marked = best.map_or(0, touched::<S>);
        let mut moves = Vec::new();
        if !self.is_over() {
            self.push_moves(&mut moves);
        }
        let place = |square| self.drawn_square(square, marked >> square & 1 != 0, &moves);
        let hand = |colour| {
            let reserve = self.reserve(colour);
            let caps = match reserve.caps {
                0 => String::new(),
                1 => " and a capstone".into(),
                caps => format!(" and {caps} capstones"),
            };
            format!("{} flats{caps}", reserve.flats)
        };
        Drawing {
            rows: ranks::<S>().map(|rank| rank.map(place).collect()).collect(),
            row_names: (1..=S::N).rev().map(|rank| rank.to_string()).collect(),
            column_names: (0..S::N).map(|file| square_name::<S>(file)[..1].into()).collect(),
            caption: format!(
                "In hand: White {}, Black {}",
                hand(Colour::White),
                hand(Colour::Black)
            ),
            arrow: best.filter(|mv| mv.is_slide()).map(arrow::<S>),
        }
    }

    fn drawn_square(&self, square: usize, marked: bool, moves: &[Move]) -> Place {
        let dark = (square / S::N + square % S::N).is_multiple_of(2);
        let placings = moves.iter().filter(|mv| !mv.is_slide() && mv.square() == square);
        let mut place = Place {
            marked,
            moves: placings.map(|mv| mv.to_ptn::<S>()).collect(),
            ..Place::empty(Ground::Square { dark })
        };
        let Some(pile) = self.pile(square) else { return place };
        let stones: u128 = self.stones(square).into();
        let colours = (0..pile.height).rev().map(|depth| match stones >> depth & 1 {
            0 => Colour::White,
            _ => Colour::Black,
        });
        place.pieces =
            colours.map(|colour| Piece { shape: Shape::Flat, tone: tone(colour) }).collect();
        if let Some(top) = place.pieces.last_mut() {
            top.shape = match pile.kind {
                Kind::Flat => Shape::Flat,
                Kind::Standing => Shape::Wall,
                Kind::Capstone => Shape::Capstone,
            };
        }
        let kind = match pile.kind {
            Kind::Flat => "flat",
            Kind::Standing => "standing stone",
            Kind::Capstone => "capstone",
        };
        place.words = format!("{} {kind}", pile.colour);
        let below: Vec<&str> = place.pieces[..place.pieces.len() - 1]
            .iter()
            .rev()
            .map(|piece| if piece.tone == Tone::First { "white" } else { "black" })
            .collect();
        if !below.is_empty() {
            place.words += &format!(" on {}", below.join(" on "));
        }
        place
    }

    /// What the board is put together from.
    pub(super) fn parts(&self) -> Parts {
        let cell = |square| match self.stack_text(square) {
            stack if stack.is_empty() => "x".into(),
            stack => stack,
        };
        let typed =
            |name, label, value: String| Setting { name, label, value, choices: Vec::new() };
        let rules = self.rules();
        let colours = [(1, Colour::White), (2, Colour::Black)];
        let contents = [
            ("x", "empty"),
            ("1", "white flat"),
            ("2", "black flat"),
            ("1S", "white standing"),
            ("2S", "black standing"),
            ("1C", "white capstone"),
            ("2C", "black capstone"),
        ];
        let contents = contents.map(|(value, label)| Choice::new(value, label)).into_iter();
        let caps = rules.reserve.caps > 0;
        Parts {
            cells: ranks::<S>().map(|rank| rank.map(cell).collect()).collect(),
            contents: contents.filter(|it| caps || !it.value.ends_with('C')).collect(),
            others: "a stack from the bottom, as in 112 or 12S",
            settings: vec![
                Setting {
                    name: "turn",
                    label: "To move",
                    value: (self.turn() as u8 + 1).to_string(),
                    choices: colours.map(|(turn, colour)| Choice::new(turn, colour)).into(),
                },
                typed("move", "Number of the move", (self.ply() / 2 + 1).to_string()),
                typed("flats", "Flats of each player", rules.reserve.flats.to_string()),
                typed("caps", "Capstones of each player", rules.reserve.caps.to_string()),
                typed("komi", "Komi", rules.komi.to_string()),
            ],
        }
    }
}

/// A slide, from its square to the last one that it reaches.
fn arrow<S: Size>(mv: Move) -> Arrow {
    let spot = |square: usize| (S::N - 1 - square / S::N, square % S::N);
    let last = mv.square() as isize + mv.direction().delta::<S>() * mv.distance() as isize;
    Arrow::Step { from: spot(mv.square()), to: spot(last.unsigned_abs()) }
}

/// The TPS of a board with these squares: the inverse of [`Board::parts`].
pub(super) fn assemble(cells: &[Vec<String>], settings: &Options) -> String {
    let ranks: Vec<String> = cells.iter().map(|rank| rank.join(",")).collect();
    let setting = |name| settings.get(name).unwrap_or("1");
    format!("{} {} {}", ranks.join("/"), setting("turn"), setting("move"))
}

/// The empty board of every size.
pub(super) fn starts() -> Vec<Start> {
    let start = |size: usize| Start {
        kind: "Size",
        label: format!("{size}x{size}"),
        text: format!("{} 1 1", vec![format!("x{size}"); size].join("/")),
    };
    SIZES.map(start).collect()
}
