//! Styles, scripts and pictures, part of the program: nothing is asked of another host.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderMap};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use xxhash_rust::xxh3::xxh3_64;

use super::{Problem, Site};

/// A file that pages use.
struct Asset {
    name: &'static str,
    content_type: &'static str,
    bytes: &'static [u8],
}

const CSS: &str = "text/css; charset=utf-8";

const SCRIPT: &str = "text/javascript; charset=utf-8";

static ASSETS: &[Asset] = &[
    Asset { name: "board-2048.js", content_type: SCRIPT, bytes: include_bytes!("board-2048.js") },
    Asset { name: "board.css", content_type: CSS, bytes: include_bytes!("board.css") },
    Asset { name: "explore.js", content_type: SCRIPT, bytes: include_bytes!("explore.js") },
    Asset { name: "icon.svg", content_type: "image/svg+xml", bytes: include_bytes!("icon.svg") },
    Asset { name: "play-2048.js", content_type: SCRIPT, bytes: include_bytes!("play-2048.js") },
    Asset { name: "style.css", content_type: CSS, bytes: include_bytes!("style.css") },
    Asset { name: "tiles.js", content_type: SCRIPT, bytes: include_bytes!("tiles.js") },
];

/// What tells each asset from an older one.
static TAGS: LazyLock<Vec<String>> = LazyLock::new(|| {
    ASSETS.iter().map(|asset| format!("\"{:016x}\"", xxh3_64(asset.bytes))).collect()
});

/// Where they are found.
pub fn routes() -> Router<Arc<Site>> {
    Router::new().route("/assets/{name}", get(asset))
}

/// An asset, unless the browser has it.
async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let found = ASSETS.iter().zip(&*TAGS).find(|(asset, _)| asset.name == name);
    let (asset, tag) = found.ok_or_else(|| Problem::not_found(format!("no asset {name:?}")))?;
    let tagged = [(header::ETAG, tag.as_str())];
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known == tag.as_str());
    Ok(match known {
        true => (StatusCode::NOT_MODIFIED, tagged).into_response(),
        false => {
            (tagged, [(header::CONTENT_TYPE, asset.content_type)], asset.bytes).into_response()
        }
    })
}
