//! Tables of endgame patterns: boards of real games, looked up by their afterstates.
//!
//! A record is an afterstate and its chance: the largest chance of a legal move is the chance of a
//! board with the player to move. Several tables may have a board. The one with the largest target
//! answers; of those the one that leaves the most cells free; of those the one with the largest
//! chance.

mod anew;
mod answers;
mod check;
mod decoder;
mod statistics;

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

pub(in crate::games::twenty48) use decoder::PatternDecoder;

use crate::games::twenty48::pattern::{Fit, Fitting, PatternCodes, are_of_pattern};
use crate::games::twenty48::{Board, Direction, PatternRules, Size, Twenty48, Twenty48Position};
use crate::games::{Game, GameError, Position};
use crate::table::{
    Description, EXTENSION, Layout, Table, TableError, ValueKind, files_in, read_header,
};
use crate::value::{Expected, Unit, Worth};

/// Tables of endgame patterns, of any patterns and targets. Threads may share them.
///
/// ```no_run
/// use endtable::games::twenty48::{Board, PatternTables, Size};
///
/// let tables = PatternTables::open(&["patterns"])?;
/// let board = Board::parse("2,0,0,0/4,0,0,0/8,64,128,256/2,512,1024,2048", Size::FULL)?;
/// if let Some(found) = tables.probe(board)? {
///     println!("{} {}", found.table.rules(), found.chance);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PatternTables {
    /// In the order in which they are asked.
    tables: Vec<PatternTable>,
}

/// A table of a pattern.
pub struct PatternTable {
    table: Table,
    rules: PatternRules,
    codes: PatternCodes,
    fitting: Fitting,
}

/// Which table is asked first: that with the larger target, then that with more free cells.
type Order = (Reverse<u8>, Reverse<u8>);

/// What a table says of a board with the player to move.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct PatternOutlook<'a> {
    /// The table that answered.
    pub table: &'a PatternTable,
    /// The chance that the tile appears, with best play: exactly 0 if it cannot, exactly 1 if it
    /// must, or is there already.
    pub chance: f64,
    /// Whether the tile is there.
    pub won: bool,
    /// What becomes of each slide, in the order of [`Direction::ALL`].
    pub moves: [PatternMove; 4],
}

/// What becomes of a slide.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PatternMove {
    /// Nothing moves.
    Blocked,
    /// The pattern forbids it: a large tile would leave every mask, or nothing moves unless large
    /// tiles merge.
    Excluded,
    /// It leads to an afterstate with this chance; `None` if the table does not have it.
    Afterstate(Option<f64>),
}

impl PatternOutlook<'_> {
    /// The first of the moves that are as good as any, `None` if there is no legal one, or the tile is
    /// there.
    #[must_use]
    pub fn best(&self) -> Option<Direction> {
        let is_best = |mv: &PatternMove| *mv == PatternMove::Afterstate(Some(self.chance));
        let best = Direction::ALL.into_iter().zip(&self.moves).find(|(_, mv)| is_best(mv));
        best.map(|(direction, _)| direction)
    }
}

/// Whether a table is one of a pattern's, as its header says.
pub(in crate::games::twenty48) fn is_of_pattern(description: &Description) -> bool {
    description.game() == Twenty48.name() && are_of_pattern(&description.rules)
}

/// Whether the first table at some paths is one of a pattern's; what cannot be read is not.
pub(in crate::games::twenty48) fn are_patterns(paths: &[PathBuf]) -> bool {
    let first = paths.first().and_then(|path| match path.is_dir() {
        true => files_in(path, EXTENSION).ok()?.into_iter().next(),
        false => Some(path.clone()),
    });
    let header = first.and_then(|file| read_header(&file).ok());
    header.is_some_and(|header| is_of_pattern(&header.description))
}

impl PatternTables {
    /// Whether a file, or the first table of a folder, is of a pattern; what cannot be read is not.
    #[must_use]
    pub fn are_at(path: &Path) -> bool {
        are_patterns(&[path.into()])
    }

    /// Opens files; a folder stands for all tables in it.
    ///
    /// # Errors
    /// When there is none, one cannot be opened, or is not a pattern's.
    pub fn open(paths: &[impl AsRef<Path>]) -> Result<Self, TableError> {
        let mut files = Vec::new();
        for path in paths.iter().map(AsRef::as_ref) {
            match path.is_dir() {
                true => files.extend(files_in(path, EXTENSION)?),
                false => files.push(path.to_path_buf()),
            }
        }
        if files.is_empty() {
            return Err(TableError::MissingTable { name: "no table of a pattern".into() });
        }
        let tables =
            files.iter().map(|file| PatternTable::open(file)).collect::<Result<Vec<_>, _>>();
        let mut tables = tables?;
        tables.sort_by_key(PatternTable::order);
        Ok(Self { tables })
    }

    /// The tables, in the order in which they are asked.
    #[must_use]
    pub fn tables(&self) -> &[PatternTable] {
        &self.tables
    }

    /// Whether a position is of a pattern here, reached or not.
    #[must_use]
    pub fn have(&self, position: &dyn Position) -> bool {
        let own = Twenty48Position::of(position);
        own.is_ok_and(|own| own.size == Size::FULL && self.fits(own.board.nybbles()))
    }

    fn fits(&self, board: Board) -> bool {
        self.tables.iter().any(|table| table.fitting.fit(board) != Fit::Not)
    }

    /// Why a board is of no pattern here.
    fn reason(&self, board: Board) -> String {
        let reasons: Vec<String> =
            self.tables.iter().take(3).map(|table| table.fitting.reason(board)).collect();
        let more = if self.tables.len() > reasons.len() { "; and so on" } else { "" };
        format!("of no pattern here: {}{more}", reasons.join("; "))
    }

    /// What the tables say of a board of a real game with the player to move; `None` if none of them
    /// has it. That it is of no pattern here is another answer: see
    /// [`Tables::position`](crate::games::Tables::position).
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn probe(&self, board: Board) -> Result<Option<PatternOutlook<'_>>, TableError> {
        self.first_of(|table| table.probe(board), |found| found.chance)
    }

    /// The answer of the first tables in order that have one; of equals in that the largest.
    fn first_of<'a, T>(
        &'a self,
        ask: impl Fn(&'a PatternTable) -> Result<Option<T>, TableError>,
        chance: impl Fn(&T) -> f64,
    ) -> Result<Option<T>, TableError> {
        let mut best: Option<(T, Order)> = None;
        for table in &self.tables {
            if best.as_ref().is_some_and(|(_, order)| *order != table.order()) {
                break;
            }
            if let Some(found) = ask(table)?
                && best.as_ref().is_none_or(|(best, _)| chance(&found) > chance(best))
            {
                best = Some((found, table.order()));
            }
        }
        Ok(best.map(|(found, _)| found))
    }
}

impl PatternTable {
    /// Opens a table of a pattern.
    ///
    /// # Errors
    /// When it is missing, damaged, or not a pattern's.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        let table = Table::open(path)?;
        let rules = table_rules(&table.header().description, path)?;
        let codes = PatternCodes::new(&rules);
        check_description(&table.header().description, &codes, path)?;
        let fitting = Fitting::new(&rules);
        Ok(Self { table, rules, codes, fitting })
    }

    /// The table itself.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The pattern and the tile to reach.
    #[must_use]
    pub fn rules(&self) -> &PatternRules {
        &self.rules
    }

    fn order(&self) -> Order {
        (Reverse(self.rules.target().exponent()), Reverse(self.rules.pattern().free_cells()))
    }

    fn value_kind(&self) -> ValueKind {
        self.table.header().description.value
    }

    /// A chance of this table.
    fn worth(&self, value: f64) -> Worth {
        let precision = self.value_kind().precision();
        Worth::Expected(Expected { value, unit: Unit::Chance, precision, gain: value > 0.0 })
    }

    /// The chance of an afterstate of the pattern, large tiles being nybbles of
    /// [`LARGE`](crate::games::twenty48::LARGE); `None` if it is not there.
    ///
    /// # Errors
    /// When the table is damaged where the answer would be.
    #[inline]
    pub fn afterstate(&self, after: Board) -> Result<Option<f64>, TableError> {
        if self.rules.is_won(after) {
            return Ok(Some(1.0));
        }
        let Some(code) = self.codes.code(after) else { return Ok(None) };
        let record = self.table.get(code)?;
        Ok(record.map(|record| self.value_kind().decode(record.value)))
    }

    /// What the table says of a board of a real game with the player to move; `None` if it does not
    /// have it, or it is not of its pattern.
    ///
    /// # Errors
    /// When the table is damaged where the answer would be.
    pub fn probe(&self, board: Board) -> Result<Option<PatternOutlook<'_>>, TableError> {
        let larges = match self.fitting.fit(board) {
            Fit::Not => return Ok(None),
            Fit::Won => {
                let moves = [PatternMove::Blocked; 4];
                return Ok(Some(PatternOutlook { table: self, chance: 1.0, won: true, moves }));
            }
            Fit::Of(larges) => larges,
        };
        let mut best: Option<PatternOutlook<'_>> = None;
        for fitted in self.fitting.fitted(board, larges) {
            let slides = self.rules.pattern().slides(fitted.board);
            let moving = board.slid(Size::FULL).map(|after| after != board);
            let (mut moves, mut chance) = ([PatternMove::Blocked; 4], 0.0);
            let mut all_known = true;
            for (direction, mv) in Direction::ALL.into_iter().zip(&mut moves) {
                let after = slides[fitted.symmetry.direction(direction) as usize];
                *mv = match after {
                    Some(after) => PatternMove::Afterstate(self.afterstate(after)?),
                    None if moving[direction as usize] => PatternMove::Excluded,
                    None => continue,
                };
                match *mv {
                    PatternMove::Afterstate(Some(value)) => chance = f64::max(chance, value),
                    PatternMove::Afterstate(None) => all_known = false,
                    _ => {}
                }
            }
            let known = all_known || chance == 1.0;
            if known && best.is_none_or(|best| chance > best.chance) {
                best = Some(PatternOutlook { table: self, chance, won: false, moves });
            }
        }
        Ok(best)
    }
}

/// The rules of a table of a pattern.
fn table_rules(description: &Description, path: &Path) -> Result<PatternRules, TableError> {
    let what = if !is_of_pattern(description) {
        format!(
            "not a table of a 2048 pattern, but of {} {}",
            description.game(),
            description.rules
        )
    } else {
        match description.rules.parse() {
            Ok(rules) => return Ok(rules),
            Err(error) => format!("2048 has no rules {:?}: {error}", description.rules),
        }
    };
    Err(TableError::Inconsistent { path: path.into(), what })
}

/// Checks that a table stores afterstates and chances as tables of patterns do.
fn check_description(
    description: &Description,
    codes: &PatternCodes,
    path: &Path,
) -> Result<(), TableError> {
    let Description { codec, key_bytes, layout, value, .. } = *description;
    let what = if codec != codes.codec() {
        format!("the afterstates of this pattern are stored {}, not {codec}", codes.codec())
    } else if key_bytes != 8 {
        format!("the keys of 2048 boards have 8 bytes, not {key_bytes}")
    } else if layout != Layout::Bare {
        format!("the records of patterns have no meta, these have {} bytes", layout.bytes())
    } else if !value.is_chance() {
        format!(
            "tables of patterns have chances, chance16, chance24 or chance32; these have {value}"
        )
    } else {
        return Ok(());
    };
    Err(TableError::Inconsistent { path: path.into(), what })
}

/// Several tables that cannot be opened together.
pub(in crate::games::twenty48) fn check_merge(tables: &[Table]) -> Result<(), GameError> {
    for table in tables {
        let description = &table.header().description;
        let rules = table_rules(description, table.path())?;
        check_description(description, &PatternCodes::new(&rules), table.path())?;
    }
    Ok(())
}
