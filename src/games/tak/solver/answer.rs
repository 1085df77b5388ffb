//! Questions about boards, and the answers.

use std::time::{Duration, Instant};

use super::duel::{Attack, Goal};
use super::options::{Depth, MOST_PLIES, Time};
use super::packed::Packed;
use crate::games::tak::board::Board;
use crate::games::tak::ends::End;
use crate::games::tak::moves::Move;
use crate::games::tak::position::TakPosition;
use crate::games::tak::size::Grid;
use crate::games::{Answer, Detail, GameError, MoveAnswer, Position, Solver};
use crate::solve::bounded::{Found, Limits, Search, Sides};
use crate::table::Options;
use crate::value::{Plies, Value, Worth};

/// The memory that both sides' searches share, about.
const MEMORY: usize = 1 << 30;

/// What is asked about a board.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// What counts as a win.
    pub goal: Goal,
    /// Within how many plies it is looked for.
    pub plies: u8,
    /// Whether all threads are used.
    pub parallel: bool,
}

/// What was found about a board.
#[derive(Clone, Debug)]
pub struct ForcedWins {
    /// What it is worth to the side to move.
    pub worth: Worth,
    /// A best move; every one, if all moves were asked for.
    pub best: Vec<Move>,
    /// What every move is worth, if that was asked for.
    pub moves: Vec<(Move, Worth)>,
}

impl Question {
    /// Asks about a board. What was found until the limits were reached is the answer.
    #[must_use]
    pub fn ask<S: Packed>(&self, board: &Board<S>, all: bool, limits: Limits<'_>) -> ForcedWins {
        if let Some(end) = board.end() {
            return ForcedWins { worth: self.worth_of(end, board), best: vec![], moves: vec![] };
        }
        let own = Attack::<S>::new(board.turn(), self.goal);
        let other = Attack::<S>::new(board.turn().other(), self.goal);
        let own = Search::new(&own, MEMORY / 2, limits, self.parallel);
        let other = Search::new(&other, MEMORY / 2, limits, self.parallel);
        let sides = Sides { own: &own, other: &other };
        let solution = sides.solve(board, self.plies, |_| {});
        let (worth, best) = match solution.found {
            Found::Win(plies, mv) => (Worth::Value(Value::Win(Plies(plies.into()))), Some(mv)),
            Found::Loss(plies, mv) => (Worth::Value(Value::Loss(Plies(plies.into()))), Some(mv)),
            Found::Open => (Worth::Unknown { searched: Plies(solution.searched.into()) }, None),
        };
        let mut answer = ForcedWins { worth, best: best.into_iter().collect(), moves: vec![] };
        if all {
            answer.add_moves(&sides, board, solution.searched);
        }
        answer
    }

    /// What a board where the game is over is worth to the side that would move.
    fn worth_of<S: Packed>(&self, end: End, board: &Board<S>) -> Worth {
        let none = Plies(0);
        if self.goal.reached(end, board.turn()) {
            Worth::Value(Value::Win(none))
        } else if self.goal.reached(end, board.turn().other()) {
            Worth::Value(Value::Loss(none))
        } else {
            Worth::Value(Value::Draw)
        }
    }
}

impl ForcedWins {
    fn add_moves<S: Packed>(
        &mut self,
        sides: &Sides<'_, '_, Attack<S>>,
        board: &Board<S>,
        plies: u8,
    ) {
        let worth = |mv| sides.worth(board, mv, plies).map(|worth| (mv, worth));
        let moves: Result<Vec<_>, _> = sides.own.moves(board).into_iter().map(worth).collect();
        let Ok(moves) = moves else { return };
        self.moves = moves;
        if matches!(self.worth, Worth::Value(_)) {
            let best = self.moves.iter().filter(|(_, worth)| *worth == self.worth);
            self.best = best.map(|(mv, _)| *mv).collect();
        }
    }
}

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
