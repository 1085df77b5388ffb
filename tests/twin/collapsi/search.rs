//! Two solvers without tricks: one visits every position, one stops at the first winning move.

use endtable::games::collapsi::{Cell, Move};
use endtable::value::{Plies, Value};
use rustc_hash::FxHashMap;

use super::{Game, Position};

/// Finds the exact value of every position below a board.
pub struct Exhaustive<'g> {
    game: &'g Game,
    scores: FxHashMap<Position, i8>,
}

/// A win in n plies scores 100 - n, a loss in n plies n - 100: the higher, the better.
const WIN_NOW: i8 = 100;

impl<'g> Exhaustive<'g> {
    pub fn new(game: &'g Game) -> Self {
        Self { game, scores: FxHashMap::default() }
    }

    pub fn value(&mut self, position: Position) -> Value {
        match self.score(position) {
            won @ 1.. => Value::Win(Plies((WIN_NOW - won) as u16)),
            lost => Value::Loss(Plies((WIN_NOW + lost) as u16)),
        }
    }

    /// Every move at the root with its value, by ascending destination.
    pub fn move_values(&mut self) -> Vec<(Move, Value)> {
        let root = self.game.root;
        let cell = |number| Cell::new(number).expect("below 16");
        let moves = self.game.destinations(&root);
        let with_value = moves.map(|to| {
            let value = match self.value(root.after(to)) {
                Value::Win(Plies(n)) => Value::Loss(Plies(n + 1)),
                Value::Loss(Plies(n)) => Value::Win(Plies(n + 1)),
                Value::Draw => unreachable!("somebody always wins"),
            };
            (Move { from: cell(root.mover), to: cell(to) }, value)
        });
        with_value.collect()
    }

    /// How many positions had their moves made.
    pub fn expanded(&self) -> usize {
        self.scores.len()
    }

    fn score(&mut self, position: Position) -> i8 {
        if let Some(&score) = self.scores.get(&position) {
            return score;
        }
        let moves = self.game.destinations(&position);
        let score = moves.map(|to| one_ply_later(-self.score(position.after(to)))).max();
        let score = score.unwrap_or(-WIN_NOW);
        self.scores.insert(position, score);
        score
    }
}

fn one_ply_later(score: i8) -> i8 {
    score - score.signum()
}

/// Finds who wins, depth first, and remembers it: the search that AO* has to beat.
pub struct DepthFirst<'g> {
    game: &'g Game,
    results: FxHashMap<Position, bool>,
}

impl<'g> DepthFirst<'g> {
    pub fn new(game: &'g Game) -> Self {
        Self { game, results: FxHashMap::default() }
    }

    /// Whether the side to move wins. Moves that leave the fewest replies are tried first, so one
    /// that leaves none wins at once, and next come those that leave exactly one.
    pub fn wins(&mut self, position: Position) -> bool {
        if let Some(&won) = self.results.get(&position) {
            return won;
        }
        let children = self.game.destinations(&position).map(|to| position.after(to));
        let mut tries: Vec<(usize, Position)> =
            children.map(|child| (self.game.destinations(&child).count(), child)).collect();
        tries.sort_by_key(|&(replies, _)| replies);
        let won = tries.into_iter().any(|(replies, child)| replies == 0 || !self.wins(child));
        self.results.insert(position, won);
        won
    }

    /// How many positions had their moves made; each is remembered.
    pub fn expanded(&self) -> usize {
        self.results.len()
    }
}
