//! A winning strategy: found by search, or followed as a table has it.

use std::collections::BTreeMap;

use crate::games::tak::board::{Board, Colour};
use crate::games::tak::moves::Move;
use crate::games::tak::size::Size;
use crate::games::tak::solver::{Attack, Goal, Packed};
use crate::solve::Limits;
use crate::solve::bounded::{Search, Stopped};

/// What the winner does in a position: a move of its canonical form, and the plies that the win takes
/// from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub mv: Move,
    pub plies: u8,
}

/// The steps of a strategy by the exact keys of canonical positions.
pub(super) struct Strategy {
    steps: BTreeMap<u64, Step>,
}

/// The memory of a search, about.
const MEMORY: usize = 1 << 28;

impl Strategy {
    /// Finds the shortest way to win for a player who wins within so many plies.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn find<S: Packed>(
        board: &Board<S>,
        winner: Colour,
        goal: Goal,
        plies: u8,
        limits: Limits<'_>,
    ) -> Result<Self, Stopped> {
        let attack = Attack::<S>::new(winner, goal);
        let search = Search::new(&attack, MEMORY, limits, false);
        let mut steps = BTreeMap::new();
        let mut open: Vec<(Board<S>, u8)> = Vec::new();
        let reach = |board: &Board<S>, plies: u8, open: &mut Vec<(Board<S>, u8)>| {
            if board.end().is_none() {
                open.push((board.canonical().board, plies));
            }
        };
        if board.turn() == winner {
            reach(board, plies, &mut open);
        } else {
            replies(board).for_each(|after| reach(&after, plies - 1, &mut open));
        }
        while let Some((board, most)) = open.pop() {
            let code = code(&board);
            if steps.contains_key(&code) {
                continue;
            }
            // Each of these positions was proved within these plies.
            let found = (1..=most).find_map(|plies| {
                let found = search.winning_move(&board, plies).transpose()?;
                Some(found.map(|mv| Step { mv, plies }))
            });
            let Some(step) = found.transpose()? else { continue };
            steps.insert(code, step);
            let mut after = board;
            after.make(step.mv);
            if after.end().is_none() {
                replies(&after).for_each(|next| reach(&next, step.plies - 2, &mut open));
            }
        }
        Ok(Self { steps })
    }

    /// The steps, in ascending order of the keys.
    pub fn steps(&self) -> impl Iterator<Item = (u64, Step)> {
        self.steps.iter().map(|(&code, &step)| (code, step))
    }
}

/// The code of a canonical position.
pub(super) fn code<S: Size>(board: &Board<S>) -> u64 {
    board.exact_key(board.rules().reserve.caps > 0)
}

/// The positions after every move.
pub(super) fn replies<S: Size>(board: &Board<S>) -> impl Iterator<Item = Board<S>> {
    let mut moves = Vec::new();
    board.push_moves(&mut moves);
    let board = *board;
    moves.into_iter().map(move |mv| {
        let mut after = board;
        after.make(mv);
        after
    })
}
