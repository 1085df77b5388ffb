//! What only Collapsi has in the terminal: the experiment with keys, the longest games, and games
//! against perfect play.

mod human;
mod keys;
mod longest;
mod many;
mod perfect;
mod play;
mod scene;

use super::{Entry, Extra};

pub(super) const EXTRA: Extra = Extra {
    commands: &[
        Entry { command: longest::command, run: longest::run },
        Entry { command: keys::command, run: keys::run },
    ],
    play: Some(Entry { command: play::command, run: play::run }),
    games: None,
};
