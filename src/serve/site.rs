//! What is served: the tables that were opened, grouped as they belong together, and the searches.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use endtable::games::{Answer, Detail, Game, GameError, Position};

use super::background::Background;
use super::opened::Opened;
use super::searches::Searches;
use crate::sets::sets;

/// Everything that requests are answered from.
pub struct Site {
    tables: Vec<Arc<Opened>>,
    searches: Searches,
    background: Background,
}

impl Site {
    /// Opens files and folders, of several games and kinds. A search takes so long at most.
    ///
    /// # Errors
    /// When one is missing, damaged or of a game that is not known.
    pub fn open(paths: &[PathBuf], longest: Duration) -> Result<Self, GameError> {
        let sets = sets(paths)?.into_iter().enumerate();
        let tables = sets.map(|(number, set)| Opened::open(number, &set).map(Arc::new));
        Ok(Self {
            tables: tables.collect::<Result<_, _>>()?,
            searches: Searches::new(longest),
            background: Background::default(),
        })
    }

    /// All tables, by their numbers.
    pub fn tables(&self) -> &[Arc<Opened>] {
        &self.tables
    }

    /// The tables that an address names by their number, if there are any.
    pub fn numbered(&self, number: &str) -> Option<&Arc<Opened>> {
        self.tables.get(number.parse::<usize>().ok()?)
    }

    /// The tables of a game.
    pub fn tables_of(&self, game: &dyn Game) -> impl Iterator<Item = &Opened> {
        let name = game.name();
        self.tables.iter().map(|opened| &**opened).filter(move |it| it.game().name() == name)
    }

    /// What the first tables that have a position say of it, and which they are; `None` if none do.
    ///
    /// # Errors
    /// When tables are damaged where the answer would be, or have changed.
    pub fn probe(
        &self,
        game: &dyn Game,
        position: &dyn Position,
        detail: Detail,
    ) -> Result<Option<(Answer, &Opened)>, GameError> {
        for opened in self.tables_of(game) {
            if let Some(answer) = opened.find(position, detail)? {
                return Ok(Some((answer, opened)));
            }
        }
        Ok(None)
    }

    /// The searches.
    pub fn searches(&self) -> &Searches {
        &self.searches
    }

    /// What is worked out in the background.
    pub fn background(&self) -> &Background {
        &self.background
    }
}
