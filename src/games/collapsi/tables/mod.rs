//! Collapsi tables: keyed ones and complete ones, behind one door.

mod check;
mod complete;
mod keyed;
mod layers;
mod statistics;

use std::path::{Path, PathBuf};

pub use complete::CompleteTables;
pub(super) use keyed::record_key;
pub use keyed::{KeyedTables, record, record_board};
pub use layers::{CompleteSet, LayerSet};

use super::position::{CollapsiPosition, FoldedKey};
use super::{Answer, Board, Collapsi, Layer, Move, Rules};
use crate::games::key::Key64;
use crate::games::{
    self, Check, Contents, Detail, Game, GameError, MoveAnswer, Position, Statistics, Watch,
};
use crate::table::{Options, TableError, TableSet};
use crate::value::{Value, Worth};

/// Collapsi tables, whatever they are: keyed files, or a folder of complete tables. Threads may share
/// them.
///
/// ```no_run
/// use endtable::games::collapsi::{Rules, Tables, deal_from_seed};
///
/// let tables = Tables::open(&["complete"], Some(Rules::Wild))?;
/// if let Some(answer) = tables.probe(&deal_from_seed(1))? {
///     println!("{} {:?}", answer.value, answer.best);
/// }
/// # Ok::<(), endtable::games::GameError>(())
/// ```
#[derive(Debug)]
pub struct Tables {
    source: Source,
}

#[derive(Debug)]
enum Source {
    Keyed(KeyedTables),
    Complete(Box<CompleteTables>),
}

impl Tables {
    /// Opens keyed files, folders of them, or one folder of complete tables. The joker rule says
    /// which one complete tables answer for, `one` if it is not given, and which one others must be of.
    ///
    /// # Errors
    /// When a table is missing, damaged or another game's, or they do not belong together.
    pub fn open(paths: &[impl AsRef<Path>], rules: Option<Rules>) -> Result<Self, GameError> {
        if let [folder] = paths
            && folder.as_ref().is_dir()
            && CompleteSet::is_in(folder.as_ref())
        {
            let tables = CompleteTables::open(folder.as_ref(), rules.unwrap_or_default())?;
            return Ok(Self { source: Source::Complete(tables.into()) });
        }
        let tables = KeyedTables::new(TableSet::open(paths)?)?;
        if let Some(rules) = rules
            && rules != tables.rules()
        {
            let reason = format!("the tables are of the rule {}", tables.rules());
            return Err(GameError::option("rules", rules, reason));
        }
        Ok(Self { source: Source::Keyed(tables) })
    }

    /// The joker rule that they answer for.
    #[must_use]
    pub fn rules(&self) -> Rules {
        match &self.source {
            Source::Keyed(tables) => tables.rules(),
            Source::Complete(tables) => tables.rules(),
        }
    }

    /// Who wins, and a best move: of equally good ones the one with the lowest destination, as far as
    /// the tables have the positions after the moves. `None` if the board is not in the tables.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn probe(&self, board: &Board) -> Result<Option<Answer>, TableError> {
        match &self.source {
            Source::Complete(tables) => tables.probe(board).map(Some),
            Source::Keyed(tables) => {
                let Some(found) = tables.probe(board)? else { return Ok(None) };
                let moves = tables.probe_moves(board)?;
                let best = equally_good(&found, &moves).first().copied();
                Ok(Some(Answer { value: found.value, best }))
            }
        }
    }

    /// Every legal move with what it is worth to the one who makes it, by ascending destination;
    /// `None` where the tables do not have the position after it.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn moves(&self, board: &Board) -> Result<Vec<(Move, Option<Value>)>, TableError> {
        match &self.source {
            Source::Keyed(tables) => tables.probe_moves(board),
            Source::Complete(tables) => {
                let moves = tables.moves(board)?;
                Ok(moves.into_iter().map(|(mv, value)| (mv, Some(value))).collect())
            }
        }
    }

    /// What they say of a board and its moves.
    fn answer(&self, board: &Board) -> Result<Option<games::Answer>, TableError> {
        let (found, moves) = match &self.source {
            Source::Complete(tables) => {
                let moves = tables.moves(board)?;
                let found = complete::best(&moves);
                (found, moves.into_iter().map(|(mv, value)| (mv, Some(value))).collect())
            }
            Source::Keyed(tables) => {
                let Some(found) = tables.probe(board)? else { return Ok(None) };
                (found, tables.probe_moves(board)?)
            }
        };
        let best = equally_good(&found, &moves);
        let mut answer = games::Answer::new(
            Worth::Value(found.value),
            best.into_iter().map(|mv| mv.to_string()),
        );
        answer.moves = moves.into_iter().map(|(mv, value)| move_answer(mv, value)).collect();
        Ok(Some(answer))
    }

    fn folded(&self, key: Key64) -> Result<Option<games::Answer>, TableError> {
        let Source::Keyed(tables) = &self.source else { return Ok(None) };
        let found = tables.probe_folded(key)?;
        Ok(found.map(|(answer, _)| {
            let best = answer.best.map(|mv| mv.to_string());
            games::Answer::new(Worth::Value(answer.value), best)
        }))
    }
}

/// A move and what it is worth, as everything that is not about one game sees it.
pub(super) fn move_answer(mv: Move, value: Option<Value>) -> MoveAnswer {
    MoveAnswer { name: mv.to_string(), worth: value.map(Worth::Value), chances: Vec::new() }
}

/// The best moves, by ascending destination: all of them if the positions after all moves are known,
/// otherwise the one that is stored.
fn equally_good(found: &Answer, moves: &[(Move, Option<Value>)]) -> Vec<Move> {
    let all_known = moves.iter().all(|(_, value)| value.is_some());
    let best = moves.iter().filter(|(_, value)| *value == Some(found.value));
    let best: Vec<Move> = best.map(|(mv, _)| *mv).collect();
    if all_known && !best.is_empty() { best } else { found.best.into_iter().collect() }
}

/// The board of a Collapsi position; another game's is refused.
pub(super) fn board_of(position: &dyn Position) -> Result<&CollapsiPosition, GameError> {
    (position as &dyn std::any::Any).downcast_ref().ok_or(GameError::OtherGame)
}

impl games::Tables for Tables {
    fn game(&self) -> &'static dyn Game {
        &Collapsi
    }

    fn contents(&self) -> Contents {
        let records: Vec<u64> = match &self.source {
            Source::Keyed(tables) => {
                tables.set().tables().iter().map(|table| table.len()).collect()
            }
            Source::Complete(tables) => {
                let layers = (Layer::FEWEST..=Layer::MOST).filter_map(|cards| tables.layer(cards));
                layers.map(|table| table.len()).collect()
            }
        };
        Contents {
            rules: self.rules().to_string(),
            files: records.len() as u64,
            records: records.iter().sum(),
        }
    }

    fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
        let rules = self.rules();
        if let Source::Keyed(tables) = &self.source
            && tables.codec().is_folded()
            && text.len() == 16
            && let Ok(key) = text.parse::<Key64>()
        {
            let found = tables.probe_folded(key)?;
            // Without a letter it may be a seed as well.
            if found.is_some() || text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
                let turn = found.map_or(0, |(_, turn)| turn);
                return Ok(Box::new(FoldedKey { key, turn }));
            }
        }
        let board = CollapsiPosition::parse_board(text);
        let board = board.map_err(|reason| GameError::position(text, reason))?;
        Ok(Box::new(CollapsiPosition { board, rules, folded: options.has("fold64") }))
    }

    fn probe(
        &self,
        position: &dyn Position,
        _detail: Detail,
    ) -> Result<Option<games::Answer>, GameError> {
        if let Some(folded) = (position as &dyn std::any::Any).downcast_ref::<FoldedKey>() {
            return Ok(self.folded(folded.key)?);
        }
        let position = board_of(position)?;
        if position.rules != self.rules() {
            return Err(GameError::Unsupported(format!(
                "a position of the rule {}, but the tables are of the rule {}",
                position.rules,
                self.rules()
            )));
        }
        Ok(self.answer(&position.board)?)
    }

    fn statistics(&self) -> Result<Statistics, GameError> {
        match &self.source {
            Source::Keyed(tables) => statistics::of_keyed(tables),
            Source::Complete(tables) => statistics::of_complete(tables.set(), tables.index()),
        }
    }

    fn check(
        &self,
        check: Check,
        watch: &Watch<'_>,
        report: &mut dyn FnMut(Result<String, GameError>),
    ) -> Result<(), GameError> {
        match &self.source {
            Source::Keyed(tables) => check::keyed(tables, check, watch, report),
            Source::Complete(tables) => check::complete(tables.set(), check, watch, report),
        }
    }
}

impl Collapsi {
    /// Opens tables as the options ask for.
    pub(super) fn open_tables(paths: &[PathBuf], options: &Options) -> Result<Tables, GameError> {
        Tables::open(paths, options.parse("rules")?)
    }
}
