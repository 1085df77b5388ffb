//! What the records of a pattern's tables stand for.

use std::path::Path;

use super::{check_description, table_rules};
use crate::games::key::{Key, Key64};
use crate::games::twenty48::pattern::PatternCodes;
use crate::games::{Columns, GameError, RecordDecoder};
use crate::table::{Header, TableError};

/// The afterstates of a table's records, large tiles as 32768.
pub(in crate::games::twenty48) struct PatternDecoder {
    codes: PatternCodes,
}

impl PatternDecoder {
    /// Those of a table with this header.
    pub(in crate::games::twenty48) fn new(
        header: &Header,
        path: &Path,
    ) -> Result<Self, TableError> {
        let codes = PatternCodes::new(&table_rules(&header.description, path)?);
        check_description(&header.description, &codes, path)?;
        Ok(Self { codes })
    }
}

impl RecordDecoder for PatternDecoder {
    /// An afterstate has a chance and nothing else.
    fn columns(&self) -> Columns {
        Columns { turn: false, result: false, best_move: false, plies: false }
    }

    fn key(&self, code: u64) -> Result<Key, GameError> {
        let board = self.codes.board(code);
        let none = || GameError::Wrong(format!("{code:#x}: no code of an afterstate"));
        Ok(Key::Short(Key64(board.ok_or_else(none)?.0)))
    }

    fn move_name(&self, _number: u16) -> Option<String> {
        None
    }
}
