//! Tak as a duel: what can be said of a position at a glance, and which moves can matter.
//!
//! Most of it rests on one observation. A wall on an empty square adds nothing to what the opponent can
//! do next: it takes away slides through the square, and a capstone that flattens it could have gone
//! there before. So a player who can place a wall without ending the game is never forced to complete
//! a road for the opponent, and a move that does not threaten a road forces nothing at once.

use std::marker::PhantomData;

use super::packed::{Packed, pack};
use super::roads::{Threats, may_threaten, threatens};
use crate::games::tak::board::{Board, Colour, Reserve};
use crate::games::tak::ends::{End, is_road};
use crate::games::tak::moves::{Move, squares};
use crate::games::tak::size::Size;
use crate::solve::bounded::{Duel, Outlook, Turn, Width};

/// What the attacker wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// To win, by a road or by flats.
    Any,
    /// To complete a road.
    Road,
    /// Not to lose.
    Draw,
}

impl Goal {
    /// Whether an end is what the attacker wants.
    #[must_use]
    pub fn reached(self, end: End, attacker: Colour) -> bool {
        match self {
            Self::Any => end.winner() == Some(attacker),
            Self::Road => end == End::Road(attacker),
            Self::Draw => end.winner() != Some(attacker.other()),
        }
    }
}

/// A player who tries to reach a goal.
#[derive(Clone, Copy, Debug)]
pub struct Attack<S> {
    attacker: Colour,
    goal: Goal,
    size: PhantomData<S>,
}

impl<S: Packed> Attack<S> {
    /// The attack of a player.
    #[must_use]
    pub fn new(attacker: Colour, goal: Goal) -> Self {
        Self { attacker, goal, size: PhantomData }
    }

    fn outlook(&self, end: End) -> Outlook {
        if self.goal.reached(end, self.attacker) { Outlook::Wins } else { Outlook::Fails }
    }

    /// Whether the defender can place so many walls without the game ending by flats, whatever so many
    /// plies between them are. For a road attack it may end: that is no road.
    fn has_walls(&self, board: &Board<S>, walls: u32, between: Plies) -> bool {
        let defender = board.reserve(self.attacker.other());
        if u32::from(defender.flats) < walls {
            return false;
        }
        if self.goal == Goal::Road {
            return true;
        }
        let attacker = board.reserve(self.attacker);
        let stones = |reserve: Reserve| u32::from(reserve.flats) + u32::from(reserve.caps);
        stones(defender) > walls + between.defender
            && stones(attacker) > between.attacker
            && keeps_empty(board, walls, between.attacker + between.defender)
    }

    /// Whether the side to move ends the game as the attacker wants it, or not, with this move.
    fn ending(&self, board: &Board<S>, mv: Move, goal_reached: bool) -> bool {
        let mut after = *board;
        after.make(mv);
        after.end().is_some_and(|end| self.goal.reached(end, self.attacker) == goal_reached)
    }

    /// Whether the attacker, who is to move, reaches the goal with this move.
    fn wins_at_once(&self, board: &Board<S>) -> bool {
        if board.is_opening() {
            return false;
        }
        if threatens(board, self.attacker) {
            return true;
        }
        self.flats_may_end(board) && {
            let mut moves = Vec::new();
            board.push_moves(&mut moves);
            moves.into_iter().any(|mv| self.ending(board, mv, true))
        }
    }

    /// Whether the attacker's next ply may end the game by flats, and that may be the goal.
    fn flats_may_end(&self, board: &Board<S>) -> bool {
        let Reserve { flats, caps } = board.reserve(self.attacker);
        self.goal != Goal::Road && (flats + caps == 1 || !keeps_empty(board, 0, 1))
    }

    /// Whether the defender, who is to move, can end the game and keep the attacker from the goal.
    fn is_countered(&self, board: &Board<S>) -> bool {
        if board.is_opening() {
            return false;
        }
        let defender = self.attacker.other();
        threatens(board, defender)
    }

    /// Whether the attacker reaches the goal within two plies though the defender is to move.
    fn defend_two(&self, board: &Board<S>) -> Outlook {
        if self.is_countered(board) {
            return Outlook::Fails;
        }
        let next = Plies { attacker: 1, defender: 0 };
        let calm = !board.is_opening() && self.has_walls(board, 1, next);
        let threats = Threats::new(board, self.attacker);
        if calm && !threats.any() {
            return Outlook::Fails;
        }
        let mut moves = Vec::new();
        board.push_moves(&mut moves);
        for mv in moves {
            let mut after = *board;
            after.make(mv);
            if !self.is_lost(&after, &threats) {
                return Outlook::Fails;
            }
        }
        Outlook::Wins
    }

    /// Whether the defender has lost with his move, or loses with the attacker's next.
    fn is_lost(&self, after: &Board<S>, before: &Threats) -> bool {
        match after.end() {
            Some(end) => self.goal.reached(end, self.attacker),
            None => self.still_threatens(after, before, self.attacker) || self.wins_at_once(after),
        }
    }

    /// Whether one of the stones that completed a player's road before the other's move still does.
    #[inline]
    fn still_threatens(&self, after: &Board<S>, before: &Threats, colour: Colour) -> bool {
        let road = after.road_stones(colour);
        squares(before.squares & after.empty()).any(|square| is_road::<S>(road | 1 << square))
    }
}

/// Boards with more stacks are seldom met in two images, and canonical forms take their time.
const SYMMETRIC_STACKS: u32 = 4;

/// Plies of both sides.
#[derive(Clone, Copy)]
struct Plies {
    attacker: u32,
    defender: u32,
}

/// Whether a square stays empty after so many stones and so many other plies. A stone fills one. A slide
/// fills fewer than N, and all that move one stack no more than lie below its top: what is dropped on
/// another stack is missing in the one it came from.
fn keeps_empty<S: Size>(board: &Board<S>, stones: u32, plies: u32) -> bool {
    let empty = board.empty().count_ones();
    if empty > stones + plies * (S::N as u32 - 1) {
        return true;
    }
    let mut stacks = [0_u8; 129];
    for &height in board.heights() {
        stacks[usize::from(height)] += 1;
    }
    let (mut filled, mut left) = (0, plies);
    for height in (3..stacks.len()).rev() {
        let moved = left.min(stacks[height].into());
        filled += moved * (height as u32 - 1);
        left -= moved;
    }
    empty > stones + filled + left
}

impl<S: Packed> Duel for Attack<S> {
    type Position = Board<S>;
    type Move = Move;
    type Key = S::Words;

    /// Near the beginning of a game the eight images of a board have one key.
    fn key(&self, board: &Board<S>) -> S::Words {
        let stacks = (S::ALL & !board.empty()).count_ones();
        if stacks <= SYMMETRIC_STACKS { pack(&board.canonical().board) } else { pack(board) }
    }

    fn play(&self, board: &Board<S>, mv: Move) -> Board<S> {
        let mut after = *board;
        after.make(mv);
        after
    }

    fn moves(&self, board: &Board<S>, moves: &mut Vec<Move>) {
        board.push_moves(moves);
    }

    fn relevant_plies(&self, board: &Board<S>, plies: u8, turn: Turn) -> u8 {
        let last_is_defenders = plies.is_multiple_of(2) == (turn == Turn::Attacker);
        if plies == 0 || !last_is_defenders {
            return plies;
        }
        let attacker = u32::from(plies / 2);
        let before = Plies { attacker, defender: u32::from(plies) - 1 - attacker };
        if self.has_walls(board, 1, before) { plies - 1 } else { plies }
    }

    fn attack(&self, board: &Board<S>, plies: u8, width: Width, moves: &mut Vec<Move>) -> Outlook {
        if let Some(end) = board.end() {
            return self.outlook(end);
        }
        if plies == 0 {
            return Outlook::Fails;
        }
        if self.wins_at_once(board) {
            return Outlook::Wins;
        }
        if plies == 1 {
            return Outlook::Fails;
        }
        let defender = self.attacker.other();
        let (first, mut quiet) = (moves.len(), Vec::new());
        let mut listed = Vec::new();
        board.push_moves(&mut listed);
        let opening = board.is_opening();
        // A wall answers what does not threaten: with up to four plies left, that is the end of it.
        let between = Plies { attacker: 2, defender: 0 };
        let must_threaten = plies <= 4 && self.has_walls(board, u32::from(plies) / 2, between);
        let against = if opening { Threats::NONE } else { Threats::new(board, defender) };
        for mv in listed {
            if opening {
                quiet.push(mv);
                continue;
            }
            if must_threaten && !may_threaten(mv) {
                continue;
            }
            let mut after = *board;
            after.make(mv);
            if self.still_threatens(&after, &against, defender) {
                continue;
            }
            let threat = may_threaten(mv) && threatens(&after, self.attacker);
            if must_threaten && !threat || threatens(&after, defender) {
                continue;
            }
            if threat {
                moves.push(mv);
            } else {
                quiet.push(mv);
            }
        }
        if width == Width::All || opening {
            moves.append(&mut quiet);
        }
        if moves.len() == first { Outlook::Fails } else { Outlook::Open }
    }

    fn defend(&self, board: &Board<S>, plies: u8, moves: &mut Vec<Move>) -> Outlook {
        if let Some(end) = board.end() {
            return self.outlook(end);
        }
        if plies == 0 {
            return Outlook::Fails;
        }
        if plies == 2 {
            return self.defend_two(board);
        }
        if self.is_countered(board) {
            return Outlook::Fails;
        }
        let threats =
            if board.is_opening() { Threats::NONE } else { Threats::new(board, self.attacker) };
        let first = moves.len();
        board.push_moves(moves);
        if plies > 2 && threats.any() {
            let mut kept = first;
            for number in first..moves.len() {
                let mv = moves[number];
                let mut after = *board;
                after.make(mv);
                if !self.is_lost(&after, &threats) {
                    moves[kept] = mv;
                    kept += 1;
                }
            }
            moves.truncate(kept);
            if kept == first {
                return Outlook::Wins;
            }
        }
        Outlook::Open
    }
}
