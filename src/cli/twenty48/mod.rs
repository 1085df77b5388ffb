//! What only 2048 has in the terminal: games to play, to watch, and by the thousand; endgame patterns.

mod human;
mod many;
mod pattern;
mod patterns;
mod play;
mod results;
mod shards;
mod tiles;
mod watch;

use super::{Entry, Extra, Games};

pub(super) const EXTRA: Extra = Extra {
    commands: &[Entry { command: patterns::command, run: patterns::run }],
    play: Some(Entry { command: play::command, run: play::run }),
    games: Some(Games { command: shards::command, shards: shards::shards }),
};
