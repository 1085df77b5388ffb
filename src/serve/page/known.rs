//! What is known of a position: from the tables that are here, or by a search, and where it comes from.

use std::sync::Arc;

use endtable::games::{Answer, Detail, Game, Position, Use};
use endtable::table::Options;
use endtable::value::{Unit, Worth};

use crate::serve::opened::Opened;
use crate::serve::{Problem, Site};

/// What is known of a position.
pub struct Known<'a> {
    /// The answer, unless nothing could be found out.
    pub answer: Option<Answer>,
    /// The tables that gave it; `None` if it was searched.
    pub tables: Option<&'a Opened>,
    /// What a chance is of.
    pub goal: Option<String>,
    /// Why there is no answer.
    pub why_not: Option<String>,
}

impl Known<'_> {
    /// Whether the answer is what best play leads to, and no estimate.
    pub fn is_exact(&self) -> bool {
        self.answer.as_ref().is_some_and(|answer| match &answer.worth {
            Worth::Expected(expected) => expected.unit != Unit::Estimate,
            Worth::Unknown { .. } => false,
            _ => true,
        })
    }
}

/// Which tables may answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum From {
    /// The first that have the position; a search if none do.
    #[default]
    Any,
    /// Those of a number; a search if they do not have it.
    Table(usize),
    /// None.
    Search,
}

/// The name that addresses have for it.
pub const FROM: &str = "table";

impl From {
    /// Reads it.
    ///
    /// # Errors
    /// When it is neither the number of a table nor a search.
    pub fn parse(text: Option<&str>) -> Result<Self, Problem> {
        match text {
            None | Some("") => Ok(Self::Any),
            Some("search") => Ok(Self::Search),
            Some(number) => number.parse().map(Self::Table).map_err(|_| {
                Problem::bad(format!("{FROM}={number}: expected the number of a table, or search"))
            }),
        }
    }
}

/// Finds out what a position is worth.
///
/// # Errors
/// When a table is damaged where the answer would be.
pub async fn know<'a>(
    site: &'a Arc<Site>,
    game: &'static dyn Game,
    position: &Arc<dyn Position>,
    detail: Detail,
    from: From,
) -> Result<Known<'a>, Problem> {
    for opened in site.tables_of(game) {
        let may = match from {
            From::Any => true,
            From::Table(number) => opened.number == number,
            From::Search => false,
        };
        if may && let Some(answer) = opened.find(&**position, detail)? {
            let goal = opened.goal(&answer);
            return Ok(Known { answer: Some(answer), tables: Some(opened), goal, why_not: None });
        }
    }
    let options = search_options(game);
    let searched = site.searches().solve(game, Arc::clone(position), &options, detail).await;
    let (answer, why_not) = match searched {
        Ok(answer) => (Some(answer), None),
        Err(problem) => (None, Some(problem.sentence)),
    };
    Ok(Known { answer, tables: None, goal: None, why_not })
}

/// How long a page waits for a search that can be told to find out as much as it can in a time, in seconds.
const SECONDS: f64 = 0.7;

fn search_options(game: &dyn Game) -> Options {
    let takes_time = game.options(Use::Solve).iter().any(|spec| spec.name == "time");
    Options::default().with_some("time", takes_time.then_some(SECONDS))
}
