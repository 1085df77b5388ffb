//! The line of best play, as links.

use std::sync::Arc;
use std::time::{Duration, Instant};

use endtable::games::{Detail, Game, Position, draw};
use endtable::random::SplitMix64;
use endtable::value::Worth;

use super::address;
use super::known::{From, know};
use crate::serve::{Problem, Site};

/// How many moves of a line a page shows.
const LONGEST: usize = 40;

/// How long a line may be searched for, where no tables have it.
const PATIENCE: Duration = Duration::from_millis(400);

/// Best play from a position on.
pub struct BestLine {
    /// The moves.
    pub steps: Vec<Step>,
    /// How it ends.
    pub end: String,
}

impl BestLine {
    /// Whether chance moves in it.
    pub fn has_chance(&self) -> bool {
        self.steps.iter().any(|step| step.turn == CHANCE)
    }
}

/// Who moves where chance does.
const CHANCE: &str = "chance";

/// A move of the line.
pub struct Step {
    /// Who makes it, if the position says so.
    pub turn: &'static str,
    /// The move.
    pub name: String,
    /// Where it leads.
    pub href: String,
}

/// What chance does is drawn from this seed: the same line every time.
const SEED: u64 = 0;

/// Follows the best moves, the first of equally good ones, as far as they are known for certain.
///
/// # Errors
/// When a table is damaged.
pub async fn best_line<'a>(
    site: &'a Arc<Site>,
    game: &'static dyn Game,
    start: &Arc<dyn Position>,
    first: Option<&str>,
    from: From<'a>,
) -> Result<BestLine, Problem> {
    let begun = Instant::now();
    let mut random = SplitMix64::new(SEED);
    let (mut steps, mut position) = (Vec::new(), Arc::clone(start));
    let mut next = first.map(str::to_owned);
    let end = loop {
        if let Some(over) = position.over() {
            break over;
        }
        let chances = position.chances();
        let (turn, mv) = if chances.is_empty() {
            let Some(mv) = next.take() else { break "nothing more to be done".into() };
            (position.turn().unwrap_or_default(), mv)
        } else {
            (CHANCE, draw(chances, &mut random))
        };
        if steps.len() == LONGEST {
            break "and so on".into();
        }
        let Ok(spot) = address::after(game, &*position, &mv) else {
            break "not known from here on".into();
        };
        steps.push(Step { turn, name: mv, href: from.kept(spot.href) });
        position = spot.position.into();
        if position.over().is_some() || !position.chances().is_empty() {
            continue;
        }
        let known = know(site, game, &position, Detail::Best, from).await?;
        if known.tables.is_none() && begun.elapsed() > PATIENCE {
            break "and so on: follow it".into();
        }
        match known.answer.filter(|answer| !matches!(answer.worth, Worth::Unknown { .. })) {
            Some(answer) => next = answer.best().map(str::to_owned),
            None => break "not known from here on".into(),
        }
    };
    Ok(BestLine { steps, end })
}
