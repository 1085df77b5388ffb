//! Games: a seed decides every new tile, so that a seed and the moves tell all of a game.

use std::fmt;
use std::str::FromStr;

use super::{Board, BoardError, Direction, Size, TallBoard};
use crate::random::SplitMix64;

/// A game as it is played.
///
/// ```
/// use endtable::games::twenty48::{Direction, PlayedGame, Size};
///
/// let mut game = PlayedGame::new(1, Size::FULL);
/// let first_legal = |game: &mut PlayedGame| Direction::ALL.into_iter().any(|it| game.play(it));
/// while first_legal(&mut game) {}
/// assert_eq!(game.record().replay()?.score(), game.score());
/// # Ok::<(), endtable::games::twenty48::RecordError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlayedGame {
    record: Record,
    random: SplitMix64,
    board: TallBoard,
    score: u32,
}

impl PlayedGame {
    /// A game with its first two tiles.
    #[must_use]
    pub fn new(seed: u64, size: Size) -> Self {
        let record = Record { size, seed, moves: Vec::new() };
        let random = SplitMix64::new(seed);
        let mut game = Self { record, random, board: TallBoard::default(), score: 0 };
        game.spawn();
        game.spawn();
        game
    }

    /// A game that goes on from an afterstate of a pattern, which has an empty cell: its first new
    /// tile comes at once. Large tiles never merge. A record does not say where it began.
    #[must_use]
    pub fn after(seed: u64, afterstate: Board) -> Self {
        let record = Record { size: Size::FULL, seed, moves: Vec::new() };
        let board = TallBoard::of_pattern(afterstate);
        let mut game = Self { record, random: SplitMix64::new(seed), board, score: 0 };
        game.spawn();
        game
    }

    /// Two draws: which of the empty cells, counted row by row; and one in ten tiles is a 4.
    fn spawn(&mut self) {
        let size = self.record.size;
        let cell = self.random.below(self.board.nybbles().empty(size).into());
        let exponent = if self.random.below(10) == 0 { 2 } else { 1 };
        let mut empty = self.board.nybbles().empty_bits(size);
        for _ in 0..cell {
            empty &= empty - 1;
        }
        self.board = self.board.put(empty.trailing_zeros() as u8 / 4, exponent);
    }

    /// Slides, and puts the next tile on the board. Says whether anything moved; otherwise nothing
    /// has changed.
    pub fn play(&mut self, direction: Direction) -> bool {
        let Some((after, score)) = self.board.slide(direction, self.record.size) else {
            return false;
        };
        self.board = after;
        self.score += score;
        self.record.moves.push(direction);
        self.spawn();
        true
    }

    /// The board, the player to move.
    #[must_use]
    pub const fn board(&self) -> TallBoard {
        self.board
    }

    /// The score so far.
    #[must_use]
    pub const fn score(&self) -> u32 {
        self.score
    }

    /// How the game went so far.
    #[must_use]
    pub const fn record(&self) -> &Record {
        &self.record
    }
}

/// A game that was played. As text it is one line: size, seed, and the moves' first letters, as in
/// `4x4 17 lluld`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The size of the board.
    pub size: Size,
    /// The seed of the new tiles.
    pub seed: u64,
    /// The moves.
    pub moves: Vec<Direction>,
}

/// What is wrong with the record of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// Not a record.
    #[error("{0:?}: no record of a game; expected size, seed and moves, as in 4x4 17 lluld")]
    Text(String),
    /// Not a size.
    #[error(transparent)]
    Size(#[from] BoardError),
    /// A move that moves nothing.
    #[error("move {number} is {}, which moves nothing on {board}", direction.name())]
    Stuck {
        /// Which move, from 1.
        number: usize,
        /// The move.
        direction: Direction,
        /// The board.
        board: TallBoard,
    },
}

impl Record {
    /// The game, played again to the end of the record.
    ///
    /// # Errors
    /// When a move moves nothing.
    pub fn replay(&self) -> Result<PlayedGame, RecordError> {
        let mut game = PlayedGame::new(self.seed, self.size);
        for (number, &direction) in (1..).zip(&self.moves) {
            let board = game.board();
            if !game.play(direction) {
                return Err(RecordError::Stuck { number, direction, board });
            }
        }
        Ok(game)
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.size, self.seed)?;
        self.moves.iter().try_for_each(|it| f.write_str(&it.name()[..1]))
    }
}

impl FromStr for Record {
    type Err = RecordError;

    fn from_str(text: &str) -> Result<Self, RecordError> {
        let wrong = || RecordError::Text(text.into());
        let mut parts = text.split_whitespace();
        let size = parts.next().ok_or_else(wrong)?.parse()?;
        let seed = parts.next().and_then(|seed| seed.parse().ok()).ok_or_else(wrong)?;
        let direction = |letter| {
            Direction::ALL.into_iter().find(|it| it.name().starts_with(letter)).ok_or_else(wrong)
        };
        let moves = parts.next().unwrap_or_default().chars().map(direction);
        let moves = moves.collect::<Result<_, _>>()?;
        if parts.next().is_some() { Err(wrong()) } else { Ok(Self { size, seed, moves }) }
    }
}
