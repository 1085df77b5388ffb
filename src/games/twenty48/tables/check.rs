//! Whether tables are whole and right.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::Tables;
use super::view::direction;
use crate::games::twenty48::{Board, Direction, Objective};
use crate::games::{GameError, Watch};
use crate::solve::layered::{self, Solved};
use crate::table::{Record, Table, TableError};

impl Tables {
    /// Checks a table: every block, and that each record can be; if `backup`, also that each is one
    /// step of backup from those after it. Answers how many records there are.
    ///
    /// Tables of searched games are no backups of each other.
    pub(super) fn check_table(
        &self,
        table: &Table,
        backup: bool,
        watch: &Watch<'_>,
    ) -> Result<u64, GameError> {
        if backup && let Some(checked) = self.check_layers(table, watch) {
            return checked.map(|()| table.len());
        }
        let scan = table.scan()?;
        let check = |block| {
            if watch.stop.load(Ordering::Relaxed) {
                return Err(GameError::Stopped);
            }
            let records = scan.records(block)?;
            records.iter().try_for_each(|record| self.check_record(table, record, backup))?;
            watch.progress.advance(records.len() as u64, records.len() as u64);
            Ok(())
        };
        let blocks = (0..table.blocks()).into_par_iter();
        if let Some(error) = blocks.find_map_first(|block| check(block).err()) {
            return Err(error);
        }
        Ok(table.len())
    }

    pub(super) fn check_record(
        &self,
        table: &Table,
        record: &Record,
        backup: bool,
    ) -> Result<(), GameError> {
        let wrong = |what: String| GameError::Wrong(format!("{}: {what}", table.path().display()));
        let size = self.rules.size;
        let board =
            Board::from_code(record.code, size).map_err(|error| wrong(error.to_string()))?;
        let value = self.value.decode(record.value);
        if let Some(why) = self.impossible(board, record, value) {
            return Err(wrong(format!("{board}: {why}")));
        }
        if !backup {
            return Ok(());
        }
        let solved = self.backup(board)?;
        if solved.is_some_and(|solved| self.agrees(board, record, solved)) {
            return Ok(());
        }
        let should = match solved {
            Some(Solved { value, best }) => {
                let names =
                    |number: u8| Direction::ALL.get(usize::from(number)).map(|it| it.name());
                let best = best.and_then(names).unwrap_or("none");
                format!("one step of backup gives {value}, best move {best}")
            }
            None => "boards that follow it are not there".into(),
        };
        Err(wrong(format!("{board} says {} {value}, but {should}", record.meta)))
    }

    /// What gives a record away that cannot be, whatever follows it.
    fn impossible(&self, board: Board, record: &Record, value: f64) -> Option<String> {
        let size = self.rules.size;
        let canonical = board.canonical(size);
        if canonical != board {
            return Some(format!("not in canonical form, which is {canonical}"));
        }
        match record.meta.best_move() {
            None if !board.is_over(size) => {
                return Some("no best move, but there are moves".into());
            }
            Some(number) if direction(record.meta).is_none() => {
                return Some(format!("the best move is number {number}; there are 0 to 3"));
            }
            Some(_) => {
                let best = direction(record.meta)?;
                if board.slide(best, size).is_none() {
                    return Some(format!("the best move {} moves nothing", best.name()));
                }
            }
            None => {}
        }
        if self.rules.is_finished(board) {
            return Some("the tile to reach is there already".into());
        }
        let (win, plies) = (record.meta.value().is_win(), record.meta.value().plies());
        if record.meta.turn() != 0 || plies.0 != 0 {
            return Some(format!(
                "turn {} and {plies} plies, where both are 0",
                record.meta.turn()
            ));
        }
        let (possible, what) = match self.rules.objective {
            // Sums of chances may overshoot by a little.
            Objective::Tile(_) => (0.0..=1.0 + 1e-9, "a chance from 0 to 1"),
            Objective::Score => (0.0..=f64::MAX, "a number from 0"),
            Objective::Search => (f64::MIN..=f64::MAX, "a number"),
        };
        if !possible.contains(&value) {
            return Some(format!("a value of {value}, where it is {what}"));
        }
        if !self.is_exact() {
            return None;
        }
        if !win && value != 0.0 {
            return Some(format!("nothing to gain, but a value of {value}"));
        }
        (win && record.meta.best_move().is_none()).then(|| "something to gain, but no move".into())
    }

    /// What one step of backup from the records after it makes of a board; `None` if boards that
    /// follow are not in the tables.
    fn backup(&self, board: Board) -> Result<Option<Solved>, TableError> {
        let mut damaged = None;
        let value = |_, state| {
            self.own_view().value(Board(state)).unwrap_or_else(|error| {
                damaged.get_or_insert(error);
                None
            })
        };
        let solved = layered::solve_one(&self.rules, board.0, value);
        damaged.map_or(Ok(solved), Err)
    }

    /// Whether a record says what it should, as far as rounded values tell: a move that is as good
    /// to within the rounding may be the best one.
    fn agrees(&self, board: Board, record: &Record, solved: Solved) -> bool {
        let best = match (direction(record.meta), solved.best) {
            (None, None) => true,
            (Some(stored), Some(_)) => {
                let moves = self.moves(board).unwrap_or_default();
                let value = moves[stored as usize].and_then(|it| it.value);
                value.is_some_and(|value| self.is_close(record, value))
            }
            _ => false,
        };
        best && self.agrees_in_value(record, solved)
    }

    /// Whether a record has the value that it should, as far as rounded values tell.
    pub(super) fn agrees_in_value(&self, record: &Record, solved: Solved) -> bool {
        // A chance too small for the column is still a chance.
        let win = record.meta.value().is_win();
        let rounded_away = win && self.value.decode(record.value) == 0.0;
        self.is_close(record, solved.value) && (win == (solved.value > 0.0) || rounded_away)
    }

    fn is_close(&self, record: &Record, value: f64) -> bool {
        let stored = self.value.decode(record.value);
        (value - stored).abs() <= self.rounding(stored)
    }
}
