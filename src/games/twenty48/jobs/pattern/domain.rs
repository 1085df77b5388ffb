//! A pattern's afterstates as boards that follow each other, for sorting.

use super::super::layers::Domain;
use crate::games::twenty48::pattern::PatternCodes;
use crate::games::twenty48::rules::Goal;
use crate::games::twenty48::{Board, PatternRules, Size, Symmetry};
use crate::solve::Solitaire;
use crate::solve::layered::{self, Solved};
use crate::table::{Meta, ValueKind};

/// Everything that can be reached from some afterstates.
pub struct PatternDomain<'a> {
    pub game: PatternGame<'a>,
    pub codes: &'a PatternCodes,
    /// In canonical form.
    pub starts: Vec<Board>,
    pub first_sum: u32,
    pub value: ValueKind,
}

/// The game on boards in the smallest of their orientations.
pub struct PatternGame<'a> {
    rules: &'a PatternRules,
    symmetries: Vec<Symmetry>,
}

impl<'a> PatternGame<'a> {
    pub fn new(rules: &'a PatternRules) -> Self {
        Self { rules, symmetries: rules.pattern().symmetries() }
    }

    pub fn canonical(&self, board: Board) -> Board {
        let images = self.symmetries.iter().map(|symmetry| symmetry.board(board, Size::FULL));
        images.min().unwrap_or(board)
    }
}

impl Solitaire for PatternGame<'_> {
    fn moves(&self, state: u64, mut visit: impl FnMut(u8, u64, f64)) {
        let slides = self.rules.pattern().slides(Board(state));
        for (number, after) in (0..).zip(slides) {
            if let Some(after) = after {
                visit(number, self.canonical(after).0, 0.0);
            }
        }
    }

    fn spawns(&self, after: u64, mut visit: impl FnMut(u64, usize, f64)) {
        for (board, spawn) in Board(after).spawns(Size::FULL) {
            let state = self.canonical(board).0;
            match spawn.exponent {
                1 => visit(state, 0, Goal::TWO),
                _ => visit(state, 1, Goal::FOUR),
            }
        }
    }

    fn mean(&self, sum: f64, weights: f64) -> f64 {
        Goal::RoundedChance.mean(sum, weights)
    }

    fn finished(&self, after: u64) -> Option<f64> {
        self.rules.is_won(Board(after)).then_some(1.0)
    }
}

impl Domain for PatternDomain<'_> {
    /// With few cells it may be that only a 4 leads on, or that starts lie far apart.
    const HAS_GAPS: bool = true;

    fn starts(&self) -> &[Board] {
        &self.starts
    }

    fn sum_of(&self, board: Board) -> u32 {
        PatternRules::sum(board)
    }

    fn first_sum(&self) -> u32 {
        self.first_sum
    }

    fn most_layers(&self) -> u64 {
        u64::from(self.game.rules.largest_sum().saturating_sub(self.first_sum) / 2) + 1
    }

    fn code(&self, board: Board) -> u64 {
        self.codes.code(board).unwrap_or(u64::MAX)
    }

    fn board(&self, code: u64) -> Result<Board, String> {
        let board = self.codes.board(code).map(|board| self.game.canonical(board));
        board.ok_or_else(|| format!("{code:#x}: no code of an afterstate"))
    }

    fn expand(&self, layer: &[u64]) -> [Vec<u64>; 2] {
        layered::expand_afterstates(&self.game, layer)
    }

    fn solve(
        &self,
        layer: &[u64],
        value: impl Fn(usize, u64) -> Option<f64> + Sync,
    ) -> Option<Vec<Solved>> {
        let values = layered::solve_afterstates(&self.game, layer, value)?;
        Some(values.into_iter().map(|value| Solved { value, best: None }).collect())
    }

    fn meta(_value: f64, _best: Option<u8>) -> Meta {
        Meta::default()
    }

    fn stored(&self, value: f64) -> u64 {
        self.value.encode_chance(value)
    }
}
