//! Endgame tablebases for small games.

pub mod games;
pub mod solve;
