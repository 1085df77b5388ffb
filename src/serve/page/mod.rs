//! The pages of the games: the explorer, where a position is an address and every move a link, its editor,
//! and games to play. All of them see games through their traits, so that a new game has them, too.

pub mod address;
pub mod board;
mod deal;
mod edit;
mod explore;
mod known;
mod line;
mod moves;
mod play;
mod words;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;
use endtable::games::{Game, Position, Use, by_name};
use endtable::table::Options;

use super::{Parameters, Problem, Site, question};

/// Where they are found.
pub fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/{game}", get(explore::explore))
        .route("/{game}/edit", get(edit::edit))
        .route("/{game}/set", get(edit::set))
        .route("/{game}/deal", get(deal::deal))
        .route("/play/{game}", get(play::play))
}

/// The game of a name.
fn game(name: &str) -> Result<&'static dyn Game, Problem> {
    by_name(name).ok_or_else(|| Problem::not_found(format!("{name}: no such game")))
}

/// The options of positions among what an address says.
fn position_options(game: &'static dyn Game, asked: &Parameters) -> Result<Options, Problem> {
    let is_option = |name: &str| game.options(Use::Position).iter().any(|spec| spec.name == name);
    let own = asked.iter().filter(|(name, _)| is_option(name));
    let own: Vec<_> = own.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    question::options(game, &[Use::Position], &Parameters::from(own))
}

/// The position that an address begins with, in the game's notation: without one a start, one that the
/// tables have if there is one.
fn first_position(
    site: &Site,
    game: &'static dyn Game,
    asked: &Parameters,
) -> Result<Arc<dyn Position>, Problem> {
    let options = position_options(game, asked)?;
    match asked.get("position").map(str::trim) {
        Some(text) if !text.is_empty() => Ok(game.position(text, &options)?.into()),
        _ => start(site, game, &options),
    }
}

/// The position that an address names: the one that it begins with, after the moves that it names.
fn position(
    site: &Site,
    game: &'static dyn Game,
    asked: &Parameters,
) -> Result<Arc<dyn Position>, Problem> {
    let mut position = first_position(site, game, asked)?;
    for mv in asked.all("move") {
        position = position.play(mv)?.into();
    }
    Ok(position)
}

fn start(site: &Site, game: &dyn Game, options: &Options) -> Result<Arc<dyn Position>, Problem> {
    let mut first = None;
    for start in game.starts() {
        // Options may not go with every start.
        let Ok(position) = game.position(&start.text, options) else { continue };
        let detail = endtable::games::Detail::Best;
        let known =
            site.tables_of(game).any(|it| matches!(it.find(&*position, detail), Ok(Some(_))));
        if known {
            return Ok(position.into());
        }
        first.get_or_insert(position);
    }
    first.map(Into::into).ok_or_else(|| Problem::bad("no start goes with these options"))
}
