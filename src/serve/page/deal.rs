//! Deals at random, of games that have deals.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Redirect;
use endtable::games::{Game, GameError, Position, Use};
use endtable::table::Options;

use super::address;
use super::known::{FROM, From};
use crate::serve::{Parameters, Problem, Site};

/// Seeds are drawn below this: short enough to be typed again.
const SEEDS: u64 = 1_000_000;

/// Whether a game has deals, each with a seed.
pub fn has_deals(game: &dyn Game) -> bool {
    game.options(Use::Position).iter().any(|spec| spec.name == "seed")
}

/// A deal of a game that has some, whichever.
///
/// # Errors
/// When the options do not go with it.
pub fn random(game: &dyn Game, options: &Options) -> Result<Box<dyn Position>, GameError> {
    // Every such state hashes in its own way, which the system's randomness decides.
    let seed = RandomState::new().build_hasher().finish() % SEEDS;
    game.position(&seed.to_string(), options)
}

/// Leads to the explorer of a deal at random.
pub async fn deal(
    State(site): State<Arc<Site>>,
    Path(name): Path<String>,
    asked: Parameters,
) -> Result<Redirect, Problem> {
    let game = super::game(&name)?;
    if !has_deals(game) {
        return Err(Problem::not_found(format!("{name}: a game without deals")));
    }
    let from = From::parse(&site, game, asked.get(FROM))?;
    let position = random(game, &super::position_options(game, &asked)?)?;
    Ok(Redirect::to(&from.kept(address::of(&address::explorer(game), &*position))))
}
