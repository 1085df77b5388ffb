//! One position: what tables say of it, what a search finds, and best play from it on.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use endtable::games::{Answer, Line, LineEnd, Position, Use};

use super::objects;
use crate::json;
use crate::serve::html::json as answer;
use crate::serve::question::Question;
use crate::serve::{Parameters, Problem, Site};

/// The uses whose options go with a probe.
pub const PROBE: [Use; 2] = [Use::Position, Use::Probe];
/// The uses whose options go with a search.
pub const SOLVE: [Use; 2] = [Use::Position, Use::Solve];
/// The uses whose options go with either.
pub const EITHER: [Use; 3] = [Use::Position, Use::Solve, Use::Probe];

/// What tables say of a position, as `endtable probe` prints it.
pub async fn probe(State(site): State<Arc<Site>>, asked: Parameters) -> Result<Response, Problem> {
    let question = Question::read(&site, &asked, &PROBE)?;
    let position = question.named_position(&asked)?;
    Ok(answer(match question.probe(&*position)? {
        Some((found, _)) => json::answer(question.game, &*position, &found, question.moves),
        None => json::absent(question.game, &*position),
    }))
}

/// What a search finds, as `endtable solve` prints it.
pub async fn solve(State(site): State<Arc<Site>>, asked: Parameters) -> Result<Response, Problem> {
    let question = Question::read(&site, &asked, &SOLVE)?;
    let position: Arc<_> = question.named_position(&asked)?.into();
    let searched = site.searches().solve(
        question.game,
        Arc::clone(&position),
        &question.options,
        question.detail(),
    );
    Ok(answer(json::answer(question.game, &*position, &searched.await?, question.moves)))
}

/// What every move is worth: by the tables that have the position, else by a search; and which it was.
pub async fn moves(State(site): State<Arc<Site>>, asked: Parameters) -> Result<Response, Problem> {
    let question = Question::read(&site, &asked, &EITHER)?;
    let position: Arc<_> = question.named_position(&asked)?.into();
    let known = question.probe(&*position)?;
    let (found, tables) = match known.filter(|(found, _)| tells_moves(found, &*position)) {
        Some((found, tables)) => (found, Some(tables.number)),
        None => {
            let (game, options, detail) = (question.game, &question.options, question.detail());
            let searched = site.searches().solve(game, Arc::clone(&position), options, detail);
            (searched.await?, None)
        }
    };
    Ok(answer(objects::moves(question.game, &*position, &found, tables)))
}

/// Whether an answer says what to do. A table whose goal is reached does not.
pub fn tells_moves(answer: &Answer, position: &dyn Position) -> bool {
    !answer.best.is_empty() || position.moves().is_empty()
}

/// Best play from a position on, as `endtable line` prints it, in one object.
pub async fn line(State(site): State<Arc<Site>>, asked: Parameters) -> Result<Response, Problem> {
    let question = Question::read(&site, &asked, &PROBE)?;
    let chance = asked.get("chance").unwrap_or("0");
    let chance = chance.parse().map_err(|_| {
        Problem::bad(format!("chance={chance}: expected a seed, a number below 2^64"))
    })?;
    let position: Arc<_> = question.named_position(&asked)?.into();
    let tables = match question.tables {
        Some(tables) => Some(tables),
        None => question.probe(&*position)?.map(|(_, tables)| tables),
    };
    let line = match tables {
        Some(tables) => tables.line(&position, chance)?,
        None => Line { steps: Vec::new(), last: position, end: LineEnd::Absent },
    };
    Ok(answer(objects::line(question.game, &line)))
}
