//! The retrograde analysis against the definition of distance: random layers, solved by the most naive means.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

use endtable::random::SplitMix64;
use endtable::solve::retrograde::{
    ABSENT, DRAW, Differences, Layer, MOST_PLIES, OPEN, Reply, Score, Unsolved, WON_AT_ONCE, check,
    solve,
};

/// The entries of a win and a loss in so many plies.
fn won(plies: u8) -> u8 {
    2 * plies + 1
}

fn lost(plies: u8) -> u8 {
    2 * plies
}

/// Positions with random moves, some out of the layer.
struct Graph {
    is_position: Vec<bool>,
    /// Won at once, and marked so.
    is_marked: Vec<bool>,
    inside: Vec<Vec<usize>>,
    out: Vec<Vec<Score>>,
}

const GROUP: usize = 16;

impl Graph {
    fn new(random: &mut SplitMix64) -> Self {
        let count = 1 + random.below(200) as usize;
        let density = 1 + random.below(4);
        let is_position: Vec<bool> = (0..count).map(|_| random.below(8) > 0).collect();
        let there: Vec<usize> = (0..count).filter(|&number| is_position[number]).collect();
        let mut graph = Self {
            is_marked: vec![false; count],
            inside: vec![Vec::new(); count],
            out: vec![Vec::new(); count],
            is_position,
        };
        for &number in &there {
            for _ in 0..random.below(2 * density + 1) {
                graph.inside[number].push(there[random.below(there.len() as u64) as usize]);
            }
            // Mostly losses, so that results depend on moves inside.
            for _ in 0..1 + random.below(3) {
                graph.out[number].push(match random.below(12) {
                    0 => Score::WIN,
                    1 => Score::DRAW,
                    2 => Score::before_move(lost(1 + random.below(9) as u8)),
                    3..6 => Score::before_move(won(1 + random.below(9) as u8)),
                    _ => Score::LOSS,
                });
            }
            let wins = graph.out[number].contains(&Score::WIN);
            graph.is_marked[number] = wins && random.below(2) == 0;
        }
        graph
    }

    /// Every entry by the definition of distance, one ply after the other.
    fn naive(&self) -> Vec<u8> {
        let mut entries: Vec<Option<u8>> =
            self.is_position.iter().map(|is| (!is).then_some(ABSENT)).collect();
        for plies in 1..=MOST_PLIES as u8 {
            let before = entries.clone();
            for (number, entry) in entries.iter_mut().enumerate().filter(|it| it.1.is_none()) {
                let out = self.out[number].iter().map(|score| Some(score.entry()));
                let inside = self.inside[number]
                    .iter()
                    .map(|&to| before[to].map(|entry| Score::before_move(entry).entry()));
                let moves: Vec<Option<u8>> = out.chain(inside).collect();
                let loses = |it: &Option<u8>| it.is_some_and(|it| it != DRAW && it % 2 == 0);
                if moves.contains(&Some(won(plies))) {
                    *entry = Some(won(plies));
                } else if moves.iter().all(loses)
                    && moves.iter().flatten().max() == Some(&lost(plies))
                {
                    *entry = Some(lost(plies));
                }
            }
        }
        entries.into_iter().map(|entry| entry.unwrap_or(DRAW)).collect()
    }
}

impl Layer for Graph {
    fn groups(&self) -> usize {
        self.is_position.len().div_ceil(GROUP)
    }

    fn numbers(&self, group: usize) -> Range<usize> {
        GROUP * group..self.is_position.len().min(GROUP * (group + 1))
    }

    fn mark(&self, group: usize, entries: &[AtomicU8]) {
        for (number, entry) in self.numbers(group).zip(entries) {
            let mark = match (self.is_position[number], self.is_marked[number]) {
                (false, _) => ABSENT,
                (true, true) => WON_AT_ONCE,
                (true, false) => OPEN,
            };
            entry.store(mark, Relaxed);
        }
    }

    fn moves(
        &self,
        group: usize,
        entries: &[AtomicU8],
        asked: impl Fn(u8) -> bool,
        mut visit: impl FnMut(usize, Reply),
    ) {
        for (position, number) in self.numbers(group).enumerate() {
            if asked(entries[number].load(Relaxed)) {
                self.out[number].iter().for_each(|&score| visit(position, Reply::Out(score)));
                for &to in &self.inside[number] {
                    visit(position, Reply::Inside(entries[to].load(Relaxed)));
                }
            }
        }
    }

    fn unmoves(&self, group: usize, positions: &[u32], mut visit: impl FnMut(usize, u8)) {
        for &position in positions {
            let to = self.numbers(group).start + position as usize;
            for (number, moves) in self.inside.iter().enumerate() {
                let times = moves.iter().filter(|&&it| it == to).count();
                if times > 0 {
                    visit(number, times as u8);
                }
            }
        }
    }
}

fn fresh(graph: &Graph) -> Vec<AtomicU8> {
    graph.is_position.iter().map(|_| AtomicU8::new(ABSENT)).collect()
}

#[test]
fn random_layers_are_solved_as_distance_is_defined() {
    let mut random = SplitMix64::new(18);
    let going = AtomicBool::new(false);
    let mut longest = 0;
    for _ in 0..3_000 {
        let graph = Graph::new(&mut random);
        let entries = fresh(&graph);
        assert_eq!(solve(&graph, &entries, &going, |_| {}), Ok(()));
        let found: Vec<u8> = entries.iter().map(|entry| entry.load(Relaxed)).collect();
        assert_eq!(found, graph.naive());
        assert_eq!(check(&graph, &entries, &going, |_| {}), Ok(Differences::default()));
        longest = found.into_iter().map(|entry| entry / 2).fold(longest, u8::max);
    }
    assert!(longest > 20, "{longest}");
}

#[test]
fn an_entry_that_does_not_follow_is_found() {
    let mut random = SplitMix64::new(5);
    let going = AtomicBool::new(false);
    for _ in 0..200 {
        let graph = Graph::new(&mut random);
        let entries = fresh(&graph);
        assert_eq!(solve(&graph, &entries, &going, |_| {}), Ok(()));
        let number = random.below(entries.len() as u64) as usize;
        let right = entries[number].load(Relaxed);
        let wrong = ((u64::from(right) + 1 + random.below(250)) % 254) as u8;
        entries[number].store(wrong, Relaxed);
        let found = check(&graph, &entries, &going, |_| {}).unwrap();
        assert!(wrong == right || found.count > 0, "{number}: {right} became {wrong}");
    }
}

#[test]
fn it_stops_when_asked_to() {
    let graph = Graph::new(&mut SplitMix64::new(1));
    let entries = fresh(&graph);
    let stopped = AtomicBool::new(true);
    assert_eq!(solve(&graph, &entries, &stopped, |_| {}), Err(Unsolved::Stopped));
    assert_eq!(check(&graph, &entries, &stopped, |_| {}), Err(Unsolved::Stopped));
}
