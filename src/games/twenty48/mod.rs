//! 2048: tiles that slide and merge, on boards from 2x2 to 4x4.
//!
//! A board is one 64-bit integer of nybbles, cell (x, y) in bits 16y + 4x, each the exponent of its
//! tile, 0 for an empty cell. Smaller boards are the top left of that layout. Moves are look-ups of
//! whole rows, of which there are 65,536; columns are the rows of the transposed board.
//!
//! ```
//! use endtable::games::twenty48::{Board, Direction, Size};
//!
//! let size: Size = "2x4".parse()?;
//! let board = Board::parse("4,4,2,0/0,0,0,0", size)?;
//! let (after, score) = board.slide(Direction::Left, size).expect("tiles move");
//! assert_eq!(after.text(size), "8,2,0,0/0,0,0,0");
//! assert_eq!(score, 8);
//! # Ok::<(), endtable::games::twenty48::BoardError>(())
//! ```

mod board;
mod code;
mod dense;
mod drawing;
mod endgames;
mod game;
mod heuristic;
mod jobs;
mod notation;
mod options;
mod pattern;
mod played;
mod players;
mod position;
mod round;
mod rows;
mod rules;
mod rules_text;
mod search;
mod size;
mod solver;
mod symmetry;
mod tables;
mod tall;

pub use board::{Board, Direction, Spawn};
pub use endgames::Endgames;
pub use game::Twenty48;
pub use heuristic::{Heuristic, HeuristicError};
pub use jobs::{ExactPositions, PatternAfterstates, PatternGrowth, SearchedGames};
pub use notation::BoardError;
pub use options::SearchOptions;
pub use pattern::{LARGE, Pattern, PatternError, PatternRules, large_cells};
pub use played::{PlayedGame, Record, RecordError};
pub use players::{Chosen, Player, PlayerError, Players, TableOracle};
pub use position::Twenty48Position;
pub use rules::{Objective, Rules, Target};
pub use search::{Choice, Limit, Oracle, Search, Settings};
pub use size::Size;
pub use symmetry::Symmetry;
pub use tables::{
    MoveOutlook, Outlook, PatternMove, PatternOutlook, PatternTable, PatternTables, Tables, View,
};
pub use tall::TallBoard;
