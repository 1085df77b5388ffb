//! Heuristics: what a board is worth at a glance, named and weighted.
//!
//! A board is valued after a move, before the new tile comes. No board is worth less than 0, which
//! is what a dead position is worth. Where weights would make a line worth less than that, all
//! lines are worth so much more that the worst of them is worth 0.

mod lines;
mod one_by_one;
mod strong;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub(super) use lines::Lines;
use one_by_one::OneByOne;
use strong::Networks;
pub(super) use strong::Strong;

use super::round::{Afterstate, LANES, LastRound, Machine, Slides, Valuation, lanes};
use super::{Board, Size, TallBoard};
use crate::solve::expectimax::Margins;

/// A heuristic with its weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Heuristic {
    kind: Kind,
    weights: Vec<f64>,
    /// The networks of `strong`, if they are not the shipped ones.
    networks: Option<Arc<Networks>>,
}

/// No weight is larger: sums of such must be told apart in 32-bit floating point.
const LARGEST_WEIGHT: f64 = 1e12;

/// The heuristics there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Edges,
    Sum,
    Score,
    Strong,
}

/// A heuristic made ready for boards of a size.
pub(super) enum Ready {
    Lines(Lines),
    Nothing(Nothing),
    /// `late` values late boards, if there is a second network.
    Strong {
        strong: Strong,
        late: Option<Strong>,
    },
}

/// A heuristic as a search uses it. A board is given twice: its lines along one axis, and the same
/// lines across. Along axis 0 these are rows and columns, along axis 1 columns and rows.
///
/// A search slides lines one by one, so the worth of a board comes in two parts, which it adds up.
pub(super) trait Evaluation: Sync + Sized {
    /// Whether what a move scores counts, too.
    const SCORES: bool;

    /// Whether its values are expectations of what is to come, so that those of boards at different
    /// depths can be compared.
    const FORESEES: bool;

    /// When a search leaves moves out, where ways are cut off.
    const MARGINS: Option<Margins> = None;

    /// What a thread keeps from one board to the next.
    type Memory: Send;

    /// A memory to begin with.
    fn memory(&self) -> Self::Memory;

    /// What is worth the same whatever stands in line `y`.
    fn without<const AXIS: usize>(&self, along: u64, y: usize) -> f32;

    /// All the rest.
    fn with<const AXIS: usize>(
        &self,
        along: u64,
        across: u64,
        y: usize,
        memory: &mut Self::Memory,
    ) -> f32;

    /// The last round of a search: for each kind of tile from the first on, the sum over all empty cells
    /// of what the best move is worth and scores.
    fn last_round(
        &self,
        round: &LastRound,
        after: Afterstate,
        memory: &mut Self::Memory,
    ) -> [f64; 2] {
        round.sums(OneByOne { heuristic: self, memory }, after)
    }
}

/// The heuristic that values nothing, so that only what moves score counts.
#[derive(Clone, Copy)]
pub(super) struct Nothing;

impl Evaluation for Nothing {
    const SCORES: bool = true;
    const FORESEES: bool = false;
    type Memory = ();

    fn memory(&self) {}

    fn without<const AXIS: usize>(&self, _along: u64, _y: usize) -> f32 {
        0.0
    }

    fn with<const AXIS: usize>(&self, _along: u64, _across: u64, _y: usize, (): &mut ()) -> f32 {
        0.0
    }

    #[inline]
    fn last_round(&self, round: &LastRound, after: Afterstate, (): &mut ()) -> [f64; 2] {
        round.sums(*self, after)
    }
}

impl Valuation for Nothing {
    #[inline(always)]
    fn values<const AXIS: usize, const Y: usize>(
        &mut self,
        _: impl Machine,
        slides: &Slides,
        _: Afterstate,
    ) -> [f32; LANES] {
        let scores = slides.scores::<Y>();
        lanes(|case| scores[case % 4])
    }
}

/// What is wrong with the name of a heuristic or with its weights.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
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
    /// Weights that should be lines of text.
    #[error("expected lines of text: a name, = and a number")]
    Text,
    /// Weights that should be those of networks.
    #[error("no weights of strong, or damaged ones: {0}")]
    Network(String),
    /// There are no networks but those of a file.
    #[error(
        "built without the weights of strong: give a file of them, or choose another heuristic"
    )]
    NoWeights,
    /// No memory for the networks.
    #[error("no memory for the weights of strong: {0}")]
    Memory(String),
    /// The heuristic does not know boards of this size.
    #[error("strong is for 4x4 boards, not for {size}")]
    Size {
        /// The size of the boards.
        size: Size,
    },
}

fn names() -> String {
    Kind::ALL.map(Kind::name).join(", ")
}

impl Kind {
    const ALL: [Self; 4] = [Self::Edges, Self::Sum, Self::Score, Self::Strong];

    const fn name(self) -> &'static str {
        match self {
            Self::Edges => "edges",
            Self::Sum => "sum",
            Self::Score => "score",
            Self::Strong => "strong",
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
            Self::Score | Self::Strong => &[],
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
        matches!(self.kind, Kind::Score | Kind::Strong)
    }

    /// The best there is for boards of a size: `strong` for 4x4 if its weights are there (the feature
    /// `weights`), `sum` for others.
    #[must_use]
    pub fn for_size(size: Size) -> Self {
        let strong = size == Size::FULL && cfg!(feature = "weights");
        Self::new(if strong { Kind::Strong } else { Kind::Sum })
    }

    fn new(kind: Kind) -> Self {
        let weights = kind.weights().iter().map(|&(_, weight)| weight).collect();
        Self { kind, weights, networks: None }
    }

    /// The board that a search looks at instead of a board, with the same legal moves. With `strong`,
    /// one without a 16384, as far as that goes: its larger tiles are halved above gaps, as in the games
    /// that its first network learned. With all others the board itself.
    #[must_use]
    pub fn familiar(&self, board: impl Into<TallBoard>) -> Board {
        let board = board.into();
        if self.kind == Kind::Strong { strong::familiar(board) } else { board.nybbles() }
    }

    /// The late board that a search looks at instead of a board, if it is one: near a 32768, with all
    /// tiles from 4096 to 16384 and none above. `strong` has a second network for such boards, which
    /// has learned them as they are; with weights of one network only, they are searched like all
    /// others. Larger tiles are halved above gaps. To other heuristics no board is late.
    #[must_use]
    pub fn late(&self, board: impl Into<TallBoard>) -> Option<Board> {
        (self.kind == Kind::Strong).then(|| strong::late(board.into())).flatten()
    }

    /// Each weight with its name; those of `strong` have none.
    pub fn weights(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.kind.weights().iter().zip(&self.weights).map(|(&(name, _), &weight)| (name, weight))
    }

    /// The same with other weights, as a file holds them.
    ///
    /// Those of `strong` are what `tools/tune2048` makes. All others are a text: on each line a name,
    /// `=` and a number. What is not named stays; empty lines, and what follows a `#`, say nothing.
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
    /// When a line is something else, or names a weight that the heuristic does not have; when
    /// weights of `strong` are damaged or none at all.
    pub fn with_weights(mut self, file: impl AsRef<[u8]>) -> Result<Self, HeuristicError> {
        let file = file.as_ref();
        if self.kind == Kind::Strong {
            self.networks = Some(Arc::new(Networks::read(file)?));
            return Ok(self);
        }
        let text = std::str::from_utf8(file).map_err(|_| HeuristicError::Text)?;
        for (number, whole) in text.lines().enumerate() {
            let line = number + 1;
            let text = whole.split('#').next().unwrap_or_default().trim();
            if text.is_empty() {
                continue;
            }
            let parts = text.split_once('=').map(|(name, number)| (name.trim(), number.trim()));
            let parts = parts.and_then(|(name, number)| Some((name, number.parse::<f64>().ok()?)));
            let Some((name, weight)) = parts.filter(|(_, weight)| weight.abs() <= LARGEST_WEIGHT)
            else {
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

    /// Makes the heuristic ready for boards of a size.
    pub(super) fn ready(&self, size: Size) -> Result<Ready, HeuristicError> {
        let weight = |name| self.weights().find(|&(it, _)| it == name).map_or(0.0, |(_, it)| it);
        Ok(match self.kind {
            Kind::Edges => Ready::Lines(Lines::edges(size, weight("open"), weight("edge"))),
            Kind::Sum => {
                let terms = ["tiles", "open", "smoothness", "monotonicity"].map(weight);
                Ready::Lines(Lines::sum(size, terms, weight("corner")))
            }
            Kind::Score => Ready::Nothing(Nothing),
            Kind::Strong if size != Size::FULL => return Err(HeuristicError::Size { size }),
            Kind::Strong => {
                let networks = self.networks.clone().map_or_else(Networks::shipped, Ok)?;
                networks.ready()
            }
        })
    }
}

/// By name, with the weights that it has when nothing else is said.
impl FromStr for Heuristic {
    type Err = HeuristicError;

    fn from_str(name: &str) -> Result<Self, HeuristicError> {
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        let kind = kind.ok_or_else(|| HeuristicError::Name { name: name.into() })?;
        Ok(Self::new(kind))
    }
}

/// The name, and the weights in brackets: `edges (open 20000, edge 20000)`. Weights of `strong` are
/// told by a checksum, if they are not the shipped ones.
impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if let Some(networks) = &self.networks {
            return write!(f, " ({networks})");
        }
        let weights: Vec<String> =
            self.weights().map(|(name, it)| format!("{name} {it}")).collect();
        if weights.is_empty() { Ok(()) } else { write!(f, " ({})", weights.join(", ")) }
    }
}

/// The one for 4x4 boards, `strong`.
impl Default for Heuristic {
    fn default() -> Self {
        Self::for_size(Size::FULL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::Direction;
    use crate::games::twenty48::symmetry::transpose;
    use crate::random::SplitMix64;

    /// A last round board by board.
    fn naive<H: Evaluation>(
        heuristic: &H,
        size: Size,
        Afterstate { board, empty, first_kind }: Afterstate,
        memory: &mut H::Memory,
    ) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (kind, sum) in sums.iter_mut().enumerate().skip(first_kind) {
            for cell in (0..16).filter(|cell| empty >> (4 * cell) & 1 == 1) {
                let board = Board(board | (kind as u64 + 1) << (4 * cell));
                let moves = Direction::ALL.into_iter().filter_map(|it| board.slide(it, size));
                let values = moves.map(|(after, score)| {
                    let value = heuristic.without::<0>(after.0, 0)
                        + heuristic.with::<0>(after.0, transpose(after.0), 0, memory);
                    value.max(0.0) + if H::SCORES { score as f32 } else { 0.0 }
                });
                *sum += f64::from(values.fold(0.0, f32::max));
            }
        }
        sums
    }

    /// A random board, from full ones of few tiles to empty ones.
    fn afterstate(random: &mut SplitMix64, size: Size, first_kind: usize) -> Afterstate {
        let (spread, empty) = (1 + random.below(15), random.below(17));
        let cells = (0..16).map(|cell| {
            let tile = if random.below(16) < empty { 0 } else { 1 + random.below(spread) };
            tile << (4 * cell)
        });
        let board = Board(cells.sum::<u64>() & size.mask());
        Afterstate { board: board.0, empty: board.empty_bits(size), first_kind }
    }

    /// Every machine gives the sums of the naive round, to the same bits. All values are whole numbers, so
    /// that sums are exact in whatever order.
    pub(in crate::games::twenty48::heuristic) fn check<H: Evaluation>(
        heuristic: &H,
        size: Size,
        rounds: usize,
    ) {
        let mut random = SplitMix64::new(1);
        let round = LastRound::new(size);
        let [mut best, mut portable, mut one_by_one] = [(); 3].map(|()| heuristic.memory());
        for turn in 0..rounds {
            let after = afterstate(&mut random, size, turn % 2);
            let expected = naive(heuristic, size, after, &mut one_by_one);
            let board = Board(after.board);
            assert_eq!(heuristic.last_round(&round, after, &mut best), expected, "{board} {size}");
            let found = heuristic.last_round(&round.portable(), after, &mut portable);
            assert_eq!(found, expected, "{board} {size}");
        }
    }

    #[test]
    fn a_last_round_is_the_naive_one_on_all_machines() {
        for size in Size::all() {
            check(&Nothing, size, 2_000);
            check(&Lines::edges(size, 20_000.0, 20_000.0), size, 2_000);
            check(&Lines::sum(size, [2.0, 900.0, 40.0, 70.0], 0.0), size, 2_000);
            check(&Lines::sum(size, [2.0, 900.0, 40.0, 70.0], 1_000.0), size, 2_000);
        }
    }
}
