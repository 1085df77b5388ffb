//! `endtable apply`: the position after some moves.

use clap::{Arg, ArgMatches, Command};
use endtable::games::Use;

use super::Failure;
use super::args::{for_each_game, game_of, given, options_of, with_options};
use super::dump::{Form, picture_arg, shown};
use super::input::{json_arg, seed};
use super::output::say;

pub fn command() -> Command {
    let command = Command::new("apply")
        .about("Play moves from a position, and show the position after them in every form");
    for_each_game(command, |game, command| {
        let options = options_of(game, &[Use::Position]);
        let words = Arg::new("words")
            .value_name("POSITION MOVE")
            .num_args(1..)
            .help("A position, then moves in the game's notation");
        let words = match options.iter().any(|spec| spec.name == "seed") {
            true => words.required_unless_present("seed"),
            false => words.required(true),
        };
        with_options(command.arg(words).arg(json_arg()).arg(picture_arg()), &options)
    })
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let (game, matches) = game_of(matches)?;
    let options = given(matches, &options_of(game, &[Use::Position]));
    let words = matches.get_many::<String>("words").into_iter().flatten().cloned();
    let mut words = seed(matches).into_iter().chain(words);
    let start = words.next().ok_or_else(|| Failure::input("name a position"))?;
    let position = game.position(&start, &options);
    let mut position = position.map_err(|error| Failure::from(error).with_context(&start))?;
    for (number, mv) in (1..).zip(words) {
        let after = position.play(&mv);
        position = after.map_err(|error| {
            Failure::input(format!("move {number}: {error} (in {})", position.text()))
        })?;
    }
    say(shown(game, &*position, Form::of(matches)))
}
