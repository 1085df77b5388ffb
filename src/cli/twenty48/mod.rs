//! What only 2048 has in the terminal: games played by the thousand, and games to watch.

mod play;
mod watch;

use super::{Entry, Extra};

pub(super) const EXTRA: Extra =
    Extra { commands: &[], play: Some(Entry { command: play::command, run: play::run }) };
