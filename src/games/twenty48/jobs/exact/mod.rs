//! Every position of a 2048 board with its exact value.
//!
//! Its layers are numbered where the numbers of one fit into memory, and sorted elsewhere; the answers
//! are the same to the last bit.

mod estimate;
mod grouped;
mod numbered;

use std::mem;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::numbered::Numbered;
use super::layers::Domain;
use super::layers::driver::Driver;
use super::layers::groups;
use super::layers::sorted::Sorted;
use super::layers::sorted_groups::SortedLayers;
use super::{description, meta, recipe};
use crate::games::GameError;
use crate::games::twenty48::dense::{Code, NumberedLayer, PositionLayers};
use crate::games::twenty48::{Board, Objective, Rules, Size};
use crate::job::hands::Hand;
use crate::job::work::WorkFolder;
use crate::job::{
    Cut, Ending, Expectation, FIXED_MEMORY, Job, JobError, Plan, Run, ShardId, Shards, Step,
    make_table,
};
use crate::solve::layered::{self, Solved};
use crate::table::{Description, Header, Meta, Options, Recipe, TableError, ValueKind};

/// The job that solves everything that can be reached from the starts of a game, or from one
/// position.
///
/// ```no_run
/// use std::sync::atomic::AtomicBool;
///
/// use endtable::games::twenty48::ExactPositions;
/// use endtable::job::{Job, Quiet, Run};
///
/// let job = ExactPositions::new("3x3 score".parse()?, None, None)?;
/// job.run(&Run {
///     out: "3x3.etb".as_ref(),
///     memory: 1 << 30,
///     replace: false,
///     stop: &AtomicBool::new(false),
///     save_every: Run::SAVE_EVERY,
///     progress: &Quiet,
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExactPositions {
    domain: BoardDomain,
    description: Description,
    /// All layers, if an estimate has found them: they need not be found again.
    found: Arc<Mutex<Vec<NumberedLayer>>>,
}

impl ExactPositions {
    /// Everything that follows from one position, or from all starts. Values are stored as asked
    /// for, otherwise as f32, and chances as chance32.
    ///
    /// # Errors
    /// When the objective is not for such a board, no game leads to the start, or the values cannot
    /// be stored so.
    pub fn new(
        rules: Rules,
        start: Option<Board>,
        value: Option<ValueKind>,
    ) -> Result<Self, GameError> {
        let unsupported = |why: String| GameError::Unsupported(why);
        let Rules { size, objective } = rules;
        objective.check(size).map_err(|error| unsupported(error.to_string()))?;
        let value = match (objective, value) {
            (Objective::Search, _) => {
                return Err(unsupported("what a search values is not solved exactly".into()));
            }
            (Objective::Score, Some(ValueKind::Chance32)) => {
                return Err(GameError::option(
                    "value",
                    ValueKind::Chance32,
                    "a score is no chance",
                ));
            }
            (_, Some(value @ (ValueKind::None | ValueKind::U64))) => {
                return Err(GameError::option("value", value, "holds no score and no chance"));
            }
            (_, Some(value @ (ValueKind::Chance16 | ValueKind::Chance24))) => {
                let why = "for tables of patterns; boards have f32, f64 or chance32";
                return Err(GameError::option("value", value, why));
            }
            (_, Some(value)) => value,
            (Objective::Score, None) => ValueKind::F32,
            (Objective::Tile(_), None) => ValueKind::Chance32,
        };
        if let Some(board) = start {
            let board = Board::new(board.0, size);
            let possible = board.and_then(|board| board.check_possible(size).map(|()| board));
            let board = possible.map_err(|error| unsupported(error.to_string()))?;
            if rules.is_finished(board) {
                return Err(unsupported(format!("{board}: the tile is there already")));
            }
        }
        let options = Options::default()
            .with("board", size)
            .with("objective", objective)
            .with_some("start", start)
            .with("value", value);
        let domain = BoardDomain::new(rules, start, value);
        let description = description(recipe(options), rules, value);
        Ok(Self { domain, description, found: Arc::default() })
    }

    /// Goes through the stages.
    fn make(&self, work: &WorkFolder, run: &Run<'_>) -> Result<Step<Header>, TableError> {
        let (domain, description) = (&self.domain, &self.description);
        let memory = run.memory.saturating_sub(FIXED_MEMORY);
        if domain.rules.size.cells() <= Size::ALWAYS_NUMBERED
            && let Some(kernel) = Numbered::<u32>::new(domain, Hand::alone(run.stop))
        {
            return self.make_numbered(kernel, memory, work, run);
        }
        let kernel = Numbered::<u64>::new(domain, Hand::alone(run.stop));
        match kernel.filter(|kernel| 2 * kernel.bytes() <= memory) {
            Some(kernel) => self.make_numbered(kernel, memory, work, run),
            None => {
                let kernel = Sorted::new(domain, memory / 2, work);
                Driver::new(domain, kernel, memory / 2, work, description, run)?.make(Vec::new())
            }
        }
    }

    fn make_numbered<C: Code>(
        &self,
        kernel: Numbered<'_, C>,
        memory: u64,
        work: &WorkFolder,
        run: &Run<'_>,
    ) -> Result<Step<Header>, TableError> {
        let room = memory.saturating_sub(kernel.bytes());
        let found = mem::take(&mut *self.found());
        Driver::new(&self.domain, kernel, room, work, &self.description, run)?.make(found)
    }

    /// How many layers there can be.
    fn most_layers(&self) -> u64 {
        match PositionLayers::new(self.domain.rules) {
            Some(dense) => dense.layers_from(self.domain.first_sum),
            None => self.domain.most_layers(),
        }
    }

    fn found(&self) -> MutexGuard<'_, Vec<NumberedLayer>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shards for ExactPositions {
    fn plan(&self, cut: Cut) -> Result<Plan, JobError> {
        let (stop, expected) = (AtomicBool::new(false), self.expect());
        let alone = || Hand::alone(&stop);
        Ok(match Numbered::<u64>::new(&self.domain, alone()) {
            Some(kernel) => groups::plan(&kernel, &expected, cut),
            None => {
                let proportions = estimate::boards_by_layer(&self.domain);
                let layers = SortedLayers::new(&self.domain, alone());
                let layers = layers.expecting(expected.positions, &proportions);
                groups::plan(&layers, &expected, cut)
            }
        })
    }

    fn shard(&self, shard: &ShardId, run: &Run<'_>) -> Result<Ending, JobError> {
        let (most, description) = (self.most_layers(), &self.description);
        let numbered = |hand| Numbered::<u64>::new(&self.domain, hand);
        let sorted = |hand| Some(SortedLayers::new(&self.domain, hand));
        match PositionLayers::new(self.domain.rules) {
            Some(_) => groups::shard(most, numbered, description, shard, run),
            None => groups::shard(most, sorted, description, shard, run),
        }
    }

    fn is_done(&self, shard: &ShardId, out: &Path) -> bool {
        groups::is_done(self.most_layers(), &self.description, shard, out)
    }
}

impl Job for ExactPositions {
    fn recipe(&self) -> &Recipe {
        &self.description.recipe
    }

    /// Finds all positions of boards that are numbered, and keeps them for the job; of others, the
    /// first layers. Takes a few seconds.
    fn expect(&self) -> Expectation {
        let (expected, found) = estimate::expect(&self.domain, self.description.value);
        *self.found() = found;
        expected
    }

    fn least_memory(&self) -> u64 {
        let is_small = self.domain.rules.size.cells() <= Size::ALWAYS_NUMBERED;
        let layers = PositionLayers::new(self.domain.rules).filter(|_| is_small);
        let kernel = layers.map_or(0, |layers| layers.bytes());
        FIXED_MEMORY + kernel + (1 << 20)
    }

    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError> {
        Ok(make_table(&self.description, run, |work| self.make(work, run))?)
    }
}

/// Everything that can be reached from the starts of a game, or from one position.
#[derive(Clone, Debug)]
struct BoardDomain {
    /// The size of the board and the objective.
    rules: Rules,
    starts: Vec<Board>,
    first_sum: u32,
    /// How values are stored.
    value: ValueKind,
}

impl BoardDomain {
    fn new(rules: Rules, start: Option<Board>, value: ValueKind) -> Self {
        let starts = match start {
            Some(board) => vec![board.canonical(rules.size)],
            None => rules.starts().into_iter().map(|(board, _)| board).collect(),
        };
        let first_sum = starts.iter().map(|board| board.sum()).min().unwrap_or(0);
        Self { rules, starts, first_sum, value }
    }
}

impl Domain for BoardDomain {
    const HAS_GAPS: bool = false;

    fn starts(&self) -> &[Board] {
        &self.starts
    }

    fn sum_of(&self, board: Board) -> u32 {
        board.sum()
    }

    fn first_sum(&self) -> u32 {
        self.first_sum
    }

    fn most_layers(&self) -> u64 {
        estimate::most_layers(self)
    }

    fn code(&self, board: Board) -> u64 {
        board.code(self.rules.size)
    }

    fn board(&self, code: u64) -> Result<Board, String> {
        Board::from_code(code, self.rules.size).map_err(|error| error.to_string())
    }

    fn expand(&self, layer: &[u64]) -> [Vec<u64>; 2] {
        layered::expand(&self.rules, layer)
    }

    fn solve(
        &self,
        layer: &[u64],
        value: impl Fn(usize, u64) -> Option<f64> + Sync,
    ) -> Option<Vec<Solved>> {
        layered::solve(&self.rules, layer, value)
    }

    fn meta(value: f64, best: Option<u8>) -> Meta {
        meta(value, best)
    }

    fn stored(&self, value: f64) -> u64 {
        self.value.encode(value)
    }
}
