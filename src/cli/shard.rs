//! `endtable shard`: the work of one shard of a plan.

use std::path::PathBuf;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games;
use endtable::job::{Ending, Run, ShardId, Shards};
use rayon::ThreadPoolBuilder;
use serde_json::json;

use super::Failure;
use super::args::examples;
use super::output::say;
use super::planned::Planned;
use super::progress::Shown;
use super::signals::stop_flag;

/// Do the work of shards of a plan, or list those that are not done
///
/// A shard reads what the stages before it have finished, and leaves finished files. It may run on any
/// machine that sees the plan's folder, twice, and again after a kill: what is done stays, and is not done
/// again. Without a shard, those that are not done yet are listed, one a line; every file is checked for
/// that.
#[derive(clap::Args)]
struct Args {
    /// The plan, or the folder that it is in
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// The shards, as the plan names them
    #[arg(value_name = "ID")]
    ids: Vec<ShardId>,
    /// Print an object for each shard, one a line
    #[arg(long)]
    json: bool,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("shard")).after_help(examples("shard", &games::ALL))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let (planned, place) = Planned::open(&args.plan)?;
    let shards = planned.work.shards()?;
    if args.ids.is_empty() {
        let left = planned.left(&*shards, &place.out);
        return left.iter().try_for_each(|shard| match args.json {
            true => say(json!({ "id": shard.to_string() })),
            false => say(shard),
        });
    }
    let stop = stop_flag()?;
    let progress = Shown::stoppable(&stop);
    for shard in &args.ids {
        let stage = planned.stage(shard)?;
        let run = Run {
            out: &place.out,
            memory: stage.memory,
            replace: true,
            stop: &stop,
            save_every: Run::SAVE_EVERY,
            progress: &progress,
        };
        work_on(&*shards, shard, stage.cores, &run)?;
        if args.json {
            say(json!({ "id": shard.to_string(), "done": true }))?;
        }
    }
    Ok(())
}

/// Works on a shard, on as many threads as it has cores.
pub fn work_on(
    shards: &dyn Shards,
    shard: &ShardId,
    cores: u32,
    run: &Run<'_>,
) -> Result<(), Failure> {
    let threads = ThreadPoolBuilder::new().num_threads(cores as usize).build();
    let threads = threads.map_err(Failure::input)?;
    let named = |failure: Failure| failure.with_hint(format_args!(" (shard {shard})"));
    match threads.install(|| shards.shard(shard, run)) {
        Ok(Ending::Finished) => Ok(()),
        Ok(Ending::Stopped { what, done, total }) => Err(Failure::Stopped(format!(
            "{shard}: stopped with {done} of {total} {what} done; the same command resumes"
        ))),
        Err(error) => Err(named(error.into())),
    }
}
