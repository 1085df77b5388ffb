//! A board drawn for terminals: ranks and files as in the notation, a stack a square.

use super::board::{Board, Colour};
use super::moves::Move;
use super::size::{Size, step};
use crate::games::{Picture, Tone};

/// How many characters of a stack are drawn. Of a higher one the top is, behind two points.
const WIDEST: usize = 6;

/// What cannot be seen of a high stack.
const HIDDEN: &str = "..";

impl<S: Size> Board<S> {
    /// The board drawn for a terminal, what a move touches marked.
    #[must_use]
    pub fn picture(&self, best: Option<Move>) -> Picture {
        let stacks: Vec<String> =
            (0..S::SQUARES).map(|square| cut(self.stack_text(square))).collect();
        let width = stacks.iter().map(String::len).max().unwrap_or(0).max(1) + 2;
        let frame = format!("  {}+", format!("+{}", "-".repeat(width)).repeat(S::N));
        let marked = best.map_or(0, touched::<S>);
        let mut picture = Picture::default();
        for rank in (0..S::N).rev() {
            picture.line([(frame.clone(), Tone::Faint)]);
            let mut pieces = vec![(format!("{} |", rank + 1), Tone::Faint)];
            let squares = S::N * rank..S::N * (rank + 1);
            for (square, inside) in squares.clone().zip(&stacks[squares]) {
                let is_marked = marked >> square & 1 != 0;
                let inside = if is_marked { format!(">{inside}<") } else { inside.clone() };
                pieces.push((format!("{inside:^width$}"), self.tone(square, is_marked)));
                pieces.push(("|".into(), Tone::Faint));
            }
            picture.line(pieces);
        }
        picture.line([(frame, Tone::Faint)]);
        let files: String =
            (0..S::N).map(|file| format!(" {:^width$}", (b'a' + file as u8) as char)).collect();
        picture.line([(format!("  {}", files.trim_end()), Tone::Faint)]);
        picture
    }

    fn tone(&self, square: usize, is_marked: bool) -> Tone {
        match self.pile(square).map(|pile| pile.colour) {
            Some(Colour::White) => Tone::First,
            Some(Colour::Black) => Tone::Second,
            None if is_marked => Tone::Marked,
            None => Tone::Plain,
        }
    }
}

fn cut(stack: String) -> String {
    match stack.len().checked_sub(WIDEST) {
        None | Some(0) => stack,
        Some(more) => format!("{HIDDEN}{}", &stack[more + HIDDEN.len()..]),
    }
}

/// The squares where stones are placed, taken or dropped.
pub(super) fn touched<S: Size>(mv: Move) -> u64 {
    let square = 1 << mv.square();
    let next = |squares| step::<S>(squares, mv.direction());
    let path = std::iter::successors(Some(square), |&square| Some(next(square)));
    let length = if mv.is_slide() { mv.distance() as usize } else { 0 };
    path.take(1 + length).fold(0, |all, square| all | square)
}
