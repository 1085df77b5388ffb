//! The deals of seeds, and every position that can be reached from them.

use std::str::FromStr;

use super::{expect_keyed, keyed};
use crate::games::GameError;
use crate::games::collapsi::{
    Board, Enumerator, Mask, Rules, Solver, Subgame, deal_from_seed, record,
};
use crate::games::options::NumberRange;
use crate::job::items::{self, Source};
use crate::job::{Ending, Expectation, Job, JobError, Run};
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

impl Job for SeedsJob {
    fn recipe(&self) -> &Recipe {
        &self.description.recipe
    }

    fn expect(&self) -> Expectation {
        let records = match (self.positions, self.rules) {
            (Positions::Root, _) => 1,
            (Positions::All, Rules::One) => 62_000,
            (Positions::All, Rules::Wild) => 290_000,
        };
        expect_keyed(self.count.saturating_mul(records), &self.description)
    }

    fn least_memory(&self) -> u64 {
        items::least_memory(self)
    }

    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError> {
        let done = items::generate(self, &self.description, run);
        done.map_err(|error| explain(error, self.codec()))
    }
}

/// Names the positions behind a collision of folded keys.
fn explain(error: TableError, codec: Codec) -> JobError {
    let board = |record: Record| match codec {
        Codec::Folded => Board::from_code(record.value),
        _ => Board::from_exact_code(record.value),
    };
    if let TableError::Conflict { one, other } = &error
        && codec.is_folded()
        && let (Ok(first), Ok(second)) = (board(*one), board(*other))
    {
        return JobError::Check(format!(
            "two positions fold to the key {:016x}: \"{first}\" and \"{second}\"; \
             their table needs keys that are not folded",
            one.code
        ));
    }
    error.into()
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
        records: &mut Vec<Record>,
    ) -> Result<(), TableError> {
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
                    return Ok(());
                };
                let best = moves.iter().filter(|&&(_, it)| it == value);
                let best = Mask(best.fold(0, |set, (mv, _)| set | mv.to.mask().0));
                records.push(record(&deal, value, best, self.codec()));
            }
        }
        Ok(())
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
