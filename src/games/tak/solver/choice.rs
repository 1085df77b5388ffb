//! A move for a game that is played: the proved one, or one that looks sensible.

use std::cmp::Reverse;

use super::packed::Packed;
use super::question::Question;
use super::roads::threatens;
use crate::games::tak::board::{Board, Colour};
use crate::games::tak::ends::fill;
use crate::games::tak::moves::{Move, squares};
use crate::games::tak::position::TakPosition;
use crate::games::tak::size::{Grid, Size};
use crate::games::{GameError, Position};
use crate::solve::Limits;
use crate::value::Worth;

/// A move to play.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The move, as PTN has it.
    pub mv: String,
    /// What is proved of the position.
    pub worth: Worth,
}

impl Question {
    /// Chooses a move of a position; none if the game is over. If nothing is proved within the plies and
    /// the limits, it is one that does not lose at once and leaves many flats on top and long roads.
    ///
    /// `report` hears of every ply that was searched.
    ///
    /// # Errors
    /// When it is a position of another game.
    pub fn choose(
        &self,
        position: &dyn Position,
        limits: Limits<'_>,
        report: &mut dyn FnMut(u8),
    ) -> Result<Option<Choice>, GameError> {
        macro_rules! of_size {
            ($($n:literal)*) => {$(
                if let Ok(position) = TakPosition::<Grid<$n>>::of(position) {
                    return Ok(self.choose_on(&position.board, limits, report));
                }
            )*};
        }
        of_size!(3 4 5 6 7 8);
        Err(GameError::OtherGame)
    }

    fn choose_on<S: Packed>(
        &self,
        board: &Board<S>,
        limits: Limits<'_>,
        report: &mut dyn FnMut(u8),
    ) -> Option<Choice> {
        if board.is_over() {
            return None;
        }
        let found = self.ask_reporting(board, false, limits, report);
        let mv = found.best.first().copied().or_else(|| sensible_move(board))?;
        Some(Choice { mv: mv.to_ptn::<S>(), worth: found.worth })
    }
}

/// The move that looks best a ply ahead; of equal ones the first.
fn sensible_move<S: Size>(board: &Board<S>) -> Option<Move> {
    let mut moves = Vec::new();
    board.push_moves(&mut moves);
    moves.into_iter().min_by_key(|&mv| {
        let mut after = *board;
        after.make(mv);
        Reverse(score(&after, board.turn()))
    })
}

/// How good a position looks for the player who has just moved.
fn score<S: Size>(after: &Board<S>, player: Colour) -> i32 {
    let other = player.other();
    match after.end().map(|end| end.winner()) {
        Some(Some(winner)) if winner == player => return 10_000,
        Some(Some(_)) => return -10_000,
        Some(None) => return 0,
        None => {}
    }
    // The first stones that are placed are the opponent's.
    let loses = !after.is_opening() && threatens(after, other);
    let flats = |colour| after.flats(colour).count_ones() as i32;
    let span = |colour| longest_span(after, colour) as i32;
    let centre = |colour| {
        let middle = S::N as i32 - 1;
        let off = |at: usize| (2 * at as i32 - middle).abs();
        let inner = |square: usize| 2 * middle - off(square % S::N) - off(square / S::N);
        squares(after.road_stones(colour)).map(inner).sum::<i32>()
    };
    let of = |colour| 20 * flats(colour) + 12 * span(colour) + centre(colour);
    of(player) - of(other) - if loses { 5_000 } else { 0 }
}

/// How many files or ranks the longest chain of a player's road stones spans.
fn longest_span<S: Size>(board: &Board<S>, colour: Colour) -> u32 {
    let road = board.road_stones(colour);
    let (mut rest, mut longest) = (road, 0);
    while rest != 0 {
        let chain = fill::<S>(rest & rest.wrapping_neg(), road);
        rest &= !chain;
        let ranks = (0..S::N).filter(|rank| chain >> (S::N * rank) & S::BOTTOM != 0).count();
        let files = (0..S::N).filter(|file| chain >> file & S::LEFT != 0).count();
        longest = longest.max(ranks.max(files) as u32);
    }
    longest
}
