//! What only Tak has in the terminal: the interface of engines, and games against the solver.

mod play;
mod tei;

use super::{Entry, Extra};

pub(super) const EXTRA: Extra = Extra {
    commands: &[Entry { command: tei::command, run: tei::run }],
    play: Some(Entry { command: play::command, run: play::run }),
    games: None,
};
