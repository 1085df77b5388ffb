//! Every afterstate of an endgame pattern with its exact chance.
//!
//! Afterstates fall into layers by the sum of their small tiles. Forward, each layer is found from the
//! two before it; backward, each is solved from the two behind it. Patterns whose large tiles stand on
//! masks are numbered ([`numbered`]), where the numbers of a layer fit into memory; others are sorted.
//! The answers are the same to the last bit.

mod domain;
mod estimate;
mod grouped;
mod numbered;

pub use estimate::PatternGrowth;

use self::domain::{PatternDomain, PatternGame};
use self::grouped::PatternLayers;
use self::numbered::{Driver, Task};
use super::layers::Domain as _;
use super::layers::groups;
use super::layers::sorted::Sorted;
use super::layers::sorted_groups::SortedLayers;
use super::{layers, recipe};
use crate::games::GameError;
use crate::games::twenty48::dense::AfterstateLayers;
use crate::games::twenty48::pattern::{PatternCodes, normal_board};
use crate::games::twenty48::{Board, Objective, PatternRules, Size};
use crate::job::hands::Hand;
use crate::job::work::WorkFolder;
use crate::job::{
    Cut, Ending, Expectation, FIXED_MEMORY, Job, JobError, Plan, Run, ShardId, Shards, Step,
    make_table,
};
use crate::table::{
    Compression, Description, Header, Layout, Options, Recipe, TableError, ValueKind,
};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The job that solves everything that can be reached from a pattern's seeds, and from positions
/// besides.
#[derive(Clone, Debug)]
pub struct PatternAfterstates {
    rules: PatternRules,
    /// Afterstates to begin with.
    starts: Vec<Board>,
    description: Description,
}

impl PatternAfterstates {
    /// Of a pattern and the tile to reach. `positions` are added to the seeds: boards of real games
    /// with the player to move, in any orientation. Chances are stored as asked for, otherwise as
    /// chance24.
    ///
    /// # Errors
    /// When a position is not of the pattern, or chances cannot be stored so.
    pub fn new(
        rules: PatternRules,
        positions: &[Board],
        value: Option<ValueKind>,
    ) -> Result<Self, GameError> {
        let value = value.unwrap_or(ValueKind::Chance24);
        if !value.is_chance() {
            let why = "a pattern's tables hold chances: chance16, chance24 or chance32";
            return Err(GameError::option("value", value, why));
        }
        let fitted = |&board: &Board| {
            let wrong = |why| GameError::option("start", board.text(Size::FULL), why);
            normal_board(&rules, board).map_err(wrong)
        };
        let mut positions = positions.iter().map(fitted).collect::<Result<Vec<_>, _>>()?;
        positions.sort_unstable();
        positions.dedup();
        let texts: Vec<String> = positions.iter().map(Board::to_string).collect();
        let options = Options::default()
            .with("pattern", rules.pattern())
            .with("objective", Objective::Tile(rules.target()))
            .with_some("start", (!texts.is_empty()).then(|| texts.join(" ")))
            .with("value", value);
        let description = Description {
            recipe: recipe(options),
            rules: rules.to_string(),
            codec: PatternCodes::new(&rules).codec(),
            key_bytes: 8,
            layout: Layout::Bare,
            value,
            compression: Compression::Packed,
            generator: Description::this_generator(),
            licence: Description::LICENCE.into(),
        };
        let mut starts = rules.pattern().seeds().to_vec();
        let slides = positions.iter().flat_map(|&board| rules.pattern().slides(board));
        starts.extend(slides.flatten().filter(|&after| !rules.is_won(after)));
        Ok(Self { rules, starts, description })
    }

    fn make(&self, work: &WorkFolder, run: &Run<'_>) -> Result<Step<Header>, TableError> {
        let memory = run.memory.saturating_sub(FIXED_MEMORY);
        let codes = PatternCodes::new(&self.rules);
        let numbered = match &codes {
            PatternCodes::Numbered(codes) => self.layers().map(|layers| (codes, layers)),
            PatternCodes::Canonical(_) => None,
        };
        match numbered.filter(|(_, layers)| 2 * layers.bytes() <= memory) {
            Some((codes, layers)) => {
                let room = memory - layers.bytes();
                let first_sum = self.first_sum();
                let task = Task { layers: &layers, codes, starts: &self.starts, first_sum };
                Driver::new(&task, room, work, &self.description, run)?.make()
            }
            None => {
                let domain = self.domain(&codes);
                let kernel = Sorted::new(&domain, memory / 2, work);
                let description = &self.description;
                layers::driver::Driver::new(&domain, kernel, memory / 2, work, description, run)?
                    .make(Vec::new())
            }
        }
    }

    /// Gives what is numbered to an action; `None` if it cannot be.
    fn with_task<R>(&self, act: impl FnOnce(&Task<'_>) -> R) -> Option<R> {
        let codes = PatternCodes::new(&self.rules);
        let PatternCodes::Numbered(codes) = &codes else { return None };
        let layers = self.layers()?;
        let (starts, first_sum) = (&self.starts[..], self.first_sum());
        Some(act(&Task { layers: &layers, codes, starts, first_sum }))
    }

    fn layers(&self) -> Option<AfterstateLayers> {
        AfterstateLayers::new(self.rules.pattern(), self.rules.target())
    }

    fn domain<'a>(&'a self, codes: &'a PatternCodes) -> PatternDomain<'a> {
        let game = PatternGame::new(&self.rules);
        let mut starts: Vec<Board> = self.starts.iter().map(|&it| game.canonical(it)).collect();
        starts.sort_unstable();
        starts.dedup();
        let value = self.description.value;
        PatternDomain { game, codes, starts, first_sum: self.first_sum(), value }
    }

    /// The smallest sum of what it begins with.
    fn first_sum(&self) -> u32 {
        self.starts.iter().map(|&board| PatternRules::sum(board)).min().unwrap_or(0)
    }
}

impl Shards for PatternAfterstates {
    fn plan(&self, cut: Cut) -> Result<Plan, JobError> {
        let (stop, expected) = (AtomicBool::new(false), self.expect());
        let alone = || Hand::alone(&stop);
        let numbered = self.with_task(|task| {
            let layers = PatternLayers::new(task, self.description.value, alone());
            groups::plan(&layers, &expected, cut)
        });
        Ok(numbered.unwrap_or_else(|| {
            let codes = PatternCodes::new(&self.rules);
            let domain = self.domain(&codes);
            let proportions = estimate::boards_by_sum(&self.rules, self.first_sum());
            let layers = SortedLayers::new(&domain, alone());
            groups::plan(&layers.expecting(expected.positions, &proportions), &expected, cut)
        }))
    }

    fn shard(&self, shard: &ShardId, run: &Run<'_>) -> Result<Ending, JobError> {
        let description = &self.description;
        let numbered = self.with_task(|task| {
            let begin = |hand| Some(PatternLayers::new(task, description.value, hand));
            groups::shard(task.most_layers(), begin, description, shard, run)
        });
        numbered.unwrap_or_else(|| {
            let codes = PatternCodes::new(&self.rules);
            let domain = self.domain(&codes);
            let begin = |hand| Some(SortedLayers::new(&domain, hand));
            groups::shard(domain.most_layers(), begin, description, shard, run)
        })
    }

    fn is_done(&self, shard: &ShardId, out: &Path) -> bool {
        let most = self.with_task(|task| task.most_layers());
        let most =
            most.unwrap_or_else(|| self.domain(&PatternCodes::new(&self.rules)).most_layers());
        groups::is_done(most, &self.description, shard, out)
    }
}

impl Job for PatternAfterstates {
    fn recipe(&self) -> &Recipe {
        &self.description.recipe
    }

    fn expect(&self) -> Expectation {
        PatternGrowth::new(self.rules.pattern()).expect(&self.rules, self.description.value)
    }

    fn least_memory(&self) -> u64 {
        FIXED_MEMORY + (1 << 20)
    }

    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError> {
        Ok(make_table(&self.description, run, |work| self.make(work, run))?)
    }
}
