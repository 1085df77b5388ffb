//! What only 2048 has on the page: a board to play on by hand, and a bot that plays on it.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::get;
use endtable::games::twenty48::{Size, Twenty48, Twenty48Position};
use endtable::games::{Game, Use, read_options};

use super::assets::{self, Asset, SCRIPT};
use super::html::render;
use super::opened::Opened;
use super::{Parameters, Problem, Site};

/// What searches can value boards with, as [`Twenty48`] calls them.
const HEURISTICS: [&str; 4] = ["strong", "edges", "sum", "score"];

/// How deep searches of the page go: deeper ones would take longer than a visitor waits.
const DEPTHS: std::ops::RangeInclusive<u8> = 0..=5;

/// The times that a search may take, in milliseconds.
const TIMES: [u32; 6] = [5, 10, 20, 50, 100, 500];

static ASSETS: &[Asset] = &[
    Asset { name: "board.js", content_type: SCRIPT, bytes: include_bytes!("board.js") },
    Asset { name: "play.js", content_type: SCRIPT, bytes: include_bytes!("play.js") },
    Asset { name: "tiles.js", content_type: SCRIPT, bytes: include_bytes!("tiles.js") },
];

#[derive(Template)]
#[template(path = "play-2048.html")]
struct PlayPage<'a> {
    /// The board to begin with; empty for a random one.
    rows: String,
    size: Size,
    sizes: Vec<Size>,
    tables: Vec<&'a Opened>,
}

/// Where it is found.
pub fn routes() -> Router<Arc<Site>> {
    let assets = assets::routes("/assets/2048/{name}", ASSETS);
    Router::new().route("/play/2048", get(play)).merge(assets)
}

async fn play(State(site): State<Arc<Site>>, asked: Parameters) -> Result<Html<String>, Problem> {
    let board = asked.get("board").map(|board| ("board", Some(board)));
    let options = read_options(&Twenty48, &[Use::Position], board)?;
    let position = match asked.get("position").filter(|text| !text.is_empty()) {
        Some(text) => Some(Twenty48.position(text, &options)?),
        None => None,
    };
    let position = position.as_deref().map(Twenty48Position::of).transpose()?;
    let given = options.parse("board").map_err(Problem::bad)?;
    let size = position.map(|it| it.size).or(given).unwrap_or(Size::FULL);
    let mut sizes: Vec<Size> = Size::all().collect();
    sizes.reverse();
    render(&PlayPage {
        rows: position.map_or(String::new(), |it| it.board.text(it.size)),
        size,
        sizes,
        tables: site.tables_of(&Twenty48).collect(),
    })
}
