//! What is played for: the size of the board and the objective.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use super::{Board, BoardError, Size, symmetry};
use crate::solve::Solitaire;

/// A tile to reach: an 8, since a 4 may come by itself, or a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target(u8);

impl Target {
    /// The tile with an exponent, 3 to 15.
    #[must_use]
    pub const fn new(exponent: u8) -> Option<Self> {
        if 3 <= exponent && exponent <= 15 { Some(Self(exponent)) } else { None }
    }

    /// Its exponent.
    #[must_use]
    pub const fn exponent(self) -> u8 {
        self.0
    }
}

/// The tile itself, as in 512.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (1u32 << self.0).fmt(f)
    }
}

/// What values are: expected scores, or chances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The score to come.
    Score,
    /// The chance that a tile appears.
    Chance,
    /// The same in multiples of 2^-46, so few bits that sums of them are exact: it is the same in
    /// whatever order boards are found, turned and added up. For what may be numbered or sorted.
    RoundedChance,
}

impl Goal {
    /// How often a 2 comes, and how often a 4.
    pub(super) const TWO: f64 = 9.0;
    pub(super) const FOUR: f64 = 1.0;

    /// The mean of values, given the sum of them with their weights, and that of the weights.
    #[inline]
    pub(super) fn mean(self, sum: f64, weights: f64) -> f64 {
        const STEP: f64 = 1.0 / (1u64 << 46) as f64;
        // Added to a number below 2, this leaves no bits below the step.
        const LARGE: f64 = 1.5 * (1u64 << 52) as f64 * STEP;
        let mean = sum / weights;
        if self != Self::RoundedChance {
            return mean;
        }
        // What is possible but unlikely stays possible, and what is likely does not become certain.
        let least = if sum > 0.0 { STEP } else { 0.0 };
        let most = if sum < weights { 1.0 - STEP } else { 1.0 };
        (mean + LARGE - LARGE).clamp(least, most)
    }
}

/// What the player wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Objective {
    /// The largest expected score still to come.
    Score,
    /// The best chance that a tile appears.
    Tile(Target),
    /// What a search of limited depth values most. Only tables of searched positions have it.
    Search,
}

impl Objective {
    /// A tile to reach on a board of this size.
    ///
    /// # Errors
    /// When there is no such tile, or it is too large for the board.
    pub fn check(self, size: Size) -> Result<Self, BoardError> {
        match self {
            Self::Tile(target) if target.exponent() > size.highest() => {
                Err(BoardError::Target { exponent: target.exponent(), size })
            }
            objective => Ok(objective),
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Score => write!(f, "score"),
            Self::Tile(target) => write!(f, "tile:{target}"),
            Self::Search => write!(f, "search"),
        }
    }
}

/// `score`, or `tile:` and a tile from 8 to 32768: a 4 may come by itself.
impl FromStr for Objective {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, BoardError> {
        if text == "score" {
            return Ok(Self::Score);
        }
        let tile = text.strip_prefix("tile:").and_then(|tile| tile.parse::<u32>().ok());
        let tile = tile.filter(|tile| tile.is_power_of_two());
        let target = tile.and_then(|tile| Target::new(tile.trailing_zeros() as u8));
        target.map(Self::Tile).ok_or_else(|| BoardError::Objective(text.into()))
    }
}

/// A board's size and what is played for on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The size.
    pub size: Size,
    /// The objective.
    pub objective: Objective,
}

impl Rules {
    /// The positions that a game can begin with: two tiles, each a 2 or a 4, in canonical form
    /// and each once, with the chance that it comes up.
    #[must_use]
    pub fn starts(self) -> Vec<(Board, f64)> {
        let mut starts: Vec<(Board, f64)> = Vec::new();
        for (one, first) in Board::default().spawns(self.size) {
            for (two, second) in one.spawns(self.size) {
                let (board, chance) = (two.canonical(self.size), first.chance * second.chance);
                match starts.iter_mut().find(|(it, _)| *it == board) {
                    Some((_, sum)) => *sum += chance,
                    None => starts.push((board, chance)),
                }
            }
        }
        starts.sort_unstable_by_key(|&(board, _)| board);
        starts
    }

    /// What values are.
    pub(super) fn goal(self) -> Goal {
        match self.objective {
            Objective::Score => Goal::Score,
            Objective::Tile(_) if self.size.cells() > Size::ALWAYS_NUMBERED => Goal::RoundedChance,
            Objective::Tile(_) | Objective::Search => Goal::Chance,
        }
    }

    /// What a slide that scores so much adds to the value.
    #[inline]
    #[must_use]
    pub fn gain(self, score: u32) -> f64 {
        if self.objective == Objective::Score { f64::from(score) } else { 0.0 }
    }

    /// Whether the objective has been reached on a board, so that the game is finished.
    #[inline]
    #[must_use]
    pub const fn is_finished(self, board: Board) -> bool {
        match self.objective {
            Objective::Score | Objective::Search => false,
            Objective::Tile(target) => board.has_at_least(target.exponent()),
        }
    }
}

/// Positions are canonical boards as numbers; a turn leads on by one layer or two, as the new tile
/// is a 2 or a 4.
impl Solitaire for Rules {
    #[inline]
    fn moves(&self, state: u64, mut visit: impl FnMut(u8, u64, f64)) {
        let scores = match self.objective {
            Objective::Score => Board(state).slide_scores(),
            Objective::Tile(_) | Objective::Search => [0; 4],
        };
        for (number, after) in Board(state).slid(self.size).into_iter().enumerate() {
            if after.0 != state {
                visit(number as u8, after.canonical(self.size).0, scores[number].into());
            }
        }
    }

    #[inline]
    fn spawns(&self, after: u64, mut visit: impl FnMut(u64, usize, f64)) {
        // The images of a board with one tile more are the images of the board, each with the
        // tile where the symmetry puts it.
        let (images, places) = (Board(after).images(self.size), places(self.size));
        let canonical = |cell: usize, exponent: u64| {
            let mut images = images;
            for (image, &place) in images.iter_mut().zip(&places[cell]) {
                *image |= exponent << place;
            }
            symmetry::smallest(images)
        };
        let mut cells = Board(after).empty_bits(self.size);
        while cells != 0 {
            let cell = cells.trailing_zeros() as usize / 4;
            cells &= cells - 1;
            visit(canonical(cell, 1), 0, Goal::TWO);
            visit(canonical(cell, 2), 1, Goal::FOUR);
        }
    }

    #[inline]
    fn mean(&self, sum: f64, weights: f64) -> f64 {
        self.goal().mean(sum, weights)
    }

    #[inline]
    fn finished(&self, after: u64) -> Option<f64> {
        self.is_finished(Board(after)).then_some(1.0)
    }
}

/// For each cell the bit where its nybble begins in each image of a board of this size.
fn places(size: Size) -> &'static [[u8; 8]; 16] {
    static PLACES: LazyLock<[[[u8; 8]; 16]; 9]> = LazyLock::new(|| {
        std::array::from_fn(|number| {
            let size = Size::from_number(number as u8).unwrap_or(Size::FULL);
            std::array::from_fn(|cell| {
                let tile = Board(1 << (4 * cell) & size.mask());
                tile.images(size).map(|image| image.trailing_zeros() as u8 & 63)
            })
        })
    });
    &PLACES[usize::from(size.number())]
}
