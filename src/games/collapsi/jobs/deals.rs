//! All deals up to symmetry as records, read off the complete tables.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::{DEALS, expect_keyed, keyed};
use crate::games::GameError;
use crate::games::collapsi::{CompleteTables, Layer};
use crate::job::items::{self, Source};
use crate::job::{
    Cut, Ending, Expectation, FIXED_MEMORY, Job, JobError, Plan, Run, ShardId, Shards, Stopwatch,
};
use crate::table::{Codec, Description, Options, Recipe, Record, TableError};

/// Numbers of the index in an item: neighbours share the blocks they read. Few, since tables that
/// end at fewer cards take their time.
const ITEM: u64 = 64;

/// The deals of complete tables, in canonical form. The index has some of them twice, as it is
/// with positions of seeds.
#[derive(Debug)]
pub struct DealsJob {
    tables: CompleteTables,
    description: Description,
}

impl DealsJob {
    pub fn new(options: &Options) -> Result<Self, GameError> {
        let missing = "all deals are taken from complete tables: say where they are, --tables DIR";
        let folder: PathBuf =
            options.get("tables").ok_or_else(|| GameError::Unsupported(missing.into()))?.into();
        let rules = options.parse("rules")?.unwrap_or_default();
        let tables = CompleteTables::open(&folder, rules)?;
        let recipe = Options::default()
            .with_switch("deals")
            .with("rules", rules)
            .with_switch_if("uncompressed", options.has("uncompressed"));
        Ok(Self { tables, description: keyed(recipe, rules, Codec::Canonical) })
    }

    /// How many numbers the index has for them.
    fn numbers(&self) -> u64 {
        self.tables.index().len(Layer::MOST)
    }
}

/// Bytes of a deal in a table of all of them.
const DEAL_BYTES: f64 = 1.4;

/// How many groups of deals are measured to tell how long all will take.
const MEASURED: u64 = 64;

impl DealsJob {
    /// How many seconds all deals take, by some from all over the index.
    fn measure(&self) -> Option<f64> {
        let watch = Stopwatch::start();
        let step = (self.items() / MEASURED).max(1);
        (0..MEASURED.min(self.items()))
            .into_par_iter()
            .try_for_each(|place| {
                let going = AtomicBool::new(false);
                self.solve(&mut (), place * step, &going, &mut Vec::new()).map(drop)
            })
            .ok()?;
        Some(watch.seconds() * self.items() as f64 / MEASURED as f64)
    }
}

impl Shards for DealsJob {
    fn plan(&self, cut: Cut) -> Result<Plan, JobError> {
        Ok(items::plan(self, &self.expect(), cut))
    }

    fn shard(&self, shard: &ShardId, run: &Run<'_>) -> Result<Ending, JobError> {
        items::shard(self, &self.description, shard, run)
    }

    fn is_done(&self, shard: &ShardId, out: &Path) -> bool {
        items::is_done(self, &self.description, shard, out)
    }
}

impl Job for DealsJob {
    fn recipe(&self) -> &Recipe {
        &self.description.recipe
    }

    fn expect(&self) -> Expectation {
        let expected = expect_keyed(DEALS, DEAL_BYTES, &self.description);
        let loaded = self.numbers() * size_of::<Record>() as u64;
        Expectation {
            exact: true,
            memory: Some((FIXED_MEMORY + loaded) as f64),
            seconds: self.measure(),
            ..expected
        }
    }

    fn least_memory(&self) -> u64 {
        items::least_memory(self)
    }

    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError> {
        Ok(items::generate(self, &self.description, run)?)
    }
}

impl Source for DealsJob {
    type State = ();

    fn start(&self) {}

    fn what(&self) -> &'static str {
        "groups of deals"
    }

    fn items(&self) -> u64 {
        self.numbers().div_ceil(ITEM)
    }

    fn solve(
        &self,
        (): &mut (),
        item: u64,
        _stop: &AtomicBool,
        records: &mut Vec<Record>,
    ) -> Result<bool, TableError> {
        for number in item * ITEM..((item + 1) * ITEM).min(self.numbers()) {
            records.extend(self.tables.deal_record(number)?);
        }
        Ok(true)
    }

    fn most_records(&self) -> usize {
        ITEM as usize
    }
}
