//! `endtable run`: a plan on this machine.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use endtable::games;
use endtable::job::{Progress, Quiet, Run, ShardId, Shards};

use super::args::examples;
use super::output::say;
use super::planned::{Place, Planned};
use super::progress::Shown;
use super::shard::work_on;
use super::signals::stop_flag;
use super::{Failure, remark};

/// Work on all shards of a plan on this machine
///
/// Takes the shards that are not done, stage by stage, several at a time. Others may work on the same plan
/// at the same time, here or on other machines. Stopped by Ctrl-C or a kill, the same command resumes.
#[derive(clap::Args)]
struct Args {
    /// The plan, or the folder that it is in
    #[arg(value_name = "PLAN")]
    plan: PathBuf,
    /// Threads to use, all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

pub fn command() -> Command {
    Args::augment_args(Command::new("run")).after_help(examples("run", &games::ALL))
}

pub fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let args = Args::from_arg_matches(matches).map_err(Failure::input)?;
    let (planned, place) = Planned::open(&args.plan)?;
    let threads = match args.threads {
        Some(threads) => threads.into(),
        None => thread::available_parallelism().map_or(1, usize::from),
    };
    let stop = stop_flag()?;
    let shown = Shown::stoppable(&stop);
    let runner = Runner {
        shards: &*planned.work.shards()?,
        planned: &planned,
        place: &place,
        threads,
        stop: &stop,
        shown: &shown,
    };
    runner.run_all()?;
    say(format_args!("{}: finished", place.out.display()))
}

/// How often what is left is begun anew, if files that shards need turn out to be damaged or missing.
const ROUNDS: u32 = 3;

struct Runner<'a> {
    planned: &'a Planned,
    place: &'a Place,
    shards: &'a dyn Shards,
    threads: usize,
    stop: &'a AtomicBool,
    shown: &'a Shown,
}

impl Runner<'_> {
    fn run_all(&self) -> Result<(), Failure> {
        let mut round = 1;
        loop {
            let left = self.planned.left(self.shards, &self.place.out);
            if left.is_empty() {
                return self.verdict();
            }
            match self.run_left(&left) {
                Ok(()) => return Ok(()),
                Err(failure @ Failure::Stopped(_)) => return Err(failure),
                Err(_) if self.stop.load(Ordering::Relaxed) => {
                    let out = self.place.out.display();
                    return Err(Failure::Stopped(format!(
                        "{out}: stopped; the same command resumes"
                    )));
                }
                Err(failure) if round >= ROUNDS => return Err(failure),
                // What was damaged is gone, and so it is left to do.
                Err(failure) => {
                    remark(format!("{}; trying again", failure.message().unwrap_or_default()))
                }
            }
            round += 1;
        }
    }

    /// What the last shard says once it is done: a check may have found something.
    fn verdict(&self) -> Result<(), Failure> {
        match self.planned.plan.stages.last() {
            Some(stage) => {
                let last: Vec<ShardId> = stage.ids().collect();
                self.run_stage(&last.iter().collect::<Vec<_>>(), stage.cores, stage.memory)
            }
            None => Ok(()),
        }
    }

    fn run_left(&self, left: &[ShardId]) -> Result<(), Failure> {
        let names: HashSet<&str> = left.iter().map(|shard| shard.stage.as_str()).collect();
        let stages = self.planned.plan.stages.iter();
        for stage in stages.filter(|stage| names.contains(stage.name.as_str())) {
            let some: Vec<&ShardId> = left.iter().filter(|it| it.stage == stage.name).collect();
            self.shown.begin(&stage.name, stage.shards, stage.shards - some.len() as u64);
            let done = self.run_stage(&some, stage.cores, stage.memory);
            self.shown.end();
            done?;
        }
        Ok(())
    }

    /// Works on shards, several at a time. The first failure ends it.
    fn run_stage(&self, left: &[&ShardId], cores: u32, memory: u64) -> Result<(), Failure> {
        let at_once = (self.threads / cores as usize).clamp(1, left.len().max(1));
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let run = Run {
            out: &self.place.out,
            memory,
            replace: true,
            stop: self.stop,
            save_every: Run::SAVE_EVERY,
            progress: &Quiet,
        };
        let has_failed = || {
            failed
                .lock()
                .is_ok_and(|failed: std::sync::MutexGuard<'_, Option<Failure>>| failed.is_some())
        };
        thread::scope(|scope| {
            for _ in 0..at_once {
                scope.spawn(|| {
                    while !has_failed()
                        && let Some(shard) = left.get(next.fetch_add(1, Ordering::Relaxed))
                    {
                        match work_on(self.shards, shard, cores.min(self.threads as u32), &run) {
                            Ok(()) => self.shown.advance(1, 0),
                            Err(failure) => {
                                if let Ok(mut failed) = failed.lock() {
                                    failed.get_or_insert(failure);
                                }
                            }
                        }
                    }
                });
            }
        });
        failed.into_inner().ok().flatten().map_or(Ok(()), Err)
    }
}
