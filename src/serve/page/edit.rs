//! The editor of positions: a form with a field a place, which needs no script.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use endtable::games::{Game, Parts, Position, Start};
use endtable::table::Options;

use super::deal::has_deals;
use super::known::{FROM, From};
use super::{address, board};
use crate::serve::html::render;
use crate::serve::opened::Opened;
use crate::serve::{Parameters, Problem, Site};

#[derive(Template)]
#[template(path = "edit.html")]
struct EditPage<'a> {
    game: &'static dyn Game,
    text: String,
    options: Vec<(String, String)>,
    board: String,
    parts: Parts,
    tables: Vec<&'a Opened>,
    /// Which of them is to answer, as an address has it.
    from: String,
    starts: Vec<(&'static str, Vec<Start>)>,
    has_deals: bool,
    error: Option<String>,
    back: String,
}

impl EditPage<'_> {
    /// The position that is edited, as an address has it.
    fn of(&self) -> String {
        let mut address = String::new();
        address::push(&mut address, "position", &self.text);
        for (name, value) in &self.options {
            address::push(&mut address, name, value);
        }
        address.split_off(1)
    }

    /// The address of a deal at random, by the same rules.
    fn random_deal(&self) -> String {
        let mut address = format!("/{}/deal", self.game.name());
        for (name, value) in &self.options {
            address::push(&mut address, name, value);
        }
        if !self.from.is_empty() {
            address::push(&mut address, FROM, &self.from);
        }
        address
    }

    /// Whether this is to answer.
    fn is_from(&self, from: impl ToString) -> bool {
        self.from == from.to_string()
    }

    /// Whether an option has a field of its own.
    fn is_setting(&self, name: &str) -> bool {
        self.parts.settings.iter().any(|setting| setting.name == name)
    }
}

/// The name of the fields of places.
const CELL: &str = "cell";

/// The editor, filled in with a position.
pub async fn edit(
    State(site): State<Arc<Site>>,
    Path(name): Path<String>,
    asked: Parameters,
) -> Result<Html<String>, Problem> {
    let game = super::game(&name)?;
    let position = super::position(&site, game, &asked)?;
    let from = From::parse(&site, game, asked.get(FROM))?;
    show(&site, game, &*position, position.parts(), from, None)
}

fn show(
    site: &Site,
    game: &'static dyn Game,
    position: &dyn Position,
    parts: Parts,
    from: From<'_>,
    error: Option<String>,
) -> Result<Html<String>, Problem> {
    let mut starts: Vec<(&'static str, Vec<Start>)> = Vec::new();
    for start in game.starts() {
        match starts.last_mut() {
            Some((kind, list)) if *kind == start.kind => list.push(start),
            _ => starts.push((start.kind, vec![start])),
        }
    }
    let options = position.options();
    let options = options.iter();
    render(&EditPage {
        game,
        text: position.text(),
        options: options.map(|(name, value)| (name.into(), value.unwrap_or("").into())).collect(),
        board: board::svg(&position.drawing(None), Some(game.name()), &|_| None),
        parts,
        tables: site.tables_of(game).collect(),
        from: from.text(),
        starts,
        has_deals: has_deals(game),
        error,
        back: from.kept(address::of(&address::explorer(game), position)),
    })
}

/// Where a filled in form leads: to the explorer of its position, or back to the form with what is wrong.
pub async fn set(
    State(site): State<Arc<Site>>,
    Path(name): Path<String>,
    asked: Parameters,
) -> Result<Response, Problem> {
    let game = super::game(&name)?;
    // The position that was edited tells how many places there are, and what can be set.
    let before = super::position(&site, game, &Parameters::parse(asked.get("of").unwrap_or(""))?)?;
    let from = From::parse(&site, game, asked.get(FROM))?;
    let mut parts = before.parts();
    let mut typed = asked.all(CELL);
    for cell in parts.cells.iter_mut().flatten() {
        let missing = || Problem::bad("the form has too few places");
        *cell = typed.next().ok_or_else(missing)?.trim().into();
    }
    for setting in &mut parts.settings {
        if let Some(value) = asked.get(setting.name) {
            setting.value = value.trim().into();
        }
    }
    let settings =
        parts.settings.iter().fold(Options::default(), |all, it| all.with(it.name, &it.value));
    let text = game.assemble(&parts.cells, &settings);
    let read = super::position_options(game, &asked)
        .and_then(|options| Ok(game.position(&text, &options)?));
    Ok(match read {
        Ok(position) => {
            let address = address::of(&address::explorer(game), &*position);
            Redirect::to(&from.kept(address)).into_response()
        }
        Err(problem) => {
            show(&site, game, &*before, parts, from, Some(problem.sentence)).into_response()
        }
    })
}
