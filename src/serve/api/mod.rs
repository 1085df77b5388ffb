//! The JSON interface: the objects that the commands print, at addresses.
//!
//! One position is asked by GET, its options as parameters; many by POST, as an object. `openapi.json`
//! describes all of it, and the tests hold the answers against it.

mod batch;
mod forms;
mod objects;
mod single;

use std::sync::Arc;

use axum::Router;
use axum::response::Response;
use axum::routing::get;

use super::Site;
use super::html::json;

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
}

async fn description() -> Response {
    json(DESCRIPTION.into())
}
