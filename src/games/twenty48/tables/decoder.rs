//! What the records of 2048 tables stand for.

use std::path::Path;

use super::{check_description, table_rules};
use crate::games::key::{Key, Key64};
use crate::games::twenty48::{Board, Direction, Size};
use crate::games::{Columns, GameError, RecordDecoder};
use crate::table::{Header, TableError};

/// The records of a table of boards of a size.
pub(in crate::games::twenty48) struct Decoder {
    size: Size,
}

impl Decoder {
    /// Those of a table with this header.
    pub(in crate::games::twenty48) fn new(
        header: &Header,
        path: &Path,
    ) -> Result<Self, TableError> {
        check_description(&header.description, path)?;
        Ok(Self { size: table_rules(&header.description, path)?.size })
    }
}

impl RecordDecoder for Decoder {
    /// There is one player, who neither wins nor loses; the value says what there is to gain.
    fn columns(&self) -> Columns {
        Columns { turn: false, result: false, best_move: true, plies: false }
    }

    fn key(&self, code: u64) -> Result<Key, GameError> {
        let board = Board::from_code(code, self.size);
        let board = board.map_err(|error| GameError::Wrong(error.to_string()))?;
        Ok(Key::Short(Key64(board.0)))
    }

    fn move_name(&self, number: u16) -> Option<String> {
        Direction::ALL.get(usize::from(number)).map(|direction| direction.name().to_owned())
    }
}
