//! The pages of the games: the explorer, where a position is an address and every move a link, its editor,
//! and games to play. All of them see games through their traits, so that a new game has them, too.

pub mod address;
pub mod board;
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
use endtable::games::{Game, OptionSpec, Position, Use, by_name, read_options};
use endtable::table::Options;

use super::parameters::is_on;
use super::{Parameters, Problem, Site};

/// Where they are found.
pub fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/{game}", get(explore::explore))
        .route("/{game}/edit", get(edit::edit))
        .route("/{game}/set", get(edit::set))
        .route("/play/{game}", get(play::play))
}

/// The game of a name.
fn game(name: &str) -> Result<&'static dyn Game, Problem> {
    by_name(name).ok_or_else(|| Problem::not_found(format!("{name}: no such game")))
}

/// The options of positions among what an address says.
fn position_options(game: &dyn Game, asked: &Parameters) -> Result<Options, Problem> {
    let spec = |name: &str| -> Option<&OptionSpec> {
        game.options(Use::Position).iter().find(|spec| spec.name == name)
    };
    let mut entries = Vec::new();
    for (name, value) in asked.iter() {
        match spec(name).map(|spec| spec.value) {
            Some(Some(_)) => entries.push((name, Some(value))),
            Some(None) if is_on(name, value)? => entries.push((name, None)),
            _ => {}
        }
    }
    Ok(read_options(game, &[Use::Position], entries)?)
}

/// The position that an address names: in the game's notation, and moves made from there. A game without
/// one begins with a start, one that the tables have if there is one.
fn position(
    site: &Site,
    game: &dyn Game,
    asked: &Parameters,
) -> Result<Arc<dyn Position>, Problem> {
    let options = position_options(game, asked)?;
    let mut position: Arc<dyn Position> = match asked.get("position").map(str::trim) {
        Some(text) if !text.is_empty() => game.position(text, &options)?.into(),
        _ => start(site, game, &options)?,
    };
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
