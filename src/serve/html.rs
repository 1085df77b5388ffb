//! Answers as text: pages from templates, and JSON.

use askama::Template;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use endtable::games::{self, Game};

use super::problem::Problem;

/// Most pages are shorter, so that they are put together without being moved.
const USUAL_LENGTH: usize = 12 * 1024;

/// A page from its template.
pub fn render(template: &impl Template) -> Result<Html<String>, Problem> {
    let mut page = String::with_capacity(USUAL_LENGTH);
    // A template that does not render is a mistake of ours, whatever was asked.
    let failed = |error| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, error);
    template.render_into(&mut page).map_err(failed)?;
    Ok(Html(page))
}

/// A text that is JSON.
pub fn json(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// The games, for the layout's navigation.
pub fn games() -> [&'static dyn Game; games::ALL.len()] {
    games::ALL
}
