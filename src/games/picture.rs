//! Drawings of positions, for terminals with colours and without.

use std::fmt;

/// A drawing of a position: lines of pieces of text. Printed, it is plain text; the tones of the
/// pieces say what they are, so that a terminal may show them in colours.
///
/// ```
/// use endtable::games::{Picture, Tone};
///
/// let mut picture = Picture::default();
/// picture.line([("x".to_owned(), Tone::First), (" . ".to_owned(), Tone::Faint)]);
/// assert_eq!(picture.to_string(), "x . \n");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    lines: Vec<Vec<(String, Tone)>>,
}

/// What a piece of a drawing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tone {
    /// Nothing in particular.
    Plain,
    /// The frame, and what is out of play.
    Faint,
    /// The first player's.
    First,
    /// The second player's.
    Second,
    /// What to look at: the best move.
    Marked,
    /// A step of a scale, from 0: how high a tile is.
    Step(u8),
}

impl Picture {
    /// Adds a line.
    pub fn line(&mut self, pieces: impl IntoIterator<Item = (String, Tone)>) {
        self.lines.push(pieces.into_iter().collect());
    }

    /// The lines, each in pieces.
    pub fn lines(&self) -> impl Iterator<Item = &[(String, Tone)]> {
        self.lines.iter().map(Vec::as_slice)
    }
}

/// Without colours, a line feed behind each line.
impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            line.iter().try_for_each(|(text, _)| f.write_str(text))?;
            f.write_str("\n")?;
        }
        Ok(())
    }
}
