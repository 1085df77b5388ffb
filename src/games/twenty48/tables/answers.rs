//! The tables as everything that is not about one game sees them.

use super::{MoveOutlook, Tables, View};
use crate::games::twenty48::position::{rows_and_columns, spawn_name};
use crate::games::twenty48::{
    Board, Direction, Objective, Size, Spawn, Twenty48, Twenty48Position,
};
use crate::games::{
    self, Answer, Check, Contents, Detail, Game, GameError, MoveAnswer, Position, Statistics, Watch,
};
use crate::table::{OpenFile, Options, TableError};
use crate::value::Worth;

impl Tables {
    /// What they say of a board with the player to move, with its moves if they are asked for.
    pub(in crate::games::twenty48) fn answer(
        &self,
        view: View<'_>,
        board: Board,
        detail: Detail,
    ) -> Result<Option<Answer>, TableError> {
        let Some(found) = view.probe(board)? else { return Ok(None) };
        let best = found.best.map(|best| best.name().to_owned());
        let mut answer = Answer::new(self.worth(found.value, found.win), best);
        // Nothing is to be done where the game is over, or the tile is there.
        if let Some(best) = found.best
            && detail.has_moves()
        {
            let moves = view.moves(board)?;
            answer.best.extend(self.as_good(best, &moves).map(|tie| tie.name().to_owned()));
            answer.moves = self.move_answers(view, &moves, detail)?;
        }
        Ok(Some(answer))
    }

    /// The other moves that are as good as the stored one; none where not all are known. Stored values
    /// are rounded, so that the value of a board says less than those of its moves among each other:
    /// equally good ones lead to the same values, added up in some order.
    fn as_good(
        &self,
        stored: Direction,
        moves: &[Option<MoveOutlook>; 4],
    ) -> impl Iterator<Item = Direction> {
        const SUMMATION: f64 = 1e-12;
        let values = moves.map(|mv| mv.and_then(|mv| mv.value));
        // What a search found of a board is not what it found of the boards after it.
        let all_known = self.is_exact() && moves.iter().flatten().all(|mv| mv.value.is_some());
        let best = values[stored as usize].filter(|_| all_known);
        Direction::ALL.into_iter().zip(values).filter_map(move |(direction, value)| {
            let difference = (value? - best?).abs();
            let tie = direction != stored && difference <= SUMMATION * best?.abs();
            tie.then_some(direction)
        })
    }

    fn move_answers(
        &self,
        view: View<'_>,
        moves: &[Option<MoveOutlook>; 4],
        detail: Detail,
    ) -> Result<Vec<MoveAnswer>, TableError> {
        let mut answers = Vec::new();
        for (direction, outlook) in Direction::ALL.into_iter().zip(moves) {
            let Some(MoveOutlook { after, value }) = *outlook else { continue };
            let mut chances = Vec::new();
            if detail == Detail::Chances && !self.rules.is_finished(after) {
                for (spawn, value) in view.spawns(after)? {
                    chances.push((chance_text(spawn), self.known_worth(value)));
                }
            }
            let (name, worth) = (direction.name().to_owned(), self.known_worth(value));
            answers.push(MoveAnswer { name, worth, chances });
        }
        Ok(answers)
    }

    /// What they say of an afterstate, with the tiles that may come if they are asked for.
    fn answer_afterstate(
        &self,
        view: View<'_>,
        after: Board,
        detail: Detail,
    ) -> Result<Option<Answer>, TableError> {
        let Some(value) = view.afterstate(after, 0.0)? else { return Ok(None) };
        let mut answer = Answer::new(self.worth(value, value > 0.0), None);
        if detail.has_moves() && !self.rules.is_finished(after) {
            let spawns = view.spawns(after)?.into_iter();
            let spawns = spawns.map(|(spawn, value)| MoveAnswer {
                name: spawn_name(spawn),
                worth: self.known_worth(value),
                chances: Vec::new(),
            });
            answer.moves = spawns.collect();
        }
        Ok(Some(answer))
    }

    fn known_worth(&self, value: Option<f64>) -> Option<Worth> {
        value.map(|value| self.worth(value, value > 0.0))
    }

    /// The size of a board that is written so: what the options or its rows say, if the tables have
    /// such boards; otherwise that of the tables.
    fn size_of(&self, text: &str, options: &Options) -> Result<Size, GameError> {
        let own = self.rules.size;
        if let Some(size) = options.parse::<Size>("board")? {
            let other = || format!("the tables are of {own} boards");
            let view = self.view(size).ok_or_else(|| GameError::option("board", size, other()));
            return view.map(|_| size);
        }
        let shape = rows_and_columns(text);
        let size = shape.and_then(|(r, c)| Size::new(r.try_into().ok()?, c.try_into().ok()?));
        Ok(size.filter(|&size| self.view(size).is_some()).unwrap_or(own))
    }
}

/// A tile that may come, as `probe` lists it.
pub(super) fn chance_text(spawn: Spawn) -> String {
    let (row, column) = (spawn.cell / 4 + 1, spawn.cell % 4 + 1);
    let (tile, chance) = (1 << spawn.exponent, spawn.chance);
    format!("{tile} at row {row} column {column} chance {chance:.4}")
}

impl games::Tables for Tables {
    fn game(&self) -> &'static dyn Game {
        &Twenty48
    }

    fn files(&self) -> Vec<&OpenFile> {
        self.set().tables().iter().map(|table| &**table).collect()
    }

    fn contents(&self) -> Contents {
        Contents::of(self.rules(), &self.files())
    }

    fn goal(&self, _answer: &Answer) -> Option<String> {
        match self.rules().objective {
            Objective::Tile(target) => Some(format!("to reach {target}")),
            Objective::Score | Objective::Search => None,
        }
    }

    fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
        let size = self.size_of(text, options)?;
        let position = Twenty48Position::parse(text, Some(size))?;
        let possible = position.board.nybbles().check_possible(size);
        possible.map_err(|error| GameError::position(text, error))?;
        Ok(Box::new(position))
    }

    fn probe(&self, position: &dyn Position, detail: Detail) -> Result<Option<Answer>, GameError> {
        let &Twenty48Position { board, size, afterstate } = Twenty48Position::of(position)?;
        let own = self.rules.size;
        let other = || format!("a {size} board, but the tables are of {own} boards");
        let view = self.view(size).ok_or_else(|| GameError::position(&position.text(), other()))?;
        // A tile that no nybble holds is in none of them.
        let Some(board) = board.small() else { return Ok(None) };
        let answer = if afterstate {
            self.answer_afterstate(view, board, detail)
        } else {
            self.answer(view, board, detail)
        };
        Ok(answer?)
    }

    fn statistics(&self, watch: &Watch<'_>) -> Result<Statistics, GameError> {
        self.count_statistics(watch)
    }

    fn check(
        &self,
        check: Check,
        watch: &Watch<'_>,
        report: &mut dyn FnMut(Result<String, GameError>),
    ) -> Result<(), GameError> {
        let refused = |why: &str| Err(GameError::Unsupported(why.into()));
        let backup = match check {
            Check::Sound => false,
            Check::Sample { .. } => {
                return refused("these tables are checked in full or not at all");
            }
            Check::Full | Check::Part(_) if !self.is_exact() => {
                return refused(
                    "what a search found is no backup of what it found later: \
                                these tables cannot be checked in full",
                );
            }
            Check::Full | Check::Part(_) => true,
        };
        let tables = self.set.tables().iter().enumerate();
        for (_, table) in tables.filter(|(part, _)| check.is_about(*part)) {
            watch.progress.begin("checking", table.len(), 0);
            let checked = self.check_table(table, backup, watch);
            watch.progress.end();
            report(match checked {
                Err(GameError::Stopped) => return Err(GameError::Stopped),
                Err(error) => Err(error),
                Ok(count) => {
                    let (path, blocks) = (table.path().display(), table.blocks());
                    let more = match backup {
                        true => "; each is one step of backup from those after it",
                        false => "",
                    };
                    Ok(format!("{path}: {count} records in {blocks} blocks are sound{more}"))
                }
            });
        }
        Ok(())
    }
}
