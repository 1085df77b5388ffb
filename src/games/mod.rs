//! The games: rules, bitboards, symmetries, notation and keys, one folder each.
//!
//! A game knows nothing of files. What several games share in naming positions, keys
//! and random numbers, stands in [`key`] and [`random`].

pub mod collapsi;
pub mod key;
pub mod random;
pub mod twenty48;
mod value;

pub use value::{Plies, Value};
