//! A layer that is solved by one hand or several.
//!
//! The pieces of a step are those of the analysis: what is decided in them at the next distance. A hand that
//! has made a piece before has its counters, and makes it again in the next step; for the pieces of the others
//! it waits. Which hand has which is settled in the first step, by claims. What goes from hand to hand is a
//! byte or two for each position that is decided, and that only once: so little that a hand leaves it
//! whether or not it sees others, and one that comes late is soon where they are.

use super::dense::StoneLayer;
use crate::job::hands::{Hand, Pieces};
use crate::job::{JobError, Run};
use crate::solve::retrograde::{Analysis, Unsolved};
use crate::table::TableError;

/// How many numbers are worth a piece: what they take is much longer than to leave and take a file.
const WORTH: u64 = 1 << 14;

/// Solves a layer and answers its entries, `None` when stopped. No other layer of a stage has its name.
pub fn solve(
    layer: &StoneLayer<'_>,
    name: &str,
    hand: &Hand<'_>,
    run: &Run<'_>,
) -> Result<Option<Vec<u8>>, JobError> {
    let failed = |error| match error {
        Unsolved::Stopped => Ok(None),
        error => Err(JobError::Check(format!("{name}: {error}"))),
    };
    let pieces = hand.pieces(layer.numbering.numbers(), WORTH);
    let mut analysis = match Analysis::new(layer, pieces, run.stop) {
        Ok(analysis) => analysis,
        Err(error) => return failed(error),
    };
    loop {
        let step = format!("{}-{}", name.replace(' ', "-"), analysis.plies());
        let pieces = analysis.pieces();
        let mut work = Step { name: &step, analysis: &mut analysis, hand, run, unsolved: None };
        let done = hand.exchange(&step, pieces, &mut work)?;
        if let Some(error) = work.unsolved {
            return failed(error);
        }
        if !done {
            return Ok(None);
        }
        match analysis.advance() {
            Ok(false) => {}
            Ok(true) => return Ok(Some(analysis.entries())),
            Err(error) => return failed(error),
        }
    }
}

/// What is decided at one distance.
struct Step<'a, 'b> {
    name: &'a str,
    analysis: &'a mut Analysis<'b, StoneLayer<'b>>,
    hand: &'a Hand<'a>,
    run: &'a Run<'a>,
    /// Why a piece could not be made.
    unsolved: Option<Unsolved>,
}

impl Pieces for Step<'_, '_> {
    fn take(&mut self, piece: u64) -> Result<bool, TableError> {
        let Some(bytes) = self.hand.taken(self.name, piece) else { return Ok(false) };
        let is_taken = self.analysis.take(piece, &bytes);
        if is_taken && self.analysis.plies() == 0 {
            self.run.progress.advance(self.analysis.numbers(piece), 0);
        }
        Ok(is_taken)
    }

    fn make(&mut self, piece: u64) -> Result<bool, TableError> {
        let advance = |numbers| self.run.progress.advance(numbers, numbers);
        if let Err(error) = self.analysis.make(piece, advance) {
            self.unsolved = Some(error);
            return Ok(false);
        }
        if self.analysis.pieces() > 1 {
            self.hand.give(self.name, piece, &self.analysis.bytes(piece))?;
        }
        Ok(true)
    }

    fn is_mine(&self, piece: u64) -> Option<bool> {
        (self.analysis.plies() > 0).then(|| self.analysis.has(piece))
    }
}
