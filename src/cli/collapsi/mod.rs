//! What only Collapsi has in the terminal: the experiment with keys, and the longest games.

mod keys;
mod longest;

use super::{Entry, Extra};

pub(super) const EXTRA: Extra = Extra {
    commands: &[
        Entry { command: longest::command, run: longest::run },
        Entry { command: keys::command, run: keys::run },
    ],
    play: None,
};
