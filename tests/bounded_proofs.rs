//! Bounded proofs on games that are nothing but graphs, full of ways back: against retrograde analysis.

use std::sync::atomic::AtomicBool;

use endtable::random::SplitMix64;
use endtable::solve::Limits;
use endtable::solve::bounded::{Duel, Found, Outlook, Search, Sides, Solution, Turn, Width};

/// A game on a graph: from a node to one of its successors, in turn. Where there are none it is over.
struct Graph {
    successors: Vec<Vec<usize>>,
    /// Who has won where the game is over.
    winners: Vec<Option<usize>>,
}

/// A node, and whose turn it is.
type Place = (usize, usize);

impl Graph {
    fn random(random: &mut SplitMix64, nodes: usize) -> Self {
        let mut graph = Self { successors: vec![Vec::new(); nodes], winners: vec![None; nodes] };
        for node in 0..nodes {
            if random.below(6) == 0 {
                graph.winners[node] = [Some(0), Some(1), None][random.below(3) as usize];
            } else {
                let count = 1 + random.below(3);
                let successor = |_| random.below(nodes as u64) as usize;
                graph.successors[node] = (0..count).map(successor).collect();
            }
        }
        graph
    }

    /// Within how many plies a player forces a win, by retrograde analysis of all places at once.
    fn distances(&self, player: usize) -> Vec<[Option<u8>; 2]> {
        let ended = |(next, winner): (&Vec<usize>, &Option<usize>)| {
            let won = next.is_empty() && *winner == Some(player);
            [won.then_some(0); 2]
        };
        let mut distances: Vec<[Option<u8>; 2]> =
            self.successors.iter().zip(&self.winners).map(ended).collect();
        for plies in 1..=u8::MAX {
            let before = distances.clone();
            let is_won = |&node: &usize, turn: usize| before[node][turn].is_some();
            for (next, distance) in self.successors.iter().zip(&mut distances) {
                for (turn, distance) in distance.iter_mut().enumerate() {
                    let won = if turn == player {
                        next.iter().any(|node| is_won(node, 1 - turn))
                    } else {
                        !next.is_empty() && next.iter().all(|node| is_won(node, 1 - turn))
                    };
                    if won && distance.is_none() {
                        *distance = Some(plies);
                    }
                }
            }
            if before == distances {
                break;
            }
        }
        distances
    }
}

struct Attack<'a> {
    graph: &'a Graph,
    attacker: usize,
}

impl Attack<'_> {
    fn look(&self, (node, _): Place, plies: u8, moves: &mut Vec<usize>) -> Outlook {
        let next = &self.graph.successors[node];
        if next.is_empty() {
            let won = self.graph.winners[node] == Some(self.attacker);
            return if won { Outlook::Wins } else { Outlook::Fails };
        }
        if plies == 0 {
            return Outlook::Fails;
        }
        moves.extend(next);
        Outlook::Open
    }
}

impl Duel for Attack<'_> {
    type Position = Place;
    type Move = usize;
    type Key = Place;

    fn key(&self, place: &Place) -> Place {
        *place
    }

    fn play(&self, (_, turn): &Place, to: usize) -> Place {
        (to, 1 - turn)
    }

    fn moves(&self, (node, _): &Place, moves: &mut Vec<usize>) {
        moves.extend(&self.graph.successors[*node]);
    }

    fn relevant_plies(&self, _: &Place, plies: u8, turn: Turn) -> u8 {
        assert!(matches!(turn, Turn::Attacker | Turn::Defender));
        plies
    }

    fn attack(&self, place: &Place, plies: u8, width: Width, moves: &mut Vec<usize>) -> Outlook {
        let before = moves.len();
        let outlook = self.look(*place, plies, moves);
        if width == Width::Threats {
            // No move is a threat here.
            moves.truncate(before);
        }
        outlook
    }

    fn defend(&self, place: &Place, plies: u8, moves: &mut Vec<usize>) -> Outlook {
        self.look(*place, plies, moves)
    }
}

const PLIES: u8 = 30;

/// Solves every place of a graph and compares. Answers how many wins and losses were long.
fn compare(graph: &Graph, bytes: usize, parallel: bool) -> usize {
    let distances = [graph.distances(0), graph.distances(1)];
    let attacks = [0, 1].map(|attacker| Attack { graph, attacker });
    let limits = Limits::default();
    let [white, black] =
        attacks.each_ref().map(|attack| Search::new(attack, bytes, limits, parallel));
    let mut long = 0;
    for node in (0..graph.successors.len()).filter(|&node| !graph.successors[node].is_empty()) {
        for turn in 0..2 {
            let (own, other) = if turn == 0 { (&white, &black) } else { (&black, &white) };
            let sides = Sides { own, other, drawing: None };
            let Solution { found, searched } = sides.solve(&(node, turn), PLIES, |_| {});
            let (win, loss) = (distances[turn][node][turn], distances[1 - turn][node][turn]);
            match found {
                Found::Win(plies, to) => {
                    assert_eq!((Some(plies), searched), (win, plies));
                    assert_eq!(distances[turn][to][1 - turn], Some(plies - 1), "a best move");
                }
                Found::Loss(plies, to) => {
                    assert_eq!((Some(plies), searched), (loss, plies));
                    assert_eq!(distances[1 - turn][to][1 - turn], Some(plies - 1), "the longest");
                }
                Found::Draw(_) => panic!("draws were not looked for"),
                Found::Open => {
                    assert_eq!(searched, PLIES);
                    assert!(win.is_none_or(|win| win > PLIES), "{win:?}");
                    assert!(loss.is_none_or(|loss| loss > PLIES), "{loss:?}");
                }
            }
            long += usize::from(win.or(loss).is_some_and(|plies| plies > 8));
        }
    }
    long
}

#[test]
fn positions_that_come_back_do_not_mislead() {
    let mut random = SplitMix64::new(7);
    let long: usize = (0..300)
        .map(|number| {
            let nodes = 4 + random.below(40) as usize;
            let graph = Graph::random(&mut random, nodes);
            compare(&graph, 1 << 20, number % 2 == 0)
        })
        .sum();
    assert!(long > 100, "{long} places with long wins");
}

#[test]
fn what_is_forgotten_is_found_again() {
    let mut random = SplitMix64::new(8);
    for _ in 0..20 {
        // Room for one position in each part of the memory.
        compare(&Graph::random(&mut random, 12), 0, false);
    }
}

#[test]
fn a_search_that_is_stopped_says_how_far_it_came() {
    let graph = Graph { successors: vec![vec![1], vec![0]], winners: vec![None; 2] };
    let attacks = [0, 1].map(|attacker| Attack { graph: &graph, attacker });
    let stop = AtomicBool::new(false);
    let limits = Limits { stop: Some(&stop), deadline: None };
    let [own, other] = attacks.each_ref().map(|attack| Search::new(attack, 1 << 16, limits, false));
    let sides = Sides { own: &own, other: &other, drawing: None };
    let solution = sides.solve(&(0, 0), 100, |searched| {
        stop.store(searched == 5, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(solution, Solution { found: Found::Open, searched: 5 });
}
