//! `endtable perft`: how many positions there are after so many plies.

use clap::{Arg, ArgMatches, Command};
use endtable::games::Use;

use super::Failure;
use super::args::{for_each_game, game_of, given, options_of, with_options};
use super::input::with_seed;
use super::output::say;

const USES: [Use; 2] = [Use::Position, Use::Perft];

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
        let options = options_of(game, &USES);
        let words = Arg::new("words")
            .value_names(["POSITION", "N"])
            .num_args(1..=2)
            .required(true)
            .help("A position, in any form, and how many plies, 1 to 100");
        with_options(command.arg(words), &options)
    })
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let (game, matches) = game_of(matches)?;
    let options = given(matches, &options_of(game, &USES));
    let words = matches.get_many::<String>("words").into_iter().flatten().cloned();
    let mut words: Vec<String> = words.collect();
    let plies = words.pop().unwrap_or_default();
    let plies = plies.parse().ok().filter(|plies| (1..=100).contains(plies)).ok_or_else(|| {
        Failure::input(format!("{plies:?}: expected a number of plies from 1 to 100"))
    })?;
    let [text] = &with_seed(words, matches)?[..] else {
        return Err(Failure::input("name a position, then a number of plies"));
    };
    let position = game.position(text, &options);
    let position = position.map_err(|error| Failure::from(error).with_context(text))?;
    // Depth by depth, so that the first lines are there while the last is counted.
    for depth in 1..=plies {
        let count = position.perft(depth).last().copied().unwrap_or(0);
        say(format_args!("{depth} {count}"))?;
    }
    Ok(())
}
