//! The layers of a small board, as tables of positions need them.

use std::mem;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::bits::{Bits, Gathered};
use super::numbering::{Cursor, Numbers};
use super::shape::Shape;
use super::steps::Steps;
use super::sweep::{Code, SolvedLayer, Sweep};
use super::values::Values;
use crate::games::twenty48::{Board, BoardError, Objective, Rules};
use crate::job::hands::Hand;
use crate::table::TableError;

/// Finds and solves the layers of a board.
pub struct PositionLayers {
    rules: Rules,
    sweep: Sweep,
    /// Of the layer at work and of the two behind it.
    numbers: [Numbers; 3],
    /// Of the layer that comes next: numbered while others are at this one.
    ahead: Numbers,
    /// What was found of the layer at work and of the one behind it.
    next: [Bits; 2],
    slid: Gathered,
    spawned: [Gathered; 2],
    /// Of the layer at work and of the two behind it, by number.
    values: [Values; 3],
    afterstate_values: Values,
}

/// A layer's positions.
#[derive(Clone, Debug, Default)]
pub struct NumberedLayer {
    states: Bits,
    afterstates: Bits,
    count: usize,
}

impl NumberedLayer {
    /// That of positions and their afterstates.
    #[must_use]
    pub fn new([states, afterstates]: [Bits; 2]) -> Self {
        Self { count: states.count(), states, afterstates }
    }

    /// Its positions and their afterstates.
    #[must_use]
    pub fn sets(&self) -> [&Bits; 2] {
        [&self.states, &self.afterstates]
    }

    /// How many positions it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Bytes of memory that it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.bytes() + self.afterstates.bytes()
    }
}

impl PositionLayers {
    /// For these rules; `None` if the board is too large.
    #[must_use]
    pub fn new(rules: Rules) -> Option<Self> {
        let highest = match rules.objective {
            Objective::Tile(target) => target.exponent() - 1,
            Objective::Score | Objective::Search => rules.size.highest(),
        };
        Some(Self {
            rules,
            sweep: Sweep::new(Shape::board(rules.size), highest + 1, rules.goal())?,
            numbers: Default::default(),
            ahead: Numbers::default(),
            next: Default::default(),
            slid: Gathered::new(),
            spawned: [Gathered::new(), Gathered::new()],
            values: Default::default(),
            afterstate_values: Values::default(),
        })
    }

    /// How many numbers all layers have together.
    #[must_use]
    pub fn numbers(&self) -> u64 {
        self.sweep.numbering.lengths().iter().sum()
    }

    /// How many layers have numbers, from the one with this sum on.
    #[must_use]
    pub fn layers_from(&self, sum: u32) -> u64 {
        (self.sweep.numbering.lengths().len() as u64).saturating_sub(u64::from(sum / 2))
    }

    /// How many numbers the layer with this sum has.
    #[must_use]
    pub fn length(&self, sum: u32) -> u64 {
        self.sweep.numbering.lengths().get(sum as usize / 2).copied().unwrap_or(0)
    }

    /// Bytes of memory that it takes at the most, on the threads that there are now.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes_on(rayon::current_num_threads())
    }

    /// The same on so many threads.
    #[must_use]
    pub fn bytes_on(&self, threads: usize) -> u64 {
        // With what is to spare.
        let values = (self.values.len() + 2) * size_of::<f64>();
        // Of each thread, what it finds of this layer and the two behind it; of the layer, both
        // sets, and what is known of the two behind it.
        let sets = 3 * threads + 4;
        let layer = self.sweep.numbering.most() * (8 * values + sets) as u64 / 8;
        self.sweep.bytes(self.numbers.len() + 1) + layer
    }

    /// Goes to the layer with this sum; nothing is known of it nor of those behind it.
    pub fn begin(&mut self, sum: u32) {
        for (sum, numbers) in (sum..).step_by(2).zip(&mut self.numbers) {
            self.sweep.numbering.number_layer(sum, numbers);
        }
        for (next, numbers) in self.next.iter_mut().zip(&self.numbers) {
            next.reset(numbers.len());
        }
    }

    /// Adds a position to the layer at work.
    pub fn add(&mut self, board: Board) {
        if let Some(number) = self.sweep.numbering.number_of(&self.numbers[0], board) {
            self.next[0].insert(number);
        }
    }

    /// The layer at work, which has this sum: all that was found of it.
    ///
    /// # Errors
    /// When what hands share cannot be read or written, or they are stopped.
    pub fn found(&mut self, sum: u32, hand: &Hand<'_>) -> Result<NumberedLayer, TableError> {
        let states = mem::take(&mut self.next[0]);
        let numbers = mem::take(&mut self.numbers[0]);
        let layer = self.layer(&numbers, states, Steps::new(hand, sum));
        self.numbers[0] = numbers;
        layer
    }

    /// The layer of a sum, from the codes of its positions, which are in a file.
    ///
    /// # Errors
    /// When a code is no such position's.
    pub fn load(
        &mut self,
        sum: u32,
        codes: &[u64],
        path: &Path,
    ) -> Result<NumberedLayer, TableError> {
        let mut numbers = Numbers::default();
        self.sweep.numbering.number_layer(sum, &mut numbers);
        let number = |&code: &u64| {
            let board = Board::from_code(code, self.rules.size)?;
            self.number_of(&numbers, board)
        };
        let found = codes.par_iter().map(number).collect::<Result<Vec<u32>, BoardError>>();
        let found = found.map_err(|error| TableError::Inconsistent {
            path: path.into(),
            what: error.to_string(),
        })?;
        let mut states = Bits::default();
        states.reset(numbers.len());
        found.into_iter().for_each(|number| states.insert(number));
        let stop = AtomicBool::new(false);
        self.layer(&numbers, states, Steps::new(&Hand::alone(&stop), sum))
    }

    /// The codes of the positions of a layer, in no order.
    #[must_use]
    pub fn codes<C: Code>(&self, sum: u32, layer: &NumberedLayer) -> Vec<C> {
        let mut numbers = Numbers::default();
        self.sweep.numbering.number_layer(sum, &mut numbers);
        layer.states.map_in(layer.states.all(), |share, codes| {
            let mut codes = codes.iter_mut();
            let mut at = Cursor::new(&self.sweep.numbering, &numbers, share.first);
            share.each(|number| {
                if number >= at.end {
                    at.go_to(number);
                }
                if let Some(code) = codes.next() {
                    *code = C::of(self.sweep.numbering.canonical(at.place(number)).0);
                }
            });
        })
    }

    /// The number of a board that somebody else named.
    fn number_of(&self, numbers: &Numbers, board: Board) -> Result<u32, BoardError> {
        let number = self.sweep.numbering.number_of(numbers, board);
        let number = number.filter(|_| board.has_room(self.rules.size));
        number.ok_or_else(|| not_in_layer(board))
    }

    fn layer(
        &mut self,
        numbers: &Numbers,
        mut states: Bits,
        steps: Steps<'_>,
    ) -> Result<NumberedLayer, TableError> {
        self.sweep.numbering.reduce(numbers, &mut states);
        let mut afterstates = steps.slide(&self.sweep, numbers, &states, &mut self.slid)?;
        self.sweep.numbering.reduce(numbers, &mut afterstates);
        Ok(NumberedLayer::new([states, afterstates]))
    }

    /// Puts every new tile on the afterstates of the layer at work, and goes to the next one, which has
    /// this sum.
    pub fn follow(&mut self, layer: &NumberedLayer, next_sum: u32) {
        let Self { sweep, numbers: [now, two, four], ahead, spawned, .. } = self;
        let (afterstates, all) = (&layer.afterstates, layer.afterstates.all());
        let ([with_two, with_four], ()) = rayon::join(
            || sweep.positions_behind([now, two, four], afterstates, all, spawned),
            || sweep.numbering.number_layer(next_sum + 4, ahead),
        );
        let [next_two, next_four] = &mut self.next;
        *next_two = mem::replace(next_four, with_four);
        next_two.join(&with_two);
        self.numbers.rotate_left(1);
        mem::swap(&mut self.numbers[2], &mut self.ahead);
    }

    /// Goes back to the layer with this sum.
    fn go_back(&mut self, sum: u32) {
        self.numbers.rotate_right(1);
        self.values.rotate_right(1);
        mem::swap(&mut self.numbers[0], &mut self.ahead);
        if !self.numbers[0].are_of(sum) {
            self.sweep.numbering.number_layer(sum, &mut self.numbers[0]);
        }
        let most = self.sweep.numbering.most();
        for (values, numbers) in self.values.iter_mut().zip(&self.numbers) {
            values.grow(numbers.len(), most, f64::NAN);
        }
        self.afterstate_values.grow(self.numbers[0].len(), most, f64::NAN);
    }

    /// Takes the codes and values of the layer with this sum as they are.
    ///
    /// # Errors
    /// When a code is no such position's.
    pub fn recall(
        &mut self,
        sum: u32,
        values: impl Iterator<Item = (u64, f64)>,
    ) -> Result<(), BoardError> {
        self.go_back(sum);
        let Self { sweep, numbers: [now, ..], values: [there, ..], .. } = self;
        let mut known = Bits::default();
        known.reset(now.len());
        for (code, value) in values {
            let board = Board::from_code(code, self.rules.size)?;
            let number = sweep.numbering.number_of(now, board);
            let number = number.ok_or_else(|| not_in_layer(board))?;
            known.insert(number);
            there[number as usize] = value;
        }
        sweep.numbering.spread(now, &known, there);
        Ok(())
    }

    /// Takes the numbers and values of the layer with this sum as they are, which come from a file.
    ///
    /// # Errors
    /// When there is no such number.
    pub fn recall_numbers(
        &mut self,
        sum: u32,
        known: &[(u64, f64)],
        path: &Path,
    ) -> Result<(), TableError> {
        self.go_back(sum);
        let Self { sweep, numbers: [now, ..], values: [there, ..], .. } = self;
        let mut set = Bits::default();
        set.reset(now.len());
        for &(number, value) in known {
            if number >= now.len() as u64 {
                let what = format!("{number}: no number of the layer with sum {sum}");
                return Err(TableError::Inconsistent { path: path.into(), what });
            }
            set.insert(number as u32);
            there[number as usize] = value;
        }
        sweep.numbering.spread(now, &set, there);
        Ok(())
    }

    /// Solves the layer with this sum, after the two behind it.
    ///
    /// # Errors
    /// When what hands share cannot be read or written, or they are stopped.
    pub fn solve<C: Code>(
        &mut self,
        sum: u32,
        layer: &NumberedLayer,
        hand: &Hand<'_>,
    ) -> Result<SolvedLayer<C>, TableError> {
        self.go_back(sum);
        // Of afterstates there are few: to exchange their values would take as long.
        let apart = hand.apart();
        let (own, shared) = (Steps::new(&apart, sum), Steps::new(hand, sum));
        let Self { sweep, numbers: [now, two, four], ahead, .. } = self;
        let sweep = &*sweep;
        let [values, with_two, with_four] = &mut self.values;
        let (numbers, after) = ([&*now, two, four], &mut self.afterstate_values);
        let (behind, afterstates) = ([&**with_two, with_four], &layer.afterstates);
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| sweep.numbering.number_layer(sum.saturating_sub(2), ahead));
            own.value_afterstates(sweep, now, afterstates, after, |range, values| {
                sweep.value_afterstates(numbers, afterstates, range, behind, values);
            })?;
            shared.solve_states(sweep, now, &layer.states, after, values)
        })
    }

    /// Forgets the values of the layer before last, whose room the next one takes: what is not solved has
    /// none then.
    pub fn forget(&mut self) {
        self.values[2].fill(f64::NAN);
    }

    /// Whether all boards that may follow the layer that was solved last had values.
    #[must_use]
    pub fn has_all_that_follow(&self, layer: &NumberedLayer) -> bool {
        layer.afterstates.shares().all(|share| {
            let mut all = true;
            share.each(|number| all &= !self.afterstate_values[number].is_nan());
            all
        })
    }
}

fn not_in_layer(board: Board) -> BoardError {
    BoardError::Impossible { board, why: "not in this layer".into() }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::NO_MOVE;
    use super::*;
    use crate::solve::layered::{self, Solved};

    /// All layers from the starts on, found by sorting.
    fn naive_layers(rules: Rules) -> Vec<Vec<u64>> {
        let mut layers: Vec<Vec<u64>> = Vec::new();
        let mut next = [Vec::new(), Vec::new()];
        loop {
            let [mut states, second] = next;
            let sum = 4 + 2 * layers.len() as u32;
            let starts = rules.starts().into_iter().map(|(board, _)| board);
            states.extend(starts.filter(|board| board.sum() == sum).map(|board| board.0));
            states.sort_unstable();
            states.dedup();
            if states.is_empty() {
                return layers;
            }
            next = layered::expand(&rules, &states);
            next[0].extend(second);
            layers.push(states);
        }
    }

    fn dense_layers(dense: &mut PositionLayers) -> Vec<NumberedLayer> {
        let rules = dense.rules;
        let stop = AtomicBool::new(false);
        let hand = Hand::alone(&stop);
        let mut layers = Vec::new();
        dense.begin(4);
        loop {
            let sum = 4 + 2 * layers.len() as u32;
            let starts = rules.starts().into_iter().map(|(board, _)| board);
            starts.filter(|board| board.sum() == sum).for_each(|board| dense.add(board));
            let layer = dense.found(sum, &hand).unwrap();
            if layer.len() == 0 {
                return layers;
            }
            dense.follow(&layer, sum + 2);
            layers.push(layer);
        }
    }

    /// The values of a layer, by hashing.
    fn naive_values(
        rules: Rules,
        states: &[u64],
        above: &[HashMap<u64, f64>; 2],
    ) -> Vec<(u64, Solved)> {
        let solve = |&state: &u64| {
            let value = |ahead: usize, state: u64| above[ahead].get(&state).copied();
            (state, layered::solve_one(&rules, state, value).unwrap())
        };
        states.iter().map(solve).collect()
    }

    fn check(size: &str, objective: &str) {
        let rules = Rules { size: size.parse().unwrap(), objective: objective.parse().unwrap() };
        let mut dense = PositionLayers::new(rules).unwrap();
        let (layers, naive) = (dense_layers(&mut dense), naive_layers(rules));
        assert_eq!(layers.len(), naive.len(), "{size} {objective}");
        dense.begin(4 + 2 * layers.len() as u32);
        let mut above = [HashMap::new(), HashMap::new()];
        for (number, (layer, states)) in layers.iter().zip(&naive).enumerate().rev() {
            let sum = 4 + 2 * number as u32;
            let mut codes: Vec<u64> = dense.codes(sum, layer);
            codes.sort_unstable();
            let expected: Vec<u64> =
                states.iter().map(|&state| Board(state).code(rules.size)).collect();
            assert!(codes == expected, "{size} {objective} {sum}");
            // A layer that was saved comes back as it was.
            let loaded = dense.load(sum, &codes, Path::new("")).unwrap();
            assert!(loaded.states == layer.states && loaded.afterstates == layer.afterstates);

            let stop = AtomicBool::new(false);
            let solved = dense.solve::<u64>(sum, layer, &Hand::alone(&stop)).unwrap();
            let rows = solved.codes.iter().zip(&solved.values).zip(&solved.moves);
            let found: HashMap<u64, (f64, u8)> =
                rows.map(|((&code, &value), &best)| (code, (value, best))).collect();
            let values = naive_values(rules, states, &above);
            for (state, expected) in &values {
                let code = Board(*state).code(rules.size);
                let (value, best) = found[&code];
                let close = |value: f64| (value - expected.value).abs() <= 1e-12 * value.max(1.0);
                assert!(close(value), "{size} {objective} {state:x}: {value} {expected:?}");
                assert_eq!(best == NO_MOVE, expected.best.is_none(), "{state:x}");
            }
            let [next, _] = above;
            above = [values.into_iter().map(|(state, it)| (state, it.value)).collect(), next];
            // So does one that was solved.
            for by_number in [false, true].into_iter().filter(|_| number % 7 == 0) {
                let before = dense.values[0].to_vec();
                dense.numbers.rotate_left(1);
                dense.values.rotate_left(1);
                dense.values[2].fill(f64::NAN);
                let values = solved.values.iter().copied();
                if by_number {
                    let known: Vec<_> = layer.states.iter().map(u64::from).zip(values).collect();
                    dense.recall_numbers(sum, &known, Path::new("")).unwrap();
                } else {
                    dense.recall(sum, solved.codes.iter().copied().zip(values)).unwrap();
                }
                layer.states.each_of(0..dense.numbers[0].len() as u32, |number| {
                    assert_eq!(dense.values[0][number as usize], before[number as usize]);
                });
            }
        }
    }

    #[test]
    fn layers_are_those_found_and_solved_by_sorting_and_hashing() {
        for size in ["2x2", "2x3", "3x2"] {
            for objective in ["score", "tile:8", "tile:32"] {
                check(size, objective);
            }
        }
        check("2x4", "tile:64");
        check("4x2", "tile:32");
        check("3x3", "tile:32");
    }
}
