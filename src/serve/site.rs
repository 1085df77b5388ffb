//! What is served: the tables that were opened, grouped as they belong together, and the searches.

use std::path::PathBuf;
use std::sync::Arc;

use endtable::games::{
    self, Answer, Contents, Detail, Game, GameError, Line, Position, Tables, best_line,
};
use endtable::random::SplitMix64;
use endtable::table::Options;

use super::Problem;
use super::searches::Searches;
use super::watched::Watched;
use crate::sets::sets;

/// Everything that requests are answered from.
pub struct Site {
    tables: Vec<Opened>,
    searches: Searches,
}

/// Tables that were opened together.
pub struct Opened {
    /// Their number, by which addresses name them.
    pub number: usize,
    /// Where they are, as it was given.
    pub name: String,
    tables: Box<dyn Tables>,
    watched: Watched,
}

/// What is known of a position, and from where.
pub struct Known<'a> {
    /// The answer.
    pub answer: Answer,
    /// The tables that gave it; `None` if it was searched.
    pub tables: Option<&'a Opened>,
}

impl Site {
    /// Opens files and folders, of several games and kinds. What answers for several rules is opened
    /// for each.
    ///
    /// # Errors
    /// When one is missing, damaged or of a game that is not known.
    pub fn open(paths: &[PathBuf]) -> Result<Self, GameError> {
        let mut site = Self { tables: Vec::new(), searches: Searches::new() };
        for set in sets(paths)? {
            let tables = games::open(&set.paths, &Options::default())?;
            let others = tables.other_rules();
            site.add(set.to_string(), tables)?;
            for options in others {
                site.add(set.to_string(), games::open(&set.paths, &options)?)?;
            }
        }
        Ok(site)
    }

    fn add(&mut self, name: String, tables: Box<dyn Tables>) -> Result<(), GameError> {
        let (number, watched) = (self.tables.len(), Watched::new(&*tables)?);
        self.tables.push(Opened { number, name, tables, watched });
        Ok(())
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
    /// When tables are damaged where the answer would be, or have changed.
    pub fn probe(
        &self,
        game: &dyn Game,
        position: &dyn Position,
        detail: Detail,
    ) -> Result<Option<Known<'_>>, GameError> {
        for opened in self.tables_of(game) {
            match opened.probe(position, detail) {
                Ok(Some(answer)) => return Ok(Some(Known { answer, tables: Some(opened) })),
                // Those of other rules do not have it either.
                Ok(None) | Err(GameError::Position { .. } | GameError::Unsupported(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// What tables say of a position, or else a search.
    ///
    /// # Errors
    /// As of [`probe`](Self::probe) and [`Searches::solve`].
    pub async fn ask(
        &self,
        game: &'static dyn Game,
        position: Arc<dyn Position>,
        options: &Options,
        detail: Detail,
    ) -> Result<Known<'_>, Problem> {
        if let Some(known) = self.probe(game, &*position, detail)? {
            return Ok(known);
        }
        let answer = self.searches.solve(game, position, options, detail).await?;
        Ok(Known { answer, tables: None })
    }

    /// The searches.
    pub fn searches(&self) -> &Searches {
        &self.searches
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
    /// As of [`Tables::position`]; and when a file has changed.
    pub fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
        self.watched.check()?;
        self.tables.position(text, options)
    }

    /// What they say of a position: `None` if it is not in them.
    ///
    /// # Errors
    /// As of [`Tables::probe`], a position of other rules or of another size among them; and when a file
    /// has changed.
    pub fn probe(
        &self,
        position: &dyn Position,
        detail: Detail,
    ) -> Result<Option<Answer>, GameError> {
        self.watched.check()?;
        self.tables.probe(position, detail)
    }

    /// Best play from a position on. What chance does is drawn from a seed.
    ///
    /// # Errors
    /// As of [`best_line`]; and when a file has changed.
    pub fn line(&self, start: Arc<dyn Position>, chance: u64) -> Result<Line, GameError> {
        self.watched.check()?;
        best_line(&*self.tables, start, Some(SplitMix64::new(chance)))
    }
}
