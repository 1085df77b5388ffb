//! The move generator against the rules and against its naive twin.

mod twin;

use endtable::games::collapsi::{Board, Cell, IllegalMove, Mask, Move, Rules, destinations};
use endtable::random::SplitMix64;
use rayon::prelude::*;
use twin::collapsi::{Game, random, walk};

/// A million random states, evenly over the card counts and the rules.
const STATES_OF_A_KIND: u64 = 34_000;

#[test]
fn fast_and_naive_agree_on_a_million_states() {
    let kinds: Vec<(usize, Rules)> =
        (2..=16).flat_map(|alive| Rules::ALL.map(|rules| (alive, rules))).collect();
    assert!(kinds.len() as u64 * STATES_OF_A_KIND >= 1_000_000);
    kinds.into_par_iter().for_each(|(alive, rules)| {
        let mut random = SplitMix64::new(alive as u64);
        for _ in 0..STATES_OF_A_KIND {
            let board = random::state(alive, &mut random);
            assert_eq!(board.alive().len() as usize, alive);
            assert_same_moves(&board, rules);
        }
    });
}

#[test]
fn fast_and_naive_agree_in_play() {
    for rules in Rules::ALL {
        let mut random = SplitMix64::new(1);
        for _ in 0..20_000 {
            let plies = random.below(15);
            assert_same_moves(&random::played(plies, rules, &mut random), rules);
        }
    }
}

fn assert_same_moves(board: &Board, rules: Rules) {
    let game = Game::new(board, rules);
    let naive = game.destinations(&game.root).fold(0, |set, cell| set | 1 << cell);
    assert_eq!(board.destinations(rules), Mask(naive), "{board} {rules}");
}

/// The table behind the generator, from end to end.
#[test]
fn fast_and_naive_agree_on_every_alive_set() {
    (0..=u16::MAX).into_par_iter().for_each(|alive| {
        let free = std::array::from_fn(|cell| alive >> cell & 1 == 1);
        for from in Cell::all() {
            for steps in 1..=4 {
                let mut ends = [false; 16];
                walk(free, from.index(), usize::from(steps), &mut ends);
                let naive = Cell::all().filter(|cell| ends[cell.index()]);
                assert!(
                    destinations(Mask(alive), from, steps).cells().eq(naive),
                    "alive {alive:04x}, {steps} steps from {from}"
                );
            }
        }
    });
}

#[test]
fn play_leads_where_the_twin_goes() {
    let mut random = SplitMix64::new(2);
    for n in 0..20_000 {
        let rules = Rules::ALL[n % 2];
        let board = random::state(2 + n % 15, &mut random);
        let game = Game::new(&board, rules);
        for to in Cell::all() {
            let mv = Move { from: board.mover(), to };
            if game.destinations(&game.root).any(|legal| legal == to.number()) {
                let after = board.play(mv, rules).expect("legal for the twin");
                let position = Game::new(&after, rules).root;
                assert_eq!(position, game.root.after(to.number()), "{board} {mv}");
                assert_eq!(after.turn(), board.turn().other());
            } else {
                assert_eq!(board.play(mv, rules), Err(IllegalMove { mv }), "{board} {rules}");
            }
        }
        let waiters = Move { from: board.waiter(), to: board.mover() };
        assert_eq!(board.play(waiters, rules), Err(IllegalMove { mv: waiters }));
    }
}

/// The destinations on a board given as text, as hex digits.
fn goes_to(text: &str, rules: Rules) -> String {
    let board: Board = text.parse().expect("a legal board");
    board.destinations(rules).cells().map(|cell| cell.to_string()).collect()
}

#[test]
fn the_opponent_is_passed_but_not_landed_on() {
    assert_eq!(goes_to("2xAoA./..../..../.... x", Rules::One), "2");
    assert_eq!(goes_to("AxAoA./..../..../.... x", Rules::One), "");
    // To the left, through O on 3; to the right the third step would land on it.
    assert_eq!(goes_to("3xAA2o/..../..../.... x", Rules::One), "1");
}

#[test]
fn no_cell_is_entered_twice() {
    // There is a neighbour to step on, but no way on from it except back.
    assert_eq!(goes_to("2xA../..../..Ao./.... x", Rules::One), "");
    // Four steps around the row lead back to the start.
    assert_eq!(goes_to("4xAA3o/..../..../.... x", Rules::One), "");
    // Back and forth would make every neighbour three steps away.
    assert_eq!(goes_to("3xA../A.../..Ao./.... x", Rules::One), "");
}

#[test]
fn collapsed_cells_block_the_way() {
    assert_eq!(goes_to("3xAA2o/A2../..../.... x", Rules::One), "14");
    assert_eq!(goes_to("3x.A2o/A2../..../.... x", Rules::One), "");
}

#[test]
fn every_edge_leads_around_to_the_other_side() {
    assert_eq!(goes_to("AxA.A/2o.../..../2... x", Rules::One), "13c");
    assert_eq!(goes_to("...A/..../...A/3.2oAx x", Rules::One), "3bc");
    // Right, around the edge, and up; or up, and right around the edge.
    assert_eq!(goes_to("...A/..../A..A/A.2o2x x", Rules::One), "8");
}

#[test]
fn a_joker_is_worth_one_step_or_one_to_four() {
    let deal = "JxA23/4Jo32/A2A3/2A43 x";
    assert_eq!(goes_to(deal, Rules::One), "134c");
    assert_eq!(goes_to(deal, Rules::Wild), "12346789abcdef");
    // O's first move, after X's.
    let second = ".Ax23/4Jo32/A2A3/2A43 o";
    assert_eq!(goes_to(second, Rules::One), "469");
    assert_eq!(goes_to(second, Rules::Wild), "2346789abcdef");
    // No joker, no choice.
    let third = ".Ax23/4.3o2/A2A3/2A43 x";
    assert_eq!(goes_to(third, Rules::One), "2d");
    assert_eq!(goes_to(third, Rules::Wild), "2d");
}

#[test]
fn the_card_left_behind_collapses_and_the_turn_passes() {
    let board: Board = "JxA23/4Jo32/A2A3/2A43 x".parse().expect("a legal board");
    let mv = board.moves(Rules::One).next().expect("four moves");
    assert_eq!(mv.to_string(), "01");
    let after = board.play(mv, Rules::One).expect("a legal move");
    assert_eq!(after.to_string(), ".Ax23/4Jo32/A2A3/2A43 o");
}
