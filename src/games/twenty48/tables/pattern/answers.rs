//! Tables of patterns as everything that is not about one game sees them.

use super::{PatternMove, PatternOutlook, PatternTable, PatternTables};
use crate::games::twenty48::pattern::{Fit, equal_larges};
use crate::games::twenty48::position::spawn_name;
use crate::games::twenty48::{Board, Direction, Size, Spawn, Twenty48, Twenty48Position};
use crate::games::{
    self, Answer, Check, Contents, Detail, Field, Game, GameError, MoveAnswer, Position,
    Statistics, Watch,
};
use crate::table::{OpenFile, Options, TableError};

impl PatternTables {
    /// What they say of a board with the player to move.
    fn answer(&self, board: Board, detail: Detail) -> Result<Option<Answer>, TableError> {
        let Some(found) = self.probe(board)? else { return Ok(None) };
        let table = found.table;
        let mut answer = Answer::new(table.worth(found.chance), best_moves(&found));
        table.say_source(board, &mut answer);
        for (direction, mv) in Direction::ALL.into_iter().zip(found.moves) {
            let name = || direction.name().to_owned();
            match mv {
                PatternMove::Blocked => {}
                PatternMove::Excluded => {
                    answer.excluded.push((name(), table.why_excluded(board, direction)))
                }
                PatternMove::Afterstate(chance) if detail.has_moves() => {
                    let chances = match detail {
                        Detail::Chances => table.chances_after(board, direction)?,
                        _ => Vec::new(),
                    };
                    let worth = chance.map(|chance| table.worth(chance));
                    answer.moves.push(MoveAnswer { name: name(), worth, chances });
                }
                PatternMove::Afterstate(_) => {}
            }
        }
        Ok(Some(answer))
    }

    /// What they say of an afterstate, with the tiles that may come if they are asked for.
    fn answer_afterstate(
        &self,
        after: Board,
        detail: Detail,
    ) -> Result<Option<Answer>, TableError> {
        let ask = |table| {
            let chance = PatternTable::probe_afterstate(table, after)?;
            Ok(chance.map(|chance| (table, chance)))
        };
        let Some((table, chance)) = self.first_of(ask, |&(_, chance)| chance)? else {
            return Ok(None);
        };
        let mut answer = Answer::new(table.worth(chance), None);
        table.say_source(after, &mut answer);
        if detail.has_moves() && table.fitting.fit(after) != Fit::Won {
            for (next, spawn) in after.spawns(Size::FULL) {
                let chance = table.probe(next)?.map(|found| table.worth(found.chance));
                let name = spawn_name(spawn);
                answer.moves.push(MoveAnswer { name, worth: chance, chances: Vec::new() });
            }
        }
        Ok(Some(answer))
    }
}

/// Every move that is as good as the best, in their order.
fn best_moves(found: &PatternOutlook<'_>) -> Vec<String> {
    let is_best = |mv: &PatternMove| *mv == PatternMove::Afterstate(Some(found.chance));
    let best = Direction::ALL.into_iter().zip(&found.moves).filter(|(_, mv)| is_best(mv));
    best.map(|(direction, _)| direction.name().to_owned()).collect()
}

/// What an answer calls the tile that it is the chance of.
const TARGET: &str = "target";

impl PatternTable {
    /// Says which table answered, and of equal large tiles.
    fn say_source(&self, board: Board, answer: &mut Answer) {
        let table = self.table.path().display().to_string();
        answer.source = vec![
            ("table", table.into()),
            ("pattern", self.rules.pattern().name().into()),
            (TARGET, Field::Number(1 << self.rules.target().exponent())),
        ];
        if let Fit::Of(larges) = self.fitting.fit(board)
            && let Some(exponent) = equal_larges(board, larges)
        {
            let tile = 1u32 << exponent;
            answer.notes.push((
                "note",
                format!(
                    "{board}: two large tiles of {tile} could merge, which the table leaves out"
                ),
            ));
        }
    }

    /// Why a slide that moves something is not one of the pattern's.
    fn why_excluded(&self, board: Board, direction: Direction) -> String {
        let moves = match self.fitting.fit(board) {
            Fit::Of(larges) => self.fitting.fitted(board, larges).any(|fitted| {
                let after =
                    fitted.board.slid(Size::FULL)[fitted.symmetry.direction(direction) as usize];
                after != fitted.board
            }),
            _ => true,
        };
        match moves {
            true => "takes a large tile out of its place".into(),
            false => "merges large tiles and moves nothing else".into(),
        }
    }

    /// The chance of an afterstate of a real game; `None` if it is not there, or not of the pattern.
    fn probe_afterstate(&self, after: Board) -> Result<Option<f64>, TableError> {
        let larges = match self.fitting.fit(after) {
            Fit::Not => return Ok(None),
            Fit::Won => return Ok(Some(1.0)),
            Fit::Of(larges) => larges,
        };
        let mut best: Option<f64> = None;
        for fitted in self.fitting.fitted(after, larges) {
            let chance = self.afterstate(fitted.board)?;
            best = best.into_iter().chain(chance).reduce(f64::max);
        }
        Ok(best)
    }

    /// Every tile that may come after a slide, with the chance of the board that it makes.
    fn chances_after(
        &self,
        board: Board,
        direction: Direction,
    ) -> Result<Vec<(String, Option<crate::value::Worth>)>, TableError> {
        let Some((after, _)) = board.slide(direction, Size::FULL) else { return Ok(Vec::new()) };
        if self.fitting.fit(after) == Fit::Won {
            return Ok(Vec::new());
        }
        let chance = |(next, spawn): (Board, Spawn)| {
            let worth = self.probe(next)?.map(|found| self.worth(found.chance));
            Ok((super::super::answers::chance_text(spawn), worth))
        };
        after.spawns(Size::FULL).map(chance).collect()
    }
}

impl games::Tables for PatternTables {
    fn game(&self) -> &'static dyn Game {
        &Twenty48
    }

    fn files(&self) -> Vec<&OpenFile> {
        self.tables.iter().map(|table| &*table.table as &OpenFile).collect()
    }

    fn contents(&self) -> Contents {
        let mut rules: Vec<String> = self.tables.iter().map(|it| it.rules.to_string()).collect();
        rules.dedup();
        Contents::of(rules.join(", "), &self.files())
    }

    fn goal(&self, answer: &Answer) -> Option<String> {
        let target = answer.source.iter().find(|(name, _)| *name == TARGET);
        target.map(|(_, target)| format!("to reach {target}"))
    }

    /// A board of a real game, in any orientation.
    fn position(&self, text: &str, options: &Options) -> Result<Box<dyn Position>, GameError> {
        if let Some(size) = options.parse::<Size>("board")?.filter(|&size| size != Size::FULL) {
            return Err(GameError::option("board", size, "the tables are of 4x4 boards"));
        }
        let position = Twenty48Position::parse(text, Some(Size::FULL))?;
        let board = position.board.nybbles();
        if !self.fits(board) {
            return Err(GameError::position(text, self.reason(board)));
        }
        Ok(Box::new(position))
    }

    fn probe(&self, position: &dyn Position, detail: Detail) -> Result<Option<Answer>, GameError> {
        let &Twenty48Position { board, size, afterstate } = Twenty48Position::of(position)?;
        if size != Size::FULL {
            let reason = format!("a {size} board, but the tables are of 4x4 boards");
            return Err(GameError::position(&position.text(), reason));
        }
        let board = board.nybbles();
        if !self.fits(board) {
            return Err(GameError::position(&position.text(), self.reason(board)));
        }
        let answer = match afterstate {
            true => self.answer_afterstate(board, detail),
            false => self.answer(board, detail),
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
        let backup = match check {
            Check::Sound => false,
            Check::Full | Check::Part(_) => true,
            Check::Sample { .. } => {
                let why = "these tables are checked in full or not at all";
                return Err(GameError::Unsupported(why.into()));
            }
        };
        let tables = self.tables.iter().enumerate();
        for (_, table) in tables.filter(|(part, _)| check.is_about(*part)) {
            watch.progress.begin("checking", table.table.len(), 0);
            let checked = table.check(backup, watch);
            watch.progress.end();
            report(match checked {
                Err(GameError::Stopped) => return Err(GameError::Stopped),
                Err(error) => Err(error),
                Ok(()) => {
                    let table = &table.table;
                    let (path, count) = (table.path().display(), table.len());
                    let blocks = table.blocks();
                    let more = match backup {
                        true => {
                            "; each is one step of backup from those after it, which are all there, \
                             and so are the seeds"
                        }
                        false => "",
                    };
                    Ok(format!("{path}: {count} records in {blocks} blocks are sound{more}"))
                }
            });
        }
        Ok(())
    }
}
