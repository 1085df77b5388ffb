//! Exact lengths: the same question for more and more plies, for both sides.

use super::{Duel, Search, Stopped};
use crate::value::{Plies, Value, Worth};

/// The searches of both sides, seen by the one who is to move.
pub struct Sides<'s, 'a, D: Duel> {
    /// The side to move attacks.
    pub own: &'s Search<'a, D>,
    /// The other side does.
    pub other: &'s Search<'a, D>,
    /// Both sides once more, content with a draw, where the game has draws.
    pub drawing: Option<[&'s Search<'a, D>; 2]>,
}

/// What deepening found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<M> {
    /// The side to move wins in exactly so many plies, first by this move.
    Win(u8, M),
    /// It loses in exactly so many plies; no move holds out longer than this one.
    Loss(u8, M),
    /// Both sides can force an end that is no loss: by this move, first of all that do.
    Draw(M),
    /// Neither side can force a win within the plies searched.
    Open,
}

/// What deepening found, and how deep it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solution<M> {
    /// The result.
    pub found: Found<M>,
    /// So many plies were searched through.
    pub searched: u8,
}

impl<D: Duel> Sides<'_, '_, D> {
    /// Who can force a win from a position that is not over, within at most so many plies. What was
    /// found before the search was stopped counts. `report` hears of every ply that was searched.
    ///
    /// A draw has no length, so that it is not looked for at every ply: where twice as many were
    /// searched as the last time, and at the end.
    pub fn solve(
        &self,
        position: &D::Position,
        plies: u8,
        mut report: impl FnMut(u8),
    ) -> Solution<D::Move> {
        let mut searched = 0;
        while searched < plies {
            let Ok(found) = self.solve_within(position, searched + 1) else { break };
            searched += 1;
            report(searched);
            if found != Found::Open {
                return Solution { found, searched };
            }
            if searched == plies || searched.is_power_of_two() {
                match self.drawing_move(position, searched) {
                    Ok(Some(mv)) => return Solution { found: Found::Draw(mv), searched },
                    Ok(None) => {}
                    Err(Stopped) => break,
                }
            }
        }
        Solution { found: Found::Open, searched }
    }

    /// Solves a position that nobody wins in fewer plies.
    fn solve_within(&self, position: &D::Position, plies: u8) -> Result<Found<D::Move>, Stopped> {
        if let Some(mv) = self.own.winning_move(position, plies)? {
            return Ok(Found::Win(plies, mv));
        }
        if !self.other.wins_against(position, plies)? {
            return Ok(Found::Open);
        }
        for mv in self.other.moves(position) {
            let after = self.other.play(position, mv);
            if plies < 2 || !self.other.wins(&after, plies - 2)? {
                return Ok(Found::Loss(plies, mv));
            }
        }
        Ok(Found::Open)
    }

    /// A move that forces an end within so many plies that is no loss, if the other side can do so, too.
    fn drawing_move(&self, position: &D::Position, plies: u8) -> Result<Option<D::Move>, Stopped> {
        let Some([own, other]) = self.drawing else { return Ok(None) };
        let Some(mv) = own.winning_move(position, plies)? else { return Ok(None) };
        Ok(other.wins_against(position, plies)?.then_some(mv))
    }

    /// What a move is worth to the one who makes it, as far as so many plies tell.
    ///
    /// # Errors
    /// When the search was stopped.
    pub fn worth(&self, position: &D::Position, mv: D::Move, plies: u8) -> Result<Worth, Stopped> {
        let after = self.own.play(position, mv);
        for plies in 1..=plies {
            if self.own.wins_by(position, mv, plies)? {
                return Ok(Worth::Value(Value::Win(Plies(plies.into()))));
            }
            if self.other.wins(&after, plies - 1)? {
                return Ok(Worth::Value(Value::Loss(Plies(plies.into()))));
            }
        }
        if let Some([own, other]) = self.drawing
            && own.wins_by(position, mv, plies)?
            && other.wins(&after, plies - 1)?
        {
            return Ok(Worth::Value(Value::Draw));
        }
        Ok(Worth::Unknown { searched: Plies(plies.into()) })
    }
}
