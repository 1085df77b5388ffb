//! What can be wrong with a pattern.

use super::Pattern;
use crate::games::GameError;
use crate::games::twenty48::Target;

/// Why there is no such pattern.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// Neither shipped, nor a file, nor a line of text.
    #[error(
        "{0:?}: no pattern is shipped under this name ({known}), and there is no such file; \
         `endtable patterns` shows those that there are",
        known = Pattern::names().join(", ")
    )]
    Unknown(String),
    /// A file that cannot be read.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// What is wrong.
        error: String,
    },
    /// Not TOML, or not as a pattern's file should be.
    #[error("{0}")]
    Toml(String),
    /// A key that patterns do not have.
    #[error("{0:?}: a pattern has no such key; it has name, sentence, masks, symmetry and seeds")]
    Key(String),
    /// A key that is missing or of another kind.
    #[error("{key}: expected {expected}")]
    Expected {
        /// The key.
        key: &'static str,
        /// What it should be.
        expected: &'static str,
    },
    /// A mask or seed that is no drawing of sixteen cells.
    #[error("{what} {number}: {why}")]
    Drawing {
        /// A mask or a seed.
        what: &'static str,
        /// Which, from 1.
        number: usize,
        /// What is wrong with it.
        why: String,
    },
    /// Not a name.
    #[error("{0:?}: not a name; expected 1 to 32 letters, digits, - or _")]
    Name(String),
    /// Another pattern is shipped under the name.
    #[error("{0}: another pattern is shipped under this name; give this one its own")]
    Taken(String),
    /// Nothing to begin with.
    #[error("a pattern needs at least one seed, an afterstate that its table begins with")]
    NoSeed,
    /// Too many of something.
    #[error("{masks} masks and {seeds} seeds, where {} are the most of each", Pattern::MOST)]
    TooMany {
        /// Masks.
        masks: usize,
        /// Seeds.
        seeds: usize,
    },
    /// Seeds without large tiles.
    #[error("the first seed has no large tile (F)")]
    NoLargeTile,
    /// A mask without cells.
    #[error("mask {number} has no F; leave it out if large tiles may go anywhere")]
    EmptyMask {
        /// Which, from 1.
        number: usize,
    },
    /// The same mask again.
    #[error("mask {number} is mask {first} again")]
    SameMask {
        /// Which, from 1.
        number: usize,
        /// The first.
        first: usize,
    },
    /// A mask that cannot be filled.
    #[error("mask {number} has {cells} cells, but the seeds only {larges} large tiles (F)")]
    MaskTooLarge {
        /// Which, from 1.
        number: usize,
        /// Its cells.
        cells: u8,
        /// The large tiles that there are.
        larges: u8,
    },
    /// Seeds that differ.
    #[error("seed {number} has {found} large tiles (F), the first {first}: all need as many")]
    LargeTiles {
        /// Which, from 1.
        number: usize,
        /// How many it has.
        found: u8,
        /// How many the first has.
        first: u8,
    },
    /// A seed that is not of the pattern.
    #[error("seed {number}, {seed}: its large tiles (F) fill none of the masks")]
    SeedOutside {
        /// Which, from 1.
        number: usize,
        /// The seed.
        seed: String,
    },
    /// Not what a pattern is played for.
    #[error("{0}: a pattern is played for a tile, tile:8 to tile:16384")]
    Target(String),
    /// A tile that the free cells have no room to build.
    #[error(
        "tile:{target}: never seen beside the large tiles of {name}, which leave {cells} cells: {highest} is the largest that can be"
    )]
    TooHigh {
        /// The pattern.
        name: String,
        /// The tile to reach.
        target: Target,
        /// Its free cells.
        cells: u8,
        /// The largest tile that they have room for.
        highest: u32,
    },
    /// A seed that has reached the target.
    #[error("seed {number}, {seed}: a tile {target} or larger is there already")]
    SeedWon {
        /// Which, from 1.
        number: usize,
        /// The seed.
        seed: String,
        /// The tile to reach.
        target: Target,
    },
    /// Not rules of a pattern.
    #[error("{0:?}: not the rules of a pattern, as in 4x4 tile:512 L3")]
    Rules(String),
    /// A seed to which no tile can come.
    #[error("seed {number} has no empty cell, but seeds are afterstates: a new tile comes next")]
    SeedFull {
        /// Which, from 1.
        number: usize,
    },
}

/// A pattern that cannot be had.
impl From<PatternError> for GameError {
    fn from(error: PatternError) -> Self {
        Self::Unsupported(error.to_string())
    }
}
