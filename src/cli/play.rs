//! `endtable play`: games played in the terminal or by the thousand. How, each game says itself.

use clap::{ArgMatches, Command};

use super::{EXTRAS, Entry, Failure, dispatch};

pub fn command() -> Command {
    let games = || EXTRAS.iter().filter(|extra| extra.play.is_some()).map(|extra| extra.game);
    let more: String = games().map(|game| format!("\n  endtable play {game} --help")).collect();
    Command::new("play")
        .about("Play games, by search or from tables, and say how they went")
        .after_help(format!("More about each game:{more}"))
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

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    match matches.subcommand() {
        Some((game, matches)) => dispatch(entries(), game, matches),
        None => Ok(()),
    }
}
