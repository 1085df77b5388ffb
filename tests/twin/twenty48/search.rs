//! Searches without tricks: expectimax to a depth, and to the end of the game.

use std::collections::HashMap;

use endtable::games::twenty48::Direction;

use super::Grid;

/// What a grid is worth, if that is known.
type Known = dyn Fn(&Grid) -> Option<f64>;

/// Expectimax to a depth: no table, no cut-off.
pub struct Expectimax {
    value: Box<dyn Fn(&Grid) -> f64>,
    scores: bool,
    known: Option<Box<Known>>,
}

impl Expectimax {
    /// A search that values the last boards with a heuristic, and whether scores count.
    pub fn new(value: impl Fn(&Grid) -> f64 + 'static, scores: bool) -> Self {
        Self { value: Box::new(value), scores, known: None }
    }

    /// The same, with what some positions are worth.
    pub fn knowing(self, known: impl Fn(&Grid) -> Option<f64> + 'static) -> Self {
        Self { known: Some(Box::new(known)), ..self }
    }

    /// What each legal move is worth.
    pub fn moves(&self, grid: &Grid, depth: u8) -> [Option<f64>; 4] {
        Direction::ALL.map(|direction| {
            let (after, score) = grid.slide(direction);
            let reward = if self.scores { f64::from(score) } else { 0.0 };
            (after != *grid).then(|| reward + self.after(&after, depth))
        })
    }

    fn after(&self, after: &Grid, depth: u8) -> f64 {
        if depth == 0 {
            return (self.value)(after);
        }
        after.spawns().map(|(next, _, chance)| chance * self.position(&next, depth - 1)).sum()
    }

    fn position(&self, grid: &Grid, depth: u8) -> f64 {
        let known = self.known.as_ref().and_then(|known| known(grid));
        known.unwrap_or_else(|| self.moves(grid, depth).into_iter().flatten().fold(0.0, f64::max))
    }
}

/// What boards are worth, by trying everything to the end of the game: no layers, no symmetry.
pub struct PlayedOut {
    /// The tile that is to be reached, worth 1; without it, the score still to come counts.
    goal: Option<u32>,
    known: HashMap<Grid, f64>,
}

impl PlayedOut {
    pub fn score() -> Self {
        Self { goal: None, known: HashMap::new() }
    }

    pub fn tile(goal: u32) -> Self {
        Self { goal: Some(goal), known: HashMap::new() }
    }

    pub fn value(&mut self, grid: &Grid) -> f64 {
        if self.goal.is_some_and(|goal| grid.tiles().any(|tile| tile >= goal)) {
            return 1.0;
        }
        if let Some(&value) = self.known.get(grid) {
            return value;
        }
        let mut best = 0.0;
        for direction in Direction::ALL {
            let (after, score) = grid.slide(direction);
            if after != *grid {
                let reward = if self.goal.is_none() { f64::from(score) } else { 0.0 };
                let spawns = after.spawns();
                let ahead: f64 = spawns.map(|(next, _, chance)| chance * self.value(&next)).sum();
                best = f64::max(best, reward + ahead);
            }
        }
        self.known.insert(*grid, best);
        best
    }
}
