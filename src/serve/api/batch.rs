//! Many positions at once: an object with `positions`, and what would be parameters beside them.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::Response;
use endtable::games::{GameError, Use};
use endtable::solve::Limits;
use serde_json::Value;
use tokio::time::timeout;

use super::objects;
use super::single::{EITHER, PROBE, SOLVE, tells_moves};
use crate::json;
use crate::serve::html::json as answer;
use crate::serve::question::Question;
use crate::serve::searches::too_long;
use crate::serve::{Parameters, Problem, Site};

/// The most positions of a batch.
const MOST: usize = 1_000;

/// The most bytes of a batch.
const MOST_BYTES: usize = 1 << 18;

/// How long a batch may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);

/// How the positions of a batch are answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Tables,
    Search,
    Either,
}

/// What tables say of many positions.
pub async fn probe(State(site): State<Arc<Site>>, request: Request) -> Result<Response, Problem> {
    answer_all(site, request, &PROBE, By::Tables).await
}

/// What a search finds of many positions.
pub async fn solve(State(site): State<Arc<Site>>, request: Request) -> Result<Response, Problem> {
    answer_all(site, request, &SOLVE, By::Search).await
}

/// What every move is worth in many positions.
pub async fn moves(State(site): State<Arc<Site>>, request: Request) -> Result<Response, Problem> {
    answer_all(site, request, &EITHER, By::Either).await
}

/// Answers a batch, in its order, when it is its turn. What cannot be read or takes too long gets an
/// object that says so in its place.
async fn answer_all(
    site: Arc<Site>,
    request: Request,
    uses: &'static [Use],
    by: By,
) -> Result<Response, Problem> {
    let (asked, positions) = batch(request).await?;
    Question::read(&site, &asked, uses)?;
    let answering = Arc::clone(&site);
    let work = move |limits: Limits<'_>| {
        let question = Question::read(&answering, &asked, uses)?;
        let one = |text: &String| {
            let answered = answer_one(&answering, &question, text, by, limits);
            answered.unwrap_or_else(|error| {
                json::unreadable(text.as_bytes(), &too_long(error).sentence)
            })
        };
        Ok::<_, Problem>(positions.iter().map(one).collect::<Vec<_>>().join(","))
    };
    let answers = site.searches().run(work).await??;
    Ok(answer(format!("{{\"answers\":[{answers}]}}")))
}

fn answer_one(
    site: &Site,
    question: &Question<'_>,
    text: &str,
    by: By,
    limits: Limits<'_>,
) -> Result<String, GameError> {
    if limits.reached() {
        return Err(GameError::Stopped);
    }
    let (game, detail) = (question.game, question.detail());
    let position = question.position(text)?;
    let solve = || {
        let solvers = site.searches().solvers();
        solvers.solve(game, &*position, &question.options, detail, limits)
    };
    Ok(match by {
        By::Tables => match question.probe(&*position)? {
            Some((found, _)) => json::answer(game, &*position, &found, question.moves),
            None => json::absent(game, &*position),
        },
        By::Search => json::answer(game, &*position, &solve()?, question.moves),
        By::Either => {
            let known = question.probe(&*position)?;
            let (found, tables) = match known.filter(|(found, _)| tells_moves(found, &*position)) {
                Some((found, tables)) => (found, Some(tables.number)),
                None => (solve()?, None),
            };
            objects::moves(game, &*position, &found, tables)
        }
    })
}

/// The parameters and the positions of a batch.
async fn batch(request: Request) -> Result<(Parameters, Vec<String>), Problem> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.map(|kind| kind.split(';').next().unwrap_or_default().trim());
    // A page of another site can send what a form could, but not this.
    if !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
        let sentence = "expected a body of the type application/json";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, sentence));
    }
    let bytes = body(request.into_body()).await?;
    let value: Value = serde_json::from_slice(&bytes)
        .map_err(|error| Problem::bad(format!("the body is not JSON: {error}")))?;
    let Value::Object(mut object) = value else {
        return Err(Problem::bad("expected an object with positions"));
    };
    let Some(Value::Array(positions)) = object.remove("positions") else {
        return Err(Problem::bad("positions: expected a list of texts"));
    };
    if positions.len() > MOST {
        let count = positions.len();
        let sentence = format!("{count} positions: a batch has at most {MOST}");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, sentence));
    }
    let text = |value: Value| match value {
        Value::String(text) => Ok(text),
        value => Err(Problem::bad(format!("positions: expected a text, found {value}"))),
    };
    let positions = positions.into_iter().map(text).collect::<Result<_, _>>()?;
    let parameter = |(name, value): (String, Value)| match value {
        Value::String(value) => Ok((name, value)),
        Value::Number(_) | Value::Bool(_) => Ok((name, value.to_string())),
        _ => Err(Problem::bad(format!("{name}: expected a text, a number, true or false"))),
    };
    let parameters = object.into_iter().map(parameter).collect::<Result<Vec<_>, _>>()?;
    Ok((Parameters::from(parameters), positions))
}

/// A body, if it is not too long and arrives in time.
async fn body(body: Body) -> Result<Vec<u8>, Problem> {
    let late = || Problem::new(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time");
    let bytes = timeout(PATIENCE, to_bytes(body, MOST_BYTES)).await.map_err(|_| late())?;
    let bytes = bytes.map_err(|_| {
        let sentence = format!("a batch has at most {MOST_BYTES} bytes");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, sentence)
    })?;
    Ok(bytes.into())
}
