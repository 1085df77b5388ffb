//! What a handle is: opened tables, or a solver, whatever the game.

use std::ffi::{CStr, CString};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, OnceLock, PoisonError};

use endtable::games::{self, Answer, Contents, Detail, Game, Position, Solver, Tables, Use, Watch};
use endtable::job::Quiet;
use endtable::table::Options;

use super::border::{Failure, c_text};
use super::options;

/// `endtable_t`. Nothing in it changes but what is behind locks, so threads share it.
pub struct Handle {
    game: &'static dyn Game,
    options: Options,
    source: Source,
    /// What it answers from, in texts that C may keep as long as the handle.
    pub name: CString,
    pub rules: CString,
    statistics: OnceLock<CString>,
}

enum Source {
    Tables(Box<dyn Tables>),
    /// Those that nobody uses at the moment. A thread that finds none makes one.
    Solvers(Mutex<Vec<Box<dyn Solver>>>),
}

const fn threads_share<T: Send + Sync>() {}
const _: () = threads_share::<Handle>();

/// More bytes than any form of a position takes.
const LONGEST_POSITION: usize = 1000;

impl Handle {
    /// Opens tables.
    pub fn open(paths: &[PathBuf], options: &str) -> Result<Self, Failure> {
        let first = paths.first().ok_or_else(|| Failure::input("no path to a table"))?;
        let game = games::game_of(first)?;
        let options = options::parse(game, &[Use::Position, Use::Probe], options)?;
        let tables = game.open(paths, &options)?;
        let rules = tables.contents().rules;
        Ok(Self::new(game, options, Source::Tables(tables), &rules))
    }

    /// Makes a solver.
    pub fn solver(game: &str, options: &str) -> Result<Self, Failure> {
        let unknown = || {
            let names = games::ALL.map(|game| game.name()).join(", ");
            Failure::input(format!(
                "{game}: not a game that this library knows; those are: {names}"
            ))
        };
        let game = games::by_name(game).ok_or_else(unknown)?;
        let options = options::parse(game, &[Use::Position, Use::Solve], options)?;
        let solver = game.solver(&options, false)?;
        Ok(Self::new(game, options, Source::Solvers(Mutex::new(vec![solver])), ""))
    }

    fn new(game: &'static dyn Game, options: Options, source: Source, rules: &str) -> Self {
        let (name, rules) = (c_text(game.name()), c_text(rules));
        Self { game, options, source, name, rules, statistics: OnceLock::new() }
    }

    /// How much there is of the tables; `None` for a solver.
    pub fn contents(&self) -> Option<Contents> {
        match &self.source {
            Source::Tables(tables) => Some(tables.contents()),
            Source::Solvers(_) => None,
        }
    }

    /// What the answers of the tables look like together. Two threads that are the first ones find it
    /// out both, and the text of one is kept.
    pub fn statistics(&self) -> Result<&CStr, Failure> {
        let Source::Tables(tables) = &self.source else {
            return Err(Failure::input("a solver has no records, and so no statistics"));
        };
        if let Some(text) = self.statistics.get() {
            return Ok(text);
        }
        let watch = Watch { stop: &AtomicBool::new(false), progress: &Quiet };
        let text = c_text(&tables.statistics(&watch)?.text());
        Ok(self.statistics.get_or_init(|| text))
    }

    /// Reads a position and plays the moves behind it.
    pub fn position(&self, text: &str) -> Result<Box<dyn Position>, Failure> {
        let (start, moves) = split_moves(text);
        let mut position = self.start(start.trim())?;
        for (number, mv) in (1..).zip(moves.split_whitespace()) {
            let after = position.play(mv);
            position = after.map_err(|error| {
                let context = format!("{}: move {number}", position.text());
                Failure::from(error).about(context)
            })?;
        }
        Ok(position)
    }

    fn start(&self, text: &str) -> Result<Box<dyn Position>, Failure> {
        if text.len() > LONGEST_POSITION {
            let length = text.len();
            return Err(Failure::input(format!(
                "expected a position, found {length} bytes of text"
            )));
        }
        let position = match &self.source {
            Source::Tables(tables) => tables.position(text, &self.options),
            Source::Solvers(_) => self.game.position(text, &self.options),
        };
        position.map_err(|error| Failure::from(error).about(text))
    }

    /// Answers a position.
    pub fn answer(&self, position: &dyn Position, detail: Detail) -> Result<Answer, Failure> {
        match &self.source {
            Source::Tables(tables) => tables.probe(position, detail)?.ok_or(Failure::ABSENT),
            Source::Solvers(solvers) => {
                let free = || solvers.lock().unwrap_or_else(PoisonError::into_inner);
                let solver = free().pop();
                let mut solver = match solver {
                    Some(solver) => solver,
                    None => self.game.solver(&self.options, false)?,
                };
                let answer = solver.solve(position, detail);
                free().push(solver);
                Ok(answer?)
            }
        }
    }

    /// Answers many positions: tables by all threads.
    pub fn answer_many(
        &self,
        positions: &[&dyn Position],
        detail: Detail,
    ) -> Vec<Result<Answer, Failure>> {
        match &self.source {
            Source::Tables(tables) => {
                let answers = tables.probe_many(positions, detail).into_iter();
                answers.map(|answer| answer?.ok_or(Failure::ABSENT)).collect()
            }
            Source::Solvers(_) => {
                positions.iter().map(|position| self.answer(*position, detail)).collect()
            }
        }
    }
}

/// Parts a position from the moves behind it, which the word `moves` begins.
fn split_moves(text: &str) -> (&str, &str) {
    const WORD: &str = "moves";
    let is_blank = |c: char| c.is_whitespace();
    let found = text.match_indices(WORD).find(|&(at, _)| {
        let behind = &text[at + WORD.len()..];
        text[..at].ends_with(is_blank) && (behind.is_empty() || behind.starts_with(is_blank))
    });
    found.map_or((text, ""), |(at, _)| (&text[..at], &text[at + WORD.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_stand_behind_a_position() {
        assert_eq!(split_moves("a b moves c d"), ("a b ", " c d"));
        assert_eq!(split_moves("a moves"), ("a ", ""));
        assert_eq!(split_moves("a\tmoves\nb moves"), ("a\t", "\nb moves"));
        for text in ["", "a", "moves", "moves a", "a removes b", "a movest b"] {
            assert_eq!(split_moves(text), (text, ""));
        }
    }
}
