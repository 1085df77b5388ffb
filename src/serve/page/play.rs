//! A game against perfect play, or as good as can be found out. The moves made are the address, so it needs
//! no script, and the browser's way back takes moves back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use endtable::games::{Answer, Choice, Detail, Game, Position, Setting};
use endtable::random::SplitMix64;
use endtable::value::{GameResult, Worth};

use super::deal::{self, has_deals};
use super::known::{From, Known, know};
use super::moves::{compare, cost};
use super::{address, board, words};
use crate::serve::html::render;
use crate::serve::{Parameters, Problem, Site};

/// Nobody plays against whoever plays both sides.
const BOTH: &str = "both";

/// How long it may take to say what earlier moves cost.
const PATIENCE: Duration = Duration::from_millis(600);

/// A game that is being played.
struct Match {
    game: &'static dyn Game,
    /// Every position, the one to begin with first.
    positions: Vec<Arc<dyn Position>>,
    /// The moves between them.
    moves: Vec<String>,
    /// Who the visitor is, as positions call who is to move.
    side: String,
    hints: bool,
}

#[derive(Template)]
#[template(path = "play.html")]
struct PlayPage {
    game: &'static dyn Game,
    board: String,
    caption: String,
    /// Whose turn it is, or how the game ended.
    headline: String,
    /// What is known of the position, where hints are on.
    word: Option<String>,
    moves: Vec<Offer>,
    record: Vec<Made>,
    undo: Option<String>,
    hints: bool,
    toggle_hints: String,
    explore: String,
    /// What the form has to say of the game that goes on.
    state: Vec<(&'static str, String)>,
    start: Vec<(String, String)>,
    sides: Vec<Choice>,
    settings: Vec<Setting>,
    has_deals: bool,
    starts: Vec<(String, String)>,
}

impl PlayPage {
    /// Whether the visitor plays a side.
    fn is_side(&self, side: &Choice) -> bool {
        self.state.iter().any(|(name, value)| *name == "side" && *value == side.value)
    }
}

/// A move that the visitor may make.
struct Offer {
    name: String,
    href: String,
    worth: String,
    best: bool,
}

/// A move that was made.
struct Made {
    turn: &'static str,
    name: String,
    /// What it gave away.
    cost: Option<String>,
}

/// A game of a game.
pub async fn play(
    State(site): State<Arc<Site>>,
    Path(name): Path<String>,
    asked: Parameters,
) -> Result<Response, Problem> {
    let game = super::game(&name)?;
    let mut played = Match::new(&site, game, &asked)?;
    let before = played.moves.len();
    if let Some(mv) = asked.get("move").map(str::trim).filter(|mv| !mv.is_empty()) {
        played.make(mv)?;
    }
    if !played.is_over() && !played.is_visitors() {
        let known = know(&site, game, played.last(), Detail::Moves, From::Any).await?;
        let reply = reply(&**played.last(), known.answer.as_ref());
        played.make(&reply)?;
    }
    // What was drawn or played is part of the address.
    if played.moves.len() > before || begins_anywhere(&asked) {
        return Ok(Redirect::to(&played.address()).into_response());
    }
    let known = match played.is_over() {
        true => None,
        false => Some(know(&site, game, played.last(), Detail::Moves, From::Any).await?),
    };
    let record = played.record(&site).await?;
    render(&played.page(known, record)).map(IntoResponse::into_response)
}

/// Whether the field for the position to begin with was left empty.
fn begins_anywhere(asked: &Parameters) -> bool {
    asked.get("position").is_some_and(|text| text.trim().is_empty())
}

/// A move of perfect play; where none is known, one that is not known to lose.
fn reply(position: &dyn Position, answer: Option<&Answer>) -> String {
    let moves = position.moves();
    if let Some(best) = answer.filter(|it| it.worth.result().is_some()).and_then(Answer::best) {
        return best.into();
    }
    let loses = |name: &String| {
        let known = answer.and_then(|answer| answer.moves.iter().find(|mv| mv.name == *name));
        known.and_then(|mv| mv.worth?.result()) == Some(GameResult::Loss)
    };
    let (bad, good): (Vec<String>, Vec<String>) = moves.into_iter().partition(loses);
    let choice = if good.is_empty() { bad } else { good };
    let seed = position
        .text()
        .bytes()
        .fold(0, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(byte.into()));
    let number = SplitMix64::new(seed).below(choice.len().max(1) as u64) as usize;
    choice.into_iter().nth(number).unwrap_or_default()
}

impl Match {
    fn new(site: &Site, game: &'static dyn Game, asked: &Parameters) -> Result<Self, Problem> {
        let start = match begins_anywhere(asked) && has_deals(game) {
            true => deal::random(game, &super::position_options(game, asked)?)?.into(),
            false => super::first_position(site, game, asked)?,
        };
        let Some(turn) = start.turn() else {
            return Err(Problem::not_found(format!("{}: not a game for two", game.name())));
        };
        let side = asked.get("side").filter(|side| !side.is_empty()).unwrap_or(turn).to_owned();
        let hints = asked.switch("hints")?;
        let mut played = Self { game, positions: vec![start], moves: Vec::new(), side, hints };
        if !played.sides().iter().any(|side| side.value == played.side) {
            let sides: Vec<String> = played.sides().into_iter().map(|side| side.value).collect();
            let (side, sides) = (&played.side, sides.join(", "));
            return Err(Problem::bad(format!("side={side}: expected one of {sides}")));
        }
        let made = asked.get("moves").unwrap_or_default();
        for mv in made.split(',').filter(|mv| !mv.is_empty()) {
            played.make(mv)?;
        }
        Ok(played)
    }

    fn make(&mut self, mv: &str) -> Result<(), Problem> {
        self.positions.push(self.last().play(mv)?.into());
        self.moves.push(mv.into());
        Ok(())
    }

    fn last(&self) -> &Arc<dyn Position> {
        self.positions.last().expect("a game has a position to begin with")
    }

    fn is_over(&self) -> bool {
        self.last().over().is_some()
    }

    /// Whether the visitor is to move.
    fn is_visitors(&self) -> bool {
        self.plays(&**self.last())
    }

    fn plays(&self, position: &dyn Position) -> bool {
        self.side == BOTH || position.turn().is_none_or(|turn| turn == self.side)
    }

    fn address(&self) -> String {
        self.address_of(&self.moves, self.hints)
    }

    fn address_of(&self, moves: &[String], hints: bool) -> String {
        let mut address = address::of(&format!("/play/{}", self.game.name()), &*self.positions[0]);
        address::push(&mut address, "side", &self.side);
        if hints {
            address::push(&mut address, "hints", "1");
        }
        if !moves.is_empty() {
            address::push(&mut address, "moves", &moves.join(","));
        }
        address
    }

    /// The moves made, with what those of the visitor gave away: of the last ones first, as long as it
    /// takes not too long to find out.
    async fn record(&self, site: &Arc<Site>) -> Result<Vec<Made>, Problem> {
        let begun = Instant::now();
        let mut record = Vec::new();
        for (position, mv) in self.positions.iter().zip(&self.moves).rev() {
            let mut cost_of_it = None;
            if self.plays(&**position) && begun.elapsed() < PATIENCE {
                let known = know(site, self.game, position, Detail::Moves, From::Any).await?;
                cost_of_it = known.answer.and_then(|answer| cost(&answer, mv));
            }
            let turn = position.turn().unwrap_or_default();
            record.push(Made { turn, name: mv.clone(), cost: cost_of_it });
        }
        record.reverse();
        Ok(record)
    }

    /// The address with the visitor's last move taken back, and what followed it.
    fn undo(&self) -> Option<String> {
        let made = self.positions[..self.moves.len()].iter();
        let last = made.enumerate().rev().find(|(_, position)| self.plays(&***position));
        last.map(|(number, _)| self.address_of(&self.moves[..number], self.hints))
    }

    fn page(&self, known: Option<Known<'_>>, record: Vec<Made>) -> PlayPage {
        let position = &**self.last();
        let answer = known.as_ref().and_then(|known| known.answer.as_ref());
        let shown = if self.hints { answer } else { None };
        let best = shown.and_then(Answer::best);
        let offers = self.offers(shown);
        let drawing = position.drawing(best);
        let href = |mv: &str| offers.iter().find(|it| it.name == mv).map(|it| it.href.as_str());
        let turn = position.turn().unwrap_or_default();
        let headline = match position.over() {
            Some(over) => format!("The game is over: {over}"),
            None if self.side == BOTH => format!("{} to move", words::capital(turn)),
            None => format!("Your move: you are {turn}"),
        };
        let word = |answer: &Answer| words::headline(position, answer, None);
        let parts = self.positions[0].parts();
        let start = &*self.positions[0];
        let options = start.options();
        PlayPage {
            game: self.game,
            board: board::svg(&drawing, Some(&format!("{}, {headline}", self.game.name())), &href),
            caption: drawing.caption,
            headline,
            word: shown.map(word).or_else(|| failed(known.as_ref().filter(|_| self.hints))),
            undo: self.undo(),
            hints: self.hints,
            toggle_hints: self.address_of(&self.moves, !self.hints),
            explore: address::of(&address::explorer(self.game), position),
            state: vec![
                ("side", self.side.clone()),
                ("hints", u8::from(self.hints).to_string()),
                ("moves", self.moves.join(",")),
            ],
            start: [("position".to_owned(), start.text())]
                .into_iter()
                .chain(
                    options.iter().map(|(name, value)| {
                        (name.to_owned(), value.unwrap_or_default().to_owned())
                    }),
                )
                .collect(),
            sides: self.sides(),
            // Whose turn it is belongs to the position, and so does what is typed.
            settings: parts
                .settings
                .into_iter()
                .filter(|it| self.is_option(it.name) && !it.choices.is_empty())
                .collect(),
            has_deals: has_deals(self.game),
            starts: self.game.starts().into_iter().map(|it| (it.text, it.label)).collect(),
            moves: offers,
            record,
        }
    }

    fn is_option(&self, name: &str) -> bool {
        let options = self.game.options(endtable::games::Use::Position);
        options.iter().any(|spec| spec.name == name)
    }

    /// The visitor's moves: in the game's order, or best first where hints are on.
    fn offers(&self, answer: Option<&Answer>) -> Vec<Offer> {
        let known = |name: &str| answer?.moves.iter().find(|mv| mv.name == name)?.worth;
        let mut moves: Vec<(Option<Worth>, String)> =
            self.last().moves().into_iter().map(|name| (known(&name), name)).collect();
        moves.sort_by(|(one, _), (other, _)| compare(one.as_ref(), other.as_ref()));
        let offer = |(worth, name): (Option<Worth>, String)| {
            let mut moves = self.moves.clone();
            moves.push(name.clone());
            Offer {
                href: self.address_of(&moves, self.hints),
                worth: worth.as_ref().map_or(String::new(), words::of_move),
                best: answer.is_some_and(|answer| answer.best.contains(&name)),
                name,
            }
        };
        moves.into_iter().map(offer).collect()
    }

    /// Who can be played: each side, or both.
    fn sides(&self) -> Vec<Choice> {
        let first = &self.positions[0];
        let after = first.moves().first().and_then(|mv| first.play(mv).ok());
        let turns = [first.turn(), after.and_then(|after| after.turn())];
        let mut sides: Vec<Choice> = turns
            .into_iter()
            .flatten()
            .map(|turn| Choice { label: format!("you are {turn}"), value: turn.into() })
            .collect();
        sides.push(Choice { value: BOTH.into(), label: "you play both sides".into() });
        sides
    }
}

/// Why nothing is known, if that is so.
fn failed(known: Option<&Known<'_>>) -> Option<String> {
    known.and_then(|known| known.why_not.clone())
}
