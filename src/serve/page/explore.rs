//! The explorer: a position, what it is worth, and where every move leads.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Html;
use endtable::games::{Detail, Game, Position};
use endtable::value::{Expected, Worth};

use super::known::{FROM, From, Known, know};
use super::line::{BestLine, best_line};
use super::moves::{Group, Link, groups, told_apart};
use super::{address, board, words};
use crate::serve::html::render;
use crate::serve::opened::Opened;
use crate::serve::{Parameters, Problem, Site};

#[derive(Template)]
#[template(path = "explore.html")]
struct ExplorePage<'a> {
    game: &'static dyn Game,
    board: String,
    caption: String,
    /// What is known, in a sentence, and the class that colours it.
    headline: String,
    class: &'static str,
    source: Source<'a>,
    /// Why it was searched, if it was.
    why_searched: &'static str,
    groups: Vec<Group>,
    line: Option<BestLine>,
    /// Moves that what answered leaves out, each with the reason.
    excluded: Vec<(String, String)>,
    notes: Vec<String>,
    commands: Vec<(String, &'static str)>,
    fields: Vec<(&'static str, String)>,
    edit: String,
    play: String,
    /// The same as JSON; `None` where chance moves, which is no question to ask.
    json: Option<String>,
}

/// Where an answer comes from.
enum Source<'a> {
    /// Tables.
    Tables(&'a Opened),
    /// A search that found what best play leads to.
    Solved,
    /// A search that did not.
    Estimated,
    /// A search that was given up, and why.
    Failed(String),
    /// The rules: the game is over.
    Rules,
    /// Tables or a search, once chance has moved.
    Chance,
}

/// The explorer of a game.
pub async fn explore(
    State(site): State<Arc<Site>>,
    Path(name): Path<String>,
    asked: Parameters,
) -> Result<Html<String>, Problem> {
    let game = super::game(&name)?;
    let position = super::position(&site, game, &asked)?;
    let from = From::parse(&site, game, asked.get(FROM))?;
    let mut page = ExplorePage::new(game, &*position, from);
    if !position.chances().is_empty() {
        page.add_chances(&site, from, &*position)?;
        return render(&page);
    }
    if let Some(over) = position.over() {
        page.headline = format!("The game is over: {over}");
        page.draw(&*position, None);
        return render(&page);
    }
    let known = know(&site, game, &position, Detail::Moves, from).await?;
    let best = known.answer.as_ref().and_then(|answer| answer.best()).map(str::to_owned);
    if known.is_exact() {
        page.line = Some(best_line(&site, game, &position, best.as_deref(), from).await?);
    }
    page.add_answer(&*position, known, from);
    page.draw(&*position, best.as_deref());
    render(&page)
}

/// The address of the same as JSON.
fn json(game: &dyn Game, position: &dyn Position, from: From<'_>) -> String {
    let mut address = match from {
        From::Search => "/api/v1/solve?moves=true".to_owned(),
        From::Any | From::Tables(_) => "/api/v1/moves".to_owned(),
    };
    address::push(&mut address, "game", game.name());
    address::push_position(&mut address, position);
    address
}

impl<'a> ExplorePage<'a> {
    fn new(game: &'static dyn Game, position: &dyn Position, from: From<'_>) -> Self {
        let path = address::explorer(game);
        let fields = position.fields().into_iter();
        Self {
            game,
            board: String::new(),
            caption: String::new(),
            headline: String::new(),
            class: "unknown",
            source: Source::Rules,
            why_searched: from.why_searched(),
            groups: Vec::new(),
            line: None,
            excluded: Vec::new(),
            notes: Vec::new(),
            commands: Vec::new(),
            fields: fields.map(|(name, field)| (name, field.to_string())).collect(),
            edit: from.kept(address::of(&format!("{path}/edit"), position)),
            play: address::of(&format!("/play{path}"), position),
            json: position.chances().is_empty().then(|| json(game, position, from)),
        }
    }

    /// Draws the board, with the moves that are links already.
    fn draw(&mut self, position: &dyn Position, best: Option<&str>) {
        let drawing = position.drawing(best);
        let title = match position.turn() {
            Some(turn) => format!("{}, {turn} to move", self.game.name()),
            None => self.game.name().into(),
        };
        let links = || self.groups.iter().flat_map(|group| &group.moves);
        let href = |mv: &str| links().find(|link| link.name == mv).map(|link| link.href.as_str());
        self.board = board::svg(&drawing, Some(&title), &href);
        self.caption = drawing.caption;
    }

    fn add_answer(&mut self, position: &dyn Position, known: Known<'a>, from: From<'_>) {
        self.groups = groups(self.game, position, known.answer.as_ref(), from);
        let exact = known.is_exact();
        let Some(answer) = known.answer else {
            self.headline = "Not known".into();
            self.source = Source::Failed(known.why_not.unwrap_or_default());
            self.commands = self.game.commands(position);
            return;
        };
        self.headline = words::headline(position, &answer, known.goal.as_deref());
        self.class = match answer.worth.result() {
            Some(endtable::value::GameResult::Win) => "win",
            Some(endtable::value::GameResult::Draw) => "draw",
            Some(endtable::value::GameResult::Loss) => "loss",
            None => "value",
        };
        self.source = match known.tables {
            Some(tables) => Source::Tables(tables),
            None if exact => Source::Solved,
            None => Source::Estimated,
        };
        // Tables that do not have the position refuse the question.
        if matches!(self.source, Source::Tables(_)) {
            self.json = self.json.take().map(|json| from.kept(json));
        }
        if !exact {
            self.commands = self.game.commands(position);
        }
        let notes = answer.notes.into_iter().filter(|(name, _)| *name == "note");
        self.notes = notes.map(|(_, note)| note).collect();
        self.excluded = answer.excluded;
    }

    /// What may follow by chance: how likely each is, and what it is worth where tables say so.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be, or has changed.
    fn add_chances(
        &mut self,
        site: &'a Site,
        from: From<'a>,
        position: &dyn Position,
    ) -> Result<(), Problem> {
        let mut links = Vec::new();
        let mut worths = Vec::new();
        let mut mean = Some(0.0);
        for (name, chance) in position.chances() {
            let Ok(spot) = address::after(self.game, position, &name) else { continue };
            let known = from.probe(site, self.game, &*spot.position, Detail::Best)?;
            let worth = known.map(|(answer, _)| answer.worth);
            let value = match worth {
                Some(Worth::Expected(Expected { value, .. })) => Some(value),
                _ => None,
            };
            mean = mean.zip(value).map(|(mean, value)| mean + chance * value);
            worths.push(worth);
            links.push(Link {
                href: from.kept(spot.href),
                worth: String::new(),
                best: false,
                share: None,
                chance: Some(chance),
                name,
            });
        }
        let texts = told_apart(worths.iter().map(Option::as_ref));
        for (link, text) in links.iter_mut().zip(texts) {
            link.worth = text;
        }
        self.headline = match (mean, worths.first()) {
            (Some(mean), Some(Some(Worth::Expected(first)))) => {
                let mean = Expected { value: mean, ..*first };
                format!("Chance moves: {} on average", words::expected(&mean))
            }
            _ => "Chance moves".into(),
        };
        self.class = "value";
        self.source = Source::Chance;
        self.groups = vec![Group { title: "What may come", class: "chance", moves: links }];
        self.draw(position, None);
        Ok(())
    }
}
