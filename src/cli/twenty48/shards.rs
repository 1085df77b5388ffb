//! Games of 2048 in shards: each plays some of the seeds, the last one sums up.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games::Game;
use endtable::games::twenty48::{PlayedGame, Player, Size, Twenty48};
use endtable::job::{Cut, Ending, JobError, Plan, PlannedStage, Run, ShardId, Shards, work_folder};
use rayon::prelude::*;
use serde_json::Value;

use super::many::{Finished, Many};
use super::play::{players, search_options};
use super::results::{Merged, Outcome, Summary};
use crate::cli::Failure;
use crate::cli::args::{given, with_options};
use crate::cli::output::write_file;
use crate::cli::sealed::{self, job_error};
use crate::cli::tournament::{Playing, check_seeds};

/// 2048: games played by search or from tables, many at a time
///
/// Game number n has the seed plus n. The last shard writes what `play 2048 --json --merge` prints of all
/// games.
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
}

pub fn command() -> Command {
    with_options(Args::augment_args(Command::new(Twenty48.name())), &search_options())
}

pub fn shards(matches: &ArgMatches) -> Result<Box<dyn Shards>, Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    check_seeds(args.seed, args.games)?;
    let options = given(matches, &search_options());
    let players = players(&options, args.board, false)?;
    let many = Arc::new(Many { seed: args.seed, players });
    Ok(Box::new(GamesInShards { many, games: args.games, board: args.board }))
}

struct GamesInShards {
    many: Arc<Many>,
    games: u64,
    board: Size,
}

/// The stages.
const GAMES: &str = "games";
const SUMMARY: &str = "summary";

/// How long moves are tried before a plan says how long games take.
const MEASURED_SECONDS: f64 = 1.0;

/// About how many moves a game has, by the board's cells: measured.
fn moves_of_a_game(size: Size) -> f64 {
    match size.cells() {
        ..=4 => 20.0,
        5..=6 => 70.0,
        7..=8 => 240.0,
        9 => 440.0,
        10..=12 => 3_000.0,
        _ => 17_000.0,
    }
}

impl GamesInShards {
    /// Seconds of a game on one core, by the first moves of some.
    fn seconds_of_a_game(&self) -> Result<f64, Failure> {
        let player = self.many.player()?;
        let (start, mut moves) = (Instant::now(), 0_u64);
        for number in 0..self.games {
            let mut game = PlayedGame::new(self.many.seed + number, self.board);
            while start.elapsed().as_secs_f64() < MEASURED_SECONDS
                && let Some(chosen) = player.choose(game.board())?
                && game.play(chosen.direction)
            {
                moves += 1;
            }
            if start.elapsed().as_secs_f64() >= MEASURED_SECONDS {
                break;
            }
        }
        let each = start.elapsed().as_secs_f64() / moves.max(1) as f64;
        Ok(each * moves_of_a_game(self.board))
    }

    fn results(&self, shard: &ShardId, out: &Path) -> PathBuf {
        sealed::path(&work_folder(out), GAMES, shard.number, shard.of)
    }

    fn play(&self, shard: &ShardId, run: &Run<'_>) -> Result<Ending, Failure> {
        let path = self.results(shard, run.out);
        if self.is_played(shard, run.out) {
            return Ok(Ending::Finished);
        }
        let numbers = shard.part(self.games);
        let total = numbers.end - numbers.start;
        let start = Instant::now();
        run.progress.begin("playing", total, 0);
        let threads = rayon::current_num_threads() as u64;
        // A player for each thread.
        let games: Vec<Option<Finished>> = (0..threads)
            .into_par_iter()
            .map(|thread| {
                let mut player: Player = self.many.player()?;
                let own = numbers.clone().skip(thread as usize).step_by(threads as usize);
                own.map(|number| {
                    let game = Playing::play(&*self.many, &mut player, number, run.stop)?;
                    run.progress.advance(1, game.as_ref().map_or(0, Many::moves));
                    Ok(game)
                })
                .collect::<Result<Vec<_>, Failure>>()
            })
            .collect::<Result<Vec<_>, Failure>>()?
            .into_iter()
            .flatten()
            .collect();
        run.progress.end();
        let mut games: Vec<Finished> = games.into_iter().flatten().collect();
        if (games.len() as u64) < total {
            return Ok(Ending::Stopped { what: GAMES, done: 0, total });
        }
        games.sort_unstable_by_key(|it| it.outcome.seed());
        let outcomes: Vec<Outcome> = games.iter().map(|it| it.outcome).collect();
        let seconds = start.elapsed().as_secs_f64();
        let first = self.many.seed + numbers.start;
        let summary = Summary::new(self.board, first, &outcomes, seconds);
        let lines = games.iter().map(Finished::object).chain([summary.object()]);
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        sealed::write(&path, &text)?;
        Ok(Ending::Finished)
    }

    /// Whether the results of a shard are there: its games, and all of them.
    fn is_played(&self, shard: &ShardId, out: &Path) -> bool {
        let path = self.results(shard, out);
        let mut merged = Merged::default();
        let added = sealed::read(&path).and_then(|text| merged.add(&text, &path));
        let numbers = shard.part(self.games);
        let first = self.many.seed + numbers.start;
        added.is_ok() && merged.summary().games() == (numbers.end - numbers.start, first)
    }

    /// The last shard: sums up what the others have played.
    fn sum_up(&self, run: &Run<'_>) -> Result<Ending, Failure> {
        let folder = work_folder(run.out);
        let paths = sealed::all(&folder)?;
        let mut merged = Merged::default();
        paths.iter().try_for_each(|path| merged.add(&sealed::read(path)?, path))?;
        let summary = merged.summary();
        if summary.games() != (self.games, self.many.seed) {
            let (games, all) = (summary.games().0, self.games);
            let folder = folder.display();
            let message = format!("{folder}: {games} of {all} games; run what is left of the plan");
            return Err(Failure::Check(message));
        }
        let summary = summary.with_expected(&self.many.players)?;
        write_file(run.out, |out| Ok(writeln!(out, "{}", summary.object())?))?;
        sealed::remove(&folder, &paths);
        Ok(Ending::Finished)
    }
}

/// Bytes of memory of a player: the networks.
const MEMORY: u64 = 512 << 20;

/// Whether a file is the summary of so many games.
fn is_summary(out: &Path, games: u64) -> bool {
    let text = fs::read_to_string(out).unwrap_or_default();
    let object: Value = serde_json::from_str(&text).unwrap_or_default();
    object["games"].as_u64() == Some(games)
}

impl Shards for GamesInShards {
    fn plan(&self, cut: Cut) -> Result<Plan, JobError> {
        let shards = cut.shards.min(self.games);
        let seconds = self.seconds_of_a_game().map_err(job_error)? * self.games as f64;
        let stage = |name: &str, shards, cores, seconds| PlannedStage {
            name: name.into(),
            shards,
            cores,
            memory: MEMORY,
            seconds,
            reads: 0,
            writes: 0,
        };
        let stages = vec![stage(GAMES, shards, cut.cores, seconds), stage(SUMMARY, 1, 1, 0.0)];
        Ok(Plan { file: "games.json".into(), stages })
    }

    fn shard(&self, shard: &ShardId, run: &Run<'_>) -> Result<Ending, JobError> {
        if is_summary(run.out, self.games) {
            let folder = work_folder(run.out);
            sealed::remove(&folder, &sealed::all(&folder).unwrap_or_default());
            return Ok(Ending::Finished);
        }
        match shard.stage.as_str() {
            GAMES => self.play(shard, run).map_err(job_error),
            SUMMARY => self.sum_up(run).map_err(job_error),
            _ => Err(shard.unknown()),
        }
    }

    fn is_done(&self, shard: &ShardId, out: &Path) -> bool {
        match shard.stage.as_str() {
            GAMES => self.is_played(shard, out),
            _ => is_summary(out, self.games) && sealed::are_gone(&work_folder(out)),
        }
    }
}
