//! A job as a plan: stages, one after the other, each of shards that any machine may work on.
//!
//! All machines see one folder. A shard reads what the stages before have finished there and leaves
//! finished files of its own; what these hold depends on the job and the cut alone. So a shard may run
//! twice, on two machines at once, or again after it was killed, and needs no lock. The last stage makes the
//! table, the same bytes that [`Job::run`](super::Job::run) makes in one go with the same code.

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use super::{Ending, JobError, Run};

/// Work that can be cut into shards.
pub trait Shards: Send + Sync {
    /// Cuts it.
    ///
    /// # Errors
    /// When it cannot be cut so.
    fn plan(&self, cut: Cut) -> Result<Plan, JobError>;

    /// Does what a shard has to do, or as much of it as nobody has done yet. What earlier stages have made
    /// must be there.
    ///
    /// # Errors
    /// When the plan has no such shard, what it needs is missing or damaged, or writing fails. A damaged
    /// file is removed, so that it counts as not done.
    fn shard(&self, shard: &ShardId, run: &Run<'_>) -> Result<Ending, JobError>;

    /// Whether what a shard makes is there, and checks out.
    fn is_done(&self, shard: &ShardId, out: &Path) -> bool;
}

/// How work is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The most shards of a stage: so many can be worked on at a time.
    pub shards: u64,
    /// The threads of a shard.
    pub cores: u32,
}

/// Work that is cut.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// What the file, or the folder, that is made is called if nothing else is said.
    pub file: String,
    /// Each needs all of those before it.
    pub stages: Vec<PlannedStage>,
}

impl Plan {
    /// Seconds of one core that everything takes together.
    #[must_use]
    pub fn core_seconds(&self) -> f64 {
        self.stages.iter().map(|stage| stage.seconds).sum()
    }

    /// Every shard, in an order in which they can be worked on.
    pub fn shards(&self) -> impl Iterator<Item = ShardId> + '_ {
        self.stages.iter().flat_map(PlannedStage::ids)
    }
}

/// A stage of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedStage {
    /// Its name, which tells the job what to do.
    pub name: String,
    /// How many shards it has.
    pub shards: u64,
    /// Threads of each of them.
    pub cores: u32,
    /// Bytes of memory of each of them.
    pub memory: u64,
    /// Seconds of one core that all of them take together, about.
    pub seconds: f64,
    /// Bytes that each of them reads, about.
    pub reads: u64,
    /// Bytes that all of them write together, about.
    pub writes: u64,
}

impl PlannedStage {
    /// Its shards.
    pub fn ids(&self) -> impl Iterator<Item = ShardId> + '_ {
        (0..self.shards).map(|number| ShardId { stage: self.name.clone(), number, of: self.shards })
    }
}

/// A shard of a plan: the stage, which one it is, and of how many. As text `STAGE.NUMBER.OF`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ShardId {
    /// The stage's name.
    pub stage: String,
    /// Counted from 0.
    pub number: u64,
    /// How many the stage has.
    pub of: u64,
}

impl ShardId {
    /// Its part of so many things, where each shard gets about as many.
    #[must_use]
    pub fn part(&self, total: u64) -> Range<u64> {
        let bound = |number: u64| {
            (u128::from(total) * u128::from(number) / u128::from(self.of.max(1))) as u64
        };
        bound(self.number)..bound(self.number + 1)
    }

    /// The error for a shard that a job does not have.
    #[must_use]
    pub fn unknown(&self) -> JobError {
        JobError::Check(format!(
            "{self}: the job has no such shard: the plan was changed, or made by another version; make it \
             again with `plan --force`"
        ))
    }
}

impl fmt::Display for ShardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.stage, self.number, self.of)
    }
}

impl FromStr for ShardId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let (rest, of) = text.rsplit_once('.')?;
            let (stage, number) = rest.rsplit_once('.')?;
            let (number, of) = (number.parse().ok()?, of.parse().ok()?);
            (number < of && !stage.is_empty()).then(|| Self { stage: stage.into(), number, of })
        };
        parse()
            .ok_or_else(|| format!("{text}: no shard; expected STAGE.NUMBER.OF, as in solved.0.8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_have_names_and_parts() {
        let shard: ShardId = "find-3-9.2.7".parse().unwrap();
        assert_eq!(shard, ShardId { stage: "find-3-9".into(), number: 2, of: 7 });
        assert_eq!(shard.to_string(), "find-3-9.2.7");
        for text in ["", "a", "a.1", "a.1.1", ".0.1", "a.-1.2", "a.0.0"] {
            assert!(text.parse::<ShardId>().is_err(), "{text}");
        }
        for total in [0, 1, 6, 7, 100, u64::MAX] {
            let part = |number| ShardId { stage: "s".into(), number, of: 7 }.part(total);
            assert_eq!((part(0).start, part(6).end), (0, total));
            assert!((1..7).all(|number| part(number - 1).end == part(number).start));
        }
    }
}
