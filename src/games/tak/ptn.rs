//! Moves as text: Portable Tak Notation, and whether a move is legal.
//!
//! A placing is its square, with `S` before it for a standing stone and `C` for a capstone: `c2`,
//! `Sc2`. A slide is how many stones, left out if it is one; the square; the direction, `+` up,
//! `>` right, `-` down or `<` left; and how many stones fall on each square, left out if all fall on the
//! next: `a1>`, `3a1>`, `3a1>12`.

use super::board::{Board, Kind};
use super::moves::{Move, drop_counts};
use super::size::{Direction, Size};
use super::tps::square_name;

/// Why a text is no move, or a move is not legal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PtnError {
    /// A character that has no business there.
    #[error("character {at}: expected {expected}, found {found}")]
    Character {
        /// Which character, from 1.
        at: usize,
        /// What would have done.
        expected: String,
        /// What stood there, quoted, or that there is nothing more.
        found: String,
    },
    /// The drops are not the stones that are carried.
    #[error("the drops add up to {dropped}, expected {carried}, as many stones as are carried")]
    Drops {
        /// How many fall.
        dropped: u32,
        /// How many are carried.
        carried: u32,
    },
    /// A move that the rules do not have here.
    #[error("{0}")]
    Illegal(String),
}

fn illegal(reason: impl Into<String>) -> PtnError {
    PtnError::Illegal(reason.into())
}

/// What is left of a text.
struct Reader<'a> {
    text: &'a str,
    read: usize,
}

impl Reader<'_> {
    fn next(&self) -> Option<char> {
        self.text.chars().nth(self.read)
    }

    /// Takes the next character if it is one of some.
    fn take<T>(&mut self, meaning: impl Fn(char) -> Option<T>) -> Option<T> {
        let meant = meaning(self.next()?)?;
        self.read += 1;
        Some(meant)
    }

    fn wrong(&self, expected: impl Into<String>) -> PtnError {
        let found = self.next().map_or("nothing".into(), |found| format!("{found:?}"));
        PtnError::Character { at: self.read + 1, expected: expected.into(), found }
    }
}

/// A digit from 1 to the size of the board.
fn digit<S: Size>(found: char) -> Option<u32> {
    found.to_digit(10).filter(|digit| (1..=S::N as u32).contains(digit))
}

fn square<S: Size>(reader: &mut Reader<'_>) -> Result<usize, PtnError> {
    let n = S::N;
    let last = (b'a' + n as u8 - 1) as char;
    let file =
        reader.take(|found| ('a'..=last).contains(&found).then(|| found as usize - 'a' as usize));
    let file = file.ok_or_else(|| reader.wrong(format!("a file from a to {last}")))?;
    let rank = reader.take(digit::<S>);
    let rank = rank.ok_or_else(|| reader.wrong(format!("a rank from 1 to {n}")))?;
    Ok(n * (rank as usize - 1) + file)
}

impl Move {
    /// Reads a move on a board of some size. Marks that players write behind it (`'`, `''`, `*`, `!`
    /// and `?`) are passed over.
    ///
    /// # Errors
    /// Says which character is wrong, or that the drops do not add up.
    pub fn from_ptn<S: Size>(text: &str) -> Result<Self, PtnError> {
        let move_text = text.trim_end_matches(['\'', '*', '!', '?']);
        let mut reader = Reader { text: move_text, read: 0 };
        let kind = reader.take(|found| match found {
            'F' => Some(Kind::Flat),
            'S' => Some(Kind::Standing),
            'C' => Some(Kind::Capstone),
            _ => None,
        });
        let count = if kind.is_none() { reader.take(digit::<S>) } else { None };
        if kind.is_none()
            && count.is_none()
            && !reader.next().is_some_and(|next| next.is_ascii_lowercase())
        {
            return Err(reader.wrong("a square, S or C and a square, or a number of stones"));
        }
        let square = square::<S>(&mut reader)?;
        let direction = if kind.is_none() { reader.take(direction_of) } else { None };
        let mv = match (direction, count) {
            (Some(direction), count) => {
                Self::slide(square, direction, read_drops::<S>(&mut reader, count.unwrap_or(1))?)
            }
            (None, None) => Self::place(square, kind.unwrap_or(Kind::Flat)),
            (None, Some(_)) => return Err(reader.wrong("a direction: +, >, - or <")),
        };
        if reader.next().is_some() {
            return Err(reader.wrong("the move to end"));
        }
        Ok(mv)
    }

    /// The move in its short form.
    #[must_use]
    pub fn to_ptn<S: Size>(self) -> String {
        let square = square_name::<S>(self.square());
        match self.kind() {
            Some(Kind::Flat) => return square,
            Some(Kind::Standing) => return format!("S{square}"),
            Some(Kind::Capstone) => return format!("C{square}"),
            None => {}
        }
        let mut text = format!("{square}{}", self.direction().sign());
        if self.carried() > 1 {
            text.insert_str(0, &self.carried().to_string());
        }
        if self.distance() > 1 {
            text.extend(drop_counts(self.drops()).map(|count| (b'0' + count) as char));
        }
        text
    }
}

fn direction_of(found: char) -> Option<Direction> {
    Direction::ALL.into_iter().find(|direction| direction.sign() == found)
}

impl Direction {
    /// How PTN writes it.
    #[must_use]
    pub const fn sign(self) -> char {
        match self {
            Self::Up => '+',
            Self::Right => '>',
            Self::Down => '-',
            Self::Left => '<',
        }
    }
}

/// Reads the drops of a slide of so many stones: without any, all fall on the next square.
fn read_drops<S: Size>(reader: &mut Reader<'_>, carried: u32) -> Result<u8, PtnError> {
    let (mut dropped, mut drops) = (0, 0_u32);
    while let Some(count) = reader.take(digit::<S>) {
        dropped += count;
        if dropped <= carried {
            drops |= 1 << (dropped - 1);
        }
    }
    if reader.next().is_some() {
        return Err(reader.wrong("the move to end"));
    }
    match dropped {
        0 => Ok(1 << (carried - 1)),
        _ if dropped == carried => Ok(drops as u8),
        _ => Err(PtnError::Drops { dropped, carried }),
    }
}

impl<S: Size> Board<S> {
    /// Reads a move and checks that it is legal here.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn read_move(&self, text: &str) -> Result<Move, PtnError> {
        let mv = Move::from_ptn::<S>(text)?;
        if let Some(end) = self.end() {
            return Err(illegal(format!("the game is over: {end}")));
        }
        match mv.kind() {
            Some(kind) => self.check_placing(mv.square(), kind)?,
            None => self.check_slide(mv)?,
        }
        Ok(mv)
    }

    fn check_placing(&self, square: usize, kind: Kind) -> Result<(), PtnError> {
        let turn = self.turn();
        if self.pile(square).is_some() {
            return Err(illegal(format!("{} is not empty", square_name::<S>(square))));
        }
        if self.is_opening() {
            let other = turn.other();
            return match kind {
                Kind::Flat => Ok(()),
                _ => Err(illegal(format!(
                    "the first stone that {turn} places is a flat of {other}'s"
                ))),
            };
        }
        let reserve = self.reserve(turn);
        match kind {
            Kind::Capstone if reserve.caps == 0 => {
                Err(illegal(format!("{turn} has no capstone in reserve")))
            }
            Kind::Flat | Kind::Standing if reserve.flats == 0 => {
                Err(illegal(format!("{turn} has no flats in reserve")))
            }
            _ => Ok(()),
        }
    }

    fn check_slide(&self, mv: Move) -> Result<(), PtnError> {
        let (turn, from) = (self.turn(), square_name::<S>(mv.square()));
        let Some(pile) = self.pile(mv.square()) else {
            return Err(illegal(format!("{from} is empty: nothing slides from there")));
        };
        if self.is_opening() {
            let other = turn.other();
            return Err(illegal(format!("the first move of {turn} places a flat of {other}'s")));
        }
        if pile.colour != turn {
            return Err(illegal(format!("the stack on {from} is {}'s, not {turn}'s", pile.colour)));
        }
        if mv.carried() > pile.height.into() {
            return Err(illegal(format!(
                "{} stones are carried, but {from} has only {}",
                mv.carried(),
                pile.height
            )));
        }
        let counts: Vec<u8> = drop_counts(mv.drops()).collect();
        let mut square = mv.square();
        for (number, &count) in (1..).zip(&counts) {
            let Some(next) = neighbour::<S>(square, mv.direction()) else {
                return Err(illegal(format!(
                    "there is no square behind {}",
                    square_name::<S>(square)
                )));
            };
            let name = square_name::<S>(next);
            let last_alone = number == counts.len() && count == 1;
            match self.pile(next).map(|pile| pile.kind) {
                Some(Kind::Capstone) => {
                    return Err(illegal(format!("the capstone on {name} cannot be covered")));
                }
                Some(Kind::Standing) if !(pile.kind == Kind::Capstone && last_alone) => {
                    return Err(illegal(format!(
                        "the standing stone on {name} can only be covered by a capstone that ends \
                         its slide there alone"
                    )));
                }
                _ => square = next,
            }
        }
        Ok(())
    }
}

/// The next square in a direction, if there is one.
fn neighbour<S: Size>(square: usize, direction: Direction) -> Option<usize> {
    let (file, rank) = (square % S::N, square / S::N);
    let inside = match direction {
        Direction::Up => rank + 1 < S::N,
        Direction::Right => file + 1 < S::N,
        Direction::Down => rank > 0,
        Direction::Left => file > 0,
    };
    inside.then(|| square.wrapping_add_signed(direction.delta::<S>()))
}
