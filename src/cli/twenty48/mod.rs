//! What only 2048 has in the terminal: games to play, to watch, and by the thousand.

mod human;
mod many;
mod play;
mod tiles;
mod watch;

use super::{Entry, Extra};

pub(super) const EXTRA: Extra =
    Extra { commands: &[], play: Some(Entry { command: play::command, run: play::run }) };
