//! The retrograde analysis against the definition of distance: random layers, solved by the most naive means.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

use endtable::random::SplitMix64;
use endtable::solve::retrograde::{
    ABSENT, Analysis, DRAW, Differences, Layer, MOST_PLIES, OPEN, Reply, Score, Unsolved,
    WON_AT_ONCE, check, solve,
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

    fn unmoves<T: Copy>(
        &self,
        group: usize,
        positions: &[u32],
        target: impl Fn(usize) -> Option<T>,
        mut visit: impl FnMut(T, usize, u8),
    ) {
        for &position in positions {
            let to = self.numbers(group).start + position as usize;
            for (number, moves) in self.inside.iter().enumerate() {
                let times = moves.iter().filter(|&&it| it == to).count();
                if times > 0
                    && let Some(target) = target(number / GROUP)
                {
                    visit(target, number % GROUP, times as u8);
                }
            }
        }
    }
}

/// The entries of a solved layer.
fn solved(graph: &Graph) -> Vec<u8> {
    solve(graph, &AtomicBool::new(false), |_| {}).unwrap()
}

fn atomic(entries: &[u8]) -> Vec<AtomicU8> {
    entries.iter().map(|&entry| AtomicU8::new(entry)).collect()
}

#[test]
fn random_layers_are_solved_as_distance_is_defined() {
    let mut random = SplitMix64::new(18);
    let going = AtomicBool::new(false);
    let mut longest = 0;
    for _ in 0..3_000 {
        let graph = Graph::new(&mut random);
        let found = solved(&graph);
        assert_eq!(found, graph.naive());
        assert_eq!(check(&graph, &atomic(&found), &going, |_| {}), Ok(Differences::default()));
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
        let entries = atomic(&solved(&graph));
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
    let entries = atomic(&solved(&graph));
    let stopped = AtomicBool::new(true);
    assert_eq!(solve(&graph, &stopped, |_| {}), Err(Unsolved::Stopped));
    assert_eq!(check(&graph, &entries, &stopped, |_| {}), Err(Unsolved::Stopped));
}

/// Several share a layer, and each makes what it likes: a piece that it has made before, or one of which it
/// has nothing, or none at all. Some make a piece twice, and some come late and take what is there.
#[test]
fn whoever_makes_which_piece_comes_to_the_same() {
    let mut random = SplitMix64::new(77);
    let going = AtomicBool::new(false);
    for _ in 0..1_000 {
        let graph = Graph::new(&mut random);
        let expected = graph.naive();
        let begin = || Analysis::new(&graph, 1 + graph.groups() as u64 / 2, &going).unwrap();
        let mut hands: Vec<Analysis<'_, Graph>> = (0..3).map(|_| begin()).collect();
        let mut exchanged: Vec<Vec<Vec<u8>>> = Vec::new();
        let mut is_solved = false;
        while !is_solved {
            let mut left: Vec<Vec<u8>> = Vec::new();
            for piece in 0..hands[0].pieces() {
                // Mostly whoever has made it before.
                let able = hands.iter().position(|hand| hand.has(piece));
                let maker = match (random.below(4), able) {
                    (1.., Some(able)) => able,
                    _ => random.below(3) as usize,
                };
                hands[maker].make(piece, |_| {}).unwrap();
                left.push(hands[maker].bytes(piece));
                for (number, hand) in hands.iter_mut().enumerate().filter(|it| it.0 != maker) {
                    if random.below(8) == 0 {
                        hand.make(piece, |_| {}).unwrap();
                        assert_eq!(hand.bytes(piece), left[piece as usize], "hand {number}");
                    } else {
                        assert!(hand.take(piece, &left[piece as usize]));
                    }
                }
            }
            exchanged.push(left);
            let mut solved = hands.iter_mut().map(|hand| hand.advance().unwrap());
            is_solved = solved.next().unwrap();
            assert!(solved.all(|it| it == is_solved));
            if random.below(3) == 0 {
                // One that was killed begins anew.
                let mut late = begin();
                for left in &exchanged {
                    assert!((0..).zip(left).all(|(piece, bytes)| late.take(piece, bytes)));
                    assert_eq!(
                        late.advance().unwrap(),
                        is_solved && late.plies() == hands[0].plies()
                    );
                }
                hands[random.below(3) as usize] = late;
            }
        }
        for hand in hands {
            assert_eq!(hand.entries(), expected);
        }
    }
}

#[test]
fn a_piece_of_others_is_not_taken() {
    let mut random = SplitMix64::new(3);
    let going = AtomicBool::new(false);
    let graph = loop {
        let graph = Graph::new(&mut random);
        if graph.groups() > 8 {
            break graph;
        }
    };
    let mut hand = Analysis::new(&graph, 4, &going).unwrap();
    let pieces: Vec<Vec<u8>> = (0..hand.pieces())
        .map(|piece| {
            hand.make(piece, |_| {}).unwrap();
            hand.bytes(piece)
        })
        .collect();
    let mut other = Analysis::new(&graph, 4, &going).unwrap();
    for (piece, bytes) in (0..).zip(&pieces) {
        assert!(!other.take(piece, &[]) && !other.take(piece, &bytes[..bytes.len() - 1]));
        let others = (0..).zip(&pieces).filter(|(it, bytes)| *it != piece && bytes.len() > 3);
        assert!(others.into_iter().all(|(_, bytes)| !other.take(piece, bytes)));
        assert!(other.take(piece, bytes));
    }
}
