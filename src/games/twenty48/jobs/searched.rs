//! Positions met in games of 2048 that a search plays, each with what the search found.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{CLOCK, SEEDS, description, meta, recipe};
use crate::games::GameError;
use crate::games::options::NumberRange;
use crate::games::twenty48::options::weights_text;
use crate::games::twenty48::{Limit, Objective, PlayedGame, Rules, Search, Settings};
use crate::job::items::{self, Source};
use crate::job::{Cut, Ending, Expectation, Job, JobError, Plan, Run, ShardId, Shards};
use crate::table::{Description, Options, Recipe, Record, TableError, ValueKind};

/// The job that plays the games of seeds by search, and keeps every position that comes up with
/// what the search found. Each is searched in its canonical form, so that one that comes up in
/// several games has one answer.
#[derive(Clone)]
pub struct SearchedGames {
    seeds: Range<u64>,
    settings: Settings,
    description: Description,
}

/// About how many positions a game has that is played well.
const MEAN_GAME: f64 = 15_000.0;

/// Bytes of a position in the table, and in shards: values of a search are as good as random, and so
/// are the boards of a few games.
const TABLE_BYTES: f64 = 10.0;
const SHARD_BYTES: f64 = 14.0;

impl SearchedGames {
    /// The games of these seeds, searched in this way, each on one thread.
    ///
    /// # Errors
    /// When the search has no fixed depth, or cannot be made.
    pub fn new(seeds: Range<u64>, settings: Settings) -> Result<Self, GameError> {
        let Settings { size, heuristic, limit, cut_off, .. } = settings;
        let unsupported = |why: &str| Err(GameError::Unsupported(why.into()));
        let depth = match limit {
            Limit::Depth(depth) => depth,
            Limit::Time(_) => {
                return unsupported(CLOCK);
            }
            Limit::Adaptive => return unsupported("games are searched to a depth: give it"),
        };
        let options = Options::default()
            .with("board", size)
            .with(SEEDS, NumberRange(seeds.clone()))
            .with("depth", depth)
            .with("heuristic", heuristic.name())
            .with("cut-off", cut_off)
            .with_some("weights", weights_text(&heuristic));
        let rules = Rules { size, objective: Objective::Search };
        // Nothing else decides what is found.
        let settings = Settings { size, heuristic, limit, cut_off, ..Settings::default() };
        Search::new(&settings)?;
        let description = description(recipe(options), rules, ValueKind::F32);
        Ok(Self { seeds, settings, description })
    }

    /// How the games are searched.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
}

impl Shards for SearchedGames {
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

impl Job for SearchedGames {
    fn recipe(&self) -> &Recipe {
        &self.description.recipe
    }

    fn expect(&self) -> Expectation {
        let positions = self.items() as f64 * MEAN_GAME;
        let table = positions * TABLE_BYTES;
        Expectation {
            positions,
            table,
            disk: table + positions * SHARD_BYTES,
            ..Expectation::default()
        }
    }

    fn least_memory(&self) -> u64 {
        items::least_memory(self)
    }

    fn run(&self, run: &Run<'_>) -> Result<Ending, JobError> {
        Ok(items::generate(self, &self.description, run)?)
    }
}

impl Source for SearchedGames {
    type State = Search;

    fn start(&self) -> Search {
        Search::new(&self.settings).expect("one has been made")
    }

    fn what(&self) -> &'static str {
        "games"
    }

    fn items(&self) -> u64 {
        self.seeds.end.saturating_sub(self.seeds.start)
    }

    fn solve(
        &self,
        search: &mut Search,
        item: u64,
        stop: &AtomicBool,
        records: &mut Vec<Record>,
    ) -> Result<bool, TableError> {
        let size = self.settings.size;
        let mut game = PlayedGame::new(self.seeds.start.wrapping_add(item), size);
        loop {
            // Records have the tiles that nybbles hold.
            let Some(board) = game.board().small() else { return Ok(true) };
            let symmetry = board.to_canonical(size);
            let canonical = symmetry.board(board, size);
            let choice = search.best(canonical);
            let value = choice.map_or(0.0, |choice| choice.value);
            records.push(Record {
                code: canonical.code(size),
                meta: meta(value, choice.map(|choice| choice.direction as u8)),
                value: ValueKind::F32.encode(value),
            });
            let Some(choice) = choice else { return Ok(true) };
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            game.play(symmetry.direction_before(choice.direction));
        }
    }

    fn most_records(&self) -> usize {
        // A turn adds 2 at the least, and with a 65536 a game is at its end here.
        1 << 16
    }
}
