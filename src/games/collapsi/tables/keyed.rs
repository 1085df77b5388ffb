//! Keyed Collapsi tables: boards become codes, records become answers.

use std::path::Path;

use crate::games::Game;
use crate::games::collapsi::{Answer, Board, CodeError, Collapsi, Mask, Move, Rules, Symmetry};
use crate::games::key::{Key, Key64};
use crate::table::{Codec, Description, Layout, Meta, Record, TableError, TableSet, ValueKind};
use crate::value::Value;

/// Keyed Collapsi tables, asked by board. Threads may share them.
///
/// ```no_run
/// use endtable::games::collapsi::{KeyedTables, deal_from_seed};
/// use endtable::table::TableSet;
///
/// let tables = KeyedTables::new(TableSet::open(&["seeds.etb"])?)?;
/// if let Some(answer) = tables.probe(&deal_from_seed(1))? {
///     println!("{} {:?}", answer.value, answer.best);
/// }
/// # Ok::<(), endtable::table::TableError>(())
/// ```
#[derive(Debug)]
pub struct KeyedTables {
    set: TableSet,
    codec: Codec,
    rules: Rules,
}

impl KeyedTables {
    /// Takes a set of Collapsi tables.
    ///
    /// # Errors
    /// When the set is empty, of another game, or of rules and keys that Collapsi does not have.
    pub fn new(set: TableSet) -> Result<Self, TableError> {
        let missing = || TableError::MissingTable { name: "no Collapsi table".into() };
        let table = set.tables().first().ok_or_else(missing)?;
        let rules = table_rules(&table.header().description, table.path())?;
        let codec = table.header().description.codec;
        for table in set.tables() {
            check_description(&table.header().description, table.path())?;
        }
        Ok(Self { set, codec, rules })
    }

    /// The joker rule of the tables.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// How the tables turn boards into codes.
    #[must_use]
    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// The tables themselves.
    #[must_use]
    pub fn set(&self) -> &TableSet {
        &self.set
    }

    /// What the tables say of a board: `None` if it is in none of them.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn probe(&self, board: &Board) -> Result<Option<Answer>, TableError> {
        let (code, symmetry) = self.stored(board);
        let record = self.set.get(code)?;
        Ok(record.map(|record| answer(record.meta, symmetry)))
    }

    /// The same, and of equally good moves the one with the lowest destination, as far as the tables
    /// have the positions after the moves.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn probe_best(&self, board: &Board) -> Result<Option<Answer>, TableError> {
        let (code, symmetry) = self.stored(board);
        let meta = self.set.get(code)?.map(|record| record.meta);
        self.best(board, meta, symmetry)
    }

    /// The answer of a board whose record was found. The stored move has the lowest destination on
    /// the board that is stored; on this one, another may have a lower one.
    pub(super) fn best(
        &self,
        board: &Board,
        meta: Option<Meta>,
        symmetry: Symmetry,
    ) -> Result<Option<Answer>, TableError> {
        let Some(meta) = meta else { return Ok(None) };
        let found = answer(meta, symmetry);
        let Some(stored) = found.best.filter(|_| !symmetry.is_identity()) else {
            return Ok(Some(found));
        };
        for mv in board.moves(self.rules).take_while(|mv| mv.to < stored.to) {
            if self.probe_move(board, mv)? == Some(found.value) {
                return Ok(Some(Answer { best: Some(mv), ..found }));
            }
        }
        Ok(Some(found))
    }

    /// What tables of folded keys say of a key, taken as it is, and whose turn it is there; `None`
    /// if it is in none of them, or they have no folded keys. In canonical tables the move is that
    /// of the canonical board.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn probe_folded(&self, key: Key64) -> Result<Option<(Answer, u16)>, TableError> {
        if !self.codec.is_folded() {
            return Ok(None);
        }
        let record = self.set.get(key.0)?;
        Ok(record.map(|record| (answer(record.meta, Symmetry::IDENTITY), record.meta.turn())))
    }

    /// Every legal move with what it is worth to the one who makes it, `None` where the tables
    /// do not have the position after it.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn probe_moves(&self, board: &Board) -> Result<Vec<(Move, Option<Value>)>, TableError> {
        board.moves(self.rules).map(|mv| Ok((mv, self.probe_move(board, mv)?))).collect()
    }

    fn probe_move(&self, board: &Board, mv: Move) -> Result<Option<Value>, TableError> {
        let after = board.play(mv, self.rules).expect("a generated move is legal");
        Ok(self.probe(&after)?.map(|answer| answer.value.before_move()))
    }

    /// The code that a board is stored under, and the symmetry that leads to the board that is
    /// stored.
    pub(super) fn stored(&self, board: &Board) -> (u64, Symmetry) {
        match self.codec {
            Codec::Exact | Codec::ExactFolded => (code(board, self.codec), Symmetry::IDENTITY),
            Codec::Canonical | Codec::Folded | Codec::Numbered => {
                let canonical = board.canonical();
                (code(&canonical.board, self.codec), canonical.symmetry)
            }
        }
    }
}

fn answer(meta: Meta, symmetry: Symmetry) -> Answer {
    let best = stored_move(meta).map(|mv| symmetry.unmove(mv));
    Answer { value: meta.value(), best }
}

/// The move that a record names.
pub(super) fn stored_move(meta: Meta) -> Option<Move> {
    Move::from_byte(meta.best_move()?.try_into().ok()?)
}

/// The joker rule of a keyed table, once game, codec and keys are found to be Collapsi's.
pub(in crate::games::collapsi) fn table_rules(
    description: &Description,
    path: &Path,
) -> Result<Rules, TableError> {
    check_description(description, path)?;
    description.rules.parse().map_err(|_| unknown_rules(description, path))
}

/// Checks that a table is of Collapsi and stores boards as such tables do.
fn check_description(description: &Description, path: &Path) -> Result<(), TableError> {
    check_game(description, path)?;
    let Description { codec, key_bytes, layout, value, .. } = *description;
    let expected = if codec.is_folded() { 8 } else { 16 };
    let what = if codec == Codec::Numbered {
        "keyed tables of Collapsi are not numbered".to_owned()
    } else if key_bytes != expected {
        format!("keys of Collapsi ({codec}) have {expected} bytes, not {key_bytes}")
    } else if layout != Layout::Short {
        format!("records of Collapsi have 2 bytes of meta, not {}", layout.bytes())
    } else if value != ValueKind::None {
        format!("Collapsi tables have no values; these have {value}")
    } else {
        return Ok(());
    };
    Err(TableError::Inconsistent { path: path.into(), what })
}

/// Refuses tables of other games.
pub(super) fn check_game(description: &Description, path: &Path) -> Result<(), TableError> {
    if description.game() == Collapsi.name() {
        return Ok(());
    }
    let (expected, found) = (Collapsi.name().into(), description.game().into());
    Err(TableError::OtherGame { path: path.into(), expected, found })
}

fn unknown_rules(description: &Description, path: &Path) -> TableError {
    let what = format!("Collapsi has no rules {:?}", description.rules);
    TableError::Inconsistent { path: path.into(), what }
}

/// The board of a record of a Collapsi table, unless its key is folded.
///
/// # Errors
/// When no board has its code.
pub fn record_board(record: &Record, codec: Codec) -> Result<Option<Board>, CodeError> {
    code_board(record.code, codec)
}

fn code_board(code: u64, codec: Codec) -> Result<Option<Board>, CodeError> {
    match codec {
        Codec::Canonical | Codec::Numbered => Board::from_code(code).map(Some),
        Codec::Exact => Board::from_exact_code(code).map(Some),
        Codec::Folded | Codec::ExactFolded => Ok(None),
    }
}

/// The key of the board with a code.
pub(super) fn code_key(code: u64, codec: Codec) -> Result<Key, CodeError> {
    Ok(match code_board(code, codec)? {
        Some(board) => Key::Long(board.key()),
        None => Key::Short(Key64(code)),
    })
}

/// The record of a board: its best move is the one with the lowest destination in the form that
/// is stored.
#[must_use]
pub fn record(board: &Board, value: Value, best: Mask, codec: Codec) -> Record {
    let (board, best) = match codec {
        Codec::Exact | Codec::ExactFolded => (*board, best),
        Codec::Canonical | Codec::Folded | Codec::Numbered => {
            let canonical = board.canonical();
            (canonical.board, canonical.symmetry.mask(best))
        }
    };
    let mv = best.first().map(|to| Move { from: board.mover(), to });
    let meta = Meta::new(board.turn().bit(), value, mv.map(|mv| mv.byte().into()));
    // A folded key cannot be unfolded: shards remember the exact code beside it.
    let value = match codec {
        Codec::Folded => board.code(),
        Codec::ExactFolded => board.exact_code(),
        Codec::Canonical | Codec::Exact | Codec::Numbered => 0,
    };
    Record { code: code(&board, codec), meta, value }
}

/// The code of a board that is in the codec's form already.
fn code(board: &Board, codec: Codec) -> u64 {
    match codec {
        Codec::Canonical | Codec::Numbered => board.code(),
        Codec::Exact => board.exact_code(),
        Codec::Folded | Codec::ExactFolded => board.key().fold().0,
    }
}
