//! Questions about boards, and what is found.

use super::duel::{Attack, Goal};
use super::packed::Packed;
use crate::games::tak::board::Board;
use crate::games::tak::ends::End;
use crate::games::tak::moves::Move;
use crate::solve::Limits;
use crate::solve::bounded::{Found, Search, Sides};
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
        self.ask_reporting(board, all, limits, &mut |_| {})
    }

    /// The same; `report` hears of every ply that was searched.
    pub(super) fn ask_reporting<S: Packed>(
        &self,
        board: &Board<S>,
        all: bool,
        limits: Limits<'_>,
        report: &mut dyn FnMut(u8),
    ) -> ForcedWins {
        if let Some(end) = board.end() {
            return ForcedWins { worth: self.worth_of(end, board), best: vec![], moves: vec![] };
        }
        let (own, other) = (board.turn(), board.turn().other());
        let attacks =
            [(own, self.goal), (other, self.goal), (own, Goal::Draw), (other, Goal::Draw)]
                .map(|(colour, goal)| Attack::<S>::new(colour, goal));
        let [own, other, own_draw, other_draw] =
            attacks.each_ref().map(|attack| Search::new(attack, MEMORY / 4, limits, self.parallel));
        // Whoever wants a road only has no use for a draw.
        let drawing = (self.goal == Goal::Any).then_some([&own_draw, &other_draw]);
        let sides = Sides { own: &own, other: &other, drawing };
        let solution = sides.solve(board, self.plies, report);
        let (worth, best) = match solution.found {
            Found::Win(plies, mv) => (Worth::Value(Value::Win(Plies(plies.into()))), Some(mv)),
            Found::Loss(plies, mv) => (Worth::Value(Value::Loss(Plies(plies.into()))), Some(mv)),
            Found::Draw(mv) => (Worth::Value(Value::Draw), Some(mv)),
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
