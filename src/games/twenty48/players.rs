//! Who plays: from tables as far as they go, and by search elsewhere.

use std::sync::Arc;

use super::{
    Board, Direction, Endgames, HeuristicError, Objective, Oracle, Search, Settings, Size, Tables,
    TallBoard,
};
use crate::games::GameError;
use crate::table::TableError;

/// What all players of some games share: how they search, and the tables that they look into first.
///
/// ```
/// use endtable::games::twenty48::{Limit, PlayedGame, Players, Settings, Size};
///
/// let size = Size::new(3, 3).expect("a size");
/// let heuristic = "sum".parse()?;
/// let settings = Settings { size, heuristic, limit: Limit::Depth(1), ..Settings::default() };
/// let player = Players::new(settings, None)?.start()?;
/// let mut game = PlayedGame::new(1, size);
/// while let Some(chosen) = player.choose(game.board())? {
///     game.play(chosen.direction);
/// }
/// assert!(game.board().is_over(size));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Players {
    tables: Option<Arc<Tables>>,
    endgames: Option<Arc<Endgames>>,
    settings: Settings,
}

/// Chooses moves: from tables, else by search.
pub struct Player {
    tables: Option<Arc<Tables>>,
    endgames: Option<Arc<Endgames>>,
    search: Search,
    size: Size,
}

/// A move, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The move.
    pub direction: Direction,
    /// Whether a table chose it; if not, a search did.
    pub from_table: bool,
}

/// Why a player cannot play.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// Tables of other boards.
    #[error("the tables are of {tables} boards, this one is {size}")]
    Size {
        /// The size of the tables' boards.
        tables: Size,
        /// The size of the board.
        size: Size,
    },
    /// No search can be made with these settings.
    #[error(transparent)]
    Heuristic(#[from] HeuristicError),
    /// A table is damaged where the answer would be.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl From<PlayerError> for GameError {
    fn from(error: PlayerError) -> Self {
        match error {
            PlayerError::Table(error) => error.into(),
            PlayerError::Heuristic(error) => error.into(),
            error @ PlayerError::Size { .. } => Self::Unsupported(error.to_string()),
        }
    }
}

impl Players {
    /// Players who search in this way, and look into tables first if they have any.
    ///
    /// # Errors
    /// When the tables are not of boards of the size that is played.
    pub fn new(mut settings: Settings, tables: Option<Arc<Tables>>) -> Result<Self, PlayerError> {
        if let Some(tables) = &tables {
            let oracle = TableOracle::new(Arc::clone(tables), settings.size)?;
            // In the midst of a search a table's scores mean something only among scores.
            if settings.heuristic.is_score() && tables.rules().objective == Objective::Score {
                settings.oracle = Some(Arc::new(oracle));
            }
        }
        Ok(Self { tables, endgames: None, settings })
    }

    /// The same players, who look into the tables of patterns first. These are of 4x4 boards.
    ///
    /// # Errors
    /// When boards of another size are played.
    pub fn with_endgames(self, endgames: Arc<Endgames>) -> Result<Self, PlayerError> {
        match self.settings.size {
            Size::FULL => Ok(Self { endgames: Some(endgames), ..self }),
            size => Err(PlayerError::Size { tables: Size::FULL, size }),
        }
    }

    /// The tables of patterns, if there are any.
    #[must_use]
    pub fn endgames(&self) -> Option<&Endgames> {
        self.endgames.as_deref()
    }

    /// The tables, if there are any. Whether they are exact is theirs to say
    /// ([`Tables::is_exact`]): a board in tables of searched games is played as that search
    /// played it.
    #[must_use]
    pub fn tables(&self) -> Option<&Tables> {
        self.tables.as_deref()
    }

    /// How they search.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// A player.
    ///
    /// # Errors
    /// When no search can be made with the settings.
    pub fn start(&self) -> Result<Player, HeuristicError> {
        let search = Search::new(&self.settings)?;
        let (tables, endgames) = (self.tables.clone(), self.endgames.clone());
        Ok(Player { tables, endgames, search, size: self.settings.size })
    }
}

impl Player {
    /// The move to make, `None` when the game is over.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn choose(&self, board: impl Into<TallBoard>) -> Result<Option<Chosen>, TableError> {
        let board = board.into();
        let from_table = |direction| Chosen { direction, from_table: true };
        if let Some(endgames) = &self.endgames
            && let Some(direction) = endgames.choose(board)?
        {
            return Ok(Some(from_table(direction)));
        }
        if let Some(view) = self.tables.as_ref().and_then(|tables| tables.view(self.size))
            && let Some(small) = board.small()
            && let Some(found) = view.probe(small)?
            && (found.best.is_some() || board.is_over(self.size))
        {
            // A table may name anything; a move that moves nothing would be made for ever.
            if let Some(best) = found.best
                && small.slide(best, self.size).is_none()
            {
                return Err(view.illegal(small, best));
            }
            return Ok(found.best.map(from_table));
        }
        let searched = self.search.best(board);
        Ok(searched.map(|choice| Chosen { direction: choice.direction, from_table: false }))
    }
}

/// Answers a search from tables. What cannot be read is not known there; whoever asks the tables
/// themselves hears of it.
#[derive(Clone, Debug)]
pub struct TableOracle {
    tables: Arc<Tables>,
    size: Size,
}

impl TableOracle {
    /// For boards of a size: that of the tables, or the transposed one.
    ///
    /// # Errors
    /// When it is another one.
    pub fn new(tables: Arc<Tables>, size: Size) -> Result<Self, PlayerError> {
        match tables.view(size) {
            Some(_) => Ok(Self { tables, size }),
            None => Err(PlayerError::Size { tables: tables.rules().size, size }),
        }
    }
}

impl Oracle for TableOracle {
    fn value(&self, board: Board) -> Option<f64> {
        self.tables.view(self.size)?.value(board).ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::jobs::tests::{exact, made};
    use crate::games::twenty48::{Limit, PlayedGame};

    #[test]
    fn players_look_into_tables_whichever_way_up() {
        let (_folder, tables) = made(&exact("2x3 score", None));
        let tables = Arc::new(tables);
        for size in ["2x3", "3x2"] {
            let size = size.parse().unwrap();
            let heuristic = "score".parse().unwrap();
            let settings =
                Settings { size, heuristic, limit: Limit::Depth(0), ..Settings::default() };
            let players = Players::new(settings, Some(Arc::clone(&tables))).unwrap();
            assert!(players.settings().oracle.is_some() && players.tables().is_some());
            let player = players.start().unwrap();
            let mut game = PlayedGame::new(3, size);
            while let Some(chosen) = player.choose(game.board()).unwrap() {
                let (board, view) = (game.board().nybbles(), tables.view(size).unwrap());
                assert_eq!(view.probe(board).unwrap().unwrap().best, Some(chosen.direction));
                assert!(chosen.from_table && game.play(chosen.direction));
            }
            assert!(game.board().is_over(size));
        }
        let settings = Settings { heuristic: "sum".parse().unwrap(), ..Settings::default() };
        let refused = Players::new(settings, Some(tables)).err().unwrap();
        assert_eq!(refused.to_string(), "the tables are of 2x3 boards, this one is 4x4");
    }
}
