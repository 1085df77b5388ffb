//! The page of the program: tables and solvers behind addresses, for people and as JSON.
//!
//! One small file a concern. [`Site`] is what is served: the opened tables, and the threads that search.
//! [`server`] accepts connections and ends them; [`safety`] stands before every route. The routes are
//! those of the pages ([`page`]), of the tables ([`tables`]) and of the JSON interface ([`api`]).

mod api;
mod assets;
mod background;
mod html;
mod index;
mod opened;
mod page;
mod parameters;
mod patient;
mod problem;
mod question;
mod safety;
mod searches;
mod server;
mod site;
mod tables;
#[cfg(test)]
mod tests;
mod twenty48;
mod watched;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

pub use server::{Address, listen, serve};
pub use site::Site;

use parameters::Parameters;
use problem::Problem;

/// Everything that is served, behind what keeps it safe.
fn router(site: Arc<Site>, address: &Address) -> Router {
    let routes = Router::new()
        .route("/", get(index::index))
        .merge(api::routes())
        .merge(tables::routes())
        .merge(page::routes())
        .merge(twenty48::routes())
        .merge(assets::routes("/assets/{name}", assets::ASSETS))
        .fallback(problem::no_such_page)
        .method_not_allowed_fallback(problem::no_such_method)
        .with_state(site);
    safety::guarded(routes, address.hosts())
}
