//! 2048 boards, looked up in tables.

use rayon::prelude::*;

use crate::games::twenty48::{Board, Direction, Rules, Spawn};
use crate::solve::layered::{self, Solved};
use crate::table::{Codec, Game, Meta, Record, TableError, TableSet, ValueKind};

/// Tables of one 2048 board and one objective, asked by board in any orientation.
///
/// ```no_run
/// use endtable::games::twenty48::Board;
/// use endtable::probe::Twenty48Tables;
/// use endtable::table::TableSet;
///
/// let tables = Twenty48Tables::new(TableSet::open(&["3x3.etb"])?)?;
/// let board = Board::parse("2,4,0/0,2,0/0,0,8", tables.rules().size)?;
/// if let Some(answer) = tables.probe(board)? {
///     println!("{:?} {}", answer.best, answer.value);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Twenty48Tables {
    set: TableSet,
    rules: Rules,
    value: ValueKind,
}

/// What a table says of a board with the player to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// Whether there is something to gain: score to come, or a chance that the tile appears. Also
    /// when the tile is there already.
    pub win: bool,
    /// A best move; `None` when the game is over, or the tile is there.
    pub best: Option<Direction>,
    /// The score still to come, or the chance that the tile appears, with best play.
    pub value: f64,
}

/// What a move is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveOutlook {
    /// The board after the move, before the new tile.
    pub after: Board,
    /// The value of the move; `None` where the tables do not have all boards that may follow.
    pub value: Option<f64>,
}

impl Twenty48Tables {
    /// Takes a set of 2048 tables.
    ///
    /// # Errors
    /// When it is empty, or not of 2048 boards.
    pub fn new(set: TableSet) -> Result<Self, TableError> {
        let missing = || TableError::MissingTable { name: "2048".into() };
        let description = set.description().ok_or_else(missing)?;
        let path = set.tables()[0].path();
        if description.game != Game::Twenty48 {
            let (expected, found) = (Game::Twenty48, description.game);
            return Err(TableError::OtherGame { path: path.into(), expected, found });
        }
        let rules = Rules::from_number(description.rules).ok_or_else(|| TableError::Unknown {
            path: path.into(),
            what: "set of rules",
            found: description.rules.into(),
        })?;
        if description.codec != Codec::Canonical {
            return Err(TableError::Inconsistent {
                path: path.into(),
                what: format!(
                    "2048 boards are stored in canonical form, not {}",
                    description.codec
                ),
            });
        }
        let value = description.value;
        Ok(Self { set, rules, value })
    }

    /// The size of the board and the objective.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// How the tables store values.
    #[must_use]
    pub fn value_kind(&self) -> ValueKind {
        self.value
    }

    /// The tables themselves.
    #[must_use]
    pub fn set(&self) -> &TableSet {
        &self.set
    }

    /// What the tables say of a board with the player to move: `None` if it is in none of them.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn probe(&self, board: Board) -> Result<Option<Outlook>, TableError> {
        if self.rules.is_finished(board) {
            return Ok(Some(Outlook { win: true, best: None, value: 1.0 }));
        }
        let size = self.rules.size;
        let symmetry = board.to_canonical(size);
        let record = self.set.get(symmetry.board(board, size).code(size))?;
        Ok(record.map(|record| Outlook {
            win: record.meta.value().is_win(),
            best: direction(record.meta).map(|best| symmetry.direction_before(best)),
            value: self.value.decode(record.value),
        }))
    }

    /// The value of a board with the player to move, if the tables have it.
    fn value(&self, board: Board) -> Result<Option<f64>, TableError> {
        if self.rules.is_finished(board) {
            return Ok(Some(1.0));
        }
        let size = self.rules.size;
        let record = self.set.get(board.canonical(size).code(size))?;
        Ok(record.map(|record| self.value.decode(record.value)))
    }

    /// Every legal move in the order of [`Direction::ALL`], `None` where nothing moves.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn moves(&self, board: Board) -> Result<[Option<MoveOutlook>; 4], TableError> {
        let mut moves = [None; 4];
        for (slid, there) in board.slides(self.rules.size).into_iter().zip(&mut moves) {
            let Some((after, score)) = slid else { continue };
            let mut expected = Some(self.rules.gain(score));
            if self.rules.is_finished(after) {
                expected = Some(1.0);
            } else {
                for (next, spawn) in after.spawns(self.rules.size) {
                    let value = self.value(next)?;
                    expected = expected.zip(value).map(|(sum, value)| sum + spawn.chance * value);
                }
            }
            *there = Some(MoveOutlook { after, value: expected });
        }
        Ok(moves)
    }

    /// Every tile that may come after a move, with the value of the board that it makes; `None`
    /// where the tables do not have it.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn spawns(&self, after: Board) -> Result<Vec<(Spawn, Option<f64>)>, TableError> {
        let spawns = after.spawns(self.rules.size);
        spawns.map(|(next, spawn)| Ok((spawn, self.value(next)?))).collect()
    }

    /// What a random start is worth, if the tables have all starts.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn start(&self) -> Result<Option<f64>, TableError> {
        let mut sum = Some(0.0);
        for (board, chance) in self.rules.starts() {
            let value = self.value(board)?;
            sum = sum.zip(value).map(|(sum, value)| sum + chance * value);
        }
        Ok(sum)
    }

    /// The board of a record.
    ///
    /// # Errors
    /// When its code is no board's.
    pub fn board(&self, record: &Record) -> Result<Board, TableError> {
        Board::from_code(record.code, self.rules.size).map_err(|error| TableError::Inconsistent {
            path: self.set.tables()[0].path().into(),
            what: error.to_string(),
        })
    }

    /// Checks every record against one step of backup from the records after it. Answers how many
    /// there are, or the first board whose record says something else, and what it should say.
    ///
    /// Not for tables of searched positions, whose values are no backups of each other. The values
    /// that follow are those stored, so what a record should say is known to within
    /// the rounding of the column.
    ///
    /// # Errors
    /// When a table is damaged.
    pub fn check(&self, advance: impl Fn(u64) + Sync) -> Result<Checked, TableError> {
        let mut checked = 0;
        for table in self.set.tables() {
            let wrong = (0..table.blocks()).into_par_iter().find_map_first(|block| {
                let done = table.block_records(block).and_then(|records| {
                    advance(records.len() as u64);
                    self.first_wrong(&records)
                });
                done.transpose()
            });
            if let Some(wrong) = wrong {
                return Ok(Checked::Wrong(wrong?));
            }
            checked += table.len();
        }
        Ok(Checked::Right(checked))
    }

    fn first_wrong(&self, records: &[Record]) -> Result<Option<WrongRecord>, TableError> {
        for record in records {
            let board = self.board(record)?;
            let mut damaged = None;
            let value = |_, state| {
                self.value(Board(state)).unwrap_or_else(|error| {
                    damaged.get_or_insert(error);
                    None
                })
            };
            let solved = layered::solve_one(&self.rules, board.0, value);
            if let Some(error) = damaged {
                return Err(error);
            }
            let canonical = board.canonical(self.rules.size) == board;
            if !canonical || !solved.is_some_and(|solved| self.agrees(board, record, solved)) {
                let stored = self.value.decode(record.value);
                return Ok(Some(WrongRecord { board, meta: record.meta, value: stored, solved }));
            }
        }
        Ok(None)
    }

    /// Whether a record says what it should, as far as rounded values tell: a move that is as
    /// good to within the rounding may be the best one.
    fn agrees(&self, board: Board, record: &Record, solved: Solved) -> bool {
        let stored = self.value.decode(record.value);
        let close = |value: f64| (value - stored).abs() <= self.rounding(stored);
        let best = match (direction(record.meta), solved.best) {
            (None, None) => true,
            (Some(stored), Some(_)) => {
                let moves = self.moves(board).unwrap_or_default();
                moves[stored as usize].and_then(|it| it.value).is_some_and(close)
            }
            _ => false,
        };
        // A chance too small for the column is still a chance.
        let win = record.meta.value().is_win();
        let win_agrees = win == (solved.value > 0.0) || win && stored == 0.0;
        close(solved.value) && best && win_agrees
    }

    /// By how much a value may differ that was made of rounded ones and rounded again.
    fn rounding(&self, value: f64) -> f64 {
        match self.value {
            ValueKind::F32 => value.abs() * 3.0 * f64::from(f32::EPSILON),
            ValueKind::Chance32 => 3.0 / f64::from(u32::MAX),
            _ => value.abs() * 1e-12,
        }
    }
}

/// What a check found.
#[derive(Clone, Copy, Debug)]
pub enum Checked {
    /// All records are right; so many.
    Right(u64),
    /// One is not.
    Wrong(WrongRecord),
}

/// A record that is not one step of backup from those after it.
#[derive(Clone, Copy, Debug)]
pub struct WrongRecord {
    /// Its board.
    pub board: Board,
    /// What it says.
    pub meta: Meta,
    /// The value that it says.
    pub value: f64,
    /// What it should say; `None` if boards that follow are not in the table.
    pub solved: Option<Solved>,
}

/// The direction that a record names as best.
fn direction(meta: Meta) -> Option<Direction> {
    Direction::ALL.get(usize::from(meta.best_move())).copied()
}
