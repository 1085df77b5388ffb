//! From the options that games describe to a command line, and back.

use std::str::FromStr;

use clap::builder::ValueParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use endtable::games::{self, Game, OptionSpec, Use};
use endtable::table::Options;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::Failure;

/// A command with a subcommand for each game.
pub fn for_each_game(command: Command, make: fn(&'static dyn Game, Command) -> Command) -> Command {
    let name = command.get_name().to_owned();
    let (own, command) = (command.clone(), command);
    let subcommand = |game: &'static dyn Game| {
        let command = Command::new(game.name())
            .about(game.about())
            .long_about(long_about(&own, game))
            .after_help(examples(&name, &[game]));
        make(game, command)
    };
    let after_help = examples(&name, &games::ALL);
    command
        .after_help(after_help)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_value_name("GAME")
        .subcommand_help_heading("Games")
        .disable_help_subcommand(true)
        .subcommands(games::ALL.map(subcommand))
}

/// What a command does, and what a game's positions look like; where answers are printed, how they
/// read.
fn long_about(command: &Command, game: &dyn Game) -> String {
    let about = command.get_long_about().or(command.get_about()).cloned().unwrap_or_default();
    let answers = match command.get_name() {
        "solve" => format!("\n\n{}", game.answers()),
        _ => String::new(),
    };
    format!("{about}\n\n{}\n\n{}{answers}", game.about(), game.notation())
}

/// The game of a subcommand, and its own arguments.
pub fn game_of(matches: &ArgMatches) -> Result<(&'static dyn Game, &ArgMatches), Failure> {
    let found = matches.subcommand().and_then(|(name, args)| Some((games::by_name(name)?, args)));
    found.ok_or_else(|| Failure::input("name a game"))
}

/// The options of a game, each once.
pub fn options_of(game: &dyn Game, uses: &[Use]) -> Vec<&'static OptionSpec> {
    let mut specs: Vec<&OptionSpec> = Vec::new();
    for spec in uses.iter().flat_map(|&of| game.options(of)) {
        if specs.iter().all(|there| there.name != spec.name) {
            specs.push(spec);
        }
    }
    specs
}

/// The options of all games, for commands whose game shows only in a table: each once.
pub fn options_of_all(uses: &[Use]) -> Vec<&'static OptionSpec> {
    let mut specs: Vec<&OptionSpec> = Vec::new();
    for spec in games::ALL.iter().flat_map(|game| options_of(*game, uses)) {
        if specs.iter().all(|there| there.name != spec.name) {
            specs.push(spec);
        }
    }
    specs
}

/// Adds options to a command.
pub fn with_options(command: Command, specs: &[&'static OptionSpec]) -> Command {
    specs.iter().fold(command, |command, spec| command.arg(arg(spec)))
}

fn arg(spec: &'static OptionSpec) -> Arg {
    let arg = Arg::new(spec.name).long(spec.name).help(spec.help);
    let arg = match spec.value {
        None => arg.action(ArgAction::SetTrue),
        Some(value) => {
            let check = spec.check;
            let parser = move |text: &str| check(text).map(|()| text.to_owned());
            let arg = arg.value_name(value).value_parser(ValueParser::new(parser));
            match spec.default {
                Some(default) => arg.default_value(default),
                None => arg,
            }
        }
    };
    let arg = spec.requires.iter().fold(arg, |arg, name| arg.requires(*name));
    let arg = spec.conflicts.iter().fold(arg, |arg, name| arg.conflicts_with(*name));
    let arg = if spec.unless.is_empty() {
        arg
    } else {
        arg.required_unless_present_any(spec.unless.iter().copied())
    };
    arg.required(spec.required)
}

/// The options that were given, not those that hold by default.
pub fn given(matches: &ArgMatches, specs: &[&OptionSpec]) -> Options {
    let is_given = |name| matches.value_source(name) == Some(ValueSource::CommandLine);
    specs.iter().filter(|spec| is_given(spec.name)).fold(Options::default(), |options, spec| {
        match spec.value {
            None => options.with_switch_if(spec.name, matches.get_flag(spec.name)),
            Some(_) => options.with_some(spec.name, matches.get_one::<String>(spec.name)),
        }
    })
}

/// Refuses options that are another game's.
pub fn check_options(options: &Options, game: &dyn Game, uses: &[Use]) -> Result<(), Failure> {
    let known = options_of(game, uses);
    match options.iter().find(|(name, _)| known.iter().all(|spec| spec.name != *name)) {
        Some((name, _)) => {
            Err(Failure::input(format!("--{name}: not an option of {}", game.name())))
        }
        None => Ok(()),
    }
}

/// The examples of a command that games give, as help text.
pub fn examples(command: &str, games: &[&dyn Game]) -> String {
    let all = games.iter().flat_map(|game| game.examples());
    let lines = all.filter(|(of, _)| *of == command);
    let lines = lines.map(|(_, arguments)| format!("\n  endtable {command} {arguments}"));
    format!("Examples:{}", lines.collect::<String>())
}

/// What games say of themselves, a paragraph each.
pub fn paragraphs(say: fn(&dyn Game) -> &'static str) -> String {
    let each = |game: &dyn Game| format!("\n\n{}: {}", game.name(), say(game));
    games::ALL.into_iter().map(each).collect()
}

/// A number of threads.
pub fn threads_arg() -> Arg {
    Arg::new("threads")
        .long("threads")
        .value_name("N")
        .value_parser(clap::value_parser!(u16).range(1..=1024))
        .help("Threads to use, all cores by default")
}

/// Does something on the threads that were asked for.
pub fn on_threads<T: Send>(
    matches: &ArgMatches,
    act: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    threads(matches)?.install(act)
}

/// The threads that were asked for.
pub fn threads(matches: &ArgMatches) -> Result<ThreadPool, Failure> {
    let threads = matches.get_one::<u16>("threads").copied().unwrap_or(0).into();
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::input)
}

/// A number of bytes.
#[derive(Clone, Copy)]
pub struct Bytes(pub u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, unit) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
        let shift = match unit.to_ascii_uppercase().as_str() {
            "" | "B" => 0,
            "K" | "KB" | "KIB" => 10,
            "M" | "MB" | "MIB" => 20,
            "G" | "GB" | "GIB" => 30,
            "T" | "TB" | "TIB" => 40,
            _ => {
                return Err("expected a number of bytes, or one with K, M, G or T behind it".into());
            }
        };
        if digits.is_empty() {
            return Err("expected a number first, as in 500M".into());
        }
        // Only digits: what does not fit is too large.
        let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift));
        number.map(Self).ok_or_else(|| "too large".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_unit_or_none() {
        let bytes = |text: &str| text.parse::<Bytes>().map(|bytes| bytes.0);
        for (text, size) in
            [("0", 0), ("17", 17), ("5B", 5), ("1k", 1 << 10), ("2MiB", 2 << 20), ("3GB", 3 << 30)]
        {
            assert_eq!(bytes(text), Ok(size), "{text}");
        }
        for text in ["", "K", "5KIBB", "5KK", "5BB", "5IB", "5 K", "1.5G", "-1", "+1", "5M5", "0x5"]
        {
            assert!(bytes(text).is_err_and(|why| why.starts_with("expected")), "{text}");
        }
        for text in ["99999999999999999999", "18446744073709551616", "16777216T"] {
            assert_eq!(bytes(text), Err("too large".into()), "{text}");
        }
    }
}
