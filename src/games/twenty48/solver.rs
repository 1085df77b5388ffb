//! Boards solved: taken from tables, or searched.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::{
    Choice, Direction, Endgames, PatternTables, Players, Search, SearchOptions, Settings, Size,
    Tables, Twenty48Position,
};
use crate::games::{Answer, Detail, GameError, MoveAnswer, Position, Solver};
use crate::solve::Limits;
use crate::table::Options;
use crate::value::{Expected, Precision, Unit, Worth};

/// Answers boards of any size from tables, if it has some, and by search.
pub(super) struct BoardSolver {
    options: SearchOptions,
    parallel: bool,
    tables: Option<Arc<Tables>>,
    endgames: Option<Endgames>,
    /// One for each size that came up.
    searchers: Vec<Searcher>,
}

/// Searches boards of one size.
struct Searcher {
    players: Players,
    /// Made when a board comes that the tables do not have.
    search: Option<Search>,
}

impl BoardSolver {
    /// A solver that has seen nothing yet.
    pub fn new(options: &Options, parallel: bool) -> Result<Self, GameError> {
        let path = options.get("tables").map(Path::new);
        let (endgames, boards) = match path {
            Some(path) if PatternTables::are_at(path) => (Some(Endgames::open(path)?), None),
            path => (None, path.map(|path| Tables::open(&[path])).transpose()?),
        };
        Ok(Self {
            options: SearchOptions::new(options)?,
            parallel,
            tables: boards.map(Arc::new),
            endgames,
            searchers: Vec::new(),
        })
    }

    /// What searches boards of a size.
    fn searcher(&mut self, size: Size) -> Result<&mut Searcher, GameError> {
        let made = self.searchers.iter().position(|it| it.players.settings().size == size);
        let number = match made {
            Some(number) => number,
            None => {
                let parallel = self.parallel;
                let settings = Settings { parallel, ..self.options.settings(size)? };
                let players = Players::new(settings, self.tables.clone())?;
                self.searchers.push(Searcher { players, search: None });
                self.searchers.len() - 1
            }
        };
        Ok(&mut self.searchers[number])
    }
}

impl Solver for BoardSolver {
    fn solve_within(
        &mut self,
        position: &dyn Position,
        detail: Detail,
        limits: Limits<'_>,
    ) -> Result<Answer, GameError> {
        let &Twenty48Position { board, size, afterstate } = Twenty48Position::of(position)?;
        if afterstate {
            let reason = "an afterstate, to which a new tile comes: a search begins with a move";
            return Err(GameError::position(&position.text(), reason));
        }
        if let Some(endgames) = self.endgames.as_ref().filter(|_| size == Size::FULL)
            && endgames.have(board)?
            && let Some(answer) = crate::games::Tables::probe(endgames.tables(), position, detail)?
        {
            return Ok(answer);
        }
        let has_tables = self.endgames.is_some() || self.tables.is_some();
        let searcher = self.searcher(size)?;
        // To tables two 32768s never merge; a game that is over to them may go on.
        let goes_on = board.nybbles().is_over(size) && !board.is_over(size);
        if !goes_on && let Some(answer) = searcher.look_up(position, detail)? {
            return Ok(answer);
        }
        if board.is_over(size) {
            let note = ("note", "the game is over: nothing moves".into());
            return Ok(Answer { notes: vec![note], ..Answer::new(worth(0.0), None) });
        }
        let start = Instant::now();
        let choice = searcher.search()?.best_within(board, limits).ok_or(GameError::Stopped)?;
        let time = start.elapsed();
        let choice = choice.ok_or_else(|| GameError::Wrong("the search found no move".into()))?;
        let mut answer = search_answer(&choice, detail);
        answer.notes.push(("depth", choice.depth.to_string()));
        answer.notes.push(("nodes", choice.evaluated.to_string()));
        answer.notes.push(("time", format!("{} us", time.as_micros())));
        if has_tables {
            let heuristic = &searcher.players.settings().heuristic;
            let note = format!("{board} is not in the table: searched with {heuristic}");
            answer.notes.push(("note", note));
        }
        Ok(answer)
    }
}

impl Searcher {
    /// What the tables say, if they have the board.
    fn look_up(
        &self,
        position: &dyn Position,
        detail: Detail,
    ) -> Result<Option<Answer>, GameError> {
        let Some(tables) = self.players.tables() else { return Ok(None) };
        let found = crate::games::Tables::probe(tables, position, detail)?;
        Ok(found.map(|mut answer| {
            if !tables.is_exact() {
                let note = "the table holds what a search found, not exact values";
                answer.notes.push(("note", note.into()));
            }
            answer
        }))
    }

    fn search(&mut self) -> Result<&Search, GameError> {
        if self.search.is_none() {
            self.search = Some(Search::new(self.players.settings())?);
        }
        Ok(self.search.as_ref().expect("one has been made"))
    }
}

/// What a search found, as an answer.
fn search_answer(choice: &Choice, detail: Detail) -> Answer {
    let moves = || {
        let moves = Direction::ALL.into_iter().zip(choice.moves);
        moves.filter_map(|(direction, value)| Some((direction.name().to_owned(), value?)))
    };
    let best = moves().filter(|&(_, value)| value == choice.value).map(|(name, _)| name);
    let mut answer = Answer::new(worth(choice.value), best);
    if detail.has_moves() {
        let moves = moves().map(|(name, value)| MoveAnswer {
            name,
            worth: Some(worth(value)),
            chances: Vec::new(),
        });
        answer.moves = moves.collect();
    }
    answer
}

/// A value of a search.
fn worth(value: f64) -> Worth {
    Worth::Expected(Expected {
        value,
        unit: Unit::Estimate,
        precision: Precision::Single,
        gain: value > 0.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::Board;
    use crate::games::twenty48::jobs::tests::{exact, made};
    use crate::games::{Game, twenty48::Twenty48};

    fn solver(options: &[(&str, &str)]) -> Box<dyn Solver> {
        let options =
            options.iter().fold(Options::default(), |all, (name, value)| all.with(name, value));
        Twenty48.solver(&options, false).unwrap()
    }

    fn solve(solver: &mut dyn Solver, text: &str) -> Result<(String, Answer), GameError> {
        let position = Twenty48.position(text, &Options::default())?;
        let answer = solver.solve(&*position, Detail::Moves)?;
        Ok((position.line(&answer), answer))
    }

    fn note_names(answer: &Answer) -> Vec<&'static str> {
        answer.notes.iter().map(|&(name, _)| name).collect()
    }

    #[test]
    fn a_search_values_every_move() {
        let mut solver = solver(&[("depth", "2"), ("heuristic", "score"), ("cut-off", "0")]);
        // Two sizes, one after the other.
        let (line, answer) = solve(&mut *solver, "2,2/2,2").unwrap();
        assert!(line.starts_with("0000000000110011 0100 "), "{line}");
        assert_eq!(answer.best, ["up", "right", "down", "left"]);
        let (_, answer) = solve(&mut *solver, "8,8,2/0,0,0/0,0,0").unwrap();
        assert_eq!(answer.moves.len(), 3);
        assert_eq!(note_names(&answer), ["depth", "nodes", "time"]);
        let (line, answer) = solve(&mut *solver, "2,4/4,2").unwrap();
        assert_eq!((line.as_str(), answer.notes.len()), ("0000000000120021 00ff 0", 1));
    }

    #[test]
    fn tables_are_asked_first() {
        let (folder, tables) = made(&exact("2x2 tile:16", None));
        let path = folder.path().join("table.etb");
        let mut solver = solver(&[("tables", path.to_str().unwrap()), ("heuristic", "sum")]);
        let (line, answer) = solve(&mut *solver, "8,4/2,4").unwrap();
        let found = tables.probe(Board(0x210023)).unwrap().unwrap();
        assert_eq!(line, format!("0000000000210023 0100 {:.10}", found.value));
        assert!(answer.notes.is_empty());
        let (_, answer) = solve(&mut *solver, "8,8/8,2").unwrap();
        assert_eq!(note_names(&answer), ["depth", "nodes", "time", "note"]);
        assert!(answer.notes[3].1.starts_with("0000000000130033 is not in the table: searched"));
        let error = solve(&mut *solver, "2,2,0/0,0,0/0,0,0").unwrap_err().to_string();
        assert_eq!(error, "the tables are of 2x2 boards, this one is 3x3");
    }

    #[test]
    fn what_cannot_be_searched_is_refused() {
        let mut strong = solver(&[("heuristic", "strong")]);
        let error = solve(&mut *strong, "2,4/0,2").unwrap_err().to_string();
        assert!(error.contains("for 4x4 boards"), "{error}");
        let after = Twenty48.position("2,2/0,4", &Options::default()).unwrap().play("left");
        let error = strong.solve(&*after.unwrap(), Detail::Best).unwrap_err().to_string();
        assert!(error.contains("afterstate"), "{error}");
        let missing = Options::default().with("tables", "missing.etb");
        assert!(Twenty48.solver(&missing, false).is_err());
    }
}
