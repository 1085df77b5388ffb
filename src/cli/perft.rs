//! `endtable perft`: how many positions there are after so many plies.

use clap::{Arg, ArgMatches, Command};
use endtable::games::{Game, OptionSpec, Use};

use super::Failure;
use super::args::{for_each_game, game_of, given, options_of, with_options};
use super::output::say;

pub fn command() -> Command {
    let command = Command::new("perft")
        .about("Count the positions after 1 to N plies, as move generators are tested")
        .long_about(
            "Count the positions after 1 to N plies, as move generators are tested\n\n\
             One line a depth: the plies, and how many positions there are after them, those that \
             are reached in several ways counted as often. In games of chance a new tile or card is a \
             ply of its own.",
        );
    for_each_game(command, |game, command| {
        let command = command
            .arg(
                Arg::new("position")
                    .value_name("POSITION")
                    .required(true)
                    .help("A position, in any form"),
            )
            .arg(
                Arg::new("plies")
                    .value_name("N")
                    .required(true)
                    .value_parser(clap::value_parser!(u32).range(1..=100))
                    .help("How many plies"),
            );
        with_options(command, &options(game))
    })
}

/// The options of a game but for the seed: here a position stands behind the game, and a deal is the
/// number of its seed.
fn options(game: &dyn Game) -> Vec<&'static OptionSpec> {
    let mut options = options_of(game, &[Use::Position]);
    options.retain(|spec| spec.name != "seed");
    options
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let (game, matches) = game_of(matches)?;
    let options = given(matches, &options(game));
    let text = matches.get_one::<String>("position").map_or("", String::as_str);
    let position = game.position(text, &options);
    let position = position.map_err(|error| Failure::from(error).with_context(text))?;
    let plies = matches.get_one::<u32>("plies").copied().unwrap_or(1);
    // Depth by depth, so that the first lines are there while the last is counted.
    for depth in 1..=plies {
        let count = position.perft(depth).last().copied().unwrap_or(0);
        say(format_args!("{depth} {count}"))?;
    }
    Ok(())
}
