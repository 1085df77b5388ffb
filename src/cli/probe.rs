//! `endtable probe`: answers from tables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use endtable::games::{self, Answer, GameError, Position, Use};
use endtable::table::TableError;
use rayon::prelude::*;

use super::args::{check_options, examples, given, options_of_all, paragraphs, with_options};
use super::input::{Questions, Reply, json_arg, stdin_arg, with_seed};
use super::solve::{Shown, remarks, with_shown};
use super::{Failure, remark};
use crate::json;

const USES: [Use; 2] = [Use::Position, Use::Probe];

pub fn command() -> Command {
    let about = "Look positions up in tables\n\n\
                 Prints the same line as `solve`, from files or a folder of tables, which are searched \
                 as one; the game is the tables'. A position that is in none of them: its key and -, \
                 exit code 1.";
    let command = Command::new("probe")
        .about("Look positions up in tables")
        .long_about(format!("{about}{}", paragraphs(|game| game.answers())))
        .after_help(examples("probe", &games::ALL));
    let words = Arg::new("words")
        .value_name("TABLE|POSITION")
        .num_args(1..)
        .required(true)
        .value_parser(clap::value_parser!(OsString))
        .help("Tables or folders of them, then positions");
    let command = with_shown(command.arg(words).arg(stdin_arg()).arg(json_arg()));
    with_options(command, &options_of_all(&USES))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let (files, positions) = sort_words(matches)?;
    let positions = with_seed(positions, matches)?;
    let options = given(matches, &options_of_all(&USES));
    let game = games::game_of(&files[0])?;
    check_options(&options, game, &USES)?;
    let shown = Shown::new(matches)?;
    let stdin = matches.get_flag("stdin");
    let tables = games::open(&files, &options)?;
    let reply = |position: &dyn Position, found: Result<Option<Answer>, GameError>| {
        Ok(match found? {
            Some(answer) => {
                remarks(&answer).for_each(remark);
                Reply::found(shown.text(game, position, &answer))
            }
            None => Reply {
                text: match shown.json {
                    true => json::absent(game, position),
                    false => format!("{} -", position.key()),
                },
                missing: Some(format!("{}: not in the table", position.text())),
            },
        })
    };
    let answer = |positions: &[&dyn Position]| {
        let found = tables.probe_many(positions, shown.detail());
        let replies = positions.par_iter().zip(found);
        replies.map(|(position, found)| reply(*position, found)).collect()
    };
    let questions = Questions {
        named: positions,
        stdin,
        json: shown.json,
        stop: None,
        parse: &|text| {
            let position = tables.position(text, &options);
            position.map_err(|error| match error {
                GameError::Position { text, reason } if !stdin => {
                    let reason = format!("no such file, nor a position: {reason}");
                    GameError::Position { text, reason }
                }
                error => error,
            })
        },
        answer: &answer,
    };
    questions.answer_all()
}

/// Tells files from positions: what exists is a file.
fn sort_words(matches: &ArgMatches) -> Result<(Vec<PathBuf>, Vec<String>), Failure> {
    let (mut files, mut positions) = (Vec::new(), Vec::new());
    for word in matches.get_many::<OsString>("words").into_iter().flatten() {
        match word.to_str() {
            Some(text) if !Path::new(text).exists() => positions.push(text.to_owned()),
            _ => files.push(PathBuf::from(word)),
        }
    }
    match (files.is_empty(), positions.first()) {
        (true, word) => {
            let name = word.cloned().unwrap_or_default();
            Err(TableError::MissingTable { name }.into())
        }
        _ => Ok((files, positions)),
    }
}
