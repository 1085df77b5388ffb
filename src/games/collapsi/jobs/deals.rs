//! All deals up to symmetry as records, read off the complete tables.

use std::path::PathBuf;

use super::{expect_keyed, keyed};
use crate::games::GameError;
use crate::games::collapsi::{CompleteTables, Layer};
use crate::job::items::{self, Source};
use crate::job::{Ending, Expectation, Job, JobError, Run};
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

impl Job for DealsJob {
    fn recipe(&self) -> &Recipe {
        &self.description.recipe
    }

    fn expect(&self) -> Expectation {
        expect_keyed(self.numbers(), &self.description)
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

    fn solve(&self, (): &mut (), item: u64, records: &mut Vec<Record>) -> Result<(), TableError> {
        for number in item * ITEM..((item + 1) * ITEM).min(self.numbers()) {
            records.extend(self.tables.deal_record(number)?);
        }
        Ok(())
    }

    fn most_records(&self) -> usize {
        ITEM as usize
    }
}
