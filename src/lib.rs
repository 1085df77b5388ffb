//! Endgame tablebases for small games: exact answers, by search or from a file.
//!
//! The crate is laid out the way the data goes. A *game* gives positions ([`games`]); a *solver*
//! gives answers ([`solve`]); a *table* keeps them ([`table`]); a *probe* gives them back
//! ([`games::open`]); a *job* says how a table is made ([`job`]). [`value`] is what all of them talk
//! about. The program `endtable` is a thin command line over this library.
//!
//! Open a table, whatever its game, and ask it:
//!
//! ```
//! use endtable::games::{self, Detail};
//! use endtable::table::Options;
//!
//! let options = Options::default();
//! let tables = games::open(&["data/collapsi-one-seeds-0-2.etb"], &options)?;
//! let position = tables.position("A332/234Jx/3A42/A2AJo x", &options)?;
//! let answer = tables.probe(&*position, Detail::Moves)?.expect("it is in the table");
//! assert_eq!(position.line(&answer), "0100000808001830:12d27d06b02589e4 0173");
//! assert_eq!(answer.worth.to_string(), "win 13");
//! assert_eq!(answer.best, ["73", "74", "76"]);
//! # Ok::<(), endtable::games::GameError>(())
//! ```
//!
//! A program that is about one game uses its own types:
//!
//! ```
//! use endtable::games::collapsi::{Board, Rules, Solver, Tables, deal_from_seed};
//!
//! // A deal from a seed, or any position from its text.
//! let deal = deal_from_seed(1);
//! assert_eq!(deal, "A332/234Jx/3A42/A2AJo x".parse()?);
//!
//! // Who wins, in how many plies, and by which move (from cell 7 to cell 3): by search ...
//! let answer = Solver::new().solve(&deal, Rules::One);
//! assert_eq!(answer.value.to_string(), "win 13");
//! let best = answer.best.expect("there is a move");
//! assert_eq!(best.to_string(), "73");
//!
//! // ... or from a table.
//! let tables = Tables::open(&["data/collapsi-one-seeds-0-2.etb"], None)?;
//! assert_eq!(tables.probe(&deal)?.expect("it is in the table").value, answer.value);
//!
//! // Play it. Every board has an exact key, and the key gives the board back.
//! let next = deal.play(best, Rules::One)?;
//! assert_eq!(Board::unkey(next.key())?, next);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here prints, exits, or panics on input: what can go wrong comes back as a typed error.
//!
//! Features: `cli`, on by default, is what the program needs; a library does without
//! (`default-features = false`). `weights`, part of it, brings the networks with which 4x4 2048 is
//! searched best.

pub mod games;
pub mod job;
pub mod random;
pub mod solve;
pub mod table;
pub mod value;
