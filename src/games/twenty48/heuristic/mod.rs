//! Heuristics: what a board is worth at a glance, named and weighted.
//!
//! A board is valued after a move, before the new tile comes. No board is worth less than 0, which
//! is what a dead position is worth. Where weights would make a line worth less than that, all
//! lines are worth so much more that the worst of them is worth 0.

mod lines;

use std::fmt;
use std::str::FromStr;

pub(super) use lines::Lines;

use super::Size;

/// A heuristic with its weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Heuristic {
    kind: Kind,
    weights: Vec<f64>,
}

/// The heuristics there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Edges,
    Sum,
    Score,
}

/// A heuristic as a search uses it. A board is given twice: its lines along one direction, and the
/// same lines across; rows are along and columns across, or, if `TURNED`, the other way round.
///
/// A search slides lines one by one, so the worth of a board comes in two parts, which it adds up.
pub(super) trait Evaluation: Sync {
    /// Whether what a move scores counts, too.
    const SCORES: bool;

    /// What a thread keeps from one board to the next.
    type Memory: Send;

    /// A memory to begin with.
    fn memory(&self) -> Self::Memory;

    /// What is worth the same whatever stands in line `y`.
    fn without<const TURNED: bool>(&self, along: u64, y: u32, memory: &mut Self::Memory) -> f32;

    /// All the rest.
    fn with<const TURNED: bool>(
        &self,
        along: u64,
        across: u64,
        y: u32,
        memory: &mut Self::Memory,
    ) -> f32;
}

/// The heuristic that values nothing, so that only what moves score counts.
pub(super) struct Nothing;

impl Evaluation for Nothing {
    const SCORES: bool = true;
    type Memory = ();

    fn memory(&self) {}

    fn without<const TURNED: bool>(&self, _along: u64, _y: u32, (): &mut ()) -> f32 {
        0.0
    }

    fn with<const TURNED: bool>(&self, _along: u64, _across: u64, _y: u32, (): &mut ()) -> f32 {
        0.0
    }
}

/// What is wrong with the name of a heuristic or with its weights.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeuristicError {
    /// No heuristic is called so.
    #[error("{name:?}: no heuristic; there are {}", names())]
    Name {
        /// What was asked for.
        name: String,
    },
    /// A line of weights that is not one.
    #[error("line {line}: {text:?}: expected a name, = and a number")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// No weight of the heuristic is called so.
    #[error("line {line}: {heuristic} has no weight {weight:?}; it has {known}")]
    Weight {
        /// The number of the line, from 1.
        line: usize,
        /// The heuristic.
        heuristic: &'static str,
        /// The name.
        weight: String,
        /// The names there are.
        known: String,
    },
}

fn names() -> String {
    Kind::ALL.map(Kind::name).join(", ")
}

impl Kind {
    const ALL: [Self; 3] = [Self::Edges, Self::Sum, Self::Score];

    const fn name(self) -> &'static str {
        match self {
            Self::Edges => "edges",
            Self::Sum => "sum",
            Self::Score => "score",
        }
    }

    /// The names of the weights, with what they are when nothing else is said.
    const fn weights(self) -> &'static [(&'static str, f64)] {
        match self {
            Self::Edges => &[("open", 20_000.0), ("edge", 20_000.0)],
            Self::Sum => &[
                ("tiles", 1.0),
                ("open", 1_000.0),
                ("smoothness", 0.0),
                ("monotonicity", 0.0),
                ("corner", 0.0),
            ],
            Self::Score => &[],
        }
    }
}

impl Heuristic {
    /// The heuristic's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// Whether its values are scores still to come, so that they can be compared with those of
    /// tables.
    #[must_use]
    pub const fn is_score(&self) -> bool {
        matches!(self.kind, Kind::Score)
    }

    /// Each weight with its name.
    pub fn weights(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.kind.weights().iter().zip(&self.weights).map(|(&(name, _), &weight)| (name, weight))
    }

    /// The same with weights from a text: on each line a name, `=` and a number. What is not named
    /// stays; empty lines, and what follows a `#`, say nothing.
    ///
    /// ```
    /// use endtable::games::twenty48::Heuristic;
    ///
    /// let sum: Heuristic = "sum".parse()?;
    /// let smooth = sum.with_weights("smoothness = 50  # for each step between neighbours")?;
    /// assert!(smooth.weights().any(|weight| weight == ("smoothness", 50.0)));
    /// # Ok::<(), endtable::games::twenty48::HeuristicError>(())
    /// ```
    ///
    /// # Errors
    /// When a line is something else, or names a weight that the heuristic does not have.
    pub fn with_weights(mut self, text: &str) -> Result<Self, HeuristicError> {
        for (number, whole) in text.lines().enumerate() {
            let line = number + 1;
            let text = whole.split('#').next().unwrap_or_default().trim();
            if text.is_empty() {
                continue;
            }
            let parts = text.split_once('=').map(|(name, number)| (name.trim(), number.trim()));
            let parts = parts.and_then(|(name, number)| Some((name, number.parse::<f64>().ok()?)));
            let Some((name, weight)) = parts.filter(|(_, weight)| weight.is_finite()) else {
                return Err(HeuristicError::Line { line, text: text.into() });
            };
            let known = self.kind.weights().iter().map(|&(name, _)| name);
            let Some(at) = known.clone().position(|known| known == name) else {
                let known = known.collect::<Vec<_>>().join(", ");
                let heuristic = self.name();
                return Err(HeuristicError::Weight { line, heuristic, weight: name.into(), known });
            };
            self.weights[at] = weight;
        }
        Ok(self)
    }

    /// The tables for boards of a size; none if only the score counts.
    pub(super) fn lines(&self, size: Size) -> Option<Lines> {
        let weight = |name| self.weights().find(|&(it, _)| it == name).map_or(0.0, |(_, it)| it);
        match self.kind {
            Kind::Edges => Some(Lines::edges(size, weight("open"), weight("edge"))),
            Kind::Sum => {
                let terms = ["tiles", "open", "smoothness", "monotonicity"].map(weight);
                Some(Lines::sum(size, terms, weight("corner")))
            }
            Kind::Score => None,
        }
    }
}

/// By name, with the weights that it has when nothing else is said.
impl FromStr for Heuristic {
    type Err = HeuristicError;

    fn from_str(name: &str) -> Result<Self, HeuristicError> {
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        let kind = kind.ok_or_else(|| HeuristicError::Name { name: name.into() })?;
        Ok(Self { kind, weights: kind.weights().iter().map(|&(_, weight)| weight).collect() })
    }
}

/// The name, and the weights in brackets: `edges (open 20000, edge 20000)`.
impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        let weights: Vec<String> =
            self.weights().map(|(name, it)| format!("{name} {it}")).collect();
        if weights.is_empty() { Ok(()) } else { write!(f, " ({})", weights.join(", ")) }
    }
}

impl Default for Heuristic {
    fn default() -> Self {
        let kind = Kind::Edges;
        Self { kind, weights: kind.weights().iter().map(|&(_, weight)| weight).collect() }
    }
}
