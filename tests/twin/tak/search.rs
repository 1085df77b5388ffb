//! What can be forced within some plies: every move tried, nothing remembered, nothing left out.

use super::{Move, Position};

/// Whether a player can force an end of the kind that is wanted within so many plies.
pub fn forces(
    position: &Position,
    player: usize,
    plies: u32,
    wanted: &impl Fn(&str) -> bool,
) -> bool {
    if let Some(end) = position.end() {
        return wanted(end);
    }
    if plies == 0 {
        return false;
    }
    let leads = |mv: &Move| {
        let mut next = position.clone();
        next.play(mv);
        forces(&next, player, plies - 1, wanted)
    };
    let moves = position.moves();
    if position.turn() == player { moves.iter().any(leads) } else { moves.iter().all(leads) }
}

/// Whether only roads count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    Any,
    Road,
}

/// Whether an end is a win of a player's.
pub fn is_win(end: &str, player: usize, goal: Goal) -> bool {
    match goal {
        Goal::Any => ["R-0 F-0", "0-R 0-F"][player].contains(end),
        Goal::Road => ["R-0", "0-R"][player] == end,
    }
}

/// What a position is worth to the side to move, as `win 3`, `loss 2`, `draw` or `unknown`, as far as so
/// many plies tell.
pub fn worth(position: &Position, plies: u32, goal: Goal) -> String {
    let turn = position.turn();
    for plies in 0..=plies {
        for (player, result) in [(turn, "win"), (1 - turn, "loss")] {
            if forces(position, player, plies, &|end| is_win(end, player, goal)) {
                return format!("{result} {plies}");
            }
        }
    }
    let holds = |player| forces(position, player, plies, &|end| !is_win(end, 1 - player, goal));
    let draw = goal == Goal::Any && holds(turn) && holds(1 - turn);
    if draw { "draw".into() } else { "unknown".into() }
}
