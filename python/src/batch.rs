//! Many positions at once, worked on by all threads: texts go in, rows of bytes come out, of which the
//! Python half makes an array.

use std::ops::Range;
use std::sync::Arc;

use endtable::games::{Answer, Detail, Position};
use endtable::value::{GameResult, Worth};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rayon::prelude::*;

use super::failure::Failure;
use super::position::{PyPosition, parse};
use super::tables::Opened;

/// How many positions are looked up together: the more there are, the more of them lie close together
/// in the tables.
const PIECE: usize = 1 << 16;

/// A row: found (1 byte), result (1), plies (2), nothing (4), value (8), best move (16).
const ROW: usize = 32;
const BEST: Range<usize> = 16..ROW;

/// The result of a row: a win or something to gain, a draw, a loss or nothing to gain.
pub const WIN: i8 = 1;
pub const DRAW: i8 = 0;
pub const LOSS: i8 = -1;

/// Many positions.
pub enum Batch<'a> {
    /// A list: all texts in one, and where each is; or positions that were read before.
    List(String, Vec<Entry>),
    /// Texts of a fixed width, which zeros fill up.
    Fixed { texts: &'a [u8], width: usize, character: Character },
}

/// One of a list.
pub enum Entry {
    Text(Range<usize>),
    Position(Arc<dyn Position>),
}

/// What the characters of fixed texts are.
#[derive(Clone, Copy)]
pub enum Character {
    Byte,
    /// 32 bits in the machine's order.
    Wide,
}

impl<'a> Batch<'a> {
    /// A list of texts and positions.
    pub fn list(positions: &Bound<'_, PyList>) -> PyResult<Batch<'static>> {
        let (mut texts, mut entries) = (String::new(), Vec::with_capacity(positions.len()));
        for (number, position) in positions.iter().enumerate() {
            if let Ok(text) = position.cast::<PyString>() {
                let start = texts.len();
                texts += text.to_str()?;
                entries.push(Entry::Text(start..texts.len()));
            } else if let Ok(position) = position.cast::<PyPosition>() {
                entries.push(Entry::Position(position.get().shared()));
            } else {
                let kind = position.get_type().name()?;
                let expected = format!("expected a str or a Position, found {kind}");
                return Err(Failure::input(expected).about(place(number)).into());
            }
        }
        Ok(Batch::List(texts, entries))
    }

    /// Texts of a fixed width in bytes, each character of so many.
    pub fn fixed(texts: &'a [u8], width: usize, character: usize) -> Result<Self, Failure> {
        let kind = match character {
            1 => Character::Byte,
            4 => Character::Wide,
            _ => return Err(Failure::internal("characters of a strange width")),
        };
        if width == 0 || !width.is_multiple_of(character) || !texts.len().is_multiple_of(width) {
            return Err(Failure::internal("texts of a strange width"));
        }
        Ok(Self::Fixed { texts, width, character: kind })
    }

    fn len(&self) -> usize {
        match self {
            Self::List(_, entries) => entries.len(),
            Self::Fixed { texts, width, .. } => texts.len() / width,
        }
    }

    /// A row for each position. Uses the threads of the pool that it is called in.
    pub fn answer(&self, opened: &Opened) -> Result<Vec<u8>, Failure> {
        let mut rows = vec![0; ROW * self.len()];
        for (piece, rows) in rows.chunks_mut(ROW * PIECE).enumerate() {
            let numbers = piece * PIECE..piece * PIECE + rows.len() / ROW;
            let read = numbers.clone().into_par_iter().map_init(String::new, |buffer, number| {
                self.read(opened, number, buffer).map_err(|failure| failure.about(place(number)))
            });
            let positions = first_failure(read.collect())?;
            let positions: Vec<&dyn Position> =
                positions.iter().map(|position| &**position).collect();
            let answers = opened.tables.probe_many(&positions, Detail::Best);
            let written = numbers.into_par_iter().zip(rows.par_chunks_exact_mut(ROW)).zip(answers);
            let written = written.map(|((number, row), answer)| {
                let done = answer.map_err(Failure::from).and_then(|answer| fill(row, answer));
                done.map_err(|failure| failure.about(place(number)))
            });
            first_failure(written.collect())?;
        }
        Ok(rows)
    }

    fn read(
        &self,
        opened: &Opened,
        number: usize,
        buffer: &mut String,
    ) -> Result<Arc<dyn Position>, Failure> {
        let text = match self {
            Self::List(texts, entries) => match &entries[number] {
                Entry::Text(range) => &texts[range.clone()],
                Entry::Position(position) => return Ok(Arc::clone(position)),
            },
            Self::Fixed { texts, width, character } => {
                read_fixed(&texts[number * width..][..*width], *character, buffer)?;
                buffer
            }
        };
        Ok(parse(text, |text| opened.tables.position(text, &opened.options))?.into())
    }
}

/// All that went well, or the first that did not.
fn first_failure<T>(all: Vec<Result<T, Failure>>) -> Result<Vec<T>, Failure> {
    all.into_iter().collect()
}

fn place(number: usize) -> String {
    format!("position {number}")
}

/// Reads a text that zeros fill up.
fn read_fixed(bytes: &[u8], character: Character, text: &mut String) -> Result<(), Failure> {
    text.clear();
    match character {
        Character::Byte => {
            let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            let read = std::str::from_utf8(&bytes[..end]);
            text.push_str(read.map_err(|_| Failure::input("not UTF-8"))?);
        }
        Character::Wide => {
            let (wide, _) = bytes.as_chunks::<4>();
            let codes = wide.iter().map(|&bytes| u32::from_ne_bytes(bytes));
            text.extend(
                codes.map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
            );
            text.truncate(text.trim_end_matches('\0').len());
        }
    }
    Ok(())
}

/// Writes what the tables say of a position.
fn fill(row: &mut [u8], answer: Option<Answer>) -> Result<(), Failure> {
    let worth = answer.as_ref().map(|answer| &answer.worth);
    let plies = worth.and_then(Worth::plies).and_then(|plies| i16::try_from(plies.0).ok());
    let value = match worth {
        Some(Worth::Expected(expected)) => expected.value,
        _ => f64::NAN,
    };
    let best = answer.as_ref().and_then(|answer| answer.best()).unwrap_or_default().as_bytes();
    if best.len() > BEST.len() {
        return Err(Failure::internal("a move has no room in a row"));
    }
    row[0] = answer.is_some().into();
    row[1] = worth.map_or(DRAW, result).to_le_bytes()[0];
    row[2..4].copy_from_slice(&plies.unwrap_or(-1).to_le_bytes());
    row[8..16].copy_from_slice(&value.to_le_bytes());
    row[BEST][..best.len()].copy_from_slice(best);
    Ok(())
}

fn result(worth: &Worth) -> i8 {
    match worth {
        Worth::Expected(expected) if expected.gain => WIN,
        Worth::Expected(_) => LOSS,
        other => other.result().map_or(DRAW, number),
    }
}

/// A result as a number.
pub fn number(result: GameResult) -> i8 {
    match result {
        GameResult::Win => WIN,
        GameResult::Draw => DRAW,
        GameResult::Loss => LOSS,
    }
}
