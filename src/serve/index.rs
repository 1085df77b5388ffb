//! The first page: the games, and the tables that are here of each.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Html;
use endtable::games::{self, Game};

use super::html::render;
use super::opened::Opened;
use super::{Problem, Site};

#[derive(Template)]
#[template(path = "index.html")]
struct IndexPage<'a> {
    games: Vec<(&'static dyn Game, Vec<&'a Opened>)>,
}

/// The first page.
pub async fn index(State(site): State<Arc<Site>>) -> Result<Html<String>, Problem> {
    let of = |game: &'static dyn Game| (game, site.tables_of(game).collect());
    render(&IndexPage { games: games::ALL.map(of).into() })
}
