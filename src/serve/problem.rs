//! What is wrong with a request, in a sentence: a page for people, an object for programs.

use askama::Template;
use axum::http::header::{self, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use endtable::games::GameError;
use serde_json::json;

use super::html::{json, render};

/// A request that is not answered as it was meant to be.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The status of the answer.
    pub status: StatusCode,
    /// What is wrong, and what to do.
    pub sentence: String,
}

impl Problem {
    /// A status and a sentence.
    pub fn new(status: StatusCode, sentence: impl ToString) -> Self {
        Self { status, sentence: sentence.to_string() }
    }

    /// A request that cannot be read.
    pub fn bad(sentence: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, sentence)
    }

    /// Something that is not here.
    pub fn not_found(sentence: impl ToString) -> Self {
        Self::new(StatusCode::NOT_FOUND, sentence)
    }

    /// The answer to a request for this path: an object below `/api/`, a page elsewhere.
    pub fn answer(&self, path: &str) -> Response {
        let mut response = match path.starts_with("/api/") {
            true => json(json!({ "error": self.sentence }).to_string()),
            false => {
                let reason = self.status.canonical_reason().unwrap_or("Error");
                render(&ProblemPage { reason, sentence: &self.sentence }).into_response()
            }
        };
        *response.status_mut() = self.status;
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

/// The page that says what is wrong.
#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    reason: &'a str,
    sentence: &'a str,
}

/// What it looks like depends on the path, which only the outermost layer knows: it finds the problem
/// among the extensions.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl From<GameError> for Problem {
    fn from(error: GameError) -> Self {
        let status = match error {
            GameError::Position { .. }
            | GameError::Move { .. }
            | GameError::Option(_)
            | GameError::Unsupported(_)
            | GameError::OtherGame => StatusCode::BAD_REQUEST,
            GameError::NotFound(_) => StatusCode::NOT_FOUND,
            GameError::Stopped => StatusCode::UNPROCESSABLE_ENTITY,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error)
    }
}

/// The answer for addresses that there are none of.
pub async fn no_such_page(uri: Uri) -> Problem {
    Problem::not_found(format!("there is nothing at {}", uri.path()))
}

/// The answer to a method that an address does not have.
pub async fn no_such_method(method: Method, uri: Uri) -> Problem {
    let sentence = format!("{} does not answer {method}", uri.path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, sentence)
}
