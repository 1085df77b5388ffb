//! Tables as boards of one orientation see them.
//!
//! A board and its transpose are the same game. Tables are of one of the two shapes, and a view turns
//! boards of the other into it, and answers back.

use super::Tables;
use crate::games::twenty48::{Board, Direction, Rules, Size, Spawn};
use crate::table::{Meta, TableError};

/// What a table says of a board with the player to move.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outlook {
    /// Whether there is something to gain: score to come, or a chance that the tile appears. Also
    /// when the tile is there already.
    pub win: bool,
    /// A best move; `None` when the game is over, or the tile is there.
    pub best: Option<Direction>,
    /// The score still to come, or the chance that the tile appears, with best play.
    pub value: f64,
}

/// What a move is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct MoveOutlook {
    /// The afterstate: the board after the move, before the new tile.
    pub after: Board,
    /// The value of the move; `None` where the tables do not have all boards that may follow.
    pub value: Option<f64>,
}

/// Tables seen by boards of a size: that of the tables, or the transposed one.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    tables: &'a Tables,
    size: Size,
    /// Whether rows and columns are exchanged.
    transposed: bool,
}

impl<'a> View<'a> {
    /// The error of a table that names a move which moves nothing.
    pub(in crate::games::twenty48) fn illegal(self, board: Board, best: Direction) -> TableError {
        let path = self.tables.set().tables()[0].path().into();
        let what = format!("{board}: the best move {} moves nothing", best.name());
        TableError::Inconsistent { path, what }
    }

    pub(super) fn upright(tables: &'a Tables) -> Self {
        Self { tables, size: tables.rules.size, transposed: false }
    }

    pub(super) fn new(tables: &'a Tables, size: Size) -> Option<Self> {
        let own = tables.rules.size;
        let transposed = size != own;
        let fits = !transposed || (size.rows(), size.columns()) == (own.columns(), own.rows());
        fits.then_some(Self { tables, size, transposed })
    }

    /// The size of the boards.
    #[must_use]
    pub fn size(self) -> Size {
        self.size
    }

    /// What the tables say of a board with the player to move: `None` if it is in none of them.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn probe(self, board: Board) -> Result<Option<Outlook>, TableError> {
        let Some(board) = self.stored(board) else { return Ok(None) };
        let Rules { size, .. } = self.tables.rules;
        if self.tables.rules.is_finished(board) {
            return Ok(Some(Outlook { win: true, best: None, value: 1.0 }));
        }
        let symmetry = board.to_canonical(size);
        let record = self.tables.set.get(symmetry.board(board, size).code(size))?;
        Ok(record.map(|record| Outlook {
            win: record.meta.value().is_win(),
            best: direction(record.meta).map(|best| self.shown(symmetry.direction_before(best))),
            value: self.tables.value.decode(record.value),
        }))
    }

    /// The value of a board with the player to move, if the tables have it.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn value(self, board: Board) -> Result<Option<f64>, TableError> {
        let Some(board) = self.stored(board) else { return Ok(None) };
        let Rules { size, .. } = self.tables.rules;
        if self.tables.rules.is_finished(board) {
            return Ok(Some(1.0));
        }
        let record = self.tables.set.get(board.canonical(size).code(size))?;
        Ok(record.map(|record| self.tables.value.decode(record.value)))
    }

    /// Every legal move in the order of [`Direction::ALL`], `None` where nothing moves.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn moves(self, board: Board) -> Result<[Option<MoveOutlook>; 4], TableError> {
        let mut moves = [None; 4];
        for (slid, there) in board.slides(self.size).into_iter().zip(&mut moves) {
            let Some((after, score)) = slid else { continue };
            let value = self.afterstate(after, self.tables.rules.gain(score))?;
            *there = Some(MoveOutlook { after, value });
        }
        Ok(moves)
    }

    /// What an afterstate is worth, with what the move to it gained; `None` where the tables do not
    /// have all boards that may follow.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn afterstate(self, after: Board, gained: f64) -> Result<Option<f64>, TableError> {
        if self.tables.rules.is_finished(after) {
            return Ok(Some(1.0));
        }
        let mut expected = Some(gained);
        for (next, spawn) in after.spawns(self.size) {
            let value = self.value(next)?;
            expected = expected.zip(value).map(|(sum, value)| sum + spawn.chance * value);
        }
        Ok(expected)
    }

    /// Every tile that may come to an afterstate, with the value of the board that it makes; `None`
    /// where the tables do not have it.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn spawns(self, after: Board) -> Result<Vec<(Spawn, Option<f64>)>, TableError> {
        let spawns = after.spawns(self.size);
        spawns.map(|(next, spawn)| Ok((spawn, self.value(next)?))).collect()
    }

    /// A board as the tables have it; `None` if they cannot: it has a tile outside, or one larger
    /// than any that can be.
    #[inline]
    fn stored(self, board: Board) -> Option<Board> {
        let highest = self.size.highest();
        let fits =
            board.0 & !self.size.mask() == 0 && (highest == 15 || !board.has_at_least(highest + 1));
        fits.then(|| if self.transposed { board.transposed() } else { board })
    }

    /// A direction of the tables as the view has it.
    const fn shown(self, direction: Direction) -> Direction {
        match (self.transposed, direction) {
            (false, direction) => direction,
            (true, Direction::Up) => Direction::Left,
            (true, Direction::Left) => Direction::Up,
            (true, Direction::Right) => Direction::Down,
            (true, Direction::Down) => Direction::Right,
        }
    }
}

/// The direction that a record names as best.
pub(super) fn direction(meta: Meta) -> Option<Direction> {
    Direction::ALL.get(usize::from(meta.best_move()?)).copied()
}
