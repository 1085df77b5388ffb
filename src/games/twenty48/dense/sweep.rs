//! What is done to all boards of a layer at once: slides, new tiles, and their values.

use std::ops::Range;

use rayon::prelude::*;

use super::NO_MOVE;
use super::bits::{Bits, Gathered, SHARE, Share};
use super::numbering::{Content, Contents, Cursor, Frame, Numbering, Numbers, Place};
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
    ($sweep:ident.$name:ident($($argument:expr),*) $(, $code:ident)?) => {{
        let size = $sweep.numbering.shape().size();
        match (size.rows(), size.columns()) {
            (2, 2) => $sweep.$name::<2, 2 $(, $code)?>($($argument),*),
            (2, 3) => $sweep.$name::<2, 3 $(, $code)?>($($argument),*),
            (2, 4) => $sweep.$name::<2, 4 $(, $code)?>($($argument),*),
            (3, 2) => $sweep.$name::<3, 2 $(, $code)?>($($argument),*),
            (3, 3) => $sweep.$name::<3, 3 $(, $code)?>($($argument),*),
            (3, 4) => $sweep.$name::<3, 4 $(, $code)?>($($argument),*),
            (4, 2) => $sweep.$name::<4, 2 $(, $code)?>($($argument),*),
            (4, 3) => $sweep.$name::<4, 3 $(, $code)?>($($argument),*),
            _ => $sweep.$name::<4, 4 $(, $code)?>($($argument),*),
        }
    }};
}

/// The code of a canonical form, no wider than need be.
pub trait Code: Copy + Ord + Default + Into<u64> + Send + Sync {
    /// A code that fits.
    fn of(code: u64) -> Self;
}

impl Code for u32 {
    fn of(code: u64) -> Self {
        code as Self
    }
}

impl Code for u64 {
    fn of(code: u64) -> Self {
        code
    }
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

    /// Finds the afterstates of the positions in a range.
    pub fn slide(&self, now: &Numbers, states: &Bits, range: Range<usize>, slid: &Gathered) {
        for_size!(self.slide_sized(now, states, range, slid));
    }

    fn slide_sized<const ROWS: usize, const COLUMNS: usize>(
        &self,
        now: &Numbers,
        states: &Bits,
        range: Range<usize>,
        slid: &Gathered,
    ) {
        states.shares_in(range).for_each(|share| {
            slid.with(|slid| {
                let mut at = Cursor::new(&self.numbering, now, share.first);
                share.each(|number| {
                    if number >= at.end {
                        at.go_to(number);
                    }
                    let state = State::new(at.first, at.second(number));
                    for slides in &self.slides[at.frame] {
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

    /// Finds the positions of the two layers behind that follow the afterstates in a range.
    pub fn spawn(
        &self,
        numbers: [&Numbers; 3],
        afterstates: &Bits,
        range: Range<usize>,
        [next_two, next_four]: [&Gathered; 2],
    ) {
        afterstates.shares_in(range).for_each(|share| {
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

    /// The same as two sets, which are gathered in what is given for it.
    pub fn positions_behind(
        &self,
        numbers: [&Numbers; 3],
        afterstates: &Bits,
        range: Range<usize>,
        [two, four]: &mut [Gathered; 2],
    ) -> [Bits; 2] {
        two.reset(numbers[1].len());
        four.reset(numbers[2].len());
        self.spawn(numbers, afterstates, range, [two, four]);
        [two.join(), four.join()]
    }

    /// Values the afterstates in a range by the values of the two layers behind, all by number.
    pub fn value_afterstates(
        &self,
        numbers: [&Numbers; 3],
        afterstates: &Bits,
        range: Range<usize>,
        [two, four]: [&[f64]; 2],
        values: &mut [f64],
    ) {
        let values = &mut values[range.start..];
        let shares = afterstates.shares_in(range).zip(values.par_chunks_mut(SHARE));
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
    }

    /// Values the positions in a range by the values of their afterstates, both by number.
    pub fn value_states(
        &self,
        now: &Numbers,
        states: &Bits,
        range: Range<usize>,
        afterstates: &[f64],
        values: &mut [f64],
    ) {
        for_size!(self.value_states_sized(now, states, range, afterstates, values));
    }

    fn value_states_sized<const ROWS: usize, const COLUMNS: usize>(
        &self,
        now: &Numbers,
        states: &Bits,
        range: Range<usize>,
        afterstates: &[f64],
        values: &mut [f64],
    ) {
        let values = &mut values[range.start..];
        let shares = states.shares_in(range).zip(values.par_chunks_mut(SHARE));
        shares.for_each(|(share, values)| {
            let mut at = Cursor::new(&self.numbering, now, share.first);
            share.each(|number| {
                if number >= at.end {
                    at.go_to(number);
                }
                let by_direction =
                    self.by_direction::<ROWS, COLUMNS>(now, afterstates, &at, number);
                let best = by_direction.into_iter().fold(0.0, f64::max);
                values[number - share.first] = best;
            });
        });
    }

    /// The same, and fills in what tables of positions say of them.
    pub fn solve_states<C: Code>(
        &self,
        now: &Numbers,
        states: &Bits,
        range: Range<usize>,
        afterstates: &[f64],
        values: &mut [f64],
        solved: SolvedPart<'_, C>,
    ) {
        for_size!(self.solve_states_sized(now, states, range, afterstates, values, solved), C);
    }

    fn solve_states_sized<const ROWS: usize, const COLUMNS: usize, C: Code>(
        &self,
        now: &Numbers,
        states: &Bits,
        range: Range<usize>,
        afterstates: &[f64],
        values: &mut [f64],
        solved: SolvedPart<'_, C>,
    ) {
        let shares = states.shares_in(range.clone());
        let counts: Vec<usize> = shares.map(|share| share.count()).collect();
        let values = &mut values[range.start..];
        let shares = states.shares_in(range).zip(values.par_chunks_mut(SHARE));
        shares.zip(solved.cut(&counts)).for_each(|((share, values), part)| {
            let mut at = Cursor::new(&self.numbering, now, share.first);
            let mut row = 0;
            share.each(|number| {
                if number >= at.end {
                    at.go_to(number);
                }
                let by_direction =
                    self.by_direction::<ROWS, COLUMNS>(now, afterstates, &at, number);
                let (code, value, best) = self.best(at.place(number), by_direction);
                values[number - share.first] = value;
                if let Some(there) = part.codes.get_mut(row) {
                    *there = C::of(code);
                }
                (part.values[row], part.moves[row]) = (value, best);
                row += 1;
            });
        });
    }

    /// What each slide of a position is worth: minus infinity if it is none.
    #[inline(always)]
    fn by_direction<const ROWS: usize, const COLUMNS: usize>(
        &self,
        now: &Numbers,
        afterstates: &[f64],
        at: &Cursor<'_>,
        number: usize,
    ) -> [f64; 4] {
        let state = State::new(at.first, at.second(number));
        let mut by_direction = [f64::NEG_INFINITY; 4];
        for slides in &self.slides[at.frame] {
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

/// What is known of a layer's positions, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub struct SolvedLayer<C> {
    /// The codes of the canonical forms; none if other hands have solved some of them.
    pub codes: Vec<C>,
    /// The values.
    pub values: Vec<f64>,
    /// The numbers of the best directions, [`NO_MOVE`] if there is none.
    pub moves: Vec<u8>,
}

impl<C: Code> SolvedLayer<C> {
    /// Room for so many positions.
    pub fn zeroed(count: usize) -> Self {
        Self { codes: vec![C::default(); count], values: vec![0.0; count], moves: vec![0; count] }
    }

    /// Some of them, to be filled.
    pub fn part(&mut self, rows: Range<usize>) -> SolvedPart<'_, C> {
        SolvedPart {
            codes: &mut self.codes[rows.clone()],
            values: &mut self.values[rows.clone()],
            moves: &mut self.moves[rows],
        }
    }
}

/// A part of a solved layer, to be filled.
pub struct SolvedPart<'a, C> {
    /// None if nobody wants them.
    pub codes: &'a mut [C],
    pub values: &'a mut [f64],
    pub moves: &'a mut [u8],
}

impl<C> SolvedPart<'_, C> {
    /// Parts of it of so many positions each.
    fn cut(self, counts: &[usize]) -> Vec<Self> {
        let mut rest = self;
        let part = |&count: &usize| {
            let Self { codes, values, moves } = std::mem::take(&mut rest);
            let (codes, more_codes) = codes.split_at_mut(count.min(codes.len()));
            let (values, more_values) = values.split_at_mut(count);
            let (moves, more_moves) = moves.split_at_mut(count);
            rest = Self { codes: more_codes, values: more_values, moves: more_moves };
            Self { codes, values, moves }
        };
        counts.iter().map(part).collect()
    }
}

impl<C> Default for SolvedPart<'_, C> {
    fn default() -> Self {
        Self { codes: &mut [], values: &mut [], moves: &mut [] }
    }
}

/// A position, put together from its parts.
struct State {
    contents: Contents,
    rows: u64,
    columns: u64,
}

impl State {
    #[inline(always)]
    fn new(first: &Content, second: &Content) -> Self {
        Self {
            contents: Contents { first: first.number, second: second.number },
            rows: first.rows + second.rows,
            columns: first.columns + second.columns,
        }
    }

    /// Whether a board is another one. Those of the first mask that a frame sees are its own.
    #[inline(always)]
    fn is_changed(&self, slides: &Slides, after: Contents) -> bool {
        after != self.contents || !slides.in_place
    }
}

/// Afterstates with the same first part, one after the other: where new tiles lead from them.
struct Afterstate<'a> {
    frame: &'a Frame,
    /// The ranks of second parts as they stand, and what a digit of each cell counts there.
    ranks: &'a [u16],
    weights: &'a [u32],
    number: usize,
    /// Where boards with this first part begin, less one, in either layer.
    starts: (u32, u32),
    /// The same with a tile more on one of its cells, and the symmetry that turns them: for a 2 and
    /// for a 4.
    firsts: [((u32, usize), (u32, usize)); 8],
    empty_firsts: usize,
}

impl<'a> Afterstate<'a> {
    /// Visits the afterstates of a share, each with its second part.
    #[inline(always)]
    fn each(
        numbering: &'a Numbering,
        [now, two, four]: [&Numbers; 3],
        share: Share<'_>,
        mut visit: impl FnMut(&Self, &Content),
    ) {
        let mut at = Cursor::new(numbering, now, share.first);
        let mut after = Self::new(numbering, &at, two, four);
        share.each(|number| {
            if number >= at.end {
                at.go_to(number);
                after = Self::new(numbering, &at, two, four);
            }
            after.number = number;
            visit(&after, at.second(number));
        });
    }

    fn new(numbering: &'a Numbering, at: &Cursor<'_>, two: &Numbers, four: &Numbers) -> Self {
        let frame = &numbering.frames()[at.frame];
        let start = |numbers: &Numbers, content: u32| numbering.start(numbers, at.frame, content);
        let first = at.first;
        let mut after = Self {
            frame,
            ranks: frame.own_ranks(),
            weights: &frame.part_weights[1],
            number: 0,
            starts: (start(two, first.number).0, start(four, first.number).0),
            firsts: Default::default(),
            empty_firsts: 0,
        };
        let mut empty = first.empty;
        while empty != 0 {
            let weight = frame.part_weights[0][empty.trailing_zeros() as usize];
            empty &= empty - 1;
            after.firsts[after.empty_firsts] =
                (start(two, first.number + weight), start(four, first.number + 2 * weight));
            after.empty_firsts += 1;
        }
        after
    }

    /// Visits every empty cell: the numbers of the boards with a 2 and with a 4 there.
    #[inline(always)]
    fn spawns(&self, second: &Content, mut visit: impl FnMut(u32, u32)) {
        let mut empty = second.empty;
        while empty != 0 {
            let weight = self.weights[empty.trailing_zeros() as usize];
            empty &= empty - 1;
            let two = self.ranks[(second.number + weight) as usize];
            let four = self.ranks[(second.number + 2 * weight) as usize];
            visit(self.starts.0.wrapping_add(two.into()), self.starts.1.wrapping_add(four.into()));
        }
        for &((two, turn), (four, other_turn)) in &self.firsts[..self.empty_firsts] {
            visit(
                two.wrapping_add(self.frame.rank(second.number, turn)),
                four.wrapping_add(self.frame.rank(second.number, other_turn)),
            );
        }
    }
}
