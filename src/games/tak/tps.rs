//! Positions as text: the Tak Positional System.
//!
//! Ranks from the top, parted by `/`; squares parted by `,`: `x` is an empty one, `x3` three of them; a
//! stack is its stones from the bottom, 1 white and 2 black, then `S` if the top stands and `C` if it
//! is a capstone. Then whose turn it is, 1 or 2, and the number of the move: `x3/x,12S,x/x2,1 1 4`.

use std::fmt;
use std::str::FromStr;

use super::board::{Board, Colour, Kind, NoSuchStones, Pile, Rules};
use super::size::{SIZES, Size, Stack};

/// The highest number of a move that is read.
const LAST_MOVE: u32 = 1_000_000;

/// How a square is called: its file, a letter, and its rank.
#[must_use]
pub fn square_name<S: Size>(square: usize) -> String {
    format!("{}{}", (b'a' + (square % S::N) as u8) as char, square / S::N + 1)
}

/// Why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TpsError {
    /// Not three parts.
    #[error(
        "expected a board, whose turn it is (1 or 2) and the number of the move, \
         as in \"x3/x3/x3 1 1\", found {found} parts"
    )]
    Parts {
        /// How many there are.
        found: usize,
    },
    /// No size that there is, or not the one that was asked for.
    #[error("expected {expected} ranks parted by /, found {found}")]
    Ranks {
        /// How many would do.
        expected: String,
        /// How many there are.
        found: usize,
    },
    /// A rank with too few or too many squares.
    #[error("rank {rank}: expected {expected} squares, found {found}")]
    Squares {
        /// Which rank, from 1 at the bottom.
        rank: usize,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A character that has no business in a stack.
    #[error("{square}: expected {expected}, found {found}")]
    Character {
        /// The square.
        square: String,
        /// What would have done.
        expected: &'static str,
        /// What stood there, quoted, or that there is nothing more.
        found: String,
    },
    /// More stones than a player has.
    #[error("{square}: more {kind} than {colour} has: {count} in all")]
    Stones {
        /// The square with the first stone that there is not.
        square: String,
        /// Whose stone.
        colour: Colour,
        /// How many the player began with.
        count: u8,
        /// What they are called.
        kind: &'static str,
    },
    /// No player.
    #[error("the side to move is 1 (white) or 2 (black), found {found:?}")]
    Turn {
        /// What stood there.
        found: String,
    },
    /// No number of a move.
    #[error("the number of the move is 1 to {LAST_MOVE}, found {found:?}")]
    MoveNumber {
        /// What stood there.
        found: String,
    },
    /// Stones that cannot be there at the beginning.
    #[error("at the beginning of move 1 {expected}, found {found}")]
    Opening {
        /// What is there in a game.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// The opening is over, but its stones are not there.
    #[error(
        "after the first two plies there are two stones at least, found {found}: is it move 1?"
    )]
    NoStones {
        /// How many there are.
        found: u32,
    },
}

/// The size of the board that a text shows, if it is one that there is.
///
/// # Errors
/// Says how many ranks it has instead.
pub fn size_of(text: &str) -> Result<usize, TpsError> {
    let board = text.split_whitespace().next().unwrap_or_default();
    let found = board.split('/').count();
    let expected = || format!("{} to {}", SIZES.start(), SIZES.end());
    SIZES
        .contains(&found)
        .then_some(found)
        .ok_or_else(|| TpsError::Ranks { expected: expected(), found })
}

impl<S: Size> Board<S> {
    /// Reads a position that is played by some rules, which say how many stones there are.
    ///
    /// # Errors
    /// Says what is wrong, and on which square.
    pub fn from_tps(text: &str, rules: Rules) -> Result<Self, TpsError> {
        let parts: Vec<&str> = text.split_whitespace().collect();
        let [ranks, turn, number] = parts[..] else {
            return Err(TpsError::Parts { found: parts.len() });
        };
        let found = ranks.split('/').count();
        if found != S::N {
            return Err(TpsError::Ranks { expected: S::N.to_string(), found });
        }
        let mut board = Self::new(rules);
        for (rank, text) in (0..S::N).rev().zip(ranks.split('/')) {
            board.read_rank(rank, text, rules)?;
        }
        board.set_ply(ply_of(turn, number)?);
        board.check_opening()?;
        Ok(board)
    }

    fn read_rank(&mut self, rank: usize, text: &str, rules: Rules) -> Result<(), TpsError> {
        let mut file = 0;
        let squares = |found| TpsError::Squares { rank: rank + 1, expected: S::N, found };
        for text in text.split(',') {
            if file >= S::N {
                return Err(squares(file + 1));
            }
            let square = S::N * rank + file;
            file += match text.strip_prefix('x') {
                Some(count) => gap(count).ok_or_else(|| TpsError::Character {
                    square: square_name::<S>(square),
                    expected: "x, or x and a number from 1 to 8",
                    found: format!("{text:?}"),
                })?,
                None => {
                    self.read_stack(square, text, rules)?;
                    1
                }
            };
        }
        if file == S::N { Ok(()) } else { Err(squares(file)) }
    }

    fn read_stack(&mut self, square: usize, text: &str, rules: Rules) -> Result<(), TpsError> {
        let name = || square_name::<S>(square);
        let wrong = |expected, found: Option<char>| TpsError::Character {
            square: name(),
            expected,
            found: found.map_or("nothing".into(), |found| format!("{found:?}")),
        };
        let mut pile = Pile { colour: Colour::White, kind: Kind::Flat, height: 0, below: 0.into() };
        for found in text.chars() {
            if pile.kind != Kind::Flat {
                return Err(wrong("the stack to end behind S or C", Some(found)));
            }
            match found {
                '1' | '2' => {
                    let colour = if found == '1' { Colour::White } else { Colour::Black };
                    if u32::from(pile.height) == S::Stack::STONES {
                        let (count, kind) = (rules.reserve.flats, "flats");
                        return Err(TpsError::Stones { square: name(), colour, count, kind });
                    }
                    if pile.height > 0 {
                        pile.below = pile.below << 1 | (pile.colour as u8).into();
                    }
                    pile.colour = colour;
                    pile.height += 1;
                }
                'S' | 'C' if pile.height == 0 => return Err(wrong("x, 1 or 2", Some(found))),
                'S' => pile.kind = Kind::Standing,
                'C' => pile.kind = Kind::Capstone,
                _ if pile.height == 0 => return Err(wrong("x, 1 or 2", Some(found))),
                _ => return Err(wrong("1, 2, S or C", Some(found))),
            }
        }
        if pile.height == 0 {
            return Err(wrong("x, 1 or 2", None));
        }
        self.put(square, pile).map_err(|NoSuchStones { colour, kind }| {
            let (count, kind) = match kind {
                Kind::Capstone => (rules.reserve.caps, "capstones"),
                _ => (rules.reserve.flats, "flats"),
            };
            TpsError::Stones { square: name(), colour, count, kind }
        })
    }

    /// Checks that the first two stones are there when they must be, and no others before them.
    pub(super) fn check_opening(&self) -> Result<(), TpsError> {
        let stones: u32 = self.heights().iter().map(|&height| u32::from(height)).sum();
        let found = || match stones {
            1 => "another stone".into(),
            _ => format!("{stones} stones: give the number of the move"),
        };
        let wrong = |expected| Err(TpsError::Opening { expected, found: found() });
        match self.ply() {
            0 if stones != 0 => wrong("the board is empty"),
            1 if stones != 1 || self.flats(Colour::Black) == 0 => {
                wrong("there is one black flat when black is to move")
            }
            0 | 1 => Ok(()),
            _ if stones < 2 => Err(TpsError::NoStones { found: stones }),
            _ => Ok(()),
        }
    }
}

/// How many empty squares `x` and a number stand for.
fn gap(count: &str) -> Option<usize> {
    match count.as_bytes() {
        [] => Some(1),
        [digit @ b'1'..=b'8'] => Some(usize::from(digit - b'0')),
        _ => None,
    }
}

/// How many moves were made before a player's move of a number.
fn ply_of(turn: &str, number: &str) -> Result<u32, TpsError> {
    let turn = match turn {
        "1" => 0,
        "2" => 1,
        found => return Err(TpsError::Turn { found: found.into() }),
    };
    let plain = !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
    let value = plain.then(|| number.parse::<u32>().ok()).flatten();
    match value.filter(|value| *value <= LAST_MOVE) {
        Some(value) => Ok(2 * (value - 1) + turn),
        None => Err(TpsError::MoveNumber { found: number.into() }),
    }
}

/// Reads a position by the usual rules.
impl<S: Size> FromStr for Board<S> {
    type Err = TpsError;

    fn from_str(text: &str) -> Result<Self, TpsError> {
        Self::from_tps(text, Rules::usual::<S>())
    }
}

impl<S: Size> Board<S> {
    /// The stack on a square as TPS has it; nothing if it is empty.
    #[must_use]
    pub fn stack_text(&self, square: usize) -> String {
        let Some(pile) = self.pile(square) else { return String::new() };
        let stones: u128 = self.stones(square).into();
        let mut text: String = (0..pile.height)
            .rev()
            .map(|depth| if stones >> depth & 1 == 0 { '1' } else { '2' })
            .collect();
        match pile.kind {
            Kind::Flat => {}
            Kind::Standing => text.push('S'),
            Kind::Capstone => text.push('C'),
        }
        text
    }
}

/// The position as TPS.
impl<S: Size> fmt::Display for Board<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..S::N).rev() {
            let stacks: Vec<String> =
                (S::N * rank..S::N * (rank + 1)).map(|square| self.stack_text(square)).collect();
            // Neighbours that are empty are one word.
            let words = stacks.chunk_by(|one, next| one.is_empty() && next.is_empty());
            let words = words.map(|chunk| match (chunk, chunk.len()) {
                ([stack], _) if !stack.is_empty() => stack.clone(),
                (_, 1) => "x".into(),
                (_, gap) => format!("x{gap}"),
            });
            f.write_str(&words.collect::<Vec<_>>().join(","))?;
            f.write_str(if rank > 0 { "/" } else { " " })?;
        }
        write!(f, "{} {}", self.turn() as u8 + 1, self.ply() / 2 + 1)
    }
}
