//! Tables that were opened together.

use std::sync::Arc;

use endtable::games::{
    self, Answer, Contents, Detail, Game, GameError, Line, Position, Statistics, Tables, Watch,
    best_line,
};
use endtable::random::SplitMix64;
use endtable::table::{OpenFile, Options};

use super::background::{Later, Sums};
use super::watched::Watched;
use crate::sets::Set;

/// Tables that were opened together, and asked as one.
pub struct Opened {
    /// Their number, by which addresses name them.
    pub number: usize,
    /// Where they are, as it was given.
    pub name: String,
    /// The same files for each of the rules that they answer for. There is one at least.
    views: Vec<Box<dyn Tables>>,
    watched: Watched,
    /// What their answers look like together.
    pub statistics: Later<Statistics>,
    /// The checksums of the files.
    pub sums: Later<Sums>,
}

impl Opened {
    /// Opens a set.
    ///
    /// # Errors
    /// When a table is missing, damaged or of a game that is not known.
    pub fn open(number: usize, set: &Set) -> Result<Self, GameError> {
        let tables = games::open(&set.paths, &Options::default())?;
        let watched = Watched::new(&*tables)?;
        let others = tables.other_rules();
        let mut views = vec![tables];
        for options in others {
            views.push(games::open(&set.paths, &options)?);
        }
        let (statistics, sums) = (Later::default(), Later::default());
        Ok(Self { number, name: set.to_string(), views, watched, statistics, sums })
    }

    /// Their game.
    pub fn game(&self) -> &'static dyn Game {
        self.views[0].game()
    }

    /// The rules that they answer for.
    pub fn rules(&self) -> String {
        let rules: Vec<String> = self.views.iter().map(|view| view.contents().rules).collect();
        rules.join(", ")
    }

    /// How much there is of them.
    pub fn contents(&self) -> Contents {
        self.views[0].contents()
    }

    /// How long the files are together, in bytes.
    pub fn bytes(&self) -> u64 {
        self.files().iter().map(|file| file.header().file_length).sum()
    }

    /// The files, by their numbers.
    pub fn files(&self) -> Vec<&OpenFile> {
        self.views[0].files()
    }

    /// Their files, as long as they stay as they are.
    pub fn watched(&self) -> &Watched {
        &self.watched
    }

    /// What the chance of an answer of theirs is of.
    pub fn goal(&self, answer: &Answer) -> Option<String> {
        self.views[0].goal(answer)
    }

    /// Reads a position, as their rules have it.
    ///
    /// # Errors
    /// As of [`Tables::position`]; and when a file has changed.
    pub fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
        self.watched.check()?;
        self.first_that_takes(|view| view.position(text, options))
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
        self.first_that_takes(|view| view.probe(position, detail))
    }

    /// The same; `None` also for a position of other rules or of another size.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be, or a file has changed.
    pub fn find(
        &self,
        position: &dyn Position,
        detail: Detail,
    ) -> Result<Option<Answer>, GameError> {
        match self.probe(position, detail) {
            Err(error) if is_of_others(&error) => Ok(None),
            found => found,
        }
    }

    /// Best play from a position on. What chance does is drawn from a seed.
    ///
    /// # Errors
    /// As of [`best_line`]; and when a file has changed.
    pub fn line(&self, start: &Arc<dyn Position>, chance: u64) -> Result<Line, GameError> {
        self.watched.check()?;
        let random = || Some(SplitMix64::new(chance));
        self.first_that_takes(|view| best_line(&**view, Arc::clone(start), random()))
    }

    /// Counts their answers.
    ///
    /// # Errors
    /// As of [`Tables::statistics`]; and when a file has changed.
    pub fn count(&self, watch: &Watch<'_>) -> Result<Statistics, GameError> {
        self.watched.check()?;
        self.views[0].statistics(watch)
    }

    /// What the first rules say that do not refuse the question.
    fn first_that_takes<T>(
        &self,
        ask: impl Fn(&Box<dyn Tables>) -> Result<T, GameError>,
    ) -> Result<T, GameError> {
        let (last, others) = self.views.split_last().ok_or(GameError::OtherGame)?;
        for view in others {
            match ask(view) {
                Err(error) if is_of_others(&error) => {}
                taken => return taken,
            }
        }
        ask(last)
    }
}

/// Whether tables refuse a question because it is one for others: of other rules, or another size.
fn is_of_others(error: &GameError) -> bool {
    matches!(
        error,
        GameError::Position { .. }
            | GameError::Unsupported(_)
            | GameError::Option(_)
            | GameError::OtherGame
    )
}
