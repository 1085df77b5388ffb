//! The layers of a pattern, as tables of afterstates need them.
//!
//! A layer here is the set of its afterstates; its positions are found from the afterstates before it
//! whenever they are needed, so that they take no room.

use std::mem;

use super::bits::{Bits, Gathered};
use super::numbering::{Numbering, Numbers};
use super::shape::Shape;
use super::steps::Steps;
use super::sweep::Sweep;
use super::values::Values;
use crate::games::twenty48::rules::Goal;
use crate::games::twenty48::{Board, Pattern, Target};
use crate::job::hands::Hand;
use crate::table::TableError;

/// The codes of a pattern's afterstates: their numbers, those of the layer with the largest sum first.
/// So the last layers, which are solved first, come first in a table.
pub struct AfterstateCodes {
    numbering: Numbering,
    /// By half a sum, the code of its layer's first number.
    offsets: Vec<u64>,
}

impl AfterstateCodes {
    /// Those of afterstates without a tile of the target; `None` if they cannot be numbered.
    #[must_use]
    pub fn new(pattern: &Pattern, target: Target) -> Option<Self> {
        Some(Self::of(Numbering::new(Shape::pattern(pattern)?, target.exponent())?))
    }

    fn of(numbering: Numbering) -> Self {
        let mut next = 0;
        let mut offsets: Vec<u64> = numbering
            .lengths()
            .iter()
            .rev()
            .map(|length| {
                let offset = next;
                next += length;
                offset
            })
            .collect();
        offsets.reverse();
        Self { numbering, offsets }
    }

    /// The code of a board, whose large tiles are nybbles of 15; `None` if it has none.
    #[must_use]
    pub fn code(&self, board: Board) -> Option<u64> {
        let (sum, number) = self.numbering.sum_and_number(board)?;
        Some(self.offsets[sum as usize / 2] + number)
    }

    /// The board of a code, in one of its orientations; `None` if it is no board's.
    #[must_use]
    pub fn board(&self, code: u64) -> Option<Board> {
        let half = self.half(code);
        let board = self.numbering.board_of(2 * half, code - self.offsets[half as usize])?;
        // A board that has several numbers has one code.
        (self.code(board) == Some(code)).then_some(board)
    }

    /// The sum of the small tiles of the board with a code.
    #[must_use]
    pub fn sum(&self, code: u64) -> u32 {
        2 * self.half(code)
    }

    fn half(&self, code: u64) -> u32 {
        // Offsets fall as sums rise; layers without numbers share theirs with the next.
        let mut half = self.offsets.partition_point(|&offset| offset > code);
        while half + 1 < self.offsets.len() && self.numbering.lengths()[half] == 0 {
            half += 1;
        }
        half as u32
    }

    /// The code of the first number of a layer.
    #[must_use]
    pub fn offset(&self, sum: u32) -> u64 {
        self.offsets.get(sum as usize / 2).copied().unwrap_or(0)
    }

    /// How many boards have a number in a layer.
    #[must_use]
    pub fn len(&self, sum: u32) -> u64 {
        self.numbering.lengths().get(sum as usize / 2).copied().unwrap_or(0)
    }
}

/// Finds and solves the layers of a pattern.
pub struct AfterstateLayers {
    sweep: Sweep,
}

impl AfterstateLayers {
    /// Of a pattern and a target; `None` if its boards cannot be numbered.
    #[must_use]
    pub fn new(pattern: &Pattern, target: Target) -> Option<Self> {
        let sweep = Sweep::new(Shape::pattern(pattern)?, target.exponent(), Goal::RoundedChance)?;
        Some(Self { sweep })
    }

    /// Bytes of memory that finding or solving takes at the most, on the threads that there are now.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes_on(rayon::current_num_threads())
    }

    /// The same on so many threads.
    #[must_use]
    pub fn bytes_on(&self, threads: usize) -> u64 {
        // With what is to spare.
        let values = 5 * size_of::<f64>();
        // Of each thread, what it finds of two layers; of the layers, their positions and afterstates.
        let sets = 3 * threads + 6;
        let layer = self.sweep.numbering.most() * (8 * values + sets) as u64 / 8;
        self.sweep.bytes(5) + layer
    }

    /// The afterstates of a layer, from their numbers, which are below its [`len`](AfterstateCodes::len).
    #[must_use]
    pub fn set(&self, sum: u32, numbers: &[u64]) -> Bits {
        let mut set = Bits::default();
        set.reset(self.length(sum));
        numbers.iter().for_each(|&number| set.insert(number as u32));
        set
    }

    fn length(&self, sum: u32) -> usize {
        self.sweep.numbering.lengths().get(sum as usize / 2).map_or(0, |&length| length as usize)
    }

    fn numbers_of(&self, sum: u32) -> Numbers {
        let mut numbers = Numbers::default();
        self.sweep.numbering.number_layer(sum, &mut numbers);
        numbers
    }

    /// Adds boards of a layer to a set.
    fn insert(&self, numbers: &Numbers, boards: &[Board], set: &mut Bits) {
        for &board in boards {
            if let Some(number) = self.sweep.numbering.number_of(numbers, board) {
                set.insert(number);
            }
        }
    }
}

/// Goes forward through the layers, and finds their afterstates.
pub struct Forward<'a> {
    layers: &'a AfterstateLayers,
    /// Afterstates of any sums that layers have besides what follows from the layers before.
    starts: &'a [Board],
    /// The layer at work.
    sum: u32,
    /// Of the layer at work and of the two behind it.
    numbers: [Numbers; 3],
    /// What was found of the positions of the layer at work and of the one behind it.
    next: [Bits; 2],
    slid: Gathered,
    spawned: [Gathered; 2],
}

impl<'a> Forward<'a> {
    /// Goes to a layer, of which nothing is known.
    #[must_use]
    pub fn new(layers: &'a AfterstateLayers, starts: &'a [Board], sum: u32) -> Self {
        let numbers = [sum, sum + 2, sum + 4].map(|sum| layers.numbers_of(sum));
        let mut next = [Bits::default(), Bits::default()];
        for (next, numbers) in next.iter_mut().zip(&numbers) {
            next.reset(numbers.len());
        }
        let spawned = [Gathered::new(), Gathered::new()];
        Self { layers, starts, sum, numbers, next, slid: Gathered::new(), spawned }
    }

    /// The afterstates of the layer at work.
    ///
    /// # Errors
    /// When what hands share cannot be read or written, or they are stopped.
    pub fn find(&mut self, hand: &Hand<'_>) -> Result<Bits, TableError> {
        let Self { layers, starts, numbers: [now, ..], next: [states, _], slid, .. } = self;
        let sweep = &layers.sweep;
        sweep.numbering.reduce(now, states);
        let mut afterstates = Steps::new(hand, self.sum).slide(sweep, now, states, slid)?;
        sweep.numbering.reduce(now, &mut afterstates);
        layers.insert(now, starts, &mut afterstates);
        Ok(afterstates)
    }

    /// Goes to the next layer, once the afterstates of this one are known.
    ///
    /// # Errors
    /// When what hands share cannot be read or written, or they are stopped.
    pub fn follow(&mut self, afterstates: &Bits, hand: &Hand<'_>) -> Result<(), TableError> {
        let Self { layers, numbers: [now, two, four], next: [next_two, next_four], .. } = self;
        let steps = Steps::new(hand, self.sum);
        let numbers = [&*now, two, four];
        let [with_two, with_four] =
            steps.spawn(&layers.sweep, numbers, afterstates, &mut self.spawned)?;
        *next_two = mem::replace(next_four, with_four);
        next_two.join(&with_two);
        self.sum += 2;
        self.numbers.rotate_left(1);
        layers.sweep.numbering.number_layer(self.sum + 4, &mut self.numbers[2]);
        Ok(())
    }
}

/// Goes backward through the layers, and values their afterstates.
pub struct Backward<'a> {
    layers: &'a AfterstateLayers,
    /// The layer that was solved last, or the one behind the first to be solved.
    sum: u32,
    /// From the layer four below the sum up to the one four above it.
    numbers: [Numbers; 5],
    /// Positions of the layer below the sum that begin with a new 2.
    with_two: Bits,
    found: [Gathered; 2],
    /// The values of the positions of the layer at work and of the two behind it, by number.
    values: [Values; 3],
    afterstates: Values,
}

impl<'a> Backward<'a> {
    /// Goes behind a layer that is to be solved first, given the afterstates of the one before it.
    ///
    /// # Errors
    /// When what hands share cannot be read or written, or they are stopped.
    pub fn new(
        layers: &'a AfterstateLayers,
        sum: u32,
        before: &Bits,
        hand: &Hand<'_>,
    ) -> Result<Self, TableError> {
        let mut backward = Self {
            layers,
            sum: sum + 2,
            numbers: Default::default(),
            with_two: Bits::default(),
            found: [Gathered::new(), Gathered::new()],
            values: Default::default(),
            afterstates: Values::default(),
        };
        for (place, numbers) in backward.numbers.iter_mut().enumerate() {
            // Below zero there is nothing.
            if let Some(sum) = (sum + 2 * place as u32).checked_sub(2) {
                *numbers = layers.numbers_of(sum);
            }
        }
        backward.spawn(before, hand)?;
        Ok(backward)
    }

    /// Finds the positions that follow from the afterstates of the layer four below the sum: those
    /// with a new 4 are answered, those with a new 2 stay for the next layer.
    fn spawn(&mut self, before: &Bits, hand: &Hand<'_>) -> Result<Bits, TableError> {
        let Self { layers, numbers: [now, two, four, ..], found, .. } = self;
        // Quicker than to exchange it.
        let apart = hand.apart();
        let steps = Steps::new(&apart, self.sum);
        let [with_two, with_four] = steps.spawn(&layers.sweep, [now, two, four], before, found)?;
        self.with_two = with_two;
        Ok(with_four)
    }

    /// Goes to the layer before, given the afterstates of the one four below that: finds its positions.
    fn go_back(&mut self, before: &Bits, hand: &Hand<'_>) -> Result<Bits, TableError> {
        self.sum -= 2;
        self.numbers.rotate_right(1);
        self.numbers[0] = match self.sum.checked_sub(4) {
            Some(sum) => self.layers.numbers_of(sum),
            None => Numbers::default(),
        };
        self.values.rotate_right(1);
        let with_two = mem::take(&mut self.with_two);
        let mut states = self.spawn(before, hand)?;
        states.join(&with_two);
        let Self { layers, numbers: [_, _, now, two, four], values, .. } = self;
        layers.sweep.numbering.reduce(now, &mut states);
        for (values, numbers) in values.iter_mut().zip([&*now, two, four]) {
            values.grow(numbers.len(), 0.0);
        }
        self.afterstates.grow(now.len(), 0.0);
        Ok(states)
    }

    /// Solves the layer before, given its afterstates and those of the layer four below it. Answers
    /// their values, by number.
    ///
    /// # Errors
    /// When what hands share cannot be read or written, or they are stopped.
    pub fn solve(
        &mut self,
        afterstates: &Bits,
        before: &Bits,
        hand: &Hand<'_>,
    ) -> Result<&[f64], TableError> {
        let states = self.go_back(before, hand)?;
        self.value(&states, afterstates, hand)
    }

    /// The same for afterstates that somebody else named: `None` if one is missing that follows from
    /// those before.
    ///
    /// # Errors
    /// When what hands share cannot be read or written, or they are stopped.
    pub fn solve_anew(
        &mut self,
        afterstates: &Bits,
        before: &Bits,
        hand: &Hand<'_>,
    ) -> Result<Option<&[f64]>, TableError> {
        let states = self.go_back(before, hand)?;
        let Self { layers, numbers: [_, _, now, ..], .. } = &*self;
        let sweep = &layers.sweep;
        let mut slid =
            Steps::new(hand, self.sum).slide(sweep, now, &states, &mut Gathered::new())?;
        sweep.numbering.reduce(now, &mut slid);
        if !slid.is_subset(afterstates) {
            return Ok(None);
        }
        self.value(&states, afterstates, hand).map(Some)
    }

    fn value(
        &mut self,
        states: &Bits,
        afterstates: &Bits,
        hand: &Hand<'_>,
    ) -> Result<&[f64], TableError> {
        // Afterstates take a fifth of the time: quicker than to exchange their values.
        let apart = hand.apart();
        let (own, shared) = (Steps::new(&apart, self.sum), Steps::new(hand, self.sum));
        let Self { layers, numbers: [_, _, now, two, four], .. } = self;
        let [values, with_two, with_four] = &mut self.values;
        let (sweep, valued) = (&layers.sweep, &mut self.afterstates);
        let behind = [&**with_two, with_four];
        own.value_afterstates(sweep, [now, two, four], afterstates, behind, valued)?;
        shared.value_states(sweep, now, states, valued, values)?;
        Ok(valued)
    }

    /// Takes the values of a layer's afterstates as they are, in the order of their numbers, given the
    /// same as for solving it.
    ///
    /// # Errors
    /// When what hands share cannot be read or written, or they are stopped.
    pub fn recall(
        &mut self,
        afterstates: &Bits,
        before: &Bits,
        known: impl Iterator<Item = f64>,
        hand: &Hand<'_>,
    ) -> Result<(), TableError> {
        let states = self.go_back(before, hand)?;
        let Self { layers, numbers: [_, _, now, ..], values: [values, ..], .. } = self;
        let mut known = known;
        afterstates.each_of(0..now.len() as u32, |number| {
            self.afterstates[number as usize] = known.next().unwrap_or(0.0);
        });
        layers.sweep.numbering.spread(now, afterstates, &mut self.afterstates);
        let steps = Steps::new(hand, self.sum);
        steps.value_states(&layers.sweep, now, &states, &self.afterstates, values)
    }
}
