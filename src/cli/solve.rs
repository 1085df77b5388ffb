//! `endtable solve`: positions in, answers out.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use endtable::games::{Answer, Detail, Game, GameError, Position, Solver, Use};
use endtable::solve::Limits;
use endtable::value::Worth;

use super::args::{for_each_game, game_of, given, options_of, with_options};
use super::input::{Questions, Reply, named, one_by_one, with_positions};
use super::signals::stop_flag;
use super::{Failure, colour, remark};
use crate::json;

const USES: [Use; 2] = [Use::Position, Use::Solve];

pub fn command() -> Command {
    let command = Command::new("solve")
        .about("Solve positions: what they are worth, and the best move")
        .long_about(
            "Solve positions: what they are worth, and the best move\n\n\
             Prints one line a position: its key, one bit for the side to move, one bit for whether \
             that side wins, a best move, and the value where a game has one. --json prints objects.",
        );
    for_each_game(command, |game, command| {
        let command = with_positions(with_shown(command));
        with_options(command, &options_of(game, &USES)).arg(
            Arg::new("verbose")
                .long("verbose")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["stdin", "json"])
                .help("Add what every move is worth, and how much work it took"),
        )
    })
}

/// Adds the arguments that say what is shown besides the line.
pub fn with_shown(command: Command) -> Command {
    command
        .arg(
            Arg::new("moves")
                .long("moves")
                .action(ArgAction::SetTrue)
                .help("List every legal move with what it is worth"),
        )
        .arg(
            Arg::new("picture")
                .long("picture")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["stdin", "json"])
                .help("Draw the board, the best move marked, and say the answer in a sentence"),
        )
}

/// A note that is no figure but a sentence: it goes to standard error.
const REMARK: &str = "note";

/// What there is to say of an answer in sentences.
pub fn remarks(answer: &Answer) -> impl Iterator<Item = &str> {
    answer.notes.iter().filter(|(name, _)| *name == REMARK).map(|(_, remark)| remark.as_str())
}

/// What is shown of an answer.
#[derive(Clone, Copy)]
pub struct Shown {
    pub json: bool,
    pub moves: bool,
    pub chances: bool,
    pub notes: bool,
    pub picture: bool,
}

impl Shown {
    /// What the arguments ask for. Extra lines have no place where every line of input gets one.
    pub fn new(matches: &ArgMatches) -> Result<Self, Failure> {
        let flag = |name| matches.try_get_one::<bool>(name).ok().flatten() == Some(&true);
        let verbose = flag("verbose");
        let chances = flag("spawns");
        let shown = Self {
            json: flag("json"),
            moves: flag("moves") || verbose || chances,
            chances,
            notes: verbose,
            picture: flag("picture"),
        };
        if flag("stdin") && shown.moves && !shown.json {
            return Err(Failure::input(
                "--stdin prints one line a position: with --moves add --json, where they stand in it",
            ));
        }
        Ok(shown)
    }

    /// How much has to be found out. An object lists every best move, so that all must be known.
    pub fn detail(&self) -> Detail {
        match (self.chances, self.moves || self.json) {
            (true, _) => Detail::Chances,
            (false, true) => Detail::Moves,
            (false, false) => Detail::Best,
        }
    }

    /// An answer as it is printed, without the last line feed.
    pub fn text(&self, game: &dyn Game, position: &dyn Position, answer: &Answer) -> String {
        if self.json {
            return json::answer(game, position, answer, self.moves);
        }
        let mut text = position.line(answer);
        if self.moves {
            text += &source_text(answer);
            text += &moves_text(answer);
        }
        if self.notes {
            for (name, note) in answer.notes.iter().filter(|(name, _)| *name != REMARK) {
                _ = write!(text, "\n{name} {note}");
            }
        }
        if self.picture {
            let picture = colour::text(&position.picture(answer.best()));
            _ = write!(text, "\n{picture}{}", position.sentence(answer));
        }
        text
    }
}

/// The line that says which table answered.
fn source_text(answer: &Answer) -> String {
    let named = answer.source.iter().map(|(name, field)| format!("{name} {field}"));
    let named: Vec<String> = named.collect();
    if named.is_empty() { String::new() } else { format!("\n{}", named.join(" ")) }
}

/// The lines that say how long the game lasts and what each move is worth.
pub fn moves_text(answer: &Answer) -> String {
    let mut text = String::new();
    if let Worth::Value(value) = answer.worth {
        _ = write!(text, "\ndistance {}", value.plies());
    }
    let or_unknown = |worth: &Option<Worth>| match worth {
        Some(worth) => worth.to_string(),
        None => "unknown".into(),
    };
    for mv in &answer.moves {
        _ = write!(text, "\nmove {} {}", mv.name, or_unknown(&mv.worth));
        for (chance, worth) in &mv.chances {
            _ = write!(text, "\n  {chance} {}", or_unknown(worth));
        }
    }
    for (mv, why) in &answer.excluded {
        _ = write!(text, "\nmove {mv} excluded: {why}");
    }
    text
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let (game, matches) = game_of(matches)?;
    let options = given(matches, &options_of(game, &USES));
    let shown = Shown::new(matches)?;
    let stdin = matches.get_flag("stdin");
    // Many positions keep the threads busy; a few need them for their search.
    let start = || Ok(game.solver(&options, !stdin)?);
    let stop = stop_flag()?;
    let limits = Limits { stop: Some(&stop), deadline: None };
    let answer = |solver: &mut Box<dyn Solver>, position: &dyn Position| {
        let answer = solver.solve_within(position, shown.detail(), limits)?;
        // What was found until then is not the answer.
        if limits.reached() {
            return Err(GameError::Stopped.into());
        }
        remarks(&answer).for_each(remark);
        Ok(Reply::found(shown.text(game, position, &answer)))
    };
    let questions = Questions {
        named: named(matches)?,
        stdin,
        json: shown.json,
        stop: Some(&stop),
        parse: &|text| game.position(text, &options),
        answer: &one_by_one(start, answer)?,
    };
    questions.answer_all()
}
