//! Every position of a small 2048 board with its exact value.
//!
//! Positions fall into layers by the sum of their tiles, which grows by 2 or 4 every turn. Forward,
//! each layer is found from the two before it; backward, each is solved from the two behind it;
//! then the records of all layers become one table. How a layer is found and solved is a kernel's
//! business: [`numbered`] for boards of up to nine cells, [`sorted`] for larger ones. What stays in
//! memory, and what goes to the disk, is the [`driver`]'s.

mod answers;
mod driver;
mod estimate;
mod kernel;
mod numbered;
mod sorted;

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::driver::Driver;
use self::numbered::Numbered;
use self::sorted::Sorted;
use super::{description, recipe};
use crate::games::GameError;
use crate::games::twenty48::dense::NumberedLayer;
use crate::games::twenty48::{Board, Objective, Rules};
use crate::job::work::WorkFolder;
use crate::job::{Ending, Expectation, FIXED_MEMORY, Job, JobError, Run, Step, make_table};
use crate::table::{Description, Header, Options, Recipe, Table, TableError, ValueKind};

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
    domain: Domain,
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
        let domain = Domain { rules, start };
        let description = description(recipe(options), rules, value);
        Ok(Self { domain, description, found: Arc::default() })
    }

    /// Goes through the stages.
    fn make(&self, work: &WorkFolder, run: &Run<'_>) -> Result<Step<Header>, TableError> {
        let (domain, description) = (self.domain, &self.description);
        let memory = run.memory.saturating_sub(FIXED_MEMORY);
        match Numbered::new(domain) {
            Some(kernel) => {
                let room = memory.saturating_sub(kernel.bytes());
                let found = mem::take(&mut *self.found());
                Driver::new(domain, kernel, room, work, description, run)?.make(found)
            }
            None => {
                let kernel = Sorted::new(domain, memory / 2, work);
                Driver::new(domain, kernel, memory / 2, work, description, run)?.make(Vec::new())
            }
        }
    }

    fn found(&self) -> MutexGuard<'_, Vec<NumberedLayer>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job for ExactPositions {
    fn recipe(&self) -> &Recipe {
        &self.description.recipe
    }

    /// Finds all positions of boards that are numbered, and keeps them for the job; of others, the
    /// first layers. Takes a few seconds.
    fn expect(&self) -> Expectation {
        let (expected, found) = estimate::expect(self.domain, self.description.value);
        *self.found() = found;
        expected
    }

    fn least_memory(&self) -> u64 {
        let kernel = Numbered::new(self.domain).map_or(0, |kernel| kernel.bytes());
        FIXED_MEMORY + kernel + (1 << 20)
    }

    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError> {
        Ok(make_table(&self.description, run, |work| self.make(work, run))?)
    }
}

/// What is solved: everything that can be reached from the starts of a game, or from one position.
#[derive(Clone, Copy, Debug)]
struct Domain {
    /// The size of the board and the objective.
    rules: Rules,
    /// The position to begin with instead of all starts.
    start: Option<Board>,
}

impl Domain {
    /// The starts in canonical form.
    fn starts(&self) -> Vec<Board> {
        match self.start {
            Some(board) => vec![board.canonical(self.rules.size)],
            None => self.rules.starts().into_iter().map(|(board, _)| board).collect(),
        }
    }

    /// The sum of a layer, of which 0 is the first.
    fn sum(&self, layer: u64) -> u32 {
        self.start.map_or(4, Board::sum) + 2 * layer as u32
    }

    /// The layer of a position.
    fn layer(&self, board: Board) -> u64 {
        u64::from(board.sum().saturating_sub(self.sum(0)) / 2)
    }

    /// The layer of a position that a shard holds.
    fn layer_of(&self, code: u64, shard: &Table) -> Result<u64, TableError> {
        let board = Board::from_code(code, self.rules.size);
        board.map(|board| self.layer(board)).map_err(|error| TableError::Inconsistent {
            path: shard.path().into(),
            what: error.to_string(),
        })
    }
}
