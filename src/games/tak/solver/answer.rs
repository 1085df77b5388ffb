//! Answers to positions of any size, as everything that is not about one game asks for them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::duel::Goal;
use super::options::{Depth, MOST_PLIES, Time};
use super::packed::Packed;
use super::question::Question;
use crate::games::tak::board::Board;
use crate::games::tak::moves::Move;
use crate::games::tak::position::TakPosition;
use crate::games::tak::proof;
use crate::games::tak::size::Grid;
use crate::games::{Answer, Detail, GameError, MoveAnswer, Position, Solver};
use crate::solve::Limits;
use crate::table::Options;
use crate::value::{Value, Worth};

/// Solves positions as options say.
struct Proofs {
    goal: Goal,
    plies: Option<u8>,
    time: Option<Duration>,
    parallel: bool,
    /// Where a proof is written.
    proof: Option<PathBuf>,
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
        proof: options.get("proof").map(PathBuf::from),
    }))
}

impl Proofs {
    fn solve_board<S: Packed>(
        &self,
        board: &Board<S>,
        detail: Detail,
        limits: Limits<'_>,
    ) -> Result<Answer, GameError> {
        if let Some(path) = &self.proof {
            proof::check::<S>(board.rules(), path)?;
        }
        let start = Instant::now();
        let usual = match S::N {
            _ if self.time.is_some() => MOST_PLIES,
            3 => 15,
            4 => 9,
            _ => 7,
        };
        let plies = self.plies.unwrap_or(usual);
        let question = Question { goal: self.goal, plies, parallel: self.parallel };
        let own = self.time.map(|time| start + time);
        let deadline = limits.deadline.into_iter().chain(own).min();
        let searched = Limits { deadline, ..limits };
        let found = question.ask(board, detail.has_moves(), searched);
        let ptn = |mv: &Move| mv.to_ptn::<S>();
        let mut answer = Answer::new(found.worth, found.best.iter().map(ptn));
        let named = |(mv, worth): &(Move, Worth)| MoveAnswer {
            name: ptn(mv),
            worth: Some(*worth),
            chances: Vec::new(),
        };
        answer.moves = found.moves.iter().map(named).collect();
        answer.notes.push(("time", format!("{} us", start.elapsed().as_micros())));
        if let Some(path) = &self.proof {
            answer.notes.push(("note", self.write_proof(board, found.worth, limits, path)?));
        }
        Ok(answer)
    }
}

impl Proofs {
    /// Writes the proof of a position that somebody wins, and says so.
    fn write_proof<S: Packed>(
        &self,
        board: &Board<S>,
        worth: Worth,
        limits: Limits<'_>,
        path: &Path,
    ) -> Result<String, GameError> {
        match worth {
            Worth::Value(value @ (Value::Win(plies) | Value::Loss(plies))) if plies.0 > 0 => {
                let records = proof::write(board, value, self.goal, limits, path)?;
                Ok(format!("{}: {records} positions prove it", path.display()))
            }
            _ => Ok(format!("{}: not written, there is nothing to prove", path.display())),
        }
    }
}

impl Solver for Proofs {
    fn solve_within(
        &mut self,
        position: &dyn Position,
        detail: Detail,
        limits: Limits<'_>,
    ) -> Result<Answer, GameError> {
        macro_rules! of_size {
            ($($n:literal)*) => {$(
                if let Ok(position) = TakPosition::<Grid<$n>>::of(position) {
                    return self.solve_board(&position.board, detail, limits);
                }
            )*};
        }
        of_size!(3 4 5 6 7 8);
        Err(GameError::OtherGame)
    }
}
