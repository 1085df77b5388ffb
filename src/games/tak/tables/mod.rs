//! Tables of Tak: every position of a small game, with its exact distance.

mod check;
mod decoder;
mod layers;
mod statistics;

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::game::check_options;
use super::jobs::LayersJob;
use super::position::TakPosition;
use super::size::{Size, for_size};
use super::tps::size_of;
use super::{Board, Ended, Move, Tak};
use crate::games::options::parses;
use crate::games::tak::dense::Arrangement;
use crate::games::{
    self, Answer, Check, Contents, Detail, Game, GameError, MoveAnswer, OptionSpec, Position,
    RecordDecoder, Statistics, Watch,
};
use crate::job::Job;
use crate::solve::retrograde;
use crate::table::{Header, OpenFile, Options, TableError};
use crate::value::{Plies, Value, Worth};
pub use layers::{LayerTable, SmallGame};

/// The options of making tables.
pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::new("size", "N", parses::<u8>, "Squares an edge of the board: 3, 4 or 5").required(),
    OptionSpec::new(
        "flats",
        "F",
        parses::<u8>,
        "How many flats each player has, at least 2: on 3x3 up to 8, on 4x4 up to 5, on 5x5 up to 4. \
         There are no capstones",
    )
    .required(),
];

/// Opens tables.
///
/// # Errors
/// When one is missing, damaged or another's, or they do not belong together.
pub(super) fn open(
    paths: &[PathBuf],
    options: &Options,
) -> Result<Box<dyn games::Tables>, GameError> {
    let tables = Tables::open(paths)?;
    tables.check_options(options)?;
    Ok(Box::new(tables))
}

/// The job that options describe.
///
/// # Errors
/// When there are no such tables.
pub(super) fn job(options: &Options) -> Result<Box<dyn Job>, GameError> {
    Ok(Box::new(LayersJob::new(SmallGame::from_options(options)?)))
}

/// What the records of a table stand for.
///
/// # Errors
/// When it is not the table of a layer.
pub(super) fn decoder(header: &Header, path: &Path) -> Result<Box<dyn RecordDecoder>, GameError> {
    Ok(Box::new(decoder::Decoder::new(header, path)?))
}

/// Tables of every position of a small game of Tak. Threads may share them.
///
/// ```no_run
/// use endtable::games::tak::{Board, Grid, Tables};
///
/// let tables = Tables::open(&["tak-3x3-5"])?;
/// let board = Board::<Grid<3>>::new(tables.game().rules());
/// println!("{:?}", tables.value(&board)?);
/// # Ok::<(), endtable::games::GameError>(())
/// ```
#[derive(Debug)]
pub struct Tables {
    game: SmallGame,
    /// Where they were opened, if that is a folder with all of them.
    folder: Option<PathBuf>,
    /// Those that are there, each after the one that it is solved from.
    layers: Vec<LayerTable>,
}

impl Tables {
    /// Opens a folder of tables, or some of its files.
    ///
    /// # Errors
    /// When one is missing, damaged or another's, or they are of different games.
    pub fn open(paths: &[impl AsRef<Path>]) -> Result<Self, GameError> {
        let paths: Vec<&Path> = paths.iter().map(AsRef::as_ref).collect();
        let (game, folder, files) = match paths[..] {
            [folder] if folder.is_dir() => {
                let (game, files) = layers::files_of_folder(folder)?;
                (Some(game), Some(folder.to_path_buf()), files)
            }
            _ => (None, None, paths.iter().map(|path| path.to_path_buf()).collect()),
        };
        let opened: Vec<Result<_, TableError>> =
            files.par_iter().map(|file| LayerTable::open(file, game)).collect();
        let opened = opened.into_iter().collect::<Result<Vec<_>, _>>()?;
        let (first, _) =
            opened.first().ok_or(TableError::MissingTable { name: "no path".into() })?;
        let game = *first;
        if let Some(other) = opened.iter().position(|(it, _)| *it != game) {
            return Err(GameError::Table(TableError::Mixed {
                paths: (files[0].clone(), files[other].clone()),
                what: "the set they belong to",
                first: game.recipe().to_string(),
                second: opened[other].0.recipe().to_string(),
            }));
        }
        let mut layers: Vec<LayerTable> = opened.into_iter().map(|(_, layer)| layer).collect();
        layers.sort_by_key(|layer| std::cmp::Reverse(layer.stones));
        Ok(Self { game, folder, layers })
    }

    /// The game that they answer for.
    #[must_use]
    pub fn game(&self) -> SmallGame {
        self.game
    }

    /// The layers that are there.
    #[must_use]
    pub fn layers(&self) -> &[LayerTable] {
        &self.layers
    }

    /// Who wins, and when, seen by the side to move; `None` if the position is not in the tables. Boards
    /// with fewer than two stones are worth the best of their moves.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn value<S: Size>(&self, board: &Board<S>) -> Result<Option<Value>, TableError> {
        if let Some(end) = board.end() {
            return Ok(Some(match end.winner() {
                None => Value::Draw,
                Some(winner) if winner == board.turn() => Value::Win(Plies(0)),
                Some(_) => Value::Loss(Plies(0)),
            }));
        }
        if board.is_opening() {
            let moves = self.moves(board)?;
            let values: Option<Vec<Value>> = moves.into_iter().map(|(_, value)| value).collect();
            return Ok(values.and_then(|values| values.into_iter().max()));
        }
        let Some(arrangement) = Arrangement::of(board) else { return Ok(None) };
        let layer = self.layers.iter().find(|it| it.stones == arrangement.stones());
        let Some(layer) = layer else { return Ok(None) };
        let Some(number) = layer.numbering.number(&arrangement) else { return Ok(None) };
        Ok(layer.table.get(number)?.and_then(retrograde::value))
    }

    /// Every legal move with what it is worth to the one who makes it, as far as that is known.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn moves<S: Size>(
        &self,
        board: &Board<S>,
    ) -> Result<Vec<(Move, Option<Value>)>, TableError> {
        let mut moves = Vec::new();
        if !board.is_over() {
            board.push_moves(&mut moves);
        }
        let value = |mv| {
            let mut after = *board;
            after.make(mv);
            Ok((mv, self.value(&after)?.map(Value::before_move)))
        };
        moves.into_iter().map(value).collect()
    }

    /// The board of a position that is to be looked up; others' positions and those of other rules are
    /// refused.
    fn board_of<'a, S: Size>(&self, position: &'a dyn Position) -> Result<&'a Board<S>, GameError> {
        let board = &TakPosition::<S>::of(position)?.board;
        if board.rules() == self.game.rules() {
            return Ok(board);
        }
        let rules = self.rules_text();
        Err(GameError::Unsupported(format!("a position of other rules, but {rules}")))
    }

    fn answer<S: Size>(
        &self,
        position: &dyn Position,
        detail: Detail,
    ) -> Result<Option<Answer>, GameError> {
        let board = self.board_of::<S>(position)?;
        let Some(value) = self.value(board)? else { return Ok(None) };
        let moves = self.moves(board)?;
        let best = moves.iter().filter(|(_, it)| *it == Some(value));
        let mut answer = Answer::new(Worth::Value(value), best.map(|(mv, _)| mv.to_ptn::<S>()));
        if detail.has_moves() {
            let move_answer = |(mv, value): (Move, Option<Value>)| MoveAnswer {
                name: mv.to_ptn::<S>(),
                worth: value.map(Worth::Value),
                chances: Vec::new(),
            };
            answer.moves = moves.into_iter().map(move_answer).collect();
        }
        Ok(Some(answer))
    }

    /// Refuses options that contradict the rules of the tables.
    fn check_options(&self, options: &Options) -> Result<(), GameError> {
        check_options(options, self.game.rules(), &self.rules_text())
    }

    fn rules_text(&self) -> String {
        format!("the tables are of {} without capstones and komi", self.game.text())
    }
}

impl games::Tables for Tables {
    fn game(&self) -> &'static dyn Game {
        &Tak
    }

    fn files(&self) -> Vec<&OpenFile> {
        self.layers.iter().map(|layer| &*layer.table).collect()
    }

    fn contents(&self) -> Contents {
        Contents::of(self.game.text(), &self.files())
    }

    fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
        self.check_options(options)?;
        let size = size_of(text).map_err(|reason| GameError::position(text, reason))?;
        if size != usize::from(self.game.size) {
            let reason =
                format!("a board of {size}x{size}, but the tables are of {}", self.game.text());
            return Err(GameError::position(text, reason));
        }
        for_size!(size, S => {
            let board = Board::<S>::from_tps(text, self.game.rules());
            let board = board.map_err(|reason| GameError::position(text, reason))?;
            Ok(Box::new(TakPosition { board, ended: Ended::default() }))
        })
    }

    fn probe(&self, position: &dyn Position, detail: Detail) -> Result<Option<Answer>, GameError> {
        for_size!(self.game.size, S => self.answer::<S>(position, detail))
    }

    fn statistics(&self, watch: &Watch<'_>) -> Result<Statistics, GameError> {
        statistics::of_layers(self, watch)
    }

    fn check(
        &self,
        check: Check,
        watch: &Watch<'_>,
        report: &mut dyn FnMut(Result<String, GameError>),
    ) -> Result<(), GameError> {
        check::layers(self, check, watch, report)
    }
}
