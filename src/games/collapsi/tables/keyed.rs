//! Probing: a position of a game goes to its table and comes back with an answer.

mod complete;
mod twenty48;

pub use complete::{CollapsiComplete, best};
pub use twenty48::{Checked, MoveOutlook, Outlook, Twenty48Tables, WrongRecord};

use crate::games::collapsi::{Board, CodeError, Move, Rules, Symmetry};
use crate::games::key::{Key64, Key128};
use crate::games::{self, Value};
use crate::generate::collapsi::code;
use crate::table::{Codec, Description, Game, Meta, Record, TableError, TableSet};

/// Collapsi tables, asked by board.
///
/// ```no_run
/// use endtable::games::collapsi::deal_from_seed;
/// use endtable::probe::CollapsiTables;
/// use endtable::table::TableSet;
///
/// let tables = CollapsiTables::new(TableSet::open(&["seeds.etb"])?)?;
/// if let Some(answer) = tables.probe(&deal_from_seed(1))? {
///     println!("{} {:?}", answer.value, answer.best);
/// }
/// # Ok::<(), endtable::table::TableError>(())
/// ```
#[derive(Debug)]
pub struct CollapsiTables {
    set: TableSet,
    codec: Codec,
    rules: Rules,
}

/// What a table says of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Who wins, and when.
    pub value: Value,
    /// A best move: in canonical tables the one whose image there has the lowest destination.
    pub best: Option<Move>,
}

impl CollapsiTables {
    /// Takes a set of Collapsi tables.
    ///
    /// # Errors
    /// When the set is empty, or its rules are unknown.
    pub fn new(set: TableSet) -> Result<Self, TableError> {
        let missing = || TableError::MissingTable { name: "Collapsi".into() };
        let (codec, number, path) = {
            let description = set.description().ok_or_else(missing)?;
            let path = set.tables()[0].path().to_path_buf();
            if description.game != Game::Collapsi {
                let (expected, found) = (Game::Collapsi, description.game);
                return Err(TableError::OtherGame { path, expected, found });
            }
            (description.codec, description.rules, path)
        };
        let rules = Rules::ALL.get(usize::from(number)).copied().ok_or(TableError::Unknown {
            path,
            what: "joker rule",
            found: number.into(),
        })?;
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
        let (stored, symmetry) = self.stored_form(board);
        let record = self.set.get(code(&stored, self.codec))?;
        Ok(record.map(|record| answer(record.meta, symmetry)))
    }

    /// What the tables say of many boards, in their order. The boards need no order: each block is
    /// read once.
    ///
    /// # Errors
    /// At the first damaged block.
    pub fn probe_many(&self, boards: &[Board]) -> Result<Vec<Option<Answer>>, TableError> {
        let stored = |(number, board)| {
            let (stored, symmetry) = self.stored_form(board);
            (code(&stored, self.codec), number, symmetry)
        };
        let mut questions: Vec<(u64, usize, Option<Symmetry>)> =
            boards.iter().enumerate().map(stored).collect();
        questions.sort_unstable_by_key(|&(code, number, _)| (code, number));
        let codes: Vec<u64> = questions.iter().map(|&(code, ..)| code).collect();
        let mut answers = vec![None; boards.len()];
        for (record, (_, number, symmetry)) in self.set.get_many(&codes)?.into_iter().zip(questions)
        {
            answers[number] = record.map(|record| answer(record.meta, symmetry));
        }
        Ok(answers)
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
        Ok(record.map(|record| (answer(record.meta, None), record.meta.turn())))
    }

    /// Every legal move with what it is worth to the one who makes it, `None` where the tables
    /// do not have the position after it.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn probe_moves(&self, board: &Board) -> Result<Vec<(Move, Option<Value>)>, TableError> {
        let moves = board.moves(self.rules);
        moves
            .map(|mv| {
                let after = board.play(mv, self.rules).expect("a generated move is legal");
                Ok((mv, self.probe(&after)?.map(|answer| answer.value.before_move())))
            })
            .collect()
    }

    /// A board in the form in which it is stored, and the symmetry that led there.
    fn stored_form(&self, board: &Board) -> (Board, Option<Symmetry>) {
        match self.codec {
            Codec::Exact | Codec::ExactFolded => (*board, None),
            Codec::Canonical | Codec::Folded => {
                let canonical = board.canonical();
                (canonical.board, Some(canonical.symmetry))
            }
        }
    }
}

fn answer(meta: Meta, symmetry: Option<Symmetry>) -> Answer {
    let stored = Move::from_byte(meta.best_move());
    let best = stored.map(|mv| symmetry.map_or(mv, |symmetry| symmetry.unmove(mv)));
    Answer { value: meta.value(), best }
}

/// The key of a record, as the logical record has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKey {
    /// 128 bits.
    Long(Key128),
    /// 64 bits: a folded key, or a game's that needs no more.
    Short(Key64),
}

impl std::fmt::Display for RecordKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Long(key) => key.fmt(f),
            Self::Short(key) => key.fmt(f),
        }
    }
}

/// The board of a record of a Collapsi table, unless its key is folded.
///
/// # Errors
/// When no board has its code.
pub fn record_board(record: &Record, codec: Codec) -> Result<Option<Board>, CodeError> {
    match codec {
        Codec::Canonical => Board::from_code(record.code).map(Some),
        Codec::Exact => Board::from_exact_code(record.code).map(Some),
        Codec::Folded | Codec::ExactFolded => Ok(None),
    }
}

/// The key of a record of a table that describes itself so.
///
/// # Errors
/// When no board has its code.
pub fn record_key(record: &Record, description: &Description) -> Result<RecordKey, KeyError> {
    match description.game {
        Game::Collapsi => Ok(match record_board(record, description.codec)? {
            Some(board) => RecordKey::Long(board.key()),
            None => RecordKey::Short(Key64(record.code)),
        }),
        Game::Twenty48 => {
            let number = description.rules;
            let rules = games::twenty48::Rules::from_number(number);
            let rules = rules.ok_or(KeyError::Rules(number))?;
            let board = games::twenty48::Board::from_code(record.code, rules.size)?;
            Ok(RecordKey::Short(Key64(board.0)))
        }
    }
}

/// Why a record has no key.
#[derive(Clone, Debug, thiserror::Error)]
pub enum KeyError {
    /// Its table is of rules that are not known.
    #[error("rules {0} are not known")]
    Rules(u8),
    /// Its code is no Collapsi position's.
    #[error(transparent)]
    Collapsi(#[from] CodeError),
    /// Its code is no 2048 board's.
    #[error(transparent)]
    Twenty48(#[from] games::twenty48::BoardError),
}
