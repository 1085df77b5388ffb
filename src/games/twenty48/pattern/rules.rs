//! What is played for on a pattern: a tile beside the large ones.

use std::fmt;
use std::str::FromStr;

use super::{LARGE, Pattern, PatternError, drawing};
use crate::games::twenty48::size::largest_sum;
use crate::games::twenty48::{Board, Objective, Size, Target};

/// A pattern and the tile to reach.
///
/// ```
/// use endtable::games::twenty48::PatternRules;
///
/// let rules: PatternRules = "4x4 tile:512 L3".parse()?;
/// assert_eq!(rules.pattern().larges(), 6);
/// assert_eq!(rules.to_string(), "4x4 tile:512 L3");
/// # Ok::<(), endtable::games::twenty48::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternRules {
    pattern: Pattern,
    target: Target,
}

impl PatternRules {
    /// A pattern and a tile from 8 to 16384.
    ///
    /// # Errors
    /// When the tile cannot be made there, or a seed has it already.
    pub fn new(pattern: Pattern, target: Target) -> Result<Self, PatternError> {
        let highest = pattern.free_cells() + 1;
        if target.exponent() >= LARGE {
            return Err(PatternError::Target(target.to_string()));
        }
        if target.exponent() > highest {
            let (name, cells) = (pattern.name.clone(), pattern.free_cells());
            let highest = 1 << highest;
            return Err(PatternError::TooHigh { name, target, cells, highest });
        }
        let rules = Self { pattern, target };
        let seeds = (1..).zip(rules.pattern.seeds());
        if let Some((number, seed)) = seeds.into_iter().find(|(_, seed)| rules.is_won(**seed)) {
            let seed = drawing::board(*seed);
            return Err(PatternError::SeedWon { number, seed, target });
        }
        Ok(rules)
    }

    /// The pattern and what to play for on it.
    ///
    /// # Errors
    /// When it is not a tile that can be made there.
    pub fn with_objective(pattern: Pattern, objective: Objective) -> Result<Self, PatternError> {
        match objective {
            Objective::Tile(target) => Self::new(pattern, target),
            other => Err(PatternError::Target(other.to_string())),
        }
    }

    /// The pattern.
    #[must_use]
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// The tile to reach.
    #[must_use]
    pub fn target(&self) -> Target {
        self.target
    }

    /// Whether a board of the pattern has the tile, or a larger one, beside the large tiles.
    #[inline]
    #[must_use]
    pub fn is_won(&self, board: Board) -> bool {
        Board(board.0 & !large_nybbles(board)).has_at_least(self.target.exponent())
    }

    /// The largest sum of the tiles beside the large ones, all of them below the target.
    pub(in crate::games::twenty48) fn largest_sum(&self) -> u32 {
        largest_sum(self.pattern.free_cells(), self.target.exponent() - 1)
    }

    /// The sum of a board's tiles but the large ones.
    #[must_use]
    pub fn sum(board: Board) -> u32 {
        Board(board.0 & !large_nybbles(board)).sum()
    }
}

/// The nybbles of the large tiles, all bits set.
#[inline]
fn large_nybbles(board: Board) -> u64 {
    let two = board.0 & board.0 >> 1;
    (two & two >> 2 & 0x1111_1111_1111_1111) * 15
}

/// The size, the objective and the pattern: `4x4 tile:512 L3`.
impl fmt::Display for PatternRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", Size::FULL, Objective::Tile(self.target), self.pattern)
    }
}

impl FromStr for PatternRules {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let (_, objective, pattern) =
            parts(text).ok_or_else(|| PatternError::Rules(text.into()))?;
        let objective =
            objective.parse().map_err(|_| PatternError::Target(objective.to_owned()))?;
        Self::with_objective(pattern.parse()?, objective)
    }
}

/// The size, the objective and the pattern of a text that has all three, of which the first is 4x4.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (size, rest) = text.split_once(' ')?;
    let (objective, pattern) = rest.split_once(' ')?;
    (size == Size::FULL.to_string()).then_some((size, objective, pattern))
}

/// Whether rules that a table names are those of a pattern.
pub(in crate::games::twenty48) fn are_of_pattern(rules: &str) -> bool {
    parts(rules).is_some()
}
