//! `endtable play 2048`: games played by a table or by search.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::twenty48::{
    Objective, PlayedGame, Players, Record, SearchOptions, Settings, Size, Tables, Twenty48,
};
use endtable::games::{Game, GameError, OptionSpec, Use};
use endtable::job::Progress;
use rayon::prelude::*;

use super::watch::{Watched, watch};
use crate::cli::args::{examples, given, on_threads, options_of, threads_arg, with_options};
use crate::cli::interval::{Mean, median, share_text};
use crate::cli::output::{check_new, say, write_file};
use crate::cli::progress::Shown;
use crate::cli::signals::stop_flag;
use crate::cli::{Failure, complain};

/// 2048, by search or from a table
///
/// Plays games whose new tiles the seeds decide, many at a time, and reports scores and how many
/// games reach each tile, with 95 % intervals. Game number n has the seed plus n. A board that the
/// tables do not have is searched.
#[derive(clap::Args)]
struct Args {
    /// Rows and columns of the board
    #[arg(long, value_name = "RxC", default_value_t = Size::FULL)]
    board: Size,
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// The seed of the first game
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Show one game in the terminal. Keys: space pauses, + and - change the speed, q quits
    #[arg(long, conflicts_with_all = ["games", "record"])]
    watch: bool,
    /// Keep the games in a file, one a line: size, seed, first letters of the moves
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// With --record: replace a file that is there
    #[arg(long, requires = "record")]
    force: bool,
    /// Play a recorded game again; without a terminal, list its moves and boards
    #[arg(long, value_name = "FILE", conflicts_with_all = ["record", "watch", "games", "tables"])]
    replay: Option<PathBuf>,
    /// With --replay: which game of the file, from 1
    #[arg(long, value_name = "N", requires = "replay", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    number: u32,
}

/// How to search, and the tables to look into first.
fn search_options() -> Vec<&'static OptionSpec> {
    options_of(&Twenty48, &[Use::Solve])
}

pub fn command() -> Command {
    let command = Args::augment_args(Command::new(Twenty48.name())).arg(threads_arg());
    with_options(command, &search_options()).after_help(examples("play", &[&Twenty48]))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = &Args::from_arg_matches(matches).map_err(Failure::input)?;
    if let Some(path) = &args.replay {
        return watch(&Watched::Recorded(recorded(path, args.number)?));
    }
    if let Some(path) = &args.record {
        check_new(path, args.force)?;
    }
    let options = given(matches, &search_options());
    // Many games keep the threads busy; a single one needs them for its search.
    let parallel = args.games == 1;
    let settings = SearchOptions::new(&options)?.settings(args.board)?;
    let tables = options.get("tables").map(|path| Tables::open(&[Path::new(path)])).transpose()?;
    if tables.as_ref().is_some_and(|tables| !tables.is_exact()) {
        complain(
            "--tables: these hold what a search found, not exact values; a board that they have is \
             played as that search played it",
        );
    }
    let players = Players::new(Settings { parallel, ..settings }, tables.map(Arc::new));
    let players = players.map_err(GameError::from)?;
    on_threads(matches, || {
        if args.watch {
            let player = players.start().map_err(GameError::from)?;
            let choose = |board| Ok(player.choose(board)?);
            return watch(&Watched::Live { seed: args.seed, size: args.board, choose: &choose });
        }
        play(args, &players)
    })
}

/// A game of a file of records.
fn recorded(path: &Path, number: u32) -> Result<Record, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::about(path, &error))?;
    let line = text
        .lines()
        .nth(number as usize - 1)
        .ok_or_else(|| Failure::input(format!("{}: has no game {number}", path.display())))?;
    let wrong = |error| Failure::input(format!("{}: {error}", path.display()));
    let record: Record = line.parse().map_err(wrong)?;
    record.replay().map_err(wrong)?;
    Ok(record)
}

fn play(args: &Args, players: &Players) -> Result<(), Failure> {
    let stop = stop_flag()?;
    let progress = Shown::new();
    progress.begin("playing", args.games, 0);
    let start = Instant::now();
    let next = AtomicU64::new(0);
    // Each thread takes the next game when it is done with one: they are not equally long.
    let play_some = |_| {
        let player = players.start().map_err(GameError::from)?;
        let mut games = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= args.games {
                return Ok(games);
            }
            let mut game = PlayedGame::new(args.seed.wrapping_add(number), args.board);
            while let Some(direction) = player.choose(game.board())? {
                if stop.load(Ordering::Relaxed) {
                    return Ok(games);
                }
                if !game.play(direction) {
                    let (board, name) = (game.board(), direction.name());
                    return Err(Failure::Check(format!("{board}: {name} moves nothing")));
                }
            }
            progress.advance(1, game.record().moves.len() as u64);
            games.push((number, game));
        }
    };
    let threads = rayon::current_num_threads().min(args.games as usize);
    let games = (0..threads).into_par_iter().map(play_some).collect::<Result<Vec<_>, Failure>>()?;
    let seconds = start.elapsed().as_secs_f64();
    progress.end();
    let mut games: Vec<(u64, PlayedGame)> = games.into_iter().flatten().collect();
    games.sort_unstable_by_key(|(number, _)| *number);
    let games: Vec<PlayedGame> = games.into_iter().map(|(_, game)| game).collect();
    if let Some(path) = args.record.as_ref().filter(|_| !games.is_empty()) {
        write_file(path, |out| {
            games.iter().try_for_each(|game| Ok(writeln!(out, "{}", game.record())?))
        })?;
    }
    say(summary(&games, seconds, players)?.trim_end())?;
    if games.len() as u64 == args.games {
        return Ok(());
    }
    Err(Failure::Stopped(format!("stopped after {} of {} games", games.len(), args.games)))
}

/// How games went: scores, tiles reached, speed, and what the tables expected.
fn summary(games: &[PlayedGame], seconds: f64, players: &Players) -> Result<String, Failure> {
    let mut text = format!("games        {}\n", games.len());
    if games.is_empty() {
        return Ok(text);
    }
    let mut scores: Vec<f64> = games.iter().map(|game| game.score().into()).collect();
    scores.sort_unstable_by(f64::total_cmp);
    _ = writeln!(text, "score mean   {}", Mean::of(&scores));
    _ = writeln!(text, "score median {:.0}", median(&scores));
    _ = writeln!(text, "score range  {:.0} to {:.0}", scores[0], scores[scores.len() - 1]);
    let highest = |game: &PlayedGame| game.board().highest();
    let (least, most) =
        games.iter().map(highest).fold((15, 0), |(least, most), it| (it.min(least), it.max(most)));
    for exponent in least..=most {
        let reached = games.iter().filter(|game| highest(game) >= exponent).count();
        let share = share_text(reached, games.len());
        _ = writeln!(text, "tile {:<7} {share}", 1u32 << exponent);
    }
    let moves: usize = games.iter().map(|game| game.record().moves.len()).sum();
    let rate = moves as f64 / seconds.max(1e-9);
    _ = writeln!(text, "moves        {moves}, {rate:.0} a second");
    if let Some(tables) = players.tables()
        && let Some(expected) = tables.start()?
    {
        _ = match tables.rules().objective {
            Objective::Tile(target) => {
                writeln!(text, "the table expects {target} in {:.3} %", 100.0 * expected)
            }
            Objective::Score => writeln!(text, "the table expects a score of {expected:.3}"),
            Objective::Search => writeln!(text, "the table's search expects {expected:.3}"),
        };
    }
    Ok(text)
}
