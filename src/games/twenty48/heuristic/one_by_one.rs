//! The last round with any heuristic, on boards of any size: boards are valued one by one.
//!
//! For smaller boards, and for heuristics that look at more than lines. To value smaller boards line by
//! line, too, would add up in another order, and change their values in the last bits.

use super::Evaluation;
use crate::games::twenty48::round::{
    Afterstate, LANES, Machine, Slides, Valuation, larger, members,
};

/// A heuristic that values whole boards.
pub(super) struct OneByOne<'a, H: Evaluation> {
    pub heuristic: &'a H,
    pub memory: &'a mut H::Memory,
}

impl<H: Evaluation> Valuation for OneByOne<'_, H> {
    #[inline(always)]
    fn values<const AXIS: usize, const Y: usize>(
        &mut self,
        _: impl Machine,
        slides: &Slides,
        after: Afterstate,
    ) -> [f32; LANES] {
        let (cases, scores) = (slides.cases::<Y>(), slides.scores::<Y>());
        let without = |end: usize| self.heuristic.without::<AXIS>(slides.ends[end], Y);
        let without = [without(0), without(1)];
        let mut values = [0.0; LANES];
        for case in members(slides.wanted::<Y>(after)) {
            let (end, to) = (case / 4, cases.to[case]);
            let along = slides.ends[end] & !(0xffff << (16 * Y)) | u64::from(to) << (16 * Y);
            let hole = 0x000f_000f_000f_000f << (4 * Y);
            let across = slides.crossing[end] & !hole | spread(to) << (4 * Y);
            let with = self.heuristic.with::<AXIS>(along, across, Y, self.memory);
            let reward = if H::SCORES { scores[case % 4] } else { 0.0 };
            values[case] = larger(without[end] + with, 0.0) + reward;
        }
        values
    }
}

/// The cells of a line, spread over the lines that cross it.
#[inline(always)]
fn spread(line: u16) -> u64 {
    let line = u64::from(line);
    (line | line << 12 | line << 24 | line << 36) & 0x000f_000f_000f_000f
}
