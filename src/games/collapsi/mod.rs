//! Collapsi: two pawns on a 4x4 torus of cards that collapse behind them.
//!
//! Sixteen cards lie on a grid that wraps both ways: two jokers, where the pawns X and O start,
//! four aces, four twos, four threes and two fours. A move is exactly as many orthogonal steps as
//! the card under the pawn says, entering no cell twice and no collapsed cell; the other pawn may
//! be passed but not landed on. The card left behind collapses. Whoever cannot move loses.
//! The game is Mark S. Ball's (Riffle Shuffle & Roll, 2025).
//!
//! ```
//! use endtable::games::collapsi::{Board, Rules};
//!
//! let board: Board = "JxA23/4Jo32/A2A3/2A43 x".parse()?;
//! let destinations = board.destinations(Rules::One);
//! assert_eq!(destinations.cells().map(|c| c.to_string()).collect::<Vec<_>>(), ["1", "3", "4", "c"]);
//! # Ok::<(), endtable::games::collapsi::NotationError>(())
//! ```

mod board;
mod code;
mod deal;
mod dense;
mod drawing;
mod enumerate;
mod game;
mod geometry;
mod jobs;
mod key;
mod moves;
mod notation;
mod position;
mod quick;
mod solver;
mod subgame;
mod symmetry;
mod tables;

pub use board::{Board, Card, IllegalBoard, Side};
pub use code::CodeError;
pub use deal::{DEALS, deal_from_rank, deal_from_seed, deal_rank};
pub use dense::{Index, Layer, Scores, solve_layer, solve_part, value_of_plies};
pub use enumerate::{Enumerator, Solved};
pub use game::Collapsi;
pub use geometry::{Cell, Mask};
pub use jobs::Positions;
pub use moves::{IllegalMove, Move, Rules, destinations};
pub use notation::{Field, NotationError};
pub use position::CollapsiPosition;
pub use quick::{QuickAnswer, QuickSolver};
pub use solver::{Answer, Solver};
pub use subgame::{Spot, Subgame};
pub use symmetry::{Canonical, SYMMETRIES, Symmetry};
pub use tables::{
    CompleteSet, CompleteTables, KeyedTables, LayerSet, Tables, record, record_board,
};
