//! What is known of a position: from the tables that are here, or by a search, and where it comes from.

use std::sync::Arc;

use endtable::games::{Answer, Detail, Game, Position, Use};
use endtable::table::Options;
use endtable::value::{Unit, Worth};

use super::address;
use crate::serve::opened::Opened;
use crate::serve::question::named_tables;
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
#[derive(Clone, Copy)]
pub enum From<'a> {
    /// The first that have the position; a search if none do.
    Any,
    /// These; a search if they do not have it.
    Tables(&'a Opened),
    /// None.
    Search,
}

/// The name that addresses have for it.
pub const FROM: &str = "table";

/// What stands there if no table is to answer.
const SEARCH: &str = "search";

impl<'a> From<'a> {
    /// Reads it.
    ///
    /// # Errors
    /// When it is neither the number of a table of the game nor a search.
    pub fn parse(site: &'a Site, game: &dyn Game, text: Option<&str>) -> Result<Self, Problem> {
        match text {
            None | Some("") => Ok(Self::Any),
            Some(SEARCH) => Ok(Self::Search),
            Some(number) => {
                let opened = named_tables(site, number)?;
                if opened.game().name() == game.name() {
                    return Ok(Self::Tables(opened));
                }
                let own = opened.game().name();
                Err(Problem::bad(format!("{FROM}={number}: these tables are of {own}")))
            }
        }
    }

    /// What the tables say that may answer, and which they are; `None` if they do not have the position.
    ///
    /// # Errors
    /// When one is damaged where the answer would be, or has changed.
    pub fn probe(
        self,
        site: &'a Site,
        game: &dyn Game,
        position: &dyn Position,
        detail: Detail,
    ) -> Result<Option<(Answer, &'a Opened)>, Problem> {
        Ok(match self {
            Self::Any => site.probe(game, position, detail)?,
            Self::Tables(opened) => opened.find(position, detail)?.map(|answer| (answer, opened)),
            Self::Search => None,
        })
    }

    /// As an address has it; empty if any may answer.
    pub fn text(self) -> String {
        match self {
            Self::Any => String::new(),
            Self::Tables(opened) => opened.number.to_string(),
            Self::Search => SEARCH.into(),
        }
    }

    /// An address at which the same may answer.
    pub fn kept(self, mut address: String) -> String {
        if !matches!(self, Self::Any) {
            address::push(&mut address, FROM, &self.text());
        }
        address
    }

    /// Why what was found is not from a table.
    pub fn why_searched(self) -> &'static str {
        match self {
            Self::Any => "No table that is served has this position.",
            Self::Tables(_) => "The table that was asked for does not have this position.",
            Self::Search => "",
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
    from: From<'a>,
) -> Result<Known<'a>, Problem> {
    if let Some((answer, opened)) = from.probe(site, game, &**position, detail)? {
        let goal = opened.goal(&answer);
        return Ok(Known { answer: Some(answer), tables: Some(opened), goal, why_not: None });
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
