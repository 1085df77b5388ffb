//! `endtable play`: games played by a table or by search.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use clap::Subcommand;
use endtable::games::twenty48::{
    Board, Direction, Game, Objective, Oracle, Record, Search, Settings, Size,
};
use endtable::probe::Twenty48Tables;
use endtable::progress::Progress;
use endtable::table::TableSet;
use rayon::prelude::*;

use super::generate::listen;
use super::output::{check_new, say, write_file};
use super::progress::Shown;
use super::search::SearchArgs;
use super::watch::{Watched, watch};
use super::{Failure, complain};

/// Play games and say how they went
#[derive(clap::Args)]
#[command(after_help = "Examples:
  endtable play 2048 --games 10 --depth 3
  endtable play 2048 --watch

`endtable play 2048 --help` explains the rest.")]
pub struct Args {
    #[command(subcommand)]
    game: GameArgs,
}

#[derive(Subcommand)]
enum GameArgs {
    #[command(name = "2048")]
    Twenty48(PlayArgs),
}

/// 2048, by search or from a table
///
/// Plays games whose new tiles the seeds decide, many at a time, and reports scores and how many
/// games reach each tile, with 95 % intervals. Game number n has the seed plus n.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  endtable play 2048 --games 10 --depth 3
  endtable play 2048 --board 3x3 --tables 3x3.etb --games 1000 --seed 1
  endtable play 2048 --watch --ms 66
  endtable play 2048 --games 5 --record games.txt
  endtable play 2048 --replay games.txt")]
struct PlayArgs {
    /// Rows and columns of the board
    #[arg(long, value_name = "RxC", default_value_t = Size::FULL)]
    board: Size,
    /// Tables to play from; a board that they do not have is searched
    #[arg(long, value_name = "FILE")]
    tables: Vec<PathBuf>,
    #[command(flatten)]
    search: SearchArgs,
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// The seed of the first game
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Threads to use, all cores by default
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
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

pub fn run(args: &Args) -> Result<(), Failure> {
    let GameArgs::Twenty48(args) = &args.game;
    if let Some(path) = &args.replay {
        return watch(&Watched::Recorded(recorded(path, args.number)?));
    }
    if let Some(path) = &args.record {
        check_new(path, args.force)?;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads.unwrap_or(0).into());
    let pool = pool.build().map_err(Failure::input)?;
    // Many games keep the threads busy; a single one needs them for its search.
    let parallel = args.games == 1;
    let settings = Settings { parallel, ..args.search.settings(args.board)? };
    let players = Players::new(args.board, &args.tables, settings)?;
    if args.watch {
        let player = pool.install(|| players.start())?;
        let choose = |board| pool.install(|| player.choose(board));
        return watch(&Watched::Live { seed: args.seed, size: args.board, choose: &choose });
    }
    pool.install(|| play(args, &players))
}

/// A game of a file of records.
fn recorded(path: &PathBuf, number: u32) -> Result<Record, Failure> {
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

/// What all players of the games share.
pub struct Players {
    tables: Option<Arc<Twenty48Tables>>,
    settings: Settings,
}

/// Chooses moves: from tables, else by search.
struct Player {
    tables: Option<Arc<Twenty48Tables>>,
    search: Search,
}

impl Players {
    /// Players on boards of a size, who look into tables first.
    pub fn new(size: Size, files: &[PathBuf], mut settings: Settings) -> Result<Self, Failure> {
        let mut tables = None;
        if !files.is_empty() {
            let opened = Twenty48Tables::new(TableSet::open(files)?)?;
            let of = opened.rules().size;
            if of != size {
                return Err(Failure::input(format!(
                    "--tables: they are of {of} boards, this one is {size}"
                )));
            }
            if opened.rules().objective == Objective::Search {
                complain(
                    "--tables: these hold what a search found, not exact values; a board that they \
                     have is played as that search played it",
                );
            }
            let opened = Arc::new(opened);
            // In the midst of a search a table's scores mean something only among scores.
            if settings.heuristic.is_score() && opened.rules().objective == Objective::Score {
                settings.oracle = Some(Arc::new(TableOracle(Arc::clone(&opened))));
            }
            tables = Some(opened);
        }
        Ok(Self { tables, settings })
    }

    /// The tables, if there are any.
    pub fn tables(&self) -> Option<&Twenty48Tables> {
        self.tables.as_deref()
    }

    /// How they search.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    fn start(&self) -> Result<Player, Failure> {
        let search = Search::new(&self.settings).map_err(Failure::input)?;
        Ok(Player { tables: self.tables.clone(), search })
    }
}

impl Player {
    /// The move to make, `None` when the game is over.
    fn choose(&self, board: Board) -> Result<Option<Direction>, Failure> {
        if let Some(tables) = &self.tables
            && let Some(found) = tables.probe(board)?
            && (found.best.is_some() || board.is_over(tables.rules().size))
        {
            return Ok(found.best);
        }
        Ok(self.search.best(board).map(|choice| choice.direction))
    }
}

/// Answers a search from tables. What cannot be read is not known there; the root's own look-up
/// reports it.
struct TableOracle(Arc<Twenty48Tables>);

impl Oracle for TableOracle {
    fn value(&self, board: Board) -> Option<f64> {
        self.0.probe(board).ok().flatten().map(|found| found.value)
    }
}

fn play(args: &PlayArgs, players: &Players) -> Result<(), Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    listen(&stop)?;
    let progress = Shown::new();
    progress.begin("playing", args.games, 0);
    let start = Instant::now();
    let next = AtomicU64::new(0);
    // Each thread takes the next game when it is done with one: they are not equally long.
    let play_some = |_| {
        let player = players.start()?;
        let mut games = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= args.games {
                return Ok(games);
            }
            let mut game = Game::new(args.seed.wrapping_add(number), args.board);
            while let Some(direction) = player.choose(game.board())? {
                if stop.load(Ordering::Relaxed) {
                    return Ok(games);
                }
                game.play(direction);
            }
            progress.advance(1, game.record().moves.len() as u64);
            games.push((number, game));
        }
    };
    let threads = rayon::current_num_threads().min(args.games as usize);
    let games = (0..threads).into_par_iter().map(play_some).collect::<Result<Vec<_>, Failure>>()?;
    let seconds = start.elapsed().as_secs_f64();
    progress.end();
    let mut games: Vec<(u64, Game)> = games.into_iter().flatten().collect();
    games.sort_unstable_by_key(|(number, _)| *number);
    let games: Vec<Game> = games.into_iter().map(|(_, game)| game).collect();
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
fn summary(games: &[Game], seconds: f64, players: &Players) -> Result<String, Failure> {
    let mut text = format!("games        {}\n", games.len());
    if games.is_empty() {
        return Ok(text);
    }
    let mut scores: Vec<f64> = games.iter().map(|game| game.score().into()).collect();
    scores.sort_unstable_by(f64::total_cmp);
    let (mean, error) = mean_and_error(&scores);
    // One game tells nothing about the others.
    let interval = if games.len() > 1 { format!(" ± {:.1}", 1.96 * error) } else { String::new() };
    _ = writeln!(text, "score mean   {mean:.1}{interval}");
    let median = (scores[(scores.len() - 1) / 2] + scores[scores.len() / 2]) / 2.0;
    _ = writeln!(text, "score median {median:.0}");
    _ = writeln!(text, "score range  {:.0} to {:.0}", scores[0], scores[scores.len() - 1]);
    let highest = |game: &Game| game.board().highest();
    let (least, most) =
        games.iter().map(highest).fold((15, 0), |(least, most), it| (it.min(least), it.max(most)));
    for exponent in least..=most {
        let reached = games.iter().filter(|game| highest(game) >= exponent).count();
        let (low, high) = share_interval(reached, games.len());
        let share = 100.0 * reached as f64 / games.len() as f64;
        let tile = 1u32 << exponent;
        _ = writeln!(
            text,
            "tile {tile:<7} {share:.2} % ({:.2} to {:.2})",
            100.0 * low,
            100.0 * high
        );
    }
    let moves: usize = games.iter().map(|game| game.record().moves.len()).sum();
    let rate = moves as f64 / seconds.max(1e-9);
    _ = writeln!(text, "moves        {moves}, {rate:.0} a second");
    if let Some(tables) = &players.tables
        && let Some(expected) = tables.start()?
    {
        _ = match tables.rules().objective {
            Objective::Tile(exponent) => {
                let (tile, share) = (1u32 << exponent, 100.0 * expected);
                writeln!(text, "the table expects {tile} in {share:.3} %")
            }
            Objective::Score => writeln!(text, "the table expects a score of {expected:.3}"),
            Objective::Search => writeln!(text, "the table's search expects {expected:.3}"),
        };
    }
    Ok(text)
}

/// The mean of some numbers and its standard error.
fn mean_and_error(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0) / count).sqrt())
}

/// Wilson's 95 % interval of a share: sound for few games, and for none or all of them.
fn share_interval(part: usize, all: usize) -> (f64, f64) {
    const Z: f64 = 1.96;
    let (part, all) = (part as f64, all as f64);
    let share = part / all;
    let middle = share + Z * Z / (2.0 * all);
    let half = Z * (share * (1.0 - share) / all + Z * Z / (4.0 * all * all)).sqrt();
    let scale = 1.0 + Z * Z / all;
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
}
