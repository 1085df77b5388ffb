//! `endtable play`: games played in the terminal or by the thousand. How, each game says itself.

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};
use endtable::games;
use endtable::job::Shards;
use endtable::table::Options;

use super::args::examples;
use super::{EXTRAS, Entry, Failure, Games, dispatch};

pub fn command() -> Command {
    Command::new("play")
        .about("Play games, by search or from tables, and say how they went")
        .after_help(examples("play", &games::ALL))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_value_name("GAME")
        .subcommand_help_heading("Games")
        .disable_help_subcommand(true)
        .subcommands(entries().map(|entry| (entry.command)()))
}

fn entries() -> impl Iterator<Item = Entry> {
    EXTRAS.iter().filter_map(|extra| extra.play)
}

/// `plan play`: games that can be cut into shards, with the arguments of plans.
pub fn plan_command(with_plan_args: fn(Command) -> Command) -> Command {
    Command::new("play")
        .about("Games, as `endtable play GAME --games N` plays them")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_value_name("GAME")
        .subcommand_help_heading("Games")
        .disable_help_subcommand(true)
        .subcommands(games().map(|games| with_plan_args((games.command)())))
}

fn games() -> impl Iterator<Item = Games> {
    EXTRAS.iter().filter_map(|extra| extra.games)
}

fn games_of(name: &str) -> Result<Games, Failure> {
    let found = games().find(|games| (games.command)().get_name() == name);
    found.ok_or_else(|| Failure::input(format!("{name}: its games cannot be cut into shards")))
}

/// The game, the options and the arguments of `plan play GAME`.
pub fn planned(matches: &ArgMatches) -> Result<(String, Options, &ArgMatches), Failure> {
    let (name, matches) = matches.subcommand().ok_or_else(|| Failure::input("name a game"))?;
    let command = (games_of(name)?.command)();
    let mut options = Options::default();
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        if matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        options = match (arg.get_action(), matches.get_raw(id).and_then(|mut raw| raw.next())) {
            (ArgAction::SetTrue, _) => options.with_switch(id),
            (_, value) => options.with_some(id, value.map(|value| value.display())),
        };
    }
    Ok((name.into(), options, matches))
}

/// What works on the shards of games that options describe.
pub fn shards(game: &str, options: &Options) -> Result<Box<dyn Shards>, Failure> {
    let games = games_of(game)?;
    let words = options.iter().flat_map(|(name, value)| match value {
        Some(value) => vec![format!("--{name}={value}")],
        None => vec![format!("--{name}")],
    });
    let matches = (games.command)().no_binary_name(true).try_get_matches_from(words);
    (games.shards)(&matches.map_err(|error| Failure::input(error.render()))?)
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    match matches.subcommand() {
        Some((game, matches)) => dispatch(entries(), game, matches),
        None => Ok(()),
    }
}
