//! Best play from a position on, move by move, as tables have it.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Answer, Detail, GameError, Position, Tables};
use crate::random::SplitMix64;

/// Best play from a position on.
pub struct Line {
    /// The moves, each with the position in which it is made.
    pub steps: Vec<Step>,
    /// The position behind the last move.
    pub last: Arc<dyn Position>,
    /// Why the line ends there.
    pub end: LineEnd,
}

/// A move of a line.
pub struct Step {
    /// The position in which it is made.
    pub position: Arc<dyn Position>,
    /// What the tables say of that; `None` where chance moves.
    pub answer: Option<Answer>,
    /// The move.
    pub mv: String,
}

/// Why a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// There is nothing more to be done: the game is over, or what was to be reached has been.
    Done,
    /// Chance moves next.
    Chance,
    /// The tables do not have the position.
    Absent,
    /// The position was there before.
    Repeated,
}

/// Follows the best moves of tables, the first of equally good ones, from a position to the end. What
/// chance does is drawn at random, each move as often as its probability says; without random numbers
/// the line ends there.
///
/// # Errors
/// When the position is another game's, or a table is damaged or names a move that is none.
pub fn best_line(
    tables: &dyn Tables,
    start: Arc<dyn Position>,
    mut random: Option<SplitMix64>,
) -> Result<Line, GameError> {
    let (mut steps, mut seen, mut position) = (Vec::new(), HashSet::new(), start);
    let end = loop {
        let chances = position.chances();
        if !chances.is_empty() {
            let Some(random) = &mut random else { break LineEnd::Chance };
            let mv = draw(chances, random);
            let next = position.play(&mv)?.into();
            steps.push(Step { position, answer: None, mv });
            position = next;
            continue;
        }
        if !seen.insert(position.text()) {
            break LineEnd::Repeated;
        }
        let found = match tables.probe(&*position, Detail::Moves) {
            // Best play has led to where the tables do not go.
            Err(GameError::Position { .. }) if !steps.is_empty() => None,
            found => found?,
        };
        let Some(answer) = found else { break LineEnd::Absent };
        let Some(mv) = answer.best().map(str::to_owned) else { break LineEnd::Done };
        let next = position.play(&mv).map_err(|error| GameError::Wrong(error.to_string()))?.into();
        steps.push(Step { position, answer: Some(answer), mv });
        position = next;
    };
    Ok(Line { steps, last: position, end })
}

/// One of some moves of chance, whose probabilities are 1 together.
pub fn draw(chances: Vec<(String, f64)>, random: &mut SplitMix64) -> String {
    const FINENESS: u64 = 1 << 53;
    let mut point = random.below(FINENESS) as f64 / FINENESS as f64;
    let mut last = String::new();
    for (mv, chance) in chances {
        point -= chance;
        last = mv;
        if point < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_drawn_as_often_as_it_comes() {
        let mut random = SplitMix64::new(3);
        let chances = || [("a", 0.1), ("b", 0.6), ("c", 0.3)].map(|(mv, it)| (mv.to_owned(), it));
        let mut counts = [0_u32; 3];
        for _ in 0..10_000 {
            let drawn = draw(chances().into(), &mut random);
            counts[usize::from(drawn.as_bytes()[0] - b'a')] += 1;
        }
        // Five standard deviations are 150, 245 and 229.
        assert!(counts[0].abs_diff(1_000) < 150, "{counts:?}");
        assert!(counts[1].abs_diff(6_000) < 245, "{counts:?}");
        assert!(counts[2].abs_diff(3_000) < 229, "{counts:?}");
    }
}
