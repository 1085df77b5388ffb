//! The deals of seeds, and every position that can be reached from them.

use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::{DEALS, expect_keyed, keyed};
use crate::games::GameError;
use crate::games::collapsi::{
    Board, Enumerator, Mask, Rules, Solver, Subgame, deal_from_seed, record,
};
use crate::games::options::NumberRange;
use crate::job::items::{self, Source};
use crate::job::{
    Cut, Ending, Expectation, FIXED_MEMORY, Job, JobError, Plan, Run, ShardId, Shards, Stopwatch,
};
use crate::table::{Codec, Description, Options, Recipe, Record, TableError, ValueKind};

/// Which positions of a deal to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positions {
    /// Every one that can be reached.
    All,
    /// The deal only.
    Root,
}

/// `all` or `root`.
impl FromStr for Positions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "all" => Ok(Self::All),
            "root" => Ok(Self::Root),
            _ => Err("expected all or root".into()),
        }
    }
}

/// The positions of the deals of some seeds.
#[derive(Clone, Debug)]
pub struct SeedsJob {
    first: u64,
    count: u64,
    rules: Rules,
    positions: Positions,
    description: Description,
}

impl SeedsJob {
    pub fn new(options: &Options) -> Result<Self, GameError> {
        let missing = || GameError::Unsupported("say which seeds, as in --seeds 0..10".into());
        let NumberRange(seeds) = options.parse("seeds")?.ok_or_else(missing)?;
        let rules = options.parse("rules")?.unwrap_or_default();
        let positions = options.parse("positions")?.unwrap_or(Positions::All);
        let (exact, folded) = (options.has("exact"), options.has("fold64"));
        let codec = match (exact, folded) {
            (false, false) => Codec::Canonical,
            (true, false) => Codec::Exact,
            (false, true) => Codec::Folded,
            (true, true) => Codec::ExactFolded,
        };
        let text = match positions {
            Positions::All => "all",
            Positions::Root => "root",
        };
        let recipe = Options::default()
            .with("seeds", NumberRange(seeds.clone()))
            .with("rules", rules)
            .with("positions", text)
            .with_switch_if("exact", exact)
            .with_switch_if("fold64", folded)
            .with_switch_if("uncompressed", options.has("uncompressed"));
        Ok(Self {
            first: seeds.start,
            count: seeds.end - seeds.start,
            rules,
            positions,
            description: keyed(recipe, rules, codec),
        })
    }

    fn codec(&self) -> Codec {
        self.description.codec
    }
}

impl Shards for SeedsJob {
    fn plan(&self, cut: Cut) -> Result<Plan, JobError> {
        Ok(items::plan(self, &self.expect(), cut))
    }

    fn shard(&self, shard: &ShardId, run: &Run<'_>) -> Result<Ending, JobError> {
        let done = items::shard(self, &self.description, shard, run);
        done.map_err(|error| explain(error, self.codec()))
    }

    fn is_done(&self, shard: &ShardId, out: &Path) -> bool {
        items::is_done(self, &self.description, shard, out)
    }
}

impl Job for SeedsJob {
    fn recipe(&self) -> &Recipe {
        &self.description.recipe
    }

    /// Solves some of the deals to tell: takes half a second or so.
    fn expect(&self) -> Expectation {
        let Measured { records, seconds } = self.measure();
        let count = self.count as f64;
        let (positions, packed) = match (self.positions, self.codec()) {
            (Positions::Root, Codec::Exact | Codec::ExactFolded) => (count, ROOT_BYTES),
            // As many as are hit when each deal falls on one of all.
            (Positions::Root, _) => (DEALS * -(-count / DEALS).exp_m1(), ROOT_BYTES),
            (Positions::All, Codec::Exact | Codec::ExactFolded) => (count * records, EXACT_BYTES),
            (Positions::All, _) => {
                let rule = if self.rules == Rules::Wild { 0.9 } else { 1.0 };
                (count * records * distinct_share(count), rule * packed_bytes(count))
            }
        };
        let seconds = seconds * count * WHOLE;
        // What is solved before it is saved, and the deals at work.
        let saved = (Run::SAVE_EVERY.as_secs_f64() / seconds).min(1.0);
        let group = (4 * rayon::current_num_threads()) as f64;
        let loaded = (count * saved + group) * records * size_of::<Record>() as f64;
        Expectation {
            memory: Some(FIXED_MEMORY as f64 + loaded),
            seconds: Some(seconds),
            ..expect_keyed(positions, packed, &self.description)
        }
    }

    fn least_memory(&self) -> u64 {
        items::least_memory(self)
    }

    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError> {
        let done = items::generate(self, &self.description, run);
        done.map_err(|error| explain(error.into(), self.codec()))
    }
}

/// How many deals are solved to tell what all will take.
const MEASURED: u64 = 8;
const MEASURED_ROOTS: u64 = 200;

/// Seconds that all of a job takes, for one of solving: records are sorted, written and merged.
const WHOLE: f64 = 1.3;

/// Bytes of a packed deal, and of a packed position that is not in canonical form.
const ROOT_BYTES: f64 = 3.2;
const EXACT_BYTES: f64 = 2.5;

/// The share of the positions of so many deals that no other of them has, up to symmetry: measured on
/// 1 to 1000 deals.
fn distinct_share(deals: f64) -> f64 {
    1.0 / (1.0 + (deals / 1435.0).sqrt())
}

/// Bytes of a packed position: the more deals, the nearer the codes. Measured on 1 to 1000 deals.
fn packed_bytes(deals: f64) -> f64 {
    1.1 + 2.26 * deals.max(1.0).powf(-0.29)
}

/// What some deals gave.
struct Measured {
    /// Records of a deal.
    records: f64,
    /// Seconds of a deal, on the threads that there are.
    seconds: f64,
}

impl SeedsJob {
    fn measure(&self) -> Measured {
        let watch = Stopwatch::start();
        let most = if self.positions == Positions::Root { MEASURED_ROOTS } else { MEASURED };
        let count = self.count.clamp(1, most);
        let going = AtomicBool::new(false);
        let records = (0..count).into_par_iter().map_init(
            || self.start(),
            |state, item| {
                let mut records = Vec::new();
                // It reads no table, so nothing can go wrong.
                _ = self.solve(state, item, &going, &mut records);
                records.len()
            },
        );
        let records = records.sum::<usize>() as f64 / count as f64;
        Measured { records, seconds: watch.seconds() / count as f64 }
    }
}

/// Names the positions behind a collision of folded keys.
fn explain(error: JobError, codec: Codec) -> JobError {
    let board = |record: Record| match codec {
        Codec::Folded => Board::from_code(record.value),
        _ => Board::from_exact_code(record.value),
    };
    if let JobError::Table(TableError::Conflict { one, other }) = &error
        && codec.is_folded()
        && let (Ok(first), Ok(second)) = (board(*one), board(*other))
    {
        return JobError::Check(format!(
            "two positions fold to the key {:016x}: \"{first}\" and \"{second}\"; \
             their table needs keys that are not folded",
            one.code
        ));
    }
    error
}

/// What a thread keeps: room for the positions of a deal, a solver.
#[derive(Debug)]
pub struct State {
    enumerator: Enumerator,
    solver: Solver,
}

impl Source for SeedsJob {
    type State = State;

    fn start(&self) -> State {
        State { enumerator: Enumerator::new(), solver: Solver::new() }
    }

    fn what(&self) -> &'static str {
        "seeds"
    }

    fn items(&self) -> u64 {
        self.count
    }

    fn solve(
        &self,
        state: &mut State,
        item: u64,
        _stop: &AtomicBool,
        records: &mut Vec<Record>,
    ) -> Result<bool, TableError> {
        let deal = deal_from_seed(self.first.wrapping_add(item));
        match self.positions {
            Positions::All => {
                let game = Subgame::new(deal, self.rules);
                state.enumerator.solve(&deal, self.rules, |solved| {
                    let board = game.board_at(solved.spot);
                    records.push(record(&board, solved.value, solved.best, self.codec()));
                });
            }
            Positions::Root => {
                let moves = state.solver.move_values(&deal, self.rules);
                let Some(value) = moves.iter().map(|&(_, value)| value).max() else {
                    return Ok(true);
                };
                let best = moves.iter().filter(|&&(_, it)| it == value);
                let best = Mask(best.fold(0, |set, (mv, _)| set | mv.to.mask().0));
                records.push(record(&deal, value, best, self.codec()));
            }
        }
        Ok(true)
    }

    fn most_records(&self) -> usize {
        match (self.positions, self.rules) {
            (Positions::Root, _) => 1,
            // Measured over 100,000 deals, and rounded up.
            (Positions::All, Rules::One) => 120_000,
            (Positions::All, Rules::Wild) => 420_000,
        }
    }

    fn shard_value(&self, description: &Description) -> ValueKind {
        if self.codec().is_folded() { ValueKind::U64 } else { description.value }
    }
}
