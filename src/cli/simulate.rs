//! How long a plan would take on a cluster: its shards, scheduled one by one.

use std::fmt::Write as _;

use endtable::job::{Plan, PlannedStage};
use serde_json::{Value, json};

use super::planned::rounded;
use super::progress::Spoken;

/// Machines that see one folder.
#[derive(Clone, Copy, Debug)]
pub struct Cluster {
    pub cores: u64,
    /// Bytes a second that all of them together read and write.
    pub bandwidth: f64,
}

/// What a plan takes.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// Seconds of each stage.
    pub stages: Vec<f64>,
}

/// A shard at work: what is left of it.
struct Active {
    reads: f64,
    seconds: f64,
    writes: f64,
}

impl Active {
    fn is_moving_bytes(&self) -> bool {
        self.reads > 0.0 || self.seconds <= 0.0 && self.writes > 0.0
    }

    fn is_done(&self) -> bool {
        self.reads <= 0.0 && self.seconds <= 0.0 && self.writes <= 0.0
    }

    /// Seconds until its next change, if it moves bytes at this rate.
    fn until_change(&self, rate: f64) -> f64 {
        match self {
            Self { reads, .. } if *reads > 0.0 => reads / rate,
            Self { seconds, .. } if *seconds > 0.0 => *seconds,
            Self { writes, .. } => writes / rate,
        }
    }

    fn pass(&mut self, seconds: f64, rate: f64) {
        const NOTHING: f64 = 1e-9;
        let left =
            |amount: f64, gone: f64| if amount - gone < NOTHING { 0.0 } else { amount - gone };
        if self.reads > 0.0 {
            self.reads = left(self.reads, seconds * rate);
        } else if self.seconds > 0.0 {
            self.seconds = left(self.seconds, seconds);
        } else {
            self.writes = left(self.writes, seconds * rate);
        }
    }
}

impl Cluster {
    /// Runs a plan: each shard reads, works, and writes; those that read or write at the same time share the
    /// bandwidth.
    pub fn run(&self, plan: &Plan) -> Simulation {
        Simulation { stages: plan.stages.iter().map(|stage| self.stage(stage)).collect() }
    }

    fn stage(&self, stage: &PlannedStage) -> f64 {
        let at_once = (self.cores / u64::from(stage.cores)).max(1);
        let shards = stage.shards as f64;
        let mut waiting = stage.shards;
        let mut active: Vec<Active> = Vec::new();
        let mut now = 0.0;
        loop {
            while waiting > 0 && (active.len() as u64) < at_once {
                waiting -= 1;
                active.push(Active {
                    reads: stage.reads as f64,
                    seconds: stage.seconds / shards / f64::from(stage.cores),
                    writes: stage.writes as f64 / shards,
                });
            }
            active.retain(|shard| !shard.is_done());
            if active.is_empty() {
                if waiting == 0 {
                    return now;
                }
                continue;
            }
            let moving = active.iter().filter(|shard| shard.is_moving_bytes()).count();
            let rate = self.bandwidth / moving.max(1) as f64;
            let step = active.iter().map(|shard| shard.until_change(rate)).fold(f64::MAX, f64::min);
            active.iter_mut().for_each(|shard| shard.pass(step, rate));
            now += step;
        }
    }
}

impl Simulation {
    fn seconds(&self) -> f64 {
        self.stages.iter().sum()
    }

    pub fn text(&self, plan: &Plan) -> String {
        let mut text = format!(
            "{:<20} {:>6} {:>14} {:>14}\n",
            "stage", "shards", "core seconds", "wall seconds"
        );
        for (stage, seconds) in plan.stages.iter().zip(&self.stages) {
            _ = writeln!(
                text,
                "{:<20} {:>6} {:>14.1} {seconds:>14.1}",
                stage.name, stage.shards, stage.seconds
            );
        }
        _ = writeln!(text, "{} of wall time", Spoken(self.seconds()));
        text
    }

    pub fn object(&self, plan: &Plan, cluster: &Cluster) -> Value {
        let stage = |(stage, seconds): (&PlannedStage, &f64)| {
            json!({
                "name": stage.name,
                "shards": stage.shards,
                "core_seconds": rounded(stage.seconds),
                "seconds": rounded(*seconds),
            })
        };
        json!({
            "cores": cluster.cores,
            "bandwidth": cluster.bandwidth,
            "core_seconds": rounded(plan.core_seconds()),
            "seconds": rounded(self.seconds()),
            "stages": plan.stages.iter().zip(&self.stages).map(stage).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(shards: u64, seconds: f64, reads: u64, writes: u64) -> Plan {
        let name = "stage".into();
        let stage = PlannedStage { name, shards, cores: 1, memory: 0, seconds, reads, writes };
        Plan { file: String::new(), stages: vec![stage] }
    }

    #[test]
    fn shards_wait_for_cores_and_share_the_bandwidth() {
        let run = |cores, plan: &Plan| Cluster { cores, bandwidth: 100.0 }.run(plan).seconds();
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found}");
        close(run(1, &plan(10, 10.0, 0, 0)), 10.0);
        close(run(4, &plan(10, 10.0, 0, 0)), 3.0);
        close(run(10, &plan(10, 10.0, 0, 0)), 1.0);
        // Ten shards read 100 bytes each, all at once.
        close(run(10, &plan(10, 10.0, 100, 1000)), 10.0 + 1.0 + 10.0);
        close(run(1, &plan(10, 10.0, 100, 1000)), 10.0 * (1.0 + 1.0 + 1.0));
    }
}
