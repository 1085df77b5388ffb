//! What the records of Collapsi tables stand for, keyed and dense.

use std::path::Path;
use std::sync::LazyLock;

use super::keyed::{code_key, table_rules};
use super::layers::layer_of;
use crate::games::collapsi::{Index, Move, value_of_plies};
use crate::games::key::Key;
use crate::games::{Columns, GameError, RecordDecoder};
use crate::table::{Codec, Header, Kind};
use crate::value::Value;

/// The numbering of dense tables, for all that are read at once.
pub(super) static INDEX: LazyLock<Index> = LazyLock::new(Index::new);

/// The records of a table.
pub(in crate::games::collapsi) enum Decoder {
    /// Codes by this codec.
    Keyed(Codec),
    /// Numbers in the layer with so many cards.
    Dense(u8),
}

impl Decoder {
    /// Those of a table with this header.
    pub(in crate::games::collapsi) fn new(header: &Header, path: &Path) -> Result<Self, GameError> {
        match header.kind {
            Kind::Keyed => {
                table_rules(&header.description, path)?;
                Ok(Self::Keyed(header.description.codec))
            }
            Kind::Dense => Ok(Self::Dense(layer_of(header, path, &INDEX)?.cards())),
        }
    }
}

impl RecordDecoder for Decoder {
    fn columns(&self) -> Columns {
        // In canonical form x is to move.
        let turn = matches!(self, Self::Keyed(Codec::Exact | Codec::ExactFolded));
        let best_move = matches!(self, Self::Keyed(_));
        Columns { turn, result: true, best_move, plies: true }
    }

    fn key(&self, code: u64) -> Result<Key, GameError> {
        match *self {
            Self::Keyed(codec) => {
                code_key(code, codec).map_err(|error| GameError::Wrong(error.to_string()))
            }
            Self::Dense(cards) => {
                let board = INDEX.unrank(cards, code);
                let none = || GameError::Wrong(format!("no position has the number {code}"));
                Ok(Key::Long(board.ok_or_else(none)?.canonical().board.key()))
            }
        }
    }

    fn entry(&self, entry: u8) -> Result<Option<Value>, GameError> {
        Ok(Some(value_of_plies(entry)))
    }

    fn move_name(&self, number: u16) -> Option<String> {
        Some(Move::from_byte(number.try_into().ok()?)?.to_string())
    }
}
