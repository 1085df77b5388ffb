//! The JSON interface: the objects that the commands print, at addresses.
//!
//! One position is asked by GET, its options as parameters; many by POST, as an object. `openapi.json`
//! describes all of it, and the tests hold the answers against it.

mod batch;
mod forms;
mod objects;
mod single;

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::http::header::{self, HeaderMap};
use axum::response::{Html, Response};
use axum::routing::get;

use super::html::{json, render};
use super::{Problem, Site};

/// The description of the interface, as OpenAPI has it.
const DESCRIPTION: &str = include_str!("openapi.json");

/// Where it is found.
pub fn routes() -> Router<Arc<Site>> {
    Router::new()
        .route("/api/v1/probe", get(single::probe).post(batch::probe))
        .route("/api/v1/solve", get(single::solve).post(batch::solve))
        .route("/api/v1/moves", get(single::moves).post(batch::moves))
        .route("/api/v1/line", get(single::line))
        .route("/api/v1/dump", get(forms::dump))
        .route("/api/v1/apply", get(forms::apply))
        .route("/api/v1/openapi.json", get(description))
        .route("/api", get(documentation))
}

#[derive(Template)]
#[template(path = "api.html")]
struct DocumentationPage {
    origin: String,
    seconds: u64,
}

/// The interface for people, with examples that run.
async fn documentation(
    State(site): State<Arc<Site>>,
    headers: HeaderMap,
) -> Result<Html<String>, Problem> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let seconds = site.searches().longest.as_secs();
    render(&DocumentationPage { origin: format!("http://{host}"), seconds })
}

async fn description() -> Response {
    json(DESCRIPTION.into())
}
