//! Every afterstate of an endgame pattern with its exact chance.
//!
//! Afterstates fall into layers by the sum of their small tiles. Forward, each layer is found from the
//! two before it; backward, each is solved from the two behind it. Patterns whose large tiles stand on
//! masks are numbered ([`driver`]).

mod driver;

use super::recipe;
use crate::games::GameError;
use crate::games::twenty48::dense::{AfterstateCodes, AfterstateLayers, Starts};
use crate::games::twenty48::pattern::LARGE;
use crate::games::twenty48::{Board, Objective, Pattern, Target};
use crate::job::work::WorkFolder;
use crate::job::{Ending, Expectation, FIXED_MEMORY, Job, JobError, Run, Step, make_table};
use crate::table::{Codec, Compression, Description, Header, Layout, Options, Recipe, TableError, ValueKind};
use driver::{Driver, Task};

/// The job that solves everything that can be reached from a pattern's seeds, and from positions
/// besides.
#[derive(Clone, Debug)]
pub struct PatternAfterstates {
    pattern: Pattern,
    target: Target,
    starts: Starts,
    description: Description,
}

impl PatternAfterstates {
    /// Of a pattern and the tile to reach. `positions` are added to the seeds: boards with the player
    /// to move, their large tiles on the pattern's cells.
    pub fn new(
        pattern: Pattern,
        target: Target,
        positions: Vec<Board>,
        value: ValueKind,
    ) -> Result<Self, GameError> {
        let objective = Objective::Tile(target);
        let options = Options::default()
            .with("pattern", &pattern)
            .with("objective", objective)
            .with("value", value);
        let description = Description {
            recipe: recipe(options),
            rules: format!("4x4 {objective} {pattern}"),
            codec: Codec::Canonical,
            key_bytes: 8,
            layout: Layout::Short,
            value,
            compression: Compression::Packed,
            generator: Description::this_generator(),
            licence: Description::LICENCE.into(),
        };
        let starts = Starts { afterstates: pattern.seeds().to_vec(), positions };
        Ok(Self { pattern, target, starts, description })
    }

    fn make(&self, work: &WorkFolder, run: &Run<'_>) -> Result<Step<Header>, TableError> {
        let memory = run.memory.saturating_sub(FIXED_MEMORY);
        let layers = AfterstateLayers::new(&self.pattern, self.target).expect("numbered");
        let codes = AfterstateCodes::new(&self.pattern, self.target).expect("numbered");
        let room = memory.saturating_sub(layers.bytes());
        let task = Task {
            layers: &layers,
            codes: &codes,
            starts: &self.starts,
            first_sum: self.first_sum(),
        };
        Driver::new(&task, room, work, &self.description, run)?.make()
    }

    /// The smallest sum of what it begins with.
    fn first_sum(&self) -> u32 {
        let boards = self.starts.afterstates.iter().chain(&self.starts.positions);
        boards.map(|&board| small_sum(board)).min().unwrap_or(0)
    }
}

impl Job for PatternAfterstates {
    fn recipe(&self) -> &Recipe {
        &self.description.recipe
    }

    fn expect(&self) -> Expectation {
        Expectation::default()
    }

    fn least_memory(&self) -> u64 {
        FIXED_MEMORY
    }

    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError> {
        Ok(make_table(&self.description, run, |work| self.make(work, run))?)
    }
}

/// The sum of the tiles that are not large.
fn small_sum(board: Board) -> u32 {
    let tiles = (0..16).map(|cell| (board.0 >> (4 * cell) & 15) as u8);
    tiles.filter(|&tile| tile != LARGE).map(|tile| (1 << tile) & !1).sum()
}
