//! Answers to positions of any size, as everything that is not about one game asks for them.

use std::time::{Duration, Instant};

use super::duel::Goal;
use super::options::{Depth, MOST_PLIES, Time};
use super::packed::Packed;
use super::question::Question;
use crate::games::tak::board::Board;
use crate::games::tak::moves::Move;
use crate::games::tak::position::TakPosition;
use crate::games::tak::size::Grid;
use crate::games::{Answer, Detail, GameError, MoveAnswer, Position, Solver};
use crate::solve::bounded::Limits;
use crate::table::Options;
use crate::value::Worth;

/// Solves positions as options say.
struct Proofs {
    goal: Goal,
    plies: Option<u8>,
    time: Option<Duration>,
    parallel: bool,
}

/// The solver that options describe.
///
/// # Errors
/// When one of them is not what it should be.
pub(in crate::games::tak) fn solver(
    options: &Options,
    parallel: bool,
) -> Result<Box<dyn Solver>, GameError> {
    Ok(Box::new(Proofs {
        goal: options.parse("goal")?.unwrap_or(Goal::Any),
        plies: options.parse::<Depth>("plies")?.map(|Depth(plies)| plies),
        time: options.parse::<Time>("time")?.map(|Time(time)| time),
        parallel,
    }))
}

impl Proofs {
    fn solve_board<S: Packed>(&self, board: &Board<S>, detail: Detail) -> Answer {
        let start = Instant::now();
        let usual = match S::N {
            _ if self.time.is_some() => MOST_PLIES,
            3 => 15,
            4 => 9,
            _ => 7,
        };
        let plies = self.plies.unwrap_or(usual);
        let question = Question { goal: self.goal, plies, parallel: self.parallel };
        let limits = Limits { stop: None, deadline: self.time.map(|time| start + time) };
        let found = question.ask(board, detail.has_moves(), limits);
        let ptn = |mv: &Move| mv.to_ptn::<S>();
        let mut answer = Answer::new(found.worth, found.best.iter().map(ptn));
        let named = |(mv, worth): &(Move, Worth)| MoveAnswer {
            name: ptn(mv),
            worth: Some(*worth),
            chances: Vec::new(),
        };
        answer.moves = found.moves.iter().map(named).collect();
        answer.notes.push(("time", format!("{} us", start.elapsed().as_micros())));
        answer
    }
}

impl Solver for Proofs {
    fn solve(&mut self, position: &dyn Position, detail: Detail) -> Result<Answer, GameError> {
        macro_rules! of_size {
            ($($n:literal)*) => {$(
                if let Ok(position) = TakPosition::<Grid<$n>>::of(position) {
                    return Ok(self.solve_board(&position.board, detail));
                }
            )*};
        }
        of_size!(3 4 5 6 7 8);
        Err(GameError::OtherGame)
    }
}
