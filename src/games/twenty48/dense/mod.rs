//! Whole layers of a small board at once, for boards of up to nine cells.
//!
//! A layer, all positions of one sum, is a row of bits ([`numbering`] says which), and so are the
//! boards that slides leave before a new tile comes, the *afterstates*. Forward, a layer's positions are
//! slid, which sets the bits of its afterstates, and a tile is put on every empty cell of those, which
//! sets bits of the two layers behind. Backward, every afterstate is worth the mean of what the two
//! layers say, and every position its best afterstate. All of it is arrays that stay in the caches, and
//! each board is worked on once, whatever its orientation: it has the same number in all.

mod bits;
mod numbering;
mod slides;

use rayon::prelude::*;

use self::bits::{Bits, Gathered, SHARE, Share};
use self::numbering::{Numbering, Numbers, Packed, Place};
use self::slides::Slides;
use super::{Board, BoardError, Objective, Rules, Spawn, Symmetry};

/// Finds and solves the layers of a board.
pub struct Dense {
    rules: Rules,
    numbering: Numbering,
    slides: Slides,
    /// Of the layer at work and of the two behind it.
    numbers: [Numbers; 3],
    /// What was found of the two behind it.
    next: [Gathered; 2],
    slid: Gathered,
    /// Of the layer at work and of the two behind it, by number.
    values: [Vec<f64>; 3],
    afterstate_values: Vec<f64>,
}

/// A layer's positions.
#[derive(Clone, Debug, Default)]
pub struct NumberedLayer {
    states: Bits,
    afterstates: Bits,
    count: usize,
}

impl NumberedLayer {
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

/// What is known of a layer's positions, in no order.
#[derive(Clone, Debug, Default)]
pub struct SolvedLayer {
    /// The codes of the canonical forms.
    pub codes: Vec<u32>,
    /// The values.
    pub values: Vec<f64>,
    /// The numbers of the best directions, [`NO_MOVE`] if there is none.
    pub moves: Vec<u8>,
}

/// Stands for no direction.
pub const NO_MOVE: u8 = 0xff;

impl Dense {
    /// For these rules; `None` if the board is too large.
    #[must_use]
    pub fn new(rules: Rules) -> Option<Self> {
        let highest = match rules.objective {
            Objective::Tile(target) => target.exponent() - 1,
            Objective::Score | Objective::Search => rules.size.highest(),
        };
        Some(Self {
            rules,
            numbering: Numbering::new(rules.size, highest)?,
            slides: Slides::new(rules.size),
            numbers: Default::default(),
            next: [Gathered::new(), Gathered::new()],
            slid: Gathered::new(),
            values: Default::default(),
            afterstate_values: Vec::new(),
        })
    }

    /// Bytes of memory that it takes at the most, on the threads that there are now.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let values = (self.values.len() + 1) * size_of::<f64>();
        // Of each thread, what it finds of this layer and the two behind it; of the layer, both
        // sets, and one of them once more while it is joined.
        let sets = 3 * rayon::current_num_threads() + 3;
        let layer = self.numbering.most() * (8 * values + sets) as u64 / 8;
        self.numbering.bytes() + self.slides.bytes() + layer
    }

    /// Goes to the layer with this sum; nothing is known of it nor of those behind it.
    pub fn begin(&mut self, sum: u32) {
        for (sum, numbers) in (sum..).step_by(2).zip(&mut self.numbers) {
            self.numbering.number_layer(sum, numbers);
        }
        for (next, numbers) in self.next.iter_mut().zip(&self.numbers) {
            next.reset(numbers.len());
        }
    }

    /// Adds a position to the layer at work.
    pub fn add(&mut self, board: Board) {
        if let Some(number) = self.numbering.number(&self.numbers[0], self.numbering.pack(board)) {
            self.next[0].with(|bits| bits.insert(number));
        }
    }

    /// The layer at work: all that was found of it.
    pub fn found(&mut self) -> NumberedLayer {
        let states = self.next[0].join();
        let numbers = std::mem::take(&mut self.numbers[0]);
        let layer = self.layer(&numbers, states);
        self.numbers[0] = numbers;
        layer
    }

    /// The layer of a sum, from the codes of its positions.
    ///
    /// # Errors
    /// When a code is no such position's.
    pub fn load(&mut self, sum: u32, codes: &[u64]) -> Result<NumberedLayer, BoardError> {
        let mut numbers = Numbers::default();
        self.numbering.number_layer(sum, &mut numbers);
        let number = |&code: &u64| {
            let board = Board::from_code(code, self.rules.size)?;
            self.number_of(&numbers, sum, board)
        };
        let found = codes.par_iter().map(number).collect::<Result<Vec<u32>, BoardError>>()?;
        let mut states = Bits::default();
        states.reset(numbers.len());
        found.into_iter().for_each(|number| states.insert(number));
        Ok(self.layer(&numbers, states))
    }

    /// The codes of the positions of a layer, in no order.
    #[must_use]
    pub fn codes(&self, sum: u32, layer: &NumberedLayer) -> Vec<u32> {
        let mut numbers = Numbers::default();
        self.numbering.number_layer(sum, &mut numbers);
        let shares = layer.states.shares().map(|share| {
            let mut codes = Vec::with_capacity(share.count());
            let mut find = numbers.places(share.first);
            share.each(|number| codes.push(self.numbering.canonical(find(number)).0));
            codes
        });
        shares.collect::<Vec<_>>().concat()
    }

    /// The number of a board that somebody else named.
    fn number_of(&self, numbers: &Numbers, sum: u32, board: Board) -> Result<u32, BoardError> {
        let number = self.numbering.number(numbers, self.numbering.pack(board));
        let number = number.filter(|_| board.sum() == sum && board.has_room(self.rules.size));
        number.ok_or_else(|| BoardError::Impossible { board, why: "not in this layer".into() })
    }

    fn layer(&mut self, numbers: &Numbers, mut states: Bits) -> NumberedLayer {
        self.numbering.reduce(numbers, &mut states);
        let afterstates = self.slide(numbers, &states);
        NumberedLayer { count: states.count(), states, afterstates }
    }

    /// Puts every new tile on the afterstates of the layer at work, and goes to the next one, which has
    /// this sum.
    pub fn follow(&mut self, layer: &NumberedLayer, next_sum: u32) {
        self.next.swap(0, 1);
        self.next[1].reset(self.numbers[2].len());
        let Self { numbering, numbers: [now, two, four], next: [next_two, next_four], .. } = self;
        layer.afterstates.shares().for_each(|share| {
            next_two.with(|next_two| {
                next_four.with(|next_four| {
                    let each = |after: &Afterstate<'_>, rest: Packed| {
                        after.spawns(rest, |with_two, with_four| {
                            next_two.insert(with_two);
                            next_four.insert(with_four);
                        });
                    };
                    Afterstate::each(numbering, [now, two, four], share, each);
                });
            });
        });
        self.numbers.rotate_left(1);
        self.numbering.number_layer(next_sum + 4, &mut self.numbers[2]);
    }

    /// The afterstates of some positions.
    fn slide(&mut self, numbers: &Numbers, states: &Bits) -> Bits {
        self.slid.reset(numbers.len());
        match (self.rules.size.rows(), self.rules.size.columns()) {
            (2, 2) => self.slide_board::<2, 2>(numbers, states),
            (2, 3) => self.slide_board::<2, 3>(numbers, states),
            (2, 4) => self.slide_board::<2, 4>(numbers, states),
            (3, 2) => self.slide_board::<3, 2>(numbers, states),
            (4, 2) => self.slide_board::<4, 2>(numbers, states),
            _ => self.slide_board::<3, 3>(numbers, states),
        }
        let mut afterstates = self.slid.join();
        self.numbering.reduce(numbers, &mut afterstates);
        afterstates
    }

    fn slide_board<const ROWS: usize, const COLUMNS: usize>(&self, now: &Numbers, states: &Bits) {
        let Self { numbering, slides, slid, .. } = self;
        states.shares().for_each(|share| {
            slid.with(|slid| {
                let mut find = now.places(share.first);
                share.each(|number| {
                    let state = State::new(numbering, find(number));
                    for after in slides.boards::<ROWS, COLUMNS>(state.rows, state.columns) {
                        // Which slides move something cannot be foreseen: not to ask is faster.
                        if let Some(number) = numbering.number(now, after) {
                            slid.insert_if(after != state.board, number);
                        }
                    }
                });
            });
        });
    }

    /// Goes back to the layer with this sum.
    fn go_back(&mut self, sum: u32) {
        self.numbers.rotate_right(1);
        self.values.rotate_right(1);
        self.numbering.number_layer(sum, &mut self.numbers[0]);
        for (values, numbers) in self.values.iter_mut().zip(&self.numbers) {
            values.resize(values.len().max(numbers.len()), f64::NAN);
        }
        let len = self.afterstate_values.len().max(self.numbers[0].len());
        self.afterstate_values.resize(len, f64::NAN);
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
        let size = self.rules.size;
        for (code, value) in values {
            let board = Board::from_code(code, size)?;
            for symmetry in Symmetry::all(size) {
                let image = symmetry.board(board, size);
                let number = self.number_of(&self.numbers[0], sum, image)?;
                self.values[0][number as usize] = value;
            }
        }
        Ok(())
    }

    /// Solves the layer with this sum, after the two behind it.
    pub fn solve(&mut self, sum: u32, layer: &NumberedLayer) -> SolvedLayer {
        self.go_back(sum);
        self.value_afterstates(&layer.afterstates);
        let mut values = std::mem::take(&mut self.values[0]);
        let solved = match (self.rules.size.rows(), self.rules.size.columns()) {
            (2, 2) => self.value_states::<2, 2>(layer, &mut values),
            (2, 3) => self.value_states::<2, 3>(layer, &mut values),
            (2, 4) => self.value_states::<2, 4>(layer, &mut values),
            (3, 2) => self.value_states::<3, 2>(layer, &mut values),
            (4, 2) => self.value_states::<4, 2>(layer, &mut values),
            _ => self.value_states::<3, 3>(layer, &mut values),
        };
        self.numbering.spread(&self.numbers[0], &layer.states, &mut values);
        self.values[0] = values;
        solved
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

    fn value_afterstates(&mut self, afterstates: &Bits) {
        let Self { numbering, numbers, values: [_, two, four], afterstate_values, .. } = self;
        let shares = afterstates.shares().zip(afterstate_values.par_chunks_mut(SHARE));
        shares.for_each(|(share, values)| {
            let each = |after: &Afterstate<'_>, rest: Packed| {
                let share_of = 1.0 / f64::from(after.empty(rest));
                let (chance_two, chance_four) = (Spawn::TWO * share_of, Spawn::FOUR * share_of);
                let mut expected = 0.0;
                after.spawns(rest, |with_two, with_four| {
                    expected += chance_two * two[with_two as usize];
                    expected += chance_four * four[with_four as usize];
                });
                values[after.number - share.first] = expected;
            };
            let [now, two, four] = &*numbers;
            Afterstate::each(numbering, [now, two, four], share, each);
        });
        numbering.spread(&numbers[0], afterstates, afterstate_values);
    }

    fn value_states<const ROWS: usize, const COLUMNS: usize>(
        &self,
        layer: &NumberedLayer,
        values: &mut [f64],
    ) -> SolvedLayer {
        let counts: Vec<usize> = layer.states.shares().map(|share| share.count()).collect();
        let mut solved = SolvedLayer::zeroed(layer.count);
        let shares = layer.states.shares().zip(values.par_chunks_mut(SHARE));
        shares.zip(solved.pieces(&counts)).for_each(|((share, values), piece)| {
            let mut find = self.numbers[0].places(share.first);
            let mut row = 0;
            share.each(|number| {
                let (code, value, best) = self.best::<ROWS, COLUMNS>(find(number));
                values[number - share.first] = value;
                (piece.codes[row], piece.values[row], piece.moves[row]) = (code, value, best);
                row += 1;
            });
        });
        solved
    }

    /// The canonical code of a position, its value and its best move.
    #[inline]
    fn best<const ROWS: usize, const COLUMNS: usize>(&self, place: Place) -> (u32, f64, u8) {
        let Self { numbering, slides, numbers: [now, ..], afterstate_values, .. } = self;
        let state = State::new(numbering, place);
        let boards = slides.boards::<ROWS, COLUMNS>(state.rows, state.columns);
        let scores = match self.rules.objective {
            Objective::Score => slides.scores::<ROWS, COLUMNS>(state.rows, state.columns),
            Objective::Tile(_) | Objective::Search => [0; 4],
        };
        // Which slides move something cannot be foreseen: the others are valued all the same, and
        // left out in the end.
        let by_direction: [f64; 4] = std::array::from_fn(|direction| {
            let after = boards[direction];
            let value = match numbering.number(now, after) {
                Some(number) => afterstate_values[number as usize],
                // The tile to reach.
                None => 1.0,
            };
            let value = f64::from(scores[direction]) + value;
            if after == state.board { f64::NEG_INFINITY } else { value }
        });
        let (code, symmetry) = numbering.canonical(place);
        let (mut best, mut value) = (NO_MOVE, f64::NEG_INFINITY);
        for (image, &direction) in (0..).zip(&numbering.directions[symmetry]) {
            let there = by_direction[usize::from(direction)];
            let is_better = there > value;
            best = if is_better { image } else { best };
            value = if is_better { there } else { value };
        }
        (code, value.max(0.0), best)
    }
}

impl SolvedLayer {
    fn zeroed(count: usize) -> Self {
        Self { codes: vec![0; count], values: vec![0.0; count], moves: vec![0; count] }
    }

    /// Pieces of so many positions each.
    fn pieces(&mut self, counts: &[usize]) -> Vec<Piece<'_>> {
        let Self { codes, values, moves } = self;
        let mut rest = Piece { codes, values, moves };
        let piece = |&count: &usize| {
            let Piece { codes, values, moves } = std::mem::take(&mut rest);
            let (codes, more_codes) = codes.split_at_mut(count);
            let (values, more_values) = values.split_at_mut(count);
            let (moves, more_moves) = moves.split_at_mut(count);
            rest = Piece { codes: more_codes, values: more_values, moves: more_moves };
            Piece { codes, values, moves }
        };
        counts.iter().map(piece).collect()
    }
}

/// A part of a solved layer, to be filled.
#[derive(Default)]
struct Piece<'a> {
    codes: &'a mut [u32],
    values: &'a mut [f64],
    moves: &'a mut [u8],
}

/// A position, put together from its parts.
struct State {
    board: Packed,
    rows: u64,
    columns: u64,
}

impl State {
    #[inline]
    fn new(numbering: &Numbering, place: Place) -> Self {
        let Place { corners, rest } = place;
        let Numbering { corners: of_corners, rests: of_rests, .. } = numbering;
        Self {
            board: of_corners.boards[corners] | of_rests.boards[rest],
            rows: of_corners.rows[corners] | of_rests.rows[rest],
            columns: of_corners.columns[corners] | of_rests.columns[rest],
        }
    }
}

/// Afterstates with the same corners, one after the other: where new tiles lead from them.
struct Afterstate<'a> {
    numbering: &'a Numbering,
    number: usize,
    /// Where boards with these corners begin, less one, in either layer.
    starts: (u32, u32),
    /// The same with a tile more on one of the corners, and the symmetry that turns them: for a 2
    /// and for a 4.
    corners: [((u32, usize), (u32, usize)); 4],
    empty_corners: usize,
}

impl<'a> Afterstate<'a> {
    /// Visits the afterstates of a share, each with its rest.
    #[inline]
    fn each(
        numbering: &'a Numbering,
        [now, two, four]: [&Numbers; 3],
        share: Share<'_>,
        mut visit: impl FnMut(&Self, Packed),
    ) {
        let mut find = now.places(share.first);
        let mut last = usize::MAX;
        let mut after = Self {
            numbering,
            number: 0,
            starts: (0, 0),
            corners: Default::default(),
            empty_corners: 0,
        };
        share.each(|number| {
            let place = find(number);
            if place.corners != last {
                last = place.corners;
                after.turn_to(numbering.corners.boards[last], two, four);
            }
            after.number = number;
            visit(&after, numbering.rests.boards[place.rest]);
        });
    }

    fn turn_to(&mut self, corners: Packed, two: &Numbers, four: &Numbers) {
        let numbering = self.numbering;
        self.starts = (numbering.start(two, corners).0, numbering.start(four, corners).0);
        self.empty_corners = 0;
        let mut empty = numbering.empty(corners, true);
        while empty != 0 {
            let one = empty & empty.wrapping_neg();
            empty &= empty - 1;
            self.corners[self.empty_corners] =
                (numbering.start(two, corners | one), numbering.start(four, corners | one << 1));
            self.empty_corners += 1;
        }
    }

    /// How many cells are empty.
    #[inline]
    fn empty(&self, rest: Packed) -> u32 {
        self.numbering.empty(rest, false).count_ones() + self.empty_corners as u32
    }

    /// Visits every empty cell: the numbers of the boards with a 2 and with a 4 there.
    #[inline]
    fn spawns(&self, rest: Packed, mut visit: impl FnMut(u32, u32)) {
        let numbering = self.numbering;
        let mut empty = numbering.empty(rest, false);
        while empty != 0 {
            let one = empty & empty.wrapping_neg();
            empty &= empty - 1;
            let (two, four) = (numbering.ranks(rest | one)[0], numbering.ranks(rest | one << 1)[0]);
            visit(self.starts.0.wrapping_add(two.into()), self.starts.1.wrapping_add(four.into()));
        }
        let ranks = numbering.ranks(rest);
        for &((two, turn), (four, other_turn)) in &self.corners[..self.empty_corners] {
            visit(
                two.wrapping_add(ranks[turn].into()),
                four.wrapping_add(ranks[other_turn].into()),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

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

    fn dense_layers(dense: &mut Dense) -> Vec<NumberedLayer> {
        let rules = dense.rules;
        let mut layers = Vec::new();
        dense.begin(4);
        loop {
            let sum = 4 + 2 * layers.len() as u32;
            let starts = rules.starts().into_iter().map(|(board, _)| board);
            starts.filter(|board| board.sum() == sum).for_each(|board| dense.add(board));
            let layer = dense.found();
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
        let mut dense = Dense::new(rules).unwrap();
        let (layers, naive) = (dense_layers(&mut dense), naive_layers(rules));
        assert_eq!(layers.len(), naive.len(), "{size} {objective}");
        dense.begin(4 + 2 * layers.len() as u32);
        let mut above = [HashMap::new(), HashMap::new()];
        for (number, (layer, states)) in layers.iter().zip(&naive).enumerate().rev() {
            let sum = 4 + 2 * number as u32;
            let mut codes: Vec<u64> = dense.codes(sum, layer).into_iter().map(u64::from).collect();
            codes.sort_unstable();
            let expected: Vec<u64> =
                states.iter().map(|&state| Board(state).code(rules.size)).collect();
            assert!(codes == expected, "{size} {objective} {sum}");
            // A layer that was saved comes back as it was.
            let loaded = dense.load(sum, &codes).unwrap();
            assert!(loaded.states == layer.states && loaded.afterstates == layer.afterstates);

            let solved = dense.solve(sum, layer);
            let rows = solved.codes.iter().zip(&solved.values).zip(&solved.moves);
            let found: HashMap<u32, (f64, u8)> =
                rows.map(|((&code, &value), &best)| (code, (value, best))).collect();
            let values = naive_values(rules, states, &above);
            for (state, expected) in &values {
                let code = Board(*state).code(rules.size) as u32;
                let (value, best) = found[&code];
                let close = |value: f64| (value - expected.value).abs() <= 1e-12 * value.max(1.0);
                assert!(close(value), "{size} {objective} {state:x}: {value} {expected:?}");
                assert_eq!(best == NO_MOVE, expected.best.is_none(), "{state:x}");
            }
            let [next, _] = above;
            above = [values.into_iter().map(|(state, it)| (state, it.value)).collect(), next];
            // So does one that was solved.
            if number % 7 == 0 {
                let values = solved.codes.iter().map(|&code| code.into()).zip(solved.values);
                let before = dense.values[0].clone();
                dense.numbers.rotate_left(1);
                dense.values.rotate_left(1);
                dense.values[2].fill(f64::NAN);
                dense.recall(sum, values).unwrap();
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
