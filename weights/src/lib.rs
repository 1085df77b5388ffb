//! The networks of the heuristic `strong`, with which endtable searches 4x4 boards of 2048: data, apart
//! from the library so that only those carry its seven megabytes who play the game.
//! `tools/tune2048` learns and packs them.

/// Two networks, each in a frame of its own, as `tune2048 pack` writes them.
pub static STRONG: &[u8] = include_bytes!("../strong.weights");
