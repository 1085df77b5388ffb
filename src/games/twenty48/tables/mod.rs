//! 2048 boards, looked up in tables.

mod anew;
mod answers;
mod check;
mod decoder;
mod pattern;
mod statistics;
#[cfg(test)]
mod tests;
mod view;

use std::path::Path;

pub(super) use decoder::Decoder;
pub(super) use pattern::{
    PatternDecoder, are_patterns, check_merge as check_pattern_merge, is_of_pattern,
};
pub use pattern::{PatternMove, PatternOutlook, PatternTable, PatternTables};
pub use view::{MoveOutlook, Outlook, View};

use super::{Board, Objective, Rules, Size, Spawn, Twenty48};
use crate::games::Game;
use crate::table::{Codec, Description, Layout, Record, TableError, TableSet, ValueKind};
use crate::value::{Expected, Unit, Worth};

/// Tables of one 2048 board and one objective, asked by board in any orientation. Threads may share
/// them.
///
/// ```no_run
/// use endtable::games::twenty48::{Board, Tables};
///
/// let tables = Tables::open(&["3x3.etb"])?;
/// let board = Board::parse("2,4,0/0,2,0/0,0,8", tables.rules().size)?;
/// if let Some(outlook) = tables.probe(board)? {
///     println!("{:?} {}", outlook.best, outlook.value);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tables {
    set: TableSet,
    rules: Rules,
    value: ValueKind,
}

impl Tables {
    /// Opens files; a folder stands for all tables in it.
    ///
    /// # Errors
    /// When there is none, one cannot be opened, or they are not of one 2048 board and objective.
    pub fn open(paths: &[impl AsRef<Path>]) -> Result<Self, TableError> {
        Self::new(TableSet::open(paths)?)
    }

    /// Takes a set of 2048 tables.
    ///
    /// # Errors
    /// When it is empty, or not of 2048 boards.
    pub fn new(set: TableSet) -> Result<Self, TableError> {
        let missing = || TableError::MissingTable { name: "no 2048 table".into() };
        let first = set.tables().first().ok_or_else(missing)?;
        let value = first.header().description.value;
        let rules = table_rules(&first.header().description, first.path())?;
        for table in set.tables() {
            check_description(&table.header().description, table.path())?;
        }
        Ok(Self { set, rules, value })
    }

    /// The size of the board and the objective.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// How the tables store values.
    #[must_use]
    pub fn value_kind(&self) -> ValueKind {
        self.value
    }

    /// The tables themselves.
    #[must_use]
    pub fn set(&self) -> &TableSet {
        &self.set
    }

    /// Whether their values are exact. Those of searched games are what a search found.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.rules.objective != Objective::Search
    }

    /// The tables as boards of a size see them: their own size, or the transposed one. `None` for
    /// others.
    #[must_use]
    pub fn view(&self, size: Size) -> Option<View<'_>> {
        View::new(self, size)
    }

    fn own_view(&self) -> View<'_> {
        View::upright(self)
    }

    /// What the tables say of a board with the player to move: `None` if it is in none of them.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn probe(&self, board: Board) -> Result<Option<Outlook>, TableError> {
        self.own_view().probe(board)
    }

    /// Every legal move in the order of [`Direction::ALL`](super::Direction::ALL), `None` where
    /// nothing moves.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn moves(&self, board: Board) -> Result<[Option<MoveOutlook>; 4], TableError> {
        self.own_view().moves(board)
    }

    /// Every tile that may come to an afterstate, with the value of the board that it makes; `None`
    /// where the tables do not have it.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn spawns(&self, after: Board) -> Result<Vec<(Spawn, Option<f64>)>, TableError> {
        self.own_view().spawns(after)
    }

    /// What a random start is worth, if the tables have all starts.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn start(&self) -> Result<Option<f64>, TableError> {
        let mut sum = Some(0.0);
        for (board, chance) in self.rules.starts() {
            let value = self.own_view().value(board)?;
            sum = sum.zip(value).map(|(sum, value)| sum + chance * value);
        }
        Ok(sum)
    }

    /// The board of a record.
    ///
    /// # Errors
    /// When its code is no board's.
    pub fn board(&self, record: &Record) -> Result<Board, TableError> {
        Board::from_code(record.code, self.rules.size).map_err(|error| TableError::Inconsistent {
            path: self.set.tables()[0].path().into(),
            what: error.to_string(),
        })
    }

    /// A value of these tables, and whether there is something to gain.
    #[must_use]
    pub fn worth(&self, value: f64, gain: bool) -> Worth {
        let unit = match self.rules.objective {
            Objective::Score => Unit::Score,
            Objective::Tile(_) => Unit::Chance,
            Objective::Search => Unit::Estimate,
        };
        Worth::Expected(Expected { value, unit, precision: self.value.precision(), gain })
    }

    /// By how much a value may differ that was made of rounded ones and rounded again.
    fn rounding(&self, value: f64) -> f64 {
        match self.value {
            ValueKind::F32 => value.abs() * 3.0 * f64::from(f32::EPSILON),
            ValueKind::Chance32 => 3.0 / f64::from(u32::MAX),
            _ => value.abs() * 1e-12,
        }
    }
}

/// The rules of a table of 2048 boards.
///
/// # Errors
/// When it is of another game, or of rules that 2048 does not have.
pub(super) fn table_rules(description: &Description, path: &Path) -> Result<Rules, TableError> {
    let expected = Twenty48.name();
    if description.game() != expected {
        let (expected, found) = (expected.into(), description.game().into());
        return Err(TableError::OtherGame { path: path.into(), expected, found });
    }
    description.rules.parse().map_err(|error| TableError::Inconsistent {
        path: path.into(),
        what: format!("2048 has no rules {:?}: {error}", description.rules),
    })
}

/// Checks that a table stores boards and values as tables of 2048 do.
pub(super) fn check_description(description: &Description, path: &Path) -> Result<(), TableError> {
    let Description { codec, key_bytes, layout, value, .. } = *description;
    let what = if codec != Codec::Canonical {
        format!("2048 boards are stored in canonical form, not {codec}")
    } else if key_bytes != 8 {
        format!("the keys of 2048 boards have 8 bytes, not {key_bytes}")
    } else if layout != Layout::Short {
        format!("the records of 2048 boards have 2 bytes of meta, not {}", layout.bytes())
    } else if !matches!(value, ValueKind::F32 | ValueKind::F64 | ValueKind::Chance32) {
        format!("2048 tables have values, f32, f64 or chance32; these have {value}")
    } else {
        return Ok(());
    };
    Err(TableError::Inconsistent { path: path.into(), what })
}
