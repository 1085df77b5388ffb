//! Symmetries, canonical forms and keys of Tak.

mod twin;

use std::collections::{HashMap, HashSet};

use endtable::games::key::Key;
use endtable::games::tak::{Board, Grid, Komi, Move, Reserve, Rules, Size, Symmetry};
use endtable::random::SplitMix64;
use twin::tak::random::thrown;

/// A random position by rules with room for every stone.
fn random_board<S: Size>(random: &mut SplitMix64) -> Board<S> {
    let twin = thrown(random, S::N);
    let stones = if S::N <= 6 { 29 } else { 61 };
    let rules = Rules { reserve: Reserve { flats: stones, caps: 3 }, komi: Komi::ZERO };
    let text = twin.tps();
    Board::from_tps(&text, rules).unwrap_or_else(|_| random_board(random))
}

fn moves<S: Size>(board: &Board<S>) -> Vec<Move> {
    let mut moves = Vec::new();
    board.push_moves(&mut moves);
    moves
}

fn check_symmetries<S: Size>() {
    let mut random = SplitMix64::new(S::N as u64);
    let images: HashSet<Vec<usize>> = Symmetry::all()
        .map(|symmetry| (0..S::SQUARES).map(|square| symmetry.square::<S>(square)).collect())
        .collect();
    assert_eq!(images.len(), 8);
    for _ in 0..300 {
        let board = random_board::<S>(&mut random);
        let canonical = board.canonical();
        assert_eq!(board.image(canonical.symmetry), canonical.board, "{board}");
        for symmetry in Symmetry::all() {
            let image = board.image(symmetry);
            assert_eq!(image.image(symmetry.inverse()), board, "{board}");
            assert_eq!(image.canonical().board, canonical.board, "{board}");
            assert_eq!(image.end(), board.end());
            // A move and then the symmetry is the symmetry and then the move.
            let mut theirs = moves(&image);
            let mut ours: Vec<Move> =
                moves(&board).iter().map(|&mv| symmetry.image_of_move::<S>(mv)).collect();
            theirs.sort_unstable();
            ours.sort_unstable();
            assert_eq!(ours, theirs, "{board}");
            if let Some(&mv) = moves(&board).last() {
                let (mut after, mut image_after) = (board, image);
                after.make(mv);
                image_after.make(symmetry.image_of_move::<S>(mv));
                assert_eq!(after.image(symmetry), image_after);
            }
        }
    }
}

#[test]
fn games_are_mapped_to_games() {
    check_symmetries::<Grid<3>>();
    check_symmetries::<Grid<4>>();
    check_symmetries::<Grid<5>>();
    check_symmetries::<Grid<6>>();
    check_symmetries::<Grid<7>>();
    check_symmetries::<Grid<8>>();
}

/// Of all positions after some plies, two have the same key only if they are the same.
fn check_keys<S: Size>(rules: Rules, plies: usize, long: bool) -> usize {
    let mut seen: HashMap<Key, String> = HashMap::new();
    let mut layer = vec![Board::<S>::new(rules)];
    for _ in 0..=plies {
        let mut next = Vec::new();
        for board in layer {
            let text = board.to_string();
            let text = text.rsplit_once(' ').unwrap().0.to_owned();
            let key = board.key();
            assert_eq!(matches!(key, Key::Long(_)), long);
            if let Some(other) = seen.insert(key, text.clone()) {
                assert_eq!(other, text, "{key}");
                continue;
            }
            for mv in moves(&board) {
                let mut after = board;
                after.make(mv);
                next.push(after);
            }
        }
        layer = next;
    }
    seen.len()
}

#[test]
fn keys_tell_positions_apart() {
    assert!(check_keys::<Grid<3>>(Rules::usual::<Grid<3>>(), 5, false) > 50_000);
    assert!(check_keys::<Grid<4>>(Rules::usual::<Grid<4>>(), 4, true) > 100_000);
    assert!(check_keys::<Grid<5>>(Rules::usual::<Grid<5>>(), 3, true) > 10_000);
    // With capstones 3x3 needs more than 64 bits, with fewer flats it does not.
    let with = |flats, caps| Rules { reserve: Reserve { flats, caps }, komi: Komi::ZERO };
    check_keys::<Grid<3>>(with(10, 1), 3, true);
    check_keys::<Grid<3>>(with(7, 1), 3, false);
}

fn check_exact<S: Size>(rules: Rules, games: u64) {
    let mut random = SplitMix64::new(7);
    for _ in 0..games {
        let mut board = Board::<S>::new(rules);
        while !board.is_over() && board.ply() < 100 {
            let moves = moves(&board);
            board.make(moves[random.below(moves.len() as u64) as usize]);
            let key: u128 = match board.key() {
                Key::Short(key) => key.0.into(),
                Key::Long(key) => key.0,
            };
            let mut again = Board::<S>::from_exact_key(key, rules).expect("it names a position");
            again.set_ply(board.ply());
            assert_eq!(again, board);
        }
    }
}

#[test]
fn exact_keys_give_positions_back() {
    check_exact::<Grid<3>>(Rules::usual::<Grid<3>>(), 500);
    check_exact::<Grid<4>>(Rules::usual::<Grid<4>>(), 500);
    let caps = Rules { reserve: Reserve { flats: 10, caps: 2 }, komi: Komi::ZERO };
    check_exact::<Grid<3>>(caps, 300);
}

/// What is no key is refused, and what is accepted has this key.
#[test]
fn numbers_that_are_no_keys_are_refused() {
    let mut random = SplitMix64::new(3);
    let rules = Rules::usual::<Grid<3>>();
    let board: Board<Grid<3>> = "12S,x,1/x,21,x/x2,2 1 9".parse().unwrap();
    let key: u64 = board.exact_key(false);
    let mut accepted = 0;
    for _ in 0..20_000 {
        let changed = key ^ 1 << random.below(64) ^ 1 << random.below(64);
        if let Some(board) = Board::<Grid<3>>::from_exact_key(changed.into(), rules) {
            assert_eq!(board.exact_key::<u64>(false), changed);
            accepted += 1;
        }
    }
    assert!((100..19_000).contains(&accepted), "{accepted}");
    for number in [0, 1, u128::MAX, u64::MAX.into(), 1 << 63, 1 << 127] {
        assert_eq!(Board::<Grid<3>>::from_exact_key(number, rules), None, "{number:x}");
    }
}

/// A hash is the same on every machine, and in every version that reads files with it.
#[test]
fn the_hash_of_larger_boards_is_fixed() {
    let board: Board<Grid<5>> = "x5/x2,2S,x2/x2,121C,x2/x5/x5 1 4".parse().unwrap();
    let again: Board<Grid<5>> = "x5/x2,2S,x2/x2,121C,x2/x5/x5 1 9".parse().unwrap();
    assert_eq!(board.key(), again.key());
    assert_eq!(board.key().to_string(), "cf67412db5a69d5e:901e9f929de3efe7");
}
