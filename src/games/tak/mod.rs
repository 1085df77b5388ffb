//! Tak: stones that are placed and stacked until a road joins two opposite edges.
//!
//! In turn, players place a stone on an empty square (a flat, a flat that stands, or a capstone), or
//! slide up to N stones from the top of a stack of theirs in a line, dropping at least one on each
//! square. Standing stones and capstones cannot be covered; a capstone that ends a slide alone on a
//! standing stone flattens it. In the first two plies each player places a flat of the other's. A
//! road of flats and capstones between opposite edges wins; when the board is full or a player has
//! placed all stones, whoever has more flats on top does. The game is James Ernest's and Patrick
//! Rothfuss's (2016).
//!
//! A [`Board`] is generic in its [`Size`], `Grid<3>` to `Grid<8>`, with as many stones as its
//! [`Rules`] say. Moves are generated into a list that a search may use as a stack, made and taken
//! back; the end is asked for, since moves do not look for it:
//!
//! ```
//! use endtable::games::tak::{Board, Colour, End, Ended, Grid, Rules};
//!
//! let mut board = Board::<Grid<3>>::new(Rules::usual::<Grid<3>>());
//! assert_eq!(board.perft(4, Ended::Zero), 17_792);
//!
//! // Play the first move there is until the game ends.
//! let mut moves = Vec::new();
//! while board.end().is_none() {
//!     moves.clear();
//!     board.push_moves(&mut moves);
//!     board.make(moves[0]);
//! }
//! assert_eq!((board.end(), board.ply()), (Some(End::Flats(Colour::White)), 9));
//! ```

mod board;
mod dense;
mod drawing;
mod ends;
mod game;
mod jobs;
mod key;
mod komi;
mod moves;
mod perft;
mod picture;
mod play;
mod position;
mod proof;
mod ptn;
mod sharing;
mod size;
mod solver;
mod symmetry;
mod tables;
mod tps;

pub use board::{Board, Colour, Kind, NoSuchStones, Pile, Reserve, Rules};
pub use dense::{Arrangement, Numbering};
pub use ends::{End, fill, is_road};
pub use game::{Tak, rules_of};
pub use komi::Komi;
pub use moves::{Move, drop_counts, squares};
pub use perft::Ended;
pub use play::Undo;
pub use position::TakPosition;
pub use ptn::PtnError;
pub use size::{Direction, Grid, Item, SIZES, Size, Stack};
pub use solver::{Attack, Choice, ForcedWins, Goal, Packed, Question};
pub use symmetry::{Canonical, Symmetry};
pub use tables::{LayerTable, SmallGame, Tables};
pub use tps::{TpsError, size_of, square_name};
