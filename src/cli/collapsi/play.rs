//! `endtable play collapsi`: a person, or simple players by the thousand, against perfect play.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::collapsi::{Board, Collapsi, CollapsiPosition, Rules, Side, deal_from_seed};
use endtable::games::{Game, GameError};
use endtable::random::mix;
use endtable::table::Options;

use super::human::Human;
use super::many::{Many, Opponent};
use super::perfect::Perfect;
use crate::cli::Failure;
use crate::cli::args::{examples, threads, threads_arg};
use crate::cli::tournament::check_seeds;

/// Collapsi against perfect play, from tables or by search
///
/// On a terminal: the arrows or a cell's digit move the cursor, around the edges, too; tab goes to
/// the next cell that can be reached; enter moves there; h shows what every move is worth, u takes
/// your last move back, s changes sides, q quits. At the end it says which moves lost what.
///
/// Without a terminal the same is read from standard input, as words: a move is the cell to go to,
/// as row,column from 1 (2,4) or as its hex digit (7), or from and to (37); hint, undo, sides, quit.
/// Cells are numbered 0 to f, row by row.
///
/// With --games a simple opponent plays instead, for statistics with 95 % intervals: game number n
/// has the deal of the seed plus n.
#[derive(clap::Args)]
struct Args {
    /// Where to begin, in any form of a position; by default with a deal
    #[arg(value_name = "POSITION")]
    position: Option<String>,
    /// The deal of a seed, by default any; with --games that of the first game, 0 by default
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How far a pawn goes from its joker: `one` step, or `wild`, one to four; by default as the
    /// tables have it, or one
    #[arg(long)]
    rules: Option<Rules>,
    /// A folder of complete tables, or a table: perfect play is looked up as far as they go, and
    /// searched elsewhere
    #[arg(long, value_name = "PATH")]
    tables: Option<PathBuf>,
    /// Your side, by default the one to move; with --games the opponent's, x and o in turn by default
    #[arg(long, value_name = "x|o", value_parser = parse_side)]
    side: Option<Side>,
    /// How many games a simple opponent plays
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// With --games: who plays against perfect play
    #[arg(long, value_enum, requires = "games", default_value_t = Opponent::Random)]
    opponent: Opponent,
    /// With --games: print an object for each game, one a line, and one for all of them
    #[arg(long, requires = "games")]
    json: bool,
}

fn parse_side(text: &str) -> Result<Side, String> {
    let side = [Side::X, Side::O].into_iter().find(|side| side.to_string() == text);
    side.ok_or_else(|| "a side is x or o".into())
}

pub fn command() -> Command {
    let command = Args::augment_args(Command::new(Collapsi.name()));
    let threads = threads_arg().requires("games");
    command.arg(threads).after_help(examples("play", &[&Collapsi]))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let start = args.position.as_deref().map(board).transpose()?;
    let perfect = Perfect::open(args.tables.as_deref(), args.rules)?;
    if let Some(count) = args.games {
        let Args { opponent, side, json, .. } = args;
        let seed = args.seed.unwrap_or(0);
        check_seeds(seed, count)?;
        let many = Many { perfect, opponent, side, start, seed };
        return many.play(count, threads(matches)?, json);
    }
    let (start, name) = match (start, args.seed) {
        (Some(_), Some(_)) => {
            return Err(Failure::input("name a POSITION or give --seed, not both"));
        }
        (Some(board), None) => (board, board.to_string()),
        (None, seed) => {
            let seed = seed.unwrap_or_else(any_seed);
            (deal_from_seed(seed), format!("the deal of seed {seed}"))
        }
    };
    Human::new(perfect, start, args.side.unwrap_or(start.turn()))?.play(&name)
}

/// Reads a board in any of its forms.
fn board(text: &str) -> Result<Board, Failure> {
    let position = Collapsi.position(text, &Options::default());
    let position = position.map_err(|error| Failure::from(error).with_context(text))?;
    let any: &dyn std::any::Any = &*position;
    let position: &CollapsiPosition = any.downcast_ref().ok_or(GameError::OtherGame)?;
    Ok(position.board)
}

/// A seed that is short to type, and another one each time.
fn any_seed() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    mix(time.as_nanos() as u64) % 1_000_000
}
