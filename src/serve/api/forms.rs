//! Positions in all their forms: as they are, and after some moves.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use endtable::games::Use;

use crate::json;
use crate::serve::html::json as answer;
use crate::serve::question::Question;
use crate::serve::{Parameters, Problem, Site};

/// A position in all its forms, as `endtable dump` prints it.
pub async fn dump(State(site): State<Arc<Site>>, asked: Parameters) -> Result<Response, Problem> {
    let question = Question::read(&site, &asked, &[Use::Position])?;
    let position = question.named_position(&asked)?;
    Ok(answer(json::forms(question.game, &*position)))
}

/// The position after some moves, as `endtable apply` prints it.
pub async fn apply(State(site): State<Arc<Site>>, asked: Parameters) -> Result<Response, Problem> {
    let question = Question::read(&site, &asked, &[Use::Position])?;
    let mut position = question.named_position(&asked)?;
    for (number, mv) in (1..).zip(asked.all("move")) {
        position = position.play(mv).map_err(|error| {
            Problem::bad(format!("move {number}: {error} (in {})", position.text()))
        })?;
    }
    Ok(answer(json::forms(question.game, &*position)))
}
