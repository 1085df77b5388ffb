//! Searching boards: expectimax with a heuristic.

use std::sync::Arc;
use std::time::Duration;

use super::heuristic::{Evaluation, HeuristicError, Ready};
use super::round::{Afterstate, LastRound, Slides, larger};
use super::symmetry::transpose;
use super::{Board, Direction, Heuristic, Size, Spawn, TallBoard};
use crate::solve;
use crate::solve::expectimax::{Expectimax, Found, Limits, Margins, OnePlayer};

/// How to search.
#[derive(Clone)]
pub struct Settings {
    /// The size of the boards.
    pub size: Size,
    /// What the last boards are valued with.
    pub heuristic: Heuristic,
    /// When to end.
    pub limit: Limit,
    /// Ways less likely than this are not searched any further; 0 cuts nothing off, and leaves no move out.
    pub cut_off: f64,
    /// How many positions the search remembers, as a power of two. Each takes 16 bytes. With `strong`,
    /// as many again of [late](Heuristic::late) boards.
    pub table_bits: u32,
    /// Whether to search on all threads of the rayon pool in which it is called. The answer is the
    /// same, but for how many positions were met.
    pub parallel: bool,
    /// Knows what some positions are worth.
    pub oracle: Option<Arc<dyn Oracle>>,
}

/// When a search ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// After so many rounds of a new tile and a move behind the first move.
    Depth(u8),
    /// The same, with a depth for each board: two less than it has different tiles, but at least 3.
    /// With `strong`, whose values foresee what is to come, three less.
    Adaptive,
    /// When the time is over.
    Time(Duration),
}

/// Knows what some positions are worth, in the units of the heuristic it is used with.
pub trait Oracle: Send + Sync {
    /// What a board is worth whose player is to move, if that is known.
    fn value(&self, board: Board) -> Option<f64>;
}

/// What a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The best move; of equal ones the first, in the order of [`Direction::ALL`].
    pub direction: Direction,
    /// What it is worth.
    pub value: f64,
    /// What each legal move is worth, by direction. Where there is a cut-off, `strong` leaves out moves that
    /// look hopeless: those are valued by a search that is one round less deep.
    pub moves: [Option<f64>; 4],
    /// The depth that was searched.
    pub depth: u8,
    /// Ways less likely than this were not searched any further. Lower than asked for where a time limit
    /// left time for it.
    pub cut_off: f64,
    /// How many positions were met: four slides for each board with the player to move, whether
    /// they move anything or not.
    pub evaluated: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            size: Size::FULL,
            heuristic: Heuristic::default(),
            limit: Limit::Adaptive,
            cut_off: 0.0001,
            table_bits: 18,
            parallel: false,
            oracle: None,
        }
    }
}

/// A search of boards of one size. Keep it for many boards: it remembers what it has seen.
pub struct Search {
    size: Size,
    limit: Limit,
    /// What finds the board to look at. None with an oracle, which knows the boards themselves.
    heuristic: Option<Heuristic>,
    /// By how much an adaptive depth is less than the number of different tiles.
    less: u8,
    engine: Box<dyn Engine>,
    /// For late boards, if the heuristic values them in a way of their own.
    late: Option<Box<dyn Engine>>,
}

impl Search {
    /// A search that has seen nothing yet.
    ///
    /// # Errors
    /// When the heuristic is not for boards of the size, or there is no memory for its weights.
    pub fn new(settings: &Settings) -> Result<Self, HeuristicError> {
        let limits = Limits {
            cut_off: settings.cut_off,
            table_bits: settings.table_bits,
            parallel: settings.parallel,
        };
        let (engine, late, less) = match settings.heuristic.ready(settings.size)? {
            Ready::Lines(lines) => (engine(settings, lines, limits), None, 2),
            Ready::Nothing(nothing) => (engine(settings, nothing, limits), None, 2),
            Ready::Strong { strong, late } => {
                let late = late.map(|late| engine(settings, late, limits));
                (engine(settings, strong, limits), late, 3)
            }
        };
        let heuristic = settings.oracle.is_none().then(|| settings.heuristic.clone());
        Ok(Self { size: settings.size, limit: settings.limit, heuristic, less, engine, late })
    }

    /// The best move on a board, or `None` when the game is over. What is searched is the board that is
    /// [familiar](Heuristic::familiar) to the heuristic, unless there is an oracle, or the board is
    /// [late](Heuristic::late) and the heuristic has a network for such boards.
    pub fn best(&self, board: impl Into<TallBoard>) -> Option<Choice> {
        self.best_within(board, solve::Limits::default()).flatten()
    }

    /// The same; `None` when a limit was reached before there was an answer.
    pub fn best_within(
        &self,
        board: impl Into<TallBoard>,
        limits: solve::Limits<'_>,
    ) -> Option<Option<Choice>> {
        let whole = board.into();
        let (board, engine) = self.view(whole);
        let found = match self.limit {
            Limit::Depth(depth) => engine.search(board.0, depth, limits)?,
            Limit::Adaptive => engine.search(board.0, self.adaptive_depth(board), limits)?,
            Limit::Time(time) => engine.search_for(board.0, time, limits),
        };
        let moves = self.legal(whole, found.moves.map(|value| value.map(f64::from)));
        let mut best: Option<(Direction, f64)> = None;
        for (direction, value) in Direction::ALL.into_iter().zip(moves) {
            let better = value.filter(|&value| best.is_none_or(|(_, most)| value > most));
            best = better.map(|value| (direction, value)).or(best);
        }
        let Found { depth, cut_off, evaluated, .. } = found;
        Some(best.map(|(direction, value)| Choice {
            direction,
            value,
            moves,
            depth,
            cut_off,
            evaluated,
        }))
    }
}

impl Search {
    /// What is looked at instead of a board, and what searches that.
    fn view(&self, board: TallBoard) -> (Board, &dyn Engine) {
        let Some(heuristic) = &self.heuristic else { return (board.nybbles(), &*self.engine) };
        let late = self.late.as_ref().and_then(|late| Some((heuristic.late(board)?, &**late)));
        late.unwrap_or_else(|| (heuristic.familiar(board), &*self.engine))
    }

    /// What the legal moves of a board are worth, by what a search found for the board that it looked at.
    /// That may lack a merge to a tile that no nybble holds, which is worth its score more than all
    /// others; and it may have one of the largest tiles, which never merge.
    fn legal(&self, board: TallBoard, found: [Option<f64>; 4]) -> [Option<f64>; 4] {
        if !board.outgrows() {
            return found;
        }
        let most = found.into_iter().flatten().fold(0.0, f64::max);
        let mut moves = [None; 4];
        for (direction, _, score) in board.slides(self.size) {
            let value = found[direction as usize].unwrap_or(most + f64::from(score));
            moves[direction as usize] = Some(value);
        }
        moves
    }

    fn adaptive_depth(&self, board: Board) -> u8 {
        ((board.tiles() >> 1).count_ones() as u8).saturating_sub(self.less).max(3)
    }
}

/// A search with whatever heuristic.
trait Engine: Send + Sync {
    fn search(&self, position: u64, depth: u8, limits: solve::Limits<'_>) -> Option<Found>;
    fn search_for(&self, position: u64, time: Duration, limits: solve::Limits<'_>) -> Found;
}

fn engine(
    settings: &Settings,
    heuristic: impl Evaluation + Send + 'static,
    limits: Limits,
) -> Box<dyn Engine> {
    Box::new(Expectimax::new(Sliding::new(settings, heuristic), limits))
}

impl<G: OnePlayer + Send> Engine for Expectimax<G> {
    fn search(&self, position: u64, depth: u8, limits: solve::Limits<'_>) -> Option<Found> {
        self.search_within(position, depth, limits)
    }

    fn search_for(&self, position: u64, time: Duration, limits: solve::Limits<'_>) -> Found {
        self.search_for(position, time, limits)
    }
}

/// The game as the search sees it.
struct Sliding<H> {
    size: Size,
    round: LastRound,
    heuristic: H,
    oracle: Option<Arc<dyn Oracle>>,
}

impl<H: Evaluation> Sliding<H> {
    fn new(settings: &Settings, heuristic: H) -> Self {
        let Settings { size, ref oracle, .. } = *settings;
        Self { size, round: LastRound::new(size), heuristic, oracle: oracle.clone() }
    }

    /// The last round one board at a time, because any of them may be known.
    fn round_with_oracle(&self, after: u64, first: usize, memory: &mut H::Memory) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (kind, sum) in sums.iter_mut().enumerate().skip(first) {
            for outcome in self.outcomes(after, kind) {
                let value = self.known(outcome).unwrap_or_else(|| {
                    let moves = self.moves(outcome).into_iter().flatten();
                    let values = moves.map(|(after, reward)| reward + self.value(after, memory));
                    values.fold(0.0, larger)
                });
                *sum += f64::from(value);
            }
        }
        sums
    }
}

impl<H: Evaluation> OnePlayer for Sliding<H> {
    type Memory = H::Memory;

    const CHANCES: [f64; 2] = [Spawn::TWO, Spawn::FOUR];
    const FORESEES: bool = H::FORESEES;
    const MARGINS: Option<Margins> = H::MARGINS;

    fn memory(&self) -> H::Memory {
        self.heuristic.memory()
    }

    #[inline]
    fn moves(&self, position: u64) -> [Option<(u64, f32)>; 4] {
        let [rows, columns] = self.round.slides(position);
        let [left, right] = rows.ends;
        let [up, down] = columns.crossing;
        let score = |slides: &Slides| if H::SCORES { slides.score() } else { 0.0 };
        let (across, along) = (score(&rows), score(&columns));
        // Without `map`, which is not always taken apart here.
        let moved = |after: u64, score| (after != position).then_some((after, score));
        [moved(up, along), moved(right, across), moved(down, along), moved(left, across)]
    }

    #[inline]
    fn places(&self, after: u64) -> u32 {
        // The sum of the nybbles ends up in the highest of them, in which there is room: after a move
        // at most 15 cells are empty. Not every processor of this kind counts bits by itself.
        (Board(after).empty_bits(self.size).wrapping_mul(0x1111_1111_1111_1111) >> 60) as u32
    }

    #[inline]
    fn outcomes(&self, after: u64, kind: usize) -> impl Iterator<Item = u64> {
        let mut cells = Board(after).empty_bits(self.size);
        std::iter::from_fn(move || {
            let bit = cells & cells.wrapping_neg();
            cells ^= bit;
            (bit != 0).then_some(after | bit << kind)
        })
    }

    fn value(&self, after: u64, memory: &mut H::Memory) -> f32 {
        let across = transpose(after);
        let value = self.heuristic.without::<0>(after, 0)
            + self.heuristic.with::<0>(after, across, 0, memory);
        larger(value, 0.0)
    }

    fn known(&self, position: u64) -> Option<f32> {
        self.oracle.as_ref()?.value(Board(position)).map(|value| value as f32)
    }

    fn last_round(&self, after: u64, first: usize, memory: &mut H::Memory) -> [f64; 2] {
        if self.oracle.is_some() {
            return self.round_with_oracle(after, first, memory);
        }
        let empty = Board(after).empty_bits(self.size);
        let after = Afterstate { board: after, empty, first_kind: first };
        self.heuristic.last_round(&self.round, after, memory)
    }
}
