//! What is served: the tables that were opened, grouped as they belong together.

use std::path::PathBuf;

use endtable::games::{self, Answer, Contents, Detail, Game, GameError, Position, Tables};
use endtable::table::Options;

use crate::sets::sets;

/// Everything that requests are answered from.
pub struct Site {
    tables: Vec<Opened>,
}

/// Tables that were opened together.
pub struct Opened {
    /// Their number, by which addresses name them.
    pub number: usize,
    /// Where they are, as it was given.
    pub name: String,
    /// The options that they were opened with: empty, or the rules that they would not answer for
    /// otherwise.
    pub options: Options,
    tables: Box<dyn Tables>,
}

/// What tables say of a position.
pub struct Found<'a> {
    /// The tables.
    pub opened: &'a Opened,
    /// What they say.
    pub answer: Answer,
}

impl Site {
    /// Opens files and folders, of several games and kinds.
    ///
    /// # Errors
    /// When one is missing, damaged or of a game that is not known.
    pub fn open(paths: &[PathBuf]) -> Result<Self, GameError> {
        let mut site = Self { tables: Vec::new() };
        for set in sets(paths)? {
            let tables = games::open(&set.paths, &Options::default())?;
            site.add(set.to_string(), Options::default(), tables);
        }
        Ok(site)
    }

    fn add(&mut self, name: String, options: Options, tables: Box<dyn Tables>) {
        let number = self.tables.len();
        self.tables.push(Opened { number, name, options, tables });
    }

    /// All tables, by their numbers.
    pub fn tables(&self) -> &[Opened] {
        &self.tables
    }

    /// The tables of a game.
    pub fn tables_of(&self, game: &dyn Game) -> impl Iterator<Item = &Opened> {
        let name = game.name();
        self.tables.iter().filter(move |opened| opened.game().name() == name)
    }

    /// What the first tables that have a position say of it; `None` if none do.
    ///
    /// # Errors
    /// When tables are damaged where the answer would be.
    pub fn probe(
        &self,
        game: &dyn Game,
        position: &dyn Position,
        detail: Detail,
    ) -> Result<Option<Found<'_>>, GameError> {
        for opened in self.tables_of(game) {
            match opened.probe(position, detail) {
                Ok(Some(answer)) => return Ok(Some(Found { opened, answer })),
                Ok(None) | Err(GameError::Position { .. } | GameError::Unsupported(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

impl Opened {
    /// Their game.
    pub fn game(&self) -> &'static dyn Game {
        self.tables.game()
    }

    /// How much there is of them, and of which rules.
    pub fn contents(&self) -> Contents {
        self.tables.contents()
    }

    /// Reads a position, as their rules have it.
    ///
    /// # Errors
    /// As of [`Tables::position`].
    pub fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
        self.tables.position(text, options)
    }

    /// What they say of a position: `None` if it is not in them.
    ///
    /// # Errors
    /// As of [`Tables::probe`]; a position of other rules or of another size is one, too, and says so.
    pub fn probe(
        &self,
        position: &dyn Position,
        detail: Detail,
    ) -> Result<Option<Answer>, GameError> {
        self.tables.probe(position, detail)
    }
}
