//! `endtable play`: games played in the terminal or by the thousand. How, each game says itself.

use clap::{ArgMatches, Command};

use endtable::games;

use super::args::examples;
use super::{EXTRAS, Entry, Failure, dispatch};

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

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    match matches.subcommand() {
        Some((game, matches)) => dispatch(entries(), game, matches),
        None => Ok(()),
    }
}
