//! The first page: the games, and the tables that are here of each.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Html;
use endtable::games::{self, Game};
use endtable::table::Options;

use super::html::render;
use super::opened::Opened;
use super::page::board;
use super::{Problem, Site};

#[derive(Template)]
#[template(path = "index.html")]
struct IndexPage<'a> {
    games: Vec<Shown<'a>>,
}

/// A game, as the page shows it.
struct Shown<'a> {
    game: &'static dyn Game,
    board: String,
    tables: Vec<&'a Opened>,
}

/// The first page.
pub async fn index(State(site): State<Arc<Site>>) -> Result<Html<String>, Problem> {
    let of = |game: &'static dyn Game| {
        let example = game.position(game.example(), &Options::default());
        let drawing = example.map(|position| position.drawing(None)).unwrap_or_default();
        let board = board::svg(&drawing, None, &|_| None);
        Shown { game, board, tables: site.tables_of(game).collect() }
    };
    render(&IndexPage { games: games::ALL.map(of).into() })
}
