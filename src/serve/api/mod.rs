//! The JSON interface.

use std::sync::Arc;

use axum::Router;

use super::Site;

/// Where they are found.
pub fn routes() -> Router<Arc<Site>> {
    Router::new()
}
