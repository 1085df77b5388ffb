//! How tables of 2048 boards are made.

mod exact;
mod layers;
mod pattern;
mod searched;
#[cfg(test)]
pub(super) mod tests;

use std::ops::Range;

pub use exact::ExactPositions;
pub use pattern::{PatternAfterstates, PatternGrowth};
pub use searched::SearchedGames;

use super::options::{DEFAULT_OBJECTIVE, PatternName, SearchOptions, ValueName};
use super::position::Twenty48Position;
use super::{Board, Objective, Pattern, PatternRules, Rules, Size, Twenty48};
use crate::games::options::NumberRange;
use crate::games::{Game, GameError};
use crate::job::Job;
use crate::table::{Codec, Compression, Description, Layout, Meta, Options, Recipe, ValueKind};
use crate::value::{Plies, Value};

/// Why no game is searched by the clock.
pub(super) const CLOCK: &str = "what a clock ends cannot be made again; give a depth";

/// The option in which tables of one search may differ.
pub(super) const SEEDS: &str = "seeds";

/// The job that options describe.
pub(super) fn from_options(options: &Options) -> Result<Box<dyn Job>, GameError> {
    if let Some(pattern) = options.parse::<PatternName>("pattern")? {
        return Ok(Box::new(pattern_afterstates(pattern.0, options)?));
    }
    let unnamed = || GameError::Unsupported("no board was named".into());
    let size = options.parse("board")?.ok_or_else(unnamed)?;
    match options.parse(SEEDS)? {
        Some(NumberRange(seeds)) => Ok(Box::new(searched_games(size, seeds, options)?)),
        None => Ok(Box::new(exact_positions(size, options)?)),
    }
}

fn searched_games(
    size: Size,
    seeds: Range<u64>,
    options: &Options,
) -> Result<SearchedGames, GameError> {
    let objective = options.get("objective").unwrap_or(DEFAULT_OBJECTIVE);
    if options.has("start") || options.has("value") || objective != DEFAULT_OBJECTIVE {
        let why = "searched games have no objective, start or kind of value";
        return Err(GameError::Unsupported(why.into()));
    }
    if let Some(ms) = options.get("ms") {
        return Err(GameError::option("ms", ms, CLOCK));
    }
    SearchedGames::new(seeds, SearchOptions::new(options)?.settings(size)?)
}

fn exact_positions(size: Size, options: &Options) -> Result<ExactPositions, GameError> {
    if let Some(name) = SearchOptions::NAMES.into_iter().find(|name| options.has(name)) {
        let value = options.get(name).unwrap_or_default();
        return Err(GameError::option(name, value, "for searched games, which have seeds"));
    }
    let objective = options.parse("objective")?.unwrap_or(Objective::Score);
    let start = options.get("start").map(|text| start_board(text, size)).transpose()?;
    let value = options.parse("value")?.map(|ValueName(value)| value);
    ExactPositions::new(Rules { size, objective }, start, value)
}

fn pattern_afterstates(
    pattern: Pattern,
    options: &Options,
) -> Result<PatternAfterstates, GameError> {
    let objective = options.parse("objective")?.unwrap_or(Objective::Score);
    let rules = PatternRules::with_objective(pattern, objective);
    let rules = rules.map_err(|error| GameError::option("objective", objective, error))?;
    let starts = options.get("start").unwrap_or_default().split_ascii_whitespace();
    let positions =
        starts.map(|text| start_board(text, Size::FULL)).collect::<Result<Vec<_>, GameError>>()?;
    let value = options.parse("value")?.map(|ValueName(value)| value);
    PatternAfterstates::new(rules, &positions, value)
}

/// A board that a job begins with.
fn start_board(text: &str, size: Size) -> Result<Board, GameError> {
    let board = Twenty48Position::parse(text, Some(size))?.board.small();
    board.ok_or_else(|| GameError::position(text, "tables have no tile above 32768"))
}

/// What a table of 2048 boards says of itself.
fn description(recipe: Recipe, rules: Rules, value: ValueKind) -> Description {
    Description {
        recipe,
        rules: rules.to_string(),
        codec: Codec::Canonical,
        key_bytes: 8,
        layout: Layout::Short,
        value,
        compression: Compression::Packed,
        generator: Description::this_generator(),
        licence: Description::LICENCE.into(),
    }
}

fn recipe(options: Options) -> Recipe {
    Recipe::new(Twenty48.name(), options)
}

/// A record's meta: the win bit says that there is still something to gain, or that the goal has
/// been reached. Plies mean nothing here.
fn meta(value: f64, best: Option<u8>) -> Meta {
    let plies = Plies(0);
    let result = if value > 0.0 { Value::Win(plies) } else { Value::Loss(plies) };
    Meta::new(0, result, best.map(u16::from))
}
