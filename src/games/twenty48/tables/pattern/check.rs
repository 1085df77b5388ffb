//! Whether tables of patterns are whole and right.

use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::PatternTable;
use crate::games::twenty48::{Board, Pattern, Size};
use crate::games::{GameError, Watch};
use crate::table::{Record, TableError};

impl PatternTable {
    /// Checks every block, and that each record can be; if `backup`, also that each is one step of
    /// backup from those after it, that all these are there, and that the seeds are.
    pub(super) fn check(&self, backup: bool, watch: &Watch<'_>) -> Result<(), GameError> {
        if backup {
            self.check_seeds()?;
            if let Some(checked) = self.check_layers(watch) {
                return checked;
            }
        }
        let scan = self.table.scan()?;
        let check = |block| {
            if watch.stop.load(Ordering::Relaxed) {
                return Err(GameError::Stopped);
            }
            let records = scan.records(block)?;
            records.iter().try_for_each(|record| self.check_record(record, backup))?;
            watch.progress.advance(records.len() as u64, records.len() as u64);
            Ok(())
        };
        let blocks = (0..self.table.blocks()).into_par_iter();
        blocks.find_map_first(|block| check(block).err()).map_or(Ok(()), Err)
    }

    fn check_seeds(&self) -> Result<(), GameError> {
        for &seed in self.rules.pattern().seeds() {
            if self.afterstate(seed)?.is_none() {
                let seed = Pattern::board_text(seed);
                return Err(self.wrong(format!("the seed {seed} is not there")));
            }
        }
        Ok(())
    }

    pub(super) fn check_record(&self, record: &Record, backup: bool) -> Result<(), GameError> {
        let none = || self.wrong(format!("{:#x}: no code of an afterstate", record.code));
        let after = self.codes.board(record.code).ok_or_else(none)?;
        if !backup {
            return Ok(());
        }
        let (mut twos, mut fours) = (0.0, 0.0);
        for (next, spawn) in after.spawns(Size::FULL) {
            let chance = self.backup(next)?.ok_or_else(|| {
                let next = Pattern::board_text(next);
                self.wrong(format!("{after}: a move from {next} leads to what is not there"))
            })?;
            *(if spawn.exponent == 1 { &mut twos } else { &mut fours }) += chance;
        }
        let cells = f64::from(after.empty(Size::FULL));
        let expected = (9.0 * twos + fours) / (10.0 * cells);
        let (kind, stored) = (self.value_kind(), self.value_kind().decode(record.value));
        // Rounded values were averaged, and the mean was rounded: to within three steps. But what
        // cannot be won is exactly 0, and nothing else is.
        let steps = (kind.encode(expected) as i64 - record.value as i64).abs();
        if steps <= 3 && (stored == 0.0) == (expected == 0.0) {
            return Ok(());
        }
        Err(self.wrong(format!("{after} says {stored}, but one step of backup gives {expected}")))
    }

    /// The largest chance of a move; `None` if an afterstate is not there.
    fn backup(&self, board: Board) -> Result<Option<f64>, TableError> {
        let mut best = 0.0;
        for after in self.rules.pattern().slides(board).into_iter().flatten() {
            let Some(chance) = self.afterstate(after)? else { return Ok(None) };
            best = f64::max(best, chance);
        }
        Ok(Some(best))
    }

    pub(super) fn wrong(&self, what: String) -> GameError {
        GameError::Wrong(format!("{}: {what}", self.table.path().display()))
    }
}
