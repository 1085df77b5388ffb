//! `endtable line`: best play to the end, a move a line.

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command};
use endtable::games::{self, LineEnd, Step, Use, best_line};
use endtable::random::SplitMix64;

use super::args::{check_options, examples, given, options_of_all, with_options};
use super::input::{json_arg, seed};
use super::{Failure, remark};
use crate::json;

const USES: [Use; 2] = [Use::Position, Use::Probe];

pub fn command() -> Command {
    let command = Command::new("line")
        .about("Show best play from a position to the end, a move a line")
        .long_about(
            "Show best play from a position to the end, a move a line\n\n\
             Each line: the move, the best one of the side to move and the first of equally good ones, \
             and what it is worth to that side. What chance does is drawn at random; the same seed \
             draws the same. How the game ends is said on standard error. Exit code 1 if the position \
             is not in the table, or play leaves it.",
        )
        .after_help(examples("line", &games::ALL))
        .arg(
            Arg::new("table")
                .value_name("TABLE")
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .help("A table, or a folder of them"),
        )
        .arg(
            Arg::new("position")
                .value_name("POSITION")
                .required_unless_present("seed")
                .conflicts_with("seed")
                .help("The position to begin with, in any form"),
        )
        .arg(
            Arg::new("chance")
                .long("chance")
                .value_name("SEED")
                .value_parser(clap::value_parser!(u64))
                .default_value("0")
                .help("What chance does is drawn from this seed"),
        )
        .arg(json_arg());
    with_options(command, &options_of_all(&USES))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let table = matches.get_one::<PathBuf>("table").cloned().unwrap_or_default();
    let options = given(matches, &options_of_all(&USES));
    let game = games::game_of(&table)?;
    check_options(&options, game, &USES)?;
    let tables = games::open(&[table], &options)?;
    let text = matches.get_one::<String>("position").cloned().or_else(|| seed(matches));
    let text = text.unwrap_or_default();
    let start = tables.position(&text, &options);
    let start = start.map_err(|error| Failure::from(error).with_context(&text))?;
    let random = SplitMix64::new(matches.get_one("chance").copied().unwrap_or(0));
    let line = best_line(&*tables, start.into(), Some(random))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for step in &line.steps {
        match matches.get_flag("json") {
            true => writeln!(out, "{}", json::step(game, step))?,
            false => writeln!(out, "{}", step_text(step))?,
        }
    }
    out.flush()?;
    let last = line.last.text();
    match line.end {
        LineEnd::Absent => Err(Failure::NotFound(format!("{last}: not in the table"))),
        LineEnd::Repeated => Err(Failure::Check(format!("{last}: play comes back to it"))),
        LineEnd::Done | LineEnd::Chance => {
            let over = line.last.over().unwrap_or_else(|| "nothing more to be done".into());
            remark(format!("{last}: {over}"));
            Ok(())
        }
    }
}

/// A move and what it is worth; of chance, the move alone.
fn step_text(step: &Step) -> String {
    match &step.answer {
        Some(answer) => format!("{} {}", step.mv, answer.worth),
        None => step.mv.clone(),
    }
}
