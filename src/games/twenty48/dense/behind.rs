//! The positions of the layers behind the one at work, valued as far as somebody asks for them.
//!
//! The values of afterstates are all that hands exchange: there are several times as many positions, each
//! worked out in no time from the afterstates of its own layer. A hand that values some afterstates needs
//! those positions that new tiles lead to from there. As a new tile changes the sum of a board's first part
//! little or not at all, and numbers follow that sum, afterstates with neighbouring numbers lead to positions
//! with neighbouring numbers: a hand that keeps to its part of every layer values little more than its part of
//! the positions.

use std::ops::Range;

use super::bits::{Bits, Gathered};
use super::numbering::Numbers;
use super::sweep::Sweep;
use super::values::Values;

/// The positions of a layer.
#[derive(Default)]
pub struct Positions {
    /// By number, of those that are known.
    values: Values,
    known: Bits,
}

impl Positions {
    /// Goes to a layer with so many numbers, of which nothing is known. None has more than `most`.
    pub fn reset(&mut self, numbers: usize, most: u64) {
        self.known.reset(numbers);
        self.values.grow(numbers, most, 0.0);
    }

    /// Leaves of a set what is not known.
    fn leave_unknown(&self, set: &mut Bits) {
        set.subtract(&self.known);
    }

    /// Values positions that are not known, given the values of all afterstates of their layer.
    fn value(&mut self, sweep: &Sweep, numbers: &Numbers, unknown: &Bits, afterstates: &[f64]) {
        sweep.value_states(numbers, unknown, unknown.all(), afterstates, &mut self.values);
        self.known.join(unknown);
    }
}

/// The two layers behind the one at work.
pub struct Behind<'a> {
    pub sweep: &'a Sweep,
    /// Of the layer at work and of those two.
    pub numbers: [&'a Numbers; 3],
    /// The values of their afterstates, by number.
    pub afterstates: [&'a [f64]; 2],
    pub positions: &'a mut [Positions; 2],
    /// What new tiles lead to.
    pub found: &'a mut [Gathered; 2],
}

impl Behind<'_> {
    /// The positions that follow from the afterstates in a range, without those that are known.
    pub fn unknown(&mut self, afterstates: &Bits, range: Range<usize>) -> [Bits; 2] {
        let mut unknown = self.sweep.positions_behind(self.numbers, afterstates, range, self.found);
        for (set, positions) in unknown.iter_mut().zip(&*self.positions) {
            positions.leave_unknown(set);
        }
        unknown
    }

    /// Values the afterstates in a range, and first the positions that this takes.
    pub fn value_afterstates(
        &mut self,
        afterstates: &Bits,
        range: Range<usize>,
        unknown: &[Bits; 2],
        values: &mut [f64],
    ) {
        for (place, unknown) in unknown.iter().enumerate() {
            let (numbers, afterstates) = (self.numbers[place + 1], self.afterstates[place]);
            self.positions[place].value(self.sweep, numbers, unknown, afterstates);
        }
        let behind = self.positions.each_ref().map(|positions| &*positions.values);
        self.sweep.value_afterstates(self.numbers, afterstates, range, behind, values);
    }
}
