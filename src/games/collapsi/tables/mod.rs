//! Collapsi tables: keyed ones and complete ones, behind one door.

mod backup;
mod check;
mod complete;
mod decoder;
mod keyed;
mod layers;
mod many;
mod statistics;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

pub use complete::CompleteTables;
pub(super) use decoder::Decoder;
pub(super) use keyed::table_rules;
pub use keyed::{KeyedTables, record, record_board};
pub use layers::{CompleteSet, LayerSet};

use super::position::{CollapsiPosition, FoldedKey};
use super::{Answer, Board, Collapsi, Layer, Move, Rules};
use crate::games::key::Key64;
use crate::games::{
    self, Check, Contents, Detail, Game, GameError, MoveAnswer, Position, Statistics, Watch,
};
use crate::table::{Kind, OpenFile, Options, TableError, TableSet, read_header};
use crate::value::{Value, Worth};

/// Collapsi tables, whatever they are: keyed files, a folder of complete tables, or one file of them.
/// Threads may share them.
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
    /// Opens keyed files, folders of them, one folder of complete tables, or the file of one of their
    /// layers, from which the others are searched. The joker rule says which one complete tables
    /// answer for, `one` if it is not given, and which one others must be of.
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
        if let Some(file) = paths.first()
            && file.as_ref().is_file()
            && read_header(file.as_ref())?.kind == Kind::Dense
        {
            let set = CompleteSet::of_files(paths)?;
            let own = set.only().and_then(Layer::rules);
            check_rules(rules, own)?;
            let tables = CompleteTables::of_set(set, rules.or(own).unwrap_or_default())?;
            return Ok(Self { source: Source::Complete(tables.into()) });
        }
        let tables = KeyedTables::new(TableSet::open(paths)?)?;
        check_rules(rules, Some(tables.rules()))?;
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
            Source::Keyed(tables) => tables.probe_best(board),
        }
    }

    /// The same of many boards, in their order: by all threads, and quicker than one by one where
    /// boards lie close together in the tables.
    #[must_use]
    pub fn probe_many(&self, boards: &[&Board]) -> Vec<Result<Option<Answer>, TableError>> {
        match &self.source {
            Source::Keyed(tables) => many::keyed(tables, boards),
            Source::Complete(tables) => {
                let moves = many::complete(tables, boards).into_par_iter();
                moves.map(|moves| Ok(Some(complete::best(&moves?)))).collect()
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

    /// What they say of a board, and of its moves if they are asked for.
    fn answer(&self, board: &Board, detail: Detail) -> Result<Option<games::Answer>, TableError> {
        if !detail.has_moves() {
            return Ok(self.probe(board)?.map(best_answer));
        }
        let (found, moves) = match &self.source {
            Source::Complete(tables) => {
                let moves = tables.moves(board)?;
                (complete::best(&moves), known(moves))
            }
            Source::Keyed(tables) => {
                let Some(found) = tables.probe(board)? else { return Ok(None) };
                (found, tables.probe_moves(board)?)
            }
        };
        Ok(Some(full_answer(&found, moves)))
    }

    /// The same of many boards.
    fn answer_many(
        &self,
        boards: &[&Board],
        detail: Detail,
    ) -> Vec<Result<Option<games::Answer>, TableError>> {
        match &self.source {
            Source::Complete(tables) if detail.has_moves() => {
                let answer = |moves: Vec<_>| full_answer(&complete::best(&moves), known(moves));
                let moves = many::complete(tables, boards).into_par_iter();
                moves.map(|moves| Ok(Some(answer(moves?)))).collect()
            }
            Source::Keyed(_) if detail.has_moves() => {
                boards.par_iter().map(|board| self.answer(board, detail)).collect()
            }
            _ => {
                let found = self.probe_many(boards).into_par_iter();
                found.map(|found| Ok(found?.map(best_answer))).collect()
            }
        }
    }

    /// The board of a position that is to be looked up; others' positions and those of the other
    /// rule are refused.
    fn board_of<'a>(&self, position: &'a dyn Position) -> Result<&'a Board, GameError> {
        let position = board_of(position)?;
        if position.rules == self.rules() {
            return Ok(&position.board);
        }
        Err(GameError::Unsupported(format!(
            "a position of the rule {}, but the tables are of the rule {}",
            position.rules,
            self.rules()
        )))
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

/// Refuses a rule that is asked for where tables are of another.
fn check_rules(asked: Option<Rules>, own: Option<Rules>) -> Result<(), GameError> {
    match asked.zip(own) {
        Some((asked, own)) if asked != own => {
            let reason = format!("the tables are of the rule {own}");
            Err(GameError::option("rules", asked, reason))
        }
        _ => Ok(()),
    }
}

/// A move and what it is worth, as everything that is not about one game sees it.
pub(super) fn move_answer(mv: Move, value: Option<Value>) -> MoveAnswer {
    MoveAnswer { name: mv.to_string(), worth: value.map(Worth::Value), chances: Vec::new() }
}

/// Values that are all known.
fn known(moves: Vec<(Move, Value)>) -> Vec<(Move, Option<Value>)> {
    moves.into_iter().map(|(mv, value)| (mv, Some(value))).collect()
}

/// An answer with one best move.
fn best_answer(found: Answer) -> games::Answer {
    games::Answer::new(Worth::Value(found.value), found.best.map(|mv| mv.to_string()))
}

/// An answer with what every move is worth, and the best ones by ascending destination: all of them
/// if the positions after all moves are known, otherwise the first of those that are known to be.
fn full_answer(found: &Answer, moves: Vec<(Move, Option<Value>)>) -> games::Answer {
    let is_best = |&&(mv, value): &&(Move, Option<Value>)| {
        value == Some(found.value) || found.best == Some(mv)
    };
    let all_known = moves.iter().all(|(_, value)| value.is_some());
    let count = if all_known { moves.len() } else { 1 };
    let best = moves.iter().filter(is_best).take(count).map(|(mv, _)| mv.to_string());
    let mut answer = games::Answer::new(Worth::Value(found.value), best);
    answer.moves = moves.into_iter().map(|(mv, value)| move_answer(mv, value)).collect();
    answer
}

/// The board of a Collapsi position; another game's is refused.
pub(super) fn board_of(position: &dyn Position) -> Result<&CollapsiPosition, GameError> {
    (position as &dyn std::any::Any).downcast_ref().ok_or(GameError::OtherGame)
}

impl games::Tables for Tables {
    fn game(&self) -> &'static dyn Game {
        &Collapsi
    }

    fn files(&self) -> Vec<&OpenFile> {
        match &self.source {
            Source::Keyed(tables) => tables.set().tables().iter().map(|table| &**table).collect(),
            Source::Complete(tables) => {
                let layers = (Layer::FEWEST..=Layer::MOST).filter_map(|cards| tables.layer(cards));
                layers.map(|table| &**table).collect()
            }
        }
    }

    fn contents(&self) -> Contents {
        Contents::of(self.rules(), &self.files())
    }

    fn other_rules(&self) -> Vec<Options> {
        match &self.source {
            Source::Complete(tables) if tables.set().only().and_then(Layer::rules).is_none() => {
                let others = Rules::ALL.into_iter().filter(|&rules| rules != self.rules());
                others.map(|rules| Options::default().with("rules", rules)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
        let rules = self.rules();
        check_rules(options.parse("rules")?, Some(rules))?;
        if let Source::Keyed(tables) = &self.source
            && tables.codec().is_folded()
            && let digits = text.strip_prefix("0x").unwrap_or(text)
            && digits.len() == 16
            && let Ok(key) = digits.parse::<Key64>()
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
        detail: Detail,
    ) -> Result<Option<games::Answer>, GameError> {
        if let Some(folded) = (position as &dyn std::any::Any).downcast_ref::<FoldedKey>() {
            return Ok(self.folded(folded.key)?);
        }
        Ok(self.answer(self.board_of(position)?, detail)?)
    }

    fn probe_many(
        &self,
        positions: &[&dyn Position],
        detail: Detail,
    ) -> Vec<Result<Option<games::Answer>, GameError>> {
        let boards: Result<Vec<&Board>, GameError> =
            positions.iter().map(|position| self.board_of(*position)).collect();
        match boards {
            Ok(boards) => {
                let answers = self.answer_many(&boards, detail);
                answers.into_par_iter().map(|answer| Ok(answer?)).collect()
            }
            // Folded keys, or what is not to be looked up here at all.
            Err(_) => {
                let one = |position: &&dyn Position| games::Tables::probe(self, *position, detail);
                positions.par_iter().map(one).collect()
            }
        }
    }

    fn statistics(&self, watch: &Watch<'_>) -> Result<Statistics, GameError> {
        match &self.source {
            Source::Keyed(tables) => statistics::of_keyed(tables, watch),
            Source::Complete(tables) => {
                statistics::of_complete(tables.set(), tables.index(), watch)
            }
        }
    }

    fn parts(&self) -> u64 {
        match &self.source {
            Source::Keyed(tables) => tables.set().tables().len() as u64,
            Source::Complete(tables) => tables.set().layers().with_files().count() as u64,
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
            Source::Complete(tables) if tables.set().only().is_some() && check.is_full() => {
                Err(GameError::Unsupported(
                    "a layer is solved anew from the one below it: name the folder".into(),
                ))
            }
            Source::Complete(tables) => {
                // Beside the file of one layer, the others have nothing to say.
                let mut spoken = |part: Result<String, GameError>| {
                    if part.as_ref().map_or(true, |sentence| !sentence.is_empty()) {
                        report(part);
                    }
                };
                check::complete(tables.set(), check, watch, &mut spoken)
            }
        }
    }
}

impl Collapsi {
    /// Opens tables as the options ask for.
    pub(super) fn open_tables(paths: &[PathBuf], options: &Options) -> Result<Tables, GameError> {
        Tables::open(paths, options.parse("rules")?)
    }
}
