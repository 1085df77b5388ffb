//! Styles, scripts and pictures, part of the program: nothing is asked of another host.

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use xxhash_rust::xxh3::xxh3_64;

use super::{Problem, Site};

/// A file that pages use.
pub struct Asset {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub content_type: &'static str,
    /// What it holds.
    pub bytes: &'static [u8],
}

/// What scripts are.
pub const SCRIPT: &str = "text/javascript; charset=utf-8";

const CSS: &str = "text/css; charset=utf-8";

/// Those of all pages.
pub static ASSETS: &[Asset] = &[
    Asset { name: "board.css", content_type: CSS, bytes: include_bytes!("board.css") },
    Asset { name: "explore.js", content_type: SCRIPT, bytes: include_bytes!("explore.js") },
    Asset { name: "icon.svg", content_type: "image/svg+xml", bytes: include_bytes!("icon.svg") },
    Asset { name: "style.css", content_type: CSS, bytes: include_bytes!("style.css") },
];

/// Where some are found: at a path with their name in it.
pub fn routes(path: &str, assets: &'static [Asset]) -> Router<Arc<Site>> {
    let find = move |Path(name): Path<String>, headers: HeaderMap| async move {
        let found = assets.iter().find(|asset| asset.name == name);
        let missing = || Problem::not_found(format!("no asset {name:?}"));
        found.map(|asset| asset.answer(&headers)).ok_or_else(missing)
    };
    Router::new().route(path, get(find))
}

impl Asset {
    /// Its content, unless the browser has it.
    fn answer(&self, headers: &HeaderMap) -> Response {
        // What tells it from an older one.
        let tag = format!("\"{:016x}\"", xxh3_64(self.bytes));
        let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known == tag.as_str());
        let tagged = [(header::ETAG, tag)];
        match known {
            true => (StatusCode::NOT_MODIFIED, tagged).into_response(),
            false => {
                (tagged, [(header::CONTENT_TYPE, self.content_type)], self.bytes).into_response()
            }
        }
    }
}
