//! What is done to all boards of a layer at once: slides, new tiles, and their values.

use rayon::prelude::*;

use super::NO_MOVE;
use super::bits::{Bits, Gathered, SHARE, Share};
use super::numbering::{Content, Contents, Numbering, Numbers, Place};
use super::shape::Shape;
use super::slides::Slides;
use crate::games::twenty48::rules::Goal;

/// Goes over layers.
pub struct Sweep {
    pub goal: Goal,
    pub numbering: Numbering,
    /// From each frame to each mask.
    slides: Vec<Vec<Slides>>,
}

/// Calls a function that is compiled for the rows and columns of a board.
macro_rules! for_size {
    ($sweep:ident.$name:ident($($argument:expr),*)) => {{
        let size = $sweep.numbering.shape().size();
        match (size.rows(), size.columns()) {
            (2, 2) => $sweep.$name::<2, 2>($($argument),*),
            (2, 3) => $sweep.$name::<2, 3>($($argument),*),
            (2, 4) => $sweep.$name::<2, 4>($($argument),*),
            (3, 2) => $sweep.$name::<3, 2>($($argument),*),
            (3, 3) => $sweep.$name::<3, 3>($($argument),*),
            (3, 4) => $sweep.$name::<3, 4>($($argument),*),
            (4, 2) => $sweep.$name::<4, 2>($($argument),*),
            (4, 3) => $sweep.$name::<4, 3>($($argument),*),
            _ => $sweep.$name::<4, 4>($($argument),*),
        }
    }};
}

impl Sweep {
    /// Over boards whose exponents are below `base`; `None` if they are too many.
    pub fn new(shape: Shape, base: u8, goal: Goal) -> Option<Self> {
        let numbering = Numbering::new(shape, base)?;
        let slides = Slides::all(&numbering);
        Some(Self { goal, numbering, slides })
    }

    /// Bytes of memory that it takes, with the numbers of so many layers.
    pub fn bytes(&self, layers: usize) -> u64 {
        self.numbering.bytes(layers) + self.slides.iter().flatten().map(Slides::bytes).sum::<u64>()
    }

    /// Finds the afterstates of some positions.
    pub fn slide(&self, now: &Numbers, states: &Bits, slid: &Gathered) {
        for_size!(self.slide_sized(now, states, slid));
    }

    fn slide_sized<const ROWS: usize, const COLUMNS: usize>(
        &self,
        now: &Numbers,
        states: &Bits,
        slid: &Gathered,
    ) {
        states.shares().for_each(|share| {
            slid.with(|slid| {
                let mut find = now.places(share.first);
                share.each(|number| {
                    let state = State::new(&self.numbering, find(number));
                    for slides in &self.slides[state.frame] {
                        for after in slides.boards::<ROWS, COLUMNS>(state.rows, state.columns) {
                            // Which slides move something cannot be foreseen: not to ask is faster.
                            if after.is_plain() {
                                let number = self.numbering.number(now, slides.frame, after);
                                slid.insert_if(state.is_changed(slides, after), number);
                            }
                        }
                    }
                });
            });
        });
    }

    /// Finds the positions of the two layers behind that follow some afterstates.
    pub fn spawn(
        &self,
        numbers: [&Numbers; 3],
        afterstates: &Bits,
        [next_two, next_four]: [&Gathered; 2],
    ) {
        afterstates.shares().for_each(|share| {
            next_two.with(|next_two| {
                next_four.with(|next_four| {
                    Afterstate::each(&self.numbering, numbers, share, |after, second| {
                        after.spawns(second, |with_two, with_four| {
                            next_two.insert(with_two);
                            next_four.insert(with_four);
                        });
                    });
                });
            });
        });
    }

    /// Values afterstates by the values of the two layers behind, all by number.
    pub fn value_afterstates(
        &self,
        numbers: [&Numbers; 3],
        afterstates: &Bits,
        [two, four]: [&[f64]; 2],
        values: &mut [f64],
    ) {
        let shares = afterstates.shares().zip(values.par_chunks_mut(SHARE));
        shares.for_each(|(share, values)| {
            Afterstate::each(&self.numbering, numbers, share, |after, second| {
                let (mut sum, mut weights) = (0.0, 0.0);
                after.spawns(second, |with_two, with_four| {
                    sum += Goal::TWO * two[with_two as usize];
                    sum += Goal::FOUR * four[with_four as usize];
                    weights += Goal::TWO + Goal::FOUR;
                });
                values[after.number - share.first] = self.goal.mean(sum, weights);
            });
        });
        self.numbering.spread(numbers[0], afterstates, values);
    }

    /// Values positions by the values of their afterstates, both by number.
    pub fn value_states(
        &self,
        now: &Numbers,
        states: &Bits,
        afterstates: &[f64],
        values: &mut [f64],
    ) {
        for_size!(self.value_states_sized(now, states, afterstates, values));
        self.numbering.spread(now, states, values);
    }

    fn value_states_sized<const ROWS: usize, const COLUMNS: usize>(
        &self,
        now: &Numbers,
        states: &Bits,
        afterstates: &[f64],
        values: &mut [f64],
    ) {
        let shares = states.shares().zip(values.par_chunks_mut(SHARE));
        shares.for_each(|(share, values)| {
            let mut find = now.places(share.first);
            share.each(|number| {
                let by_direction =
                    self.by_direction::<ROWS, COLUMNS>(now, afterstates, find(number));
                let best = by_direction.into_iter().fold(0.0, f64::max);
                values[number - share.first] = best;
            });
        });
    }

    /// The same, and answers what tables of positions say of them.
    pub fn solve_states(
        &self,
        now: &Numbers,
        states: &Bits,
        afterstates: &[f64],
        values: &mut [f64],
    ) -> SolvedLayer {
        let solved = for_size!(self.solve_states_sized(now, states, afterstates, values));
        self.numbering.spread(now, states, values);
        solved
    }

    fn solve_states_sized<const ROWS: usize, const COLUMNS: usize>(
        &self,
        now: &Numbers,
        states: &Bits,
        afterstates: &[f64],
        values: &mut [f64],
    ) -> SolvedLayer {
        let counts: Vec<usize> = states.shares().map(|share| share.count()).collect();
        let mut solved = SolvedLayer::zeroed(counts.iter().sum());
        let shares = states.shares().zip(values.par_chunks_mut(SHARE));
        shares.zip(solved.pieces(&counts)).for_each(|((share, values), piece)| {
            let mut find = now.places(share.first);
            let mut row = 0;
            share.each(|number| {
                let place = find(number);
                let by_direction = self.by_direction::<ROWS, COLUMNS>(now, afterstates, place);
                let (code, value, best) = self.best(place, by_direction);
                values[number - share.first] = value;
                (piece.codes[row], piece.values[row], piece.moves[row]) = (code, value, best);
                row += 1;
            });
        });
        solved
    }

    /// What each slide of a position is worth: minus infinity if it is none.
    #[inline(always)]
    fn by_direction<const ROWS: usize, const COLUMNS: usize>(
        &self,
        now: &Numbers,
        afterstates: &[f64],
        place: Place,
    ) -> [f64; 4] {
        let state = State::new(&self.numbering, place);
        let mut by_direction = [f64::NEG_INFINITY; 4];
        for slides in &self.slides[state.frame] {
            let boards = slides.boards::<ROWS, COLUMNS>(state.rows, state.columns);
            let scores = match self.goal {
                Goal::Score => slides.scores::<ROWS, COLUMNS>(state.rows, state.columns),
                Goal::Chance | Goal::RoundedChance => [0; 4],
            };
            for direction in 0..4 {
                let after = boards[direction];
                if !after.is_legal() {
                    continue;
                }
                let value = if after.is_won() {
                    1.0
                } else {
                    // Which slides move something cannot be foreseen: the others are valued all the
                    // same, and left out in the end.
                    let number = self.numbering.number(now, slides.frame, after);
                    f64::from(scores[direction]) + afterstates[number as usize]
                };
                if state.is_changed(slides, after) {
                    by_direction[direction] = value;
                }
            }
        }
        by_direction
    }

    /// The canonical code of a small board, its value and its best move.
    #[inline]
    fn best(&self, place: Place, by_direction: [f64; 4]) -> (u64, f64, u8) {
        let (code, symmetry) = self.numbering.canonical(place);
        let (mut best, mut value) = (NO_MOVE, f64::NEG_INFINITY);
        for (image, &direction) in (0..).zip(&self.numbering.directions[symmetry]) {
            let there = by_direction[usize::from(direction)];
            let is_better = there > value;
            best = if is_better { image } else { best };
            value = if is_better { there } else { value };
        }
        (code, value.max(0.0), best)
    }
}

/// What is known of a layer's positions, in no order.
#[derive(Clone, Debug, Default)]
pub struct SolvedLayer {
    /// The codes of the canonical forms.
    pub codes: Vec<u64>,
    /// The values.
    pub values: Vec<f64>,
    /// The numbers of the best directions, [`NO_MOVE`] if there is none.
    pub moves: Vec<u8>,
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
    codes: &'a mut [u64],
    values: &'a mut [f64],
    moves: &'a mut [u8],
}

/// A position, put together from its parts.
struct State {
    frame: usize,
    contents: Contents,
    rows: u64,
    columns: u64,
}

impl State {
    #[inline]
    fn new(numbering: &Numbering, place: Place) -> Self {
        let frame = &numbering.frames()[place.frame];
        let (first, second) = (&frame.first[place.first], &frame.second[place.second]);
        Self {
            frame: place.frame,
            contents: Contents { first: first.number, second: second.number },
            rows: first.rows + second.rows,
            columns: first.columns + second.columns,
        }
    }

    /// Whether a board is another one. Those of the first mask that a frame sees are its own.
    #[inline]
    fn is_changed(&self, slides: &Slides, after: Contents) -> bool {
        after != self.contents || !slides.in_place
    }
}

/// Afterstates with the same first part, one after the other: where new tiles lead from them.
struct Afterstate<'a> {
    numbering: &'a Numbering,
    number: usize,
    frame: usize,
    /// Where boards with this first part begin, less one, in either layer.
    starts: (u32, u32),
    /// The same with a tile more on one of its cells, and the symmetry that turns them: for a 2 and
    /// for a 4.
    firsts: [((u32, usize), (u32, usize)); 8],
    empty_firsts: usize,
}

impl<'a> Afterstate<'a> {
    /// Visits the afterstates of a share, each with its second part.
    #[inline]
    fn each(
        numbering: &'a Numbering,
        [now, two, four]: [&Numbers; 3],
        share: Share<'_>,
        mut visit: impl FnMut(&Self, &Content),
    ) {
        let mut find = now.places(share.first);
        let mut last = (usize::MAX, usize::MAX);
        let mut after = Self {
            numbering,
            number: 0,
            frame: 0,
            starts: (0, 0),
            firsts: Default::default(),
            empty_firsts: 0,
        };
        share.each(|number| {
            let place = find(number);
            let frame = &numbering.frames()[place.frame];
            if (place.frame, place.first) != last {
                last = (place.frame, place.first);
                after.frame = place.frame;
                after.turn_to(&frame.first[place.first], two, four);
            }
            after.number = number;
            visit(&after, &frame.second[place.second]);
        });
    }

    fn turn_to(&mut self, first: &Content, two: &Numbers, four: &Numbers) {
        let Self { numbering, frame, .. } = *self;
        let start = |numbers: &Numbers, content: u32| numbering.start(numbers, frame, content);
        self.starts = (start(two, first.number).0, start(four, first.number).0);
        self.empty_firsts = 0;
        let weights = &numbering.frames()[frame].part_weights[0];
        let mut empty = first.empty;
        while empty != 0 {
            let weight = weights[empty.trailing_zeros() as usize];
            empty &= empty - 1;
            self.firsts[self.empty_firsts] =
                (start(two, first.number + weight), start(four, first.number + 2 * weight));
            self.empty_firsts += 1;
        }
    }

    /// Visits every empty cell: the numbers of the boards with a 2 and with a 4 there.
    #[inline]
    fn spawns(&self, second: &Content, mut visit: impl FnMut(u32, u32)) {
        let frame = &self.numbering.frames()[self.frame];
        let mut empty = second.empty;
        while empty != 0 {
            let weight = frame.part_weights[1][empty.trailing_zeros() as usize];
            empty &= empty - 1;
            let two = frame.ranks_of(second.number + weight)[0];
            let four = frame.ranks_of(second.number + 2 * weight)[0];
            visit(self.starts.0.wrapping_add(two.into()), self.starts.1.wrapping_add(four.into()));
        }
        let ranks = frame.ranks_of(second.number);
        for &((two, turn), (four, other_turn)) in &self.firsts[..self.empty_firsts] {
            visit(
                two.wrapping_add(ranks[turn].into()),
                four.wrapping_add(ranks[other_turn].into()),
            );
        }
    }
}
