//! `endtable play 2048`: games played by a person, by a table or by search.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::twenty48::{
    Endgames, PatternTables, PlayedGame, Players, Record, SearchOptions, Settings, Size, Tables,
    Twenty48,
};
use endtable::games::{Game, GameError, OptionSpec, Use};
use endtable::table::Options;

use super::human::{Adviser, Human};
use super::many::{self, Many};
use super::pattern;
use super::results::Summary;
use super::watch::{Watched, watch};
use crate::cli::args::{examples, given, options_of, threads, threads_arg, with_options};
use crate::cli::output::{check_new, say};
use crate::cli::tournament::check_seeds;
use crate::cli::{Failure, remark};

/// 2048: play it yourself, or have it played by search or from a table
///
/// Plays games whose new tiles the seeds decide, many at a time, and reports scores and how many
/// games reach each tile, with 95 % intervals. Game number n has the seed plus n. A board that the
/// tables do not have is searched.
///
/// A folder with tables of endgame patterns chooses the moves of 4x4 games wherever the large tiles
/// are all different and hold a pattern; all other boards are searched.
///
/// With the table of one pattern, a file, games go on from the pattern's seeds, in turn, until its tile
/// is made or cannot be made any more; the share that makes it stands beside what the table says.
///
/// Many games can be shared among machines: --json prints how each game went, and --merge sums up what
/// several runs with different seeds have printed.
///
/// With --human you play. Keys: arrows or w a s d slide, h shows what each move is worth, u takes
/// the last move back, q quits. Without a terminal the same is read from standard input, as words:
/// up, left, down, right or w, a, s, d; hint, undo, quit.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Rows and columns of the board
    #[arg(long, value_name = "RxC", default_value_t = Size::FULL)]
    pub board: Size,
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub games: u64,
    /// The seed of the first game
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Play yourself, with hints by search or from the tables
    #[arg(long, conflicts_with_all = ["games", "watch", "json"])]
    pub human: bool,
    /// Show one game in the terminal. Keys: space pauses, + and - change the speed, q quits
    #[arg(long, conflicts_with_all = ["games", "record", "json"])]
    pub watch: bool,
    /// Keep the games in a file, one a line: size, seed, first letters of the moves
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// With --record: replace a file that is there
    #[arg(long, requires = "record")]
    force: bool,
    /// Play a recorded game again; without a terminal, list its moves and boards
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "human", "watch", "games", "tables", "json"])]
    replay: Option<PathBuf>,
    /// With --replay: which game of the file, from 1
    #[arg(long, value_name = "N", requires = "replay", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    number: u32,
    /// Sum up what several runs have printed with --json
    #[arg(long, value_name = "RESULTS", num_args = 1.., conflicts_with_all = ["human", "watch", "record", "replay", "games", "seed", "tables"])]
    merge: Vec<PathBuf>,
    /// Print an object for each game, one a line, and one for all of them
    #[arg(long)]
    pub json: bool,
}

/// How to search, and the tables to look into first.
pub(super) fn search_options() -> Vec<&'static OptionSpec> {
    options_of(&Twenty48, &[Use::Solve])
}

pub fn command() -> Command {
    let command = Args::augment_args(Command::new(Twenty48.name())).arg(threads_arg());
    with_options(command, &search_options()).after_help(examples("play", &[&Twenty48]))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    if let Some(path) = &args.replay {
        return watch(&Watched::Recorded(recorded(path, args.number)?));
    }
    if !args.merge.is_empty() {
        let summary = Summary::merged(&args.merge)?;
        return match args.json {
            true => say(summary.object()),
            false => say(summary.text().trim_end()),
        };
    }
    check_seeds(args.seed, args.games)?;
    if let Some(path) = &args.record {
        check_new(path, args.force)?;
    }
    let options = given(matches, &search_options());
    let path = options.get("tables").map(Path::new);
    let patterns = path.filter(|path| PatternTables::are_at(path));
    if let Some(path) = patterns.filter(|path| !path.is_dir()) {
        return pattern::play(path, &args, threads(matches)?);
    }
    // Many games keep the threads busy; a single one needs them for its search.
    let players = players(&options, args.board, args.games == 1)?;
    let (seed, size, threads) = (args.seed, args.board, threads(matches)?);
    if args.human {
        let solver = Twenty48.solver(&options, true)?;
        return Human::new(seed, size, Adviser::new(solver, threads))?.play(args.record.as_deref());
    }
    if args.watch {
        let player = threads.install(|| players.start()).map_err(GameError::from)?;
        let choose = move |board| {
            let chosen = threads.install(|| player.choose(board))?;
            Ok(chosen.map(|chosen| chosen.direction))
        };
        let game = PlayedGame::new(seed, size);
        return watch(&Watched::Live { game, choose: Arc::new(choose) });
    }
    let output = many::Output { json: args.json, record: args.record };
    Many { seed, players }.play(args.games, threads, &output)
}

/// Who plays on a board: a search, with the tables that the options name.
pub(super) fn players(options: &Options, size: Size, parallel: bool) -> Result<Players, Failure> {
    let path = options.get("tables").map(Path::new);
    let patterns = path.filter(|path| PatternTables::are_at(path));
    let settings = SearchOptions::new(options)?.settings(size)?;
    let tables = path.filter(|_| patterns.is_none());
    let tables = tables.map(|path| Tables::open(&[path])).transpose()?;
    if tables.as_ref().is_some_and(|tables| !tables.is_exact()) {
        remark(
            "--tables: these hold what a search found, not exact values; a board that they have is \
             played as that search played it",
        );
    }
    let players = Players::new(Settings { parallel, ..settings }, tables.map(Arc::new));
    let players = players.map_err(GameError::from)?;
    match patterns {
        Some(path) => {
            let endgames = Arc::new(Endgames::open(path)?);
            Ok(players.with_endgames(endgames).map_err(GameError::from)?)
        }
        None => Ok(players),
    }
}

/// No game has as many moves, of which each is a byte of its line.
pub(super) const LONGEST_RECORD: u64 = 1 << 20;

/// A game of a file of records.
fn recorded(path: &Path, number: u32) -> Result<Record, Failure> {
    let about = |error: io::Error| Failure::about(path, &error);
    let mut file = BufReader::new(File::open(path).map_err(about)?);
    let mut line = Vec::new();
    for at in 1..=number {
        line.clear();
        let read = file.by_ref().take(LONGEST_RECORD + 1).read_until(b'\n', &mut line);
        let path = path.display();
        match read.map_err(about)? as u64 {
            0 => return Err(Failure::input(format!("{path}: has no game {number}"))),
            1..=LONGEST_RECORD => {}
            _ => return Err(Failure::input(format!("{path}: line {at} is longer than any game"))),
        }
    }
    let line = String::from_utf8_lossy(&line);
    let wrong = |error| Failure::input(format!("{}: {error}", path.display()));
    let record: Record = line.parse().map_err(wrong)?;
    record.replay().map_err(wrong)?;
    Ok(record)
}
