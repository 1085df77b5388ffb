//! Searching boards: expectimax with a heuristic.

use std::sync::Arc;
use std::time::Duration;

use super::heuristic::{Evaluation, HeuristicError, Ready};
use super::round::{larger, line};
use super::rows::ROWS;
use super::symmetry::transpose;
use super::{Board, Direction, Heuristic, Size, Spawn};
use crate::solve::expectimax::{Expectimax, Found, Limits, OnePlayer};

/// How to search.
#[derive(Clone)]
pub struct Settings {
    /// The size of the boards.
    pub size: Size,
    /// What the last boards are valued with.
    pub heuristic: Heuristic,
    /// When to end.
    pub limit: Limit,
    /// Ways less likely than this are not searched any further; 0 cuts nothing off.
    pub cut_off: f64,
    /// How many positions the search remembers, as a power of two. Each takes 16 bytes. With `strong`,
    /// as many again of [late](Heuristic::is_late) boards.
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
    /// What each legal move is worth, by direction.
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
        Ok(Self { limit: settings.limit, heuristic, less, engine, late })
    }

    /// The best move on a board, or `None` when the game is over. What is searched is the board that is
    /// [familiar](Heuristic::familiar) to the heuristic, unless there is an oracle, or the board is
    /// [late](Heuristic::is_late) and the heuristic has a network for such boards.
    pub fn best(&self, board: Board) -> Option<Choice> {
        let (board, engine) = match (&self.heuristic, &self.late) {
            (Some(heuristic), Some(late)) if heuristic.is_late(board) => (board, late),
            (Some(heuristic), _) => (heuristic.familiar(board), &self.engine),
            (None, _) => (board, &self.engine),
        };
        let found = match self.limit {
            Limit::Depth(depth) => engine.search(board.0, depth),
            Limit::Adaptive => engine.search(board.0, self.adaptive_depth(board)),
            Limit::Time(time) => engine.search_for(board.0, time),
        };
        let moves = found.moves.map(|value| value.map(f64::from));
        let mut best: Option<(Direction, f64)> = None;
        for (direction, value) in Direction::ALL.into_iter().zip(moves) {
            let better = value.filter(|&value| best.is_none_or(|(_, most)| value > most));
            best = better.map(|value| (direction, value)).or(best);
        }
        let (direction, value) = best?;
        let Found { depth, cut_off, evaluated, .. } = found;
        Some(Choice { direction, value, moves, depth, cut_off, evaluated })
    }
}

impl Search {
    fn adaptive_depth(&self, board: Board) -> u8 {
        ((board.tiles() >> 1).count_ones() as u8).saturating_sub(self.less).max(3)
    }
}

/// A search with whatever heuristic.
trait Engine: Send + Sync {
    fn search(&self, position: u64, depth: u8) -> Found;
    fn search_for(&self, position: u64, time: Duration) -> Found;
}

fn engine(
    settings: &Settings,
    heuristic: impl Evaluation + Send + 'static,
    limits: Limits,
) -> Box<dyn Engine> {
    Box::new(Expectimax::new(Sliding::new(settings, heuristic), limits))
}

impl<G: OnePlayer + Send> Engine for Expectimax<G> {
    fn search(&self, position: u64, depth: u8) -> Found {
        self.search(position, depth)
    }

    fn search_for(&self, position: u64, time: Duration) -> Found {
        self.search_for(position, time)
    }
}

/// The game as the search sees it.
struct Sliding<H> {
    size: Size,
    /// What sliding does to rows and to columns.
    slides: [Arc<[Slid; 1 << 16]>; 2],
    /// What that scores, for either. Apart, because not every heuristic wants to know.
    scores: &'static [u32; 1 << 16],
    heuristic: H,
    oracle: Option<Arc<dyn Oracle>>,
}

/// A line after sliding either way.
#[derive(Clone, Copy, Default)]
struct Slid {
    first: u16,
    last: u16,
}

/// The cells of a line, spread over the lines that cross it.
#[inline(always)]
fn spread(line: u16) -> u64 {
    let line = u64::from(line);
    (line | line << 12 | line << 24 | line << 36) & 0x000f_000f_000f_000f
}

impl<H: Evaluation> Sliding<H> {
    fn new(settings: &Settings, heuristic: H) -> Self {
        let size = settings.size;
        let slides = |cells: u8| -> Arc<[Slid; 1 << 16]> {
            let slid = |line: u16| Slid {
                first: ROWS.left[usize::from(line)],
                last: ROWS.right(cells)[usize::from(line)],
            };
            let all: Arc<[Slid]> = (0..=u16::MAX).map(slid).collect();
            all.try_into().ok().expect("as many as lines")
        };
        let rows = slides(size.columns());
        let columns = if size.is_square() { rows.clone() } else { slides(size.rows()) };
        let oracle = settings.oracle.clone();
        Self { size, slides: [rows, columns], scores: &ROWS.score, heuristic, oracle }
    }

    #[inline(always)]
    fn score(&self, line: u16) -> f32 {
        self.scores[usize::from(line)] as f32
    }

    /// All lines slid, towards their first and their last cells, and the score of either.
    #[inline(always)]
    fn slide<const TURNED: bool>(&self, board: u64) -> (u64, u64, f32) {
        let slides = &self.slides[usize::from(TURNED)];
        let (mut first, mut last, mut score) = (0, 0, 0.0);
        for y in 0..4 {
            let slid = slides[usize::from(line(board, y as usize))];
            first |= u64::from(slid.first) << (16 * y);
            last |= u64::from(slid.last) << (16 * y);
            if H::SCORES {
                score += self.score(line(board, y as usize));
            }
        }
        (first, last, score)
    }
}

impl<H: Evaluation> Sliding<H> {
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

    /// For each empty cell and each tile that may come there, the best of the two slides along the
    /// cell's line. Only that line differs from one cell to the next; and whichever cell between the
    /// same neighbours the tile comes to, it slides to the same place.
    #[inline(always)]
    fn along<const TURNED: bool>(
        &self,
        board: u64,
        empty: u64,
        first_kind: usize,
        best: &mut [[f32; 2]; 16],
        memory: &mut H::Memory,
    ) {
        let slides = &self.slides[usize::from(TURNED)];
        let (first, last, score) = self.slide::<TURNED>(board);
        let (first_across, last_across) = (transpose(first), transpose(last));
        for y in 0..4 {
            let mut cells = empty >> (16 * y) & 0x1111;
            if cells == 0 {
                continue;
            }
            let hole = !(0xffff << (16 * y));
            let hole_across = !(0x000f_000f_000f_000f << (4 * y));
            let first_moves = (first ^ board) & hole != 0;
            let last_moves = (last ^ board) & hole != 0;
            let first_base = self.heuristic.without::<TURNED>(first, y);
            let last_base = self.heuristic.without::<TURNED>(last, y);
            let own = line(board, y as usize);
            let other_score = score - self.score(own);
            while cells != 0 {
                let mut shift = cells.trailing_zeros();
                let mut slid = [Slid::default(); 2];
                let mut values = [[0.0; 2]; 2];
                for kind in first_kind..2 {
                    let spawned = own | (kind as u16 + 1) << shift;
                    slid[kind] = slides[usize::from(spawned)];
                    let mut value = |to: u16, board: u64, across: u64| {
                        let board = board & hole | u64::from(to) << (16 * y);
                        let across = across & hole_across | spread(to) << (4 * y);
                        self.heuristic.with::<TURNED>(board, across, y, memory)
                    };
                    let to_first = first_base + value(slid[kind].first, first, first_across);
                    let to_last = last_base + value(slid[kind].last, last, last_across);
                    let (to_first, to_last) = (larger(to_first, 0.0), larger(to_last, 0.0));
                    let reward = if H::SCORES { other_score + self.score(spawned) } else { 0.0 };
                    values[kind] = [to_first + reward, to_last + reward];
                }
                while cells >> shift & 1 == 1 {
                    cells ^= 1 << shift;
                    let x = shift / 4;
                    let cell = if TURNED { 4 * x + y } else { 4 * y + x } as usize;
                    for kind in first_kind..2 {
                        let spawned = own | (kind as u16 + 1) << shift;
                        let best = &mut best[cell & 15][kind];
                        let to_first = first_moves | (slid[kind].first != spawned);
                        let to_last = last_moves | (slid[kind].last != spawned);
                        let value = |moves, way: usize| if moves { values[kind][way] } else { 0.0 };
                        *best = larger(*best, larger(value(to_first, 0), value(to_last, 1)));
                    }
                    shift += 4;
                }
            }
        }
    }
}

impl<H: Evaluation> OnePlayer for Sliding<H> {
    type Memory = H::Memory;

    const CHANCES: [f64; 2] = [Spawn::TWO, Spawn::FOUR];
    const FORESEES: bool = H::FORESEES;

    fn memory(&self) -> H::Memory {
        self.heuristic.memory()
    }

    #[inline]
    fn moves(&self, position: u64) -> [Option<(u64, f32)>; 4] {
        let turned = transpose(position);
        let (left, right, across) = self.slide::<false>(position);
        let (up, down, along) = self.slide::<true>(turned);
        let (up, down) = (transpose(up), transpose(down));
        let reward = |score: f32| if H::SCORES { score } else { 0.0 };
        // Without `map`, which is not always taken apart here.
        let moved = |after: u64, score| (after != position).then_some((after, reward(score)));
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
        let value = self.heuristic.without::<false>(after, 0)
            + self.heuristic.with::<false>(after, across, 0, memory);
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
        if let Some(sums) = self.heuristic.round(after, empty, first, memory) {
            return sums;
        }
        let mut best = [[0.0; 2]; 16];
        self.along::<false>(after, empty, first, &mut best, memory);
        self.along::<true>(transpose(after), transpose(empty), first, &mut best, memory);
        let mut sums = [0.0; 2];
        let mut cells = empty;
        while cells != 0 {
            let best = best[cells.trailing_zeros() as usize / 4];
            cells &= cells - 1;
            sums[0] += f64::from(best[0]);
            sums[1] += f64::from(best[1]);
        }
        sums
    }
}
