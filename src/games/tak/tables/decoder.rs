//! What the records of Tak tables stand for.

use std::path::Path;

use super::layers::layer_of;
use crate::games::key::Key;
use crate::games::tak::dense::Numbering;
use crate::games::tak::size::for_size;
use crate::games::{Columns, GameError, RecordDecoder};
use crate::solve::retrograde::{self, ABSENT};
use crate::table::Header;
use crate::value::Value;

/// The entries of a layer.
pub struct Decoder {
    numbering: Numbering,
}

impl Decoder {
    /// Those of a table with this header.
    pub fn new(header: &Header, path: &Path) -> Result<Self, GameError> {
        let (_, _, numbering) = layer_of(header, path)?;
        Ok(Self { numbering })
    }
}

impl RecordDecoder for Decoder {
    fn columns(&self) -> Columns {
        // White is to move.
        Columns { turn: false, result: true, best_move: false, plies: true }
    }

    fn key(&self, code: u64) -> Result<Key, GameError> {
        let none = || GameError::Wrong(format!("no position has the number {code}"));
        for_size!(self.numbering.edge(), S => {
            let board = self.numbering.board::<S>(code).ok_or_else(none)?;
            Ok(board.canonical().board.key())
        })
    }

    fn entry(&self, entry: u8) -> Result<Option<Value>, GameError> {
        match (entry, retrograde::value(entry)) {
            (ABSENT, _) => Ok(None),
            (_, Some(value)) => Ok(Some(value)),
            _ => Err(GameError::Wrong(format!("no entry is {entry}"))),
        }
    }

    fn move_name(&self, _number: u16) -> Option<String> {
        None
    }
}
