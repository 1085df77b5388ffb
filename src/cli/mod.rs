//! The command line: one file a command, and what the commands share.

mod apply;
mod args;
mod checks;
mod collapsi;
mod colour;
mod completions;
mod dump;
mod export;
mod failure;
mod files;
mod generate;
mod hyperqueue;
mod info;
mod input;
mod interval;
mod line;
mod listing;
mod man;
mod manifest;
mod merge;
mod npy;
mod output;
mod perft;
mod plan;
mod planned;
mod play;
mod probe;
mod progress;
mod rows;
mod run;
mod sealed;
#[cfg(feature = "serve")]
mod serve;
mod shard;
mod signals;
mod simulate;
mod solve;
mod stats;
mod tak;
mod terminal;
mod tournament;
mod twenty48;
mod verify;

use std::{env, io};

use clap::{ArgMatches, Command};
use endtable::job::Shards;

pub use failure::Failure;
use failure::{complain, remark};

/// What only one game has in the terminal: commands of its own, and how it is played.
struct Extra {
    /// Its own commands, each with what runs it.
    commands: &'static [Entry],
    /// `play GAME`, if it can be played.
    play: Option<Entry>,
    /// Many games of `play GAME`, cut into shards.
    games: Option<Games>,
}

/// Games in shards: their arguments, and what works on them.
#[derive(Clone, Copy)]
struct Games {
    command: fn() -> Command,
    shards: fn(&ArgMatches) -> Result<Box<dyn Shards>, Failure>,
}

const EXTRAS: [Extra; 3] = [collapsi::EXTRA, twenty48::EXTRA, tak::EXTRA];

/// A command: how it is described, and what runs it.
#[derive(Clone, Copy)]
struct Entry {
    command: fn() -> Command,
    run: fn(&ArgMatches) -> Result<(), Failure>,
}

/// The commands that go for every game, in the order in which help lists them.
const COMMANDS: &[Entry] = &[
    Entry { command: solve::command, run: solve::run },
    Entry { command: generate::command, run: generate::run },
    Entry { command: plan::command, run: plan::run },
    Entry { command: shard::command, run: shard::run },
    Entry { command: run::command, run: run::run },
    Entry { command: probe::command, run: probe::run },
    Entry { command: line::command, run: line::run },
    Entry { command: info::command, run: info::run },
    Entry { command: verify::command, run: verify::run },
    Entry { command: merge::command, run: merge::run },
    Entry { command: stats::command, run: stats::run },
    Entry { command: export::command, run: export::run },
    Entry { command: manifest::command, run: manifest::run },
    Entry { command: dump::command, run: dump::run },
    Entry { command: apply::command, run: apply::run },
    Entry { command: perft::command, run: perft::run },
    Entry { command: play::command, run: play::run },
    #[cfg(feature = "serve")]
    Entry { command: serve::command, run: serve::run },
    Entry { command: completions::command, run: completions::run },
    Entry { command: man::command, run: man::run },
];

fn entries() -> impl Iterator<Item = Entry> {
    COMMANDS.iter().chain(EXTRAS.iter().flat_map(|extra| extra.commands)).copied()
}

/// The whole command line.
pub fn command() -> Command {
    Command::new("endtable")
        .version(env!("CARGO_PKG_VERSION"))
        .propagate_version(true)
        .about("Endgame tablebases for small games: solve positions, generate tables, probe them")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(entries().map(|entry| (entry.command)()))
}

/// Reads the command line. Whoever asks for objects gets them from here on, errors too.
pub fn parse() -> Result<ArgMatches, Failure> {
    let json = env::args_os().take_while(|word| word != "--").any(|word| word == "--json");
    if !json {
        // Exits with 2, as our own errors of usage do.
        return Ok(command().get_matches());
    }
    failure::complain_as_objects();
    command().try_get_matches().map_err(|error| match error.use_stderr() {
        true => Failure::input(error.render().to_string().trim().trim_start_matches("error: ")),
        false => error.exit(),
    })
}

/// Runs the command that was given.
pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    signals::report_file_limits()?;
    let done = match matches.subcommand() {
        Some((name, matches)) => dispatch(entries(), name, matches),
        None => Ok(()),
    };
    match done {
        // Whoever reads our output has had enough of it.
        Err(Failure::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Runs the one of some commands that has a name.
fn dispatch(
    entries: impl IntoIterator<Item = Entry>,
    name: &str,
    matches: &ArgMatches,
) -> Result<(), Failure> {
    let mut entries = entries.into_iter();
    match entries.find(|entry| (entry.command)().get_name() == name) {
        Some(entry) => (entry.run)(matches),
        None => Err(Failure::input(format!("no command {name}"))),
    }
}
