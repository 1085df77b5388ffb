//! Moves as links, grouped by what they lead to, the best first.

use std::cmp::Ordering;

use endtable::games::{Answer, Game, Position};
use endtable::value::{Expected, GameResult, Unit, Value, Worth};

use super::known::From;
use super::{address, words};

/// Moves that lead to the same result.
pub struct Group {
    /// What it is called.
    pub title: &'static str,
    /// The class that colours it.
    pub class: &'static str,
    /// The moves, best first.
    pub moves: Vec<Link>,
}

/// A move that can be followed.
pub struct Link {
    /// The move.
    pub name: String,
    /// Where it leads.
    pub href: String,
    /// What it is worth, in words; empty if that is not known.
    pub worth: String,
    /// Whether no other is better.
    pub best: bool,
    /// How much of the best value it is worth, from 0 to 100, where values are compared.
    pub share: Option<f64>,
    /// How likely it is, where chance moves.
    pub chance: Option<f64>,
}

impl Link {
    /// How likely it is, in words.
    pub fn chance_words(&self) -> Option<String> {
        self.chance.map(words::percent)
    }
}

/// The groups in their order: what belongs to each, its title and its class.
const GROUPS: [(&str, &str); 5] = [
    ("Winning", "win"),
    ("Drawing", "draw"),
    ("Losing", "loss"),
    ("Moves by value", "value"),
    ("Not decided", "unknown"),
];

fn group_of(worth: Option<&Worth>) -> usize {
    match worth {
        Some(Worth::Expected(_)) => 3,
        Some(worth) => match worth.result() {
            Some(GameResult::Win) => 0,
            Some(GameResult::Draw) => 1,
            Some(GameResult::Loss) => 2,
            None => 4,
        },
        None => 4,
    }
}

/// Wins before draws before losses, and of each the better one first.
pub fn compare(one: Option<&Worth>, other: Option<&Worth>) -> Ordering {
    let within = match (one, other) {
        (Some(Worth::Value(one)), Some(Worth::Value(other))) => other.cmp(one),
        (Some(Worth::Expected(one)), Some(Worth::Expected(other))) => {
            other.value.total_cmp(&one.value)
        }
        _ => Ordering::Equal,
    };
    group_of(one).cmp(&group_of(other)).then(within)
}

/// The legal moves of a position, with what an answer says of them.
pub fn groups(
    game: &dyn Game,
    position: &dyn Position,
    answer: Option<&Answer>,
    from: From<'_>,
) -> Vec<Group> {
    let known = |name: &str| answer?.moves.iter().find(|mv| mv.name == name)?.worth;
    let is_best = |name: &String| answer.is_some_and(|answer| answer.best.contains(name));
    let known = |name: String| (known(&name), name);
    let mut moves: Vec<(Option<Worth>, String)> = position.moves().into_iter().map(known).collect();
    moves.sort_by(|(one, _), (other, _)| compare(one.as_ref(), other.as_ref()));
    let scale = Scale::of(moves.iter().filter_map(|(worth, _)| worth.as_ref()));
    let mut values = told_apart(moves.iter().map(|(worth, _)| worth.as_ref())).into_iter();
    let mut groups: Vec<Group> =
        GROUPS.map(|(title, class)| Group { title, class, moves: Vec::new() }).into();
    for (worth, name) in moves {
        let shown = values.next().unwrap_or_default();
        let Ok(spot) = address::after(game, position, &name) else { continue };
        groups[group_of(worth.as_ref())].moves.push(Link {
            best: is_best(&name),
            href: from.kept(spot.href),
            worth: shown,
            share: worth.as_ref().and_then(|worth| scale.share(worth)),
            chance: None,
            name,
        });
    }
    groups.retain(|group| !group.moves.is_empty());
    groups
}

/// What moves are worth, in words: values that differ look different, and of what is not decided nothing is
/// said.
pub fn told_apart<'a>(worths: impl Iterator<Item = Option<&'a Worth>> + Clone) -> Vec<String> {
    let expected = |worth: Option<&Worth>| match worth {
        Some(Worth::Expected(expected)) => Some(*expected),
        _ => None,
    };
    let values: Vec<Expected> = worths.clone().filter_map(expected).collect();
    let mut texts = words::told_apart(&values).into_iter();
    let text = |worth: Option<&Worth>| match worth {
        Some(Worth::Expected(_)) => texts.next().unwrap_or_default(),
        Some(Worth::Unknown { .. }) | None => String::new(),
        Some(worth) => words::of_move(worth),
    };
    worths.map(text).collect()
}

/// How long the bars of values are.
struct Scale {
    least: f64,
    most: f64,
}

/// The shortest bar of an estimate: it is worse, not nothing.
const SHORTEST: f64 = 12.0;

impl Scale {
    /// From nothing to the best; of estimates, which have no zero, from the worst to the best.
    fn of<'a>(moves: impl Iterator<Item = &'a Worth>) -> Self {
        let mut scale = Self { least: f64::INFINITY, most: f64::NEG_INFINITY };
        for worth in moves {
            if let Worth::Expected(Expected { value, unit, .. }) = worth {
                scale.least = scale.least.min(if *unit == Unit::Estimate { *value } else { 0.0 });
                scale.most = scale.most.max(*value);
            }
        }
        scale
    }

    /// The length of a bar, up to 100.
    fn share(&self, worth: &Worth) -> Option<f64> {
        let Worth::Expected(Expected { value, unit, .. }) = worth else { return None };
        let shortest = if *unit == Unit::Estimate { SHORTEST } else { 0.0 };
        let extent = self.most - self.least;
        let share = if extent > 0.0 { (value - self.least) / extent } else { 1.0 };
        Some((shortest + (100.0 - shortest) * share).round())
    }
}

/// What a move gives away: what the position was worth, and what the move was; `None` if it is as good
/// as any, or one of the two is not known.
pub fn cost(answer: &Answer, mv: &str) -> Option<String> {
    let made = answer.moves.iter().find(|it| it.name == mv)?.worth?;
    match (answer.worth, made) {
        (Worth::Value(best), Worth::Value(made)) if made < best => Some(match (best, made) {
            (Value::Win(best), Value::Win(made)) => {
                format!("still wins, {} plies later", made.0 - best.0)
            }
            (Value::Loss(best), Value::Loss(made)) => {
                format!("loses {} plies sooner", best.0 - made.0)
            }
            (Value::Win(best), Value::Draw) => format!("gives away a win in {} for a draw", best.0),
            (Value::Win(best), Value::Loss(made)) => {
                format!("gives away a win in {}: now lost in {}", best.0, made.0)
            }
            (_, Value::Loss(made)) => format!("gives away a draw: now lost in {}", made.0),
            _ => "not the best".into(),
        }),
        _ => None,
    }
}
