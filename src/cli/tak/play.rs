//! `endtable play tak`: a person against the solver, or against tables.

use std::fmt::Write as _;
use std::io::{self, BufRead};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::tak::{Goal, Question, Tak};
use endtable::games::{self, Detail, Game, Position, Tables};
use endtable::solve::Limits;
use endtable::table::Options;
use endtable::value::{Value, Worth};

use crate::cli::args::examples;
use crate::cli::output::say;
use crate::cli::{Failure, colour, remark};

/// Tak against the solver, or from tables
///
/// Words are read from standard input, one or more a line: a move in PTN (c2, Sc2, Cc2, a1>, 3a1>12);
/// hint says what is known of the position, undo takes your last move back, quit ends. The board is
/// shown before each of your moves.
///
/// The program plays what it can prove in the time for a move. If it proves nothing it says so and plays
/// what looks sensible a ply ahead.
#[derive(clap::Args)]
struct Args {
    /// Where to begin, in TPS; by default the empty board
    #[arg(value_name = "TPS", conflicts_with = "size")]
    position: Option<String>,
    /// Squares an edge of the empty board
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(3..=8))]
    size: u8,
    /// How many flats each player has
    #[arg(long, value_name = "F")]
    flats: Option<u8>,
    /// How many capstones each player has
    #[arg(long, value_name = "C")]
    caps: Option<u8>,
    /// What is added to Black's flats when they are counted
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    komi: Option<String>,
    /// Your side, by default the one to move
    #[arg(long, value_name = "white|black", value_parser = ["white", "black"])]
    side: Option<String>,
    /// Tables that moves are looked up in as far as they go; elsewhere they are searched
    #[arg(long, value_name = "PATH")]
    tables: Option<PathBuf>,
    /// How many seconds the program searches for a move
    #[arg(long, value_name = "T", default_value = "1", value_parser = seconds)]
    time: Duration,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=86_400.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "not a time in seconds".into())
}

pub fn command() -> Command {
    Args::augment_args(Command::new(Tak.name())).after_help(examples("play", &[&Tak]))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let start = || {
        let rank = format!("x{}", args.size);
        format!("{} 1 1", vec![rank; args.size.into()].join("/"))
    };
    let text = args.position.clone().unwrap_or_else(start);
    let options = Options::default()
        .with_some("flats", args.flats)
        .with_some("caps", args.caps)
        .with_some("komi", args.komi.as_ref());
    let position = Tak.position(&text, &options)?;
    let tables = match &args.tables {
        Some(path) => Some(games::open(&[path], &Options::default())?),
        None => None,
    };
    let side = match args.side.as_deref() {
        Some(side) => side.into(),
        None => turn(&*position),
    };
    let game = Match { side, tables, time: args.time, positions: vec![position] };
    game.play()
}

/// Whose turn it is.
fn turn(position: &dyn Position) -> String {
    position.turn().unwrap_or_default().into()
}

/// A person's game.
struct Match {
    side: String,
    tables: Option<Box<dyn Tables>>,
    time: Duration,
    /// Every position of it, the last one on the board. There is always one.
    positions: Vec<Box<dyn Position>>,
}

impl Match {
    fn position(&self) -> &dyn Position {
        &**self.positions.last().expect("a game has a position")
    }

    fn play(mut self) -> Result<(), Failure> {
        let mut lines = io::stdin().lock().lines();
        let mut words: Vec<String> = Vec::new();
        loop {
            if let Some(end) = self.position().over() {
                say(colour::text(&self.position().picture(None)).trim_end())?;
                return say(format_args!("over: {end}"));
            }
            if turn(self.position()) != self.side {
                let (mv, known) = self.choose()?;
                say(format_args!("{} plays {mv}; {known}", turn(self.position())))?;
                self.positions.push(self.position().play(&mv)?);
                continue;
            }
            if words.is_empty() {
                say(colour::text(&self.position().picture(None)).trim_end())?;
                let Some(line) = lines.next() else {
                    return say(format_args!("left at {}", self.position().text()));
                };
                words = line?.split_whitespace().rev().map(String::from).collect();
                continue;
            }
            match words.pop().as_deref() {
                Some("quit") => {
                    return say(format_args!("left at {}", self.position().text()));
                }
                Some("hint") => {
                    let (mv, known) = self.choose()?;
                    say(format_args!("{mv}; {known}"))?;
                }
                // The person's move and the answer to it.
                Some("undo") if self.positions.len() > 2 => {
                    self.positions.truncate(self.positions.len() - 2);
                }
                Some("undo") => remark("there is no move to take back"),
                Some(mv) => match self.position().play(mv) {
                    Ok(after) => self.positions.push(after),
                    Err(error) => remark(error.to_string()),
                },
                None => {}
            }
        }
    }

    /// A move for the side to move, and what is known of it, in words.
    fn choose(&self) -> Result<(String, String), Failure> {
        let position = self.position();
        if let Some(tables) = &self.tables
            && let Some(answer) = tables.probe(position, Detail::Best)?
            && let Some(best) = answer.best()
        {
            return Ok((best.into(), words(&answer.worth) + ", from the tables"));
        }
        let limits = Limits { stop: None, deadline: Some(Instant::now() + self.time) };
        let question = Question { goal: Goal::Any, plies: 250, parallel: true };
        let choice = question.choose(position, limits, &mut |_| {})?;
        let choice = choice.ok_or_else(|| Failure::input("the game is over"))?;
        Ok((choice.mv, words(&choice.worth)))
    }
}

/// What is known of a position, in words.
fn words(worth: &Worth) -> String {
    let mut text = String::new();
    _ = match worth {
        Worth::Value(Value::Draw) => write!(text, "a draw"),
        Worth::Value(Value::Win(plies)) => write!(text, "wins in {plies} plies"),
        Worth::Value(Value::Loss(plies)) => write!(text, "loses in {plies} plies"),
        Worth::Unknown { searched } => write!(text, "nothing proved within {searched} plies"),
        other => write!(text, "{other}"),
    };
    text
}
