//! Endgame tablebases for small games: exact answers, by search or from a file.
//!
//! The crate is laid out the way the data goes. A *game* gives positions ([`games`]); a *solver*
//! gives answers ([`solve`]); a *table* keeps them ([`mod@generate`], [`table`]); a *probe* gives them
//! back ([`probe`]), from C too ([`ffi`]). The program `endtable` is a thin command line over this
//! library.
//!
//! The first game is Collapsi ([`games::collapsi`]): two pawns on a 4x4 board that wraps around,
//! whose cards collapse behind them; whoever cannot move loses.
//!
//! ```
//! use endtable::games::collapsi::{Board, Rules, Solver, deal_from_seed};
//!
//! // A deal from a seed, or any position from its text.
//! let deal = deal_from_seed(1);
//! assert_eq!(deal, "A332/234Jx/3A42/A2AJo x".parse()?);
//!
//! // Who wins, in how many plies, and by which move (from cell 7 to cell 3).
//! let answer = Solver::new().solve(&deal, Rules::One);
//! assert_eq!(answer.value.to_string(), "win 13");
//! let best = answer.best.expect("there is a move");
//! assert_eq!(best.to_string(), "73");
//!
//! // Play it. Every board has an exact key, and the key gives the board back.
//! let next = deal.play(best, Rules::One)?;
//! assert_eq!(Board::unkey(next.key())?, next);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here prints, exits, or panics on input: what can go wrong comes back as a typed error.

pub mod ffi;
pub mod games;
pub mod generate;
pub mod probe;
pub mod progress;
pub mod solve;
pub mod table;
