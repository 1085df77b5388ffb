//! Moves and ends against the naive twin, on a million random positions.

mod twin;

use endtable::games::tak::{
    Board, Colour, Grid, Kind, Komi, Move, Reserve, Rules, Size, drop_counts, squares,
};
use endtable::random::SplitMix64;
use rayon::prelude::*;
use twin::tak as naive;
use twin::tak::random::{some_move, start, thrown};

/// Positions of random games, and positions that were thrown together: of each size.
const PLAYED: usize = 120_000;
const THROWN: usize = 50_000;

fn rules_of(position: &naive::Position, flats: usize, caps: usize) -> Rules {
    Rules {
        reserve: Reserve { flats: flats as u8, caps: caps as u8 },
        komi: Komi::from_half_points(position.half_komi as i8).unwrap(),
    }
}

/// All stones of a player, on the board and in reserve.
fn stones_of(position: &naive::Position) -> (usize, usize) {
    let all = position.stacks.iter().flatten().filter(|stone| stone.player == 1);
    let caps = all.clone().filter(|stone| stone.kind == naive::Kind::Cap).count();
    (position.flats[1] + all.count() - caps, position.caps[1] + caps)
}

/// The board that the twin's notation shows.
fn board_of<S: Size>(position: &naive::Position) -> Board<S> {
    let (flats, caps) = stones_of(position);
    let tps = position.tps();
    Board::from_tps(&tps, rules_of(position, flats, caps)).unwrap_or_else(|error| {
        panic!("{tps}: {error}");
    })
}

/// A move in the twin's words.
fn naive_move(mv: Move) -> naive::Move {
    match mv.kind() {
        Some(kind) => naive::Move::Place(mv.square(), kind as usize),
        None => {
            let drops = drop_counts(mv.drops()).map(usize::from).collect();
            naive::Move::Slide(mv.square(), mv.direction() as usize, drops)
        }
    }
}

/// Compares the boards square by square, the sets with them.
fn compare_boards<S: Size>(board: &Board<S>, twin: &naive::Position) {
    let mut sets = [0; 4];
    for (square, stack) in twin.stacks.iter().enumerate() {
        assert_eq!(usize::from(board.heights()[square]), stack.len(), "{}", twin.tps());
        let Some((top, below)) = stack.split_last() else {
            assert_eq!(board.stacks()[square], S::Stack::default());
            continue;
        };
        sets[top.player] |= 1 << square;
        match top.kind {
            naive::Kind::Flat => {}
            naive::Kind::Wall => sets[2] |= 1 << square,
            naive::Kind::Cap => sets[3] |= 1 << square,
        }
        let bits = below.iter().fold(0, |bits, stone| bits << 1 | stone.player as u128);
        assert_eq!(board.stacks()[square].into(), bits, "{}", twin.tps());
    }
    let ours =
        [board.tops(Colour::White), board.tops(Colour::Black), board.standing(), board.caps()];
    assert_eq!(ours, sets, "{}", twin.tps());
    for colour in [Colour::White, Colour::Black] {
        let reserve = board.reserve(colour);
        let ours = (usize::from(reserve.flats), usize::from(reserve.caps));
        assert_eq!(ours, (twin.flats[colour as usize], twin.caps[colour as usize]));
    }
    assert_eq!((board.ply() as usize, board.turn() as usize), (twin.plies, twin.turn()));
}

/// Compares everything that is said of a position, and one move from it. Gives that move.
fn compare<S: Size>(
    board: &mut Board<S>,
    twin: &naive::Position,
    random: &mut SplitMix64,
) -> Option<(Move, naive::Move)> {
    compare_boards(board, twin);
    assert_eq!(board.end().map(|end| end.to_string()).as_deref(), twin.end(), "{}", twin.tps());
    assert_eq!(board.is_over(), twin.end().is_some());
    let flats = [Colour::White, Colour::Black].map(|it| squares(board.flats(it)).count());
    assert_eq!(flats, twin.flat_counts());
    let mut ours = Vec::new();
    board.push_moves(&mut ours);
    assert_eq!(board.count_moves(), ours.len() as u64, "{}", twin.tps());
    let mut theirs = twin.moves();
    theirs.sort_unstable();
    let mut as_theirs: Vec<_> = ours.iter().map(|&mv| naive_move(mv)).collect();
    as_theirs.sort_unstable();
    assert_eq!(as_theirs, theirs, "{}", twin.tps());
    if theirs.is_empty() {
        return None;
    }
    let mv = some_move(random, &theirs).clone();
    let ours = *ours.iter().find(|&&ours| naive_move(ours) == mv).unwrap();
    let before = *board;
    let undo = board.make(ours);
    let mut after = twin.clone();
    after.play(&mv);
    compare_boards(board, &after);
    board.unmake(ours, undo);
    assert_eq!(*board, before, "{} after {}", twin.tps(), twin.ptn(&mv));
    // Now and then the notation, which takes longer.
    if random.below(16) == 0 {
        assert_eq!(board.to_string(), twin.tps());
        assert_eq!(ours.to_ptn::<S>(), twin.ptn(&mv));
        if !board.is_over() {
            assert_eq!(board.read_move(&twin.ptn(&mv)), Ok(ours));
        }
    }
    Some((ours, mv))
}

/// Plays random games, as long as it takes; past their ends, too, for a while.
fn compare_games<S: Size>(seed: u64, positions: usize) {
    let mut random = SplitMix64::new(seed);
    let mut done = 0;
    while done < positions {
        let mut twin = start(&mut random, S::N);
        let mut board = board_of::<S>(&twin);
        let mut past = 0;
        while past < 3 && twin.plies < 300 && done < positions {
            done += 1;
            past += usize::from(twin.end().is_some());
            let Some((ours, theirs)) = compare(&mut board, &twin, &mut random) else { break };
            board.make(ours);
            twin.play(&theirs);
        }
    }
}

fn compare_thrown<S: Size>(seed: u64, positions: usize) {
    let mut random = SplitMix64::new(seed);
    for _ in 0..positions {
        let twin = thrown(&mut random, S::N);
        if twin.stacks.iter().flatten().count() >= 2 {
            compare(&mut board_of::<S>(&twin), &twin, &mut random);
        }
    }
}

fn compare_size<S: Size>() {
    const PARTS: usize = 16;
    (0..PARTS).into_par_iter().for_each(|part| {
        compare_games::<S>(part as u64, PLAYED / PARTS);
        compare_thrown::<S>(1000 + part as u64, THROWN / PARTS);
    });
}

#[test]
fn a_million_positions_agree_with_the_twin() {
    compare_size::<Grid<3>>();
    compare_size::<Grid<4>>();
    compare_size::<Grid<5>>();
    compare_size::<Grid<6>>();
    compare_size::<Grid<7>>();
    compare_size::<Grid<8>>();
}

/// A tower on an 8x8 board: its stones from the bottom, white and black by the bits of a number, and a
/// white capstone on top or not.
fn tower(height: usize, colours: u128, cap: bool) -> naive::Position {
    let mut twin = naive::Position::new(8, 50, 2, 0);
    let stones = (0..height).map(|number| (colours >> number & 1) as usize);
    for player in stones {
        twin.flats[player] -= 1;
        twin.stacks[27].push(naive::Stone { player, kind: naive::Kind::Flat });
    }
    if cap {
        twin.caps[0] -= 1;
        twin.stacks[27].push(naive::Stone { player: 0, kind: naive::Kind::Cap });
    }
    twin.plies = 2 * height;
    twin
}

/// Higher than 64 bits: the stones far below come up again as they went down.
#[test]
fn stacks_of_70_and_96_stones_are_taken_apart() {
    let mut random = SplitMix64::new(70);
    for (height, cap) in [(70, true), (96, false), (96, true), (100, true)] {
        // As many stones of each colour, in random order.
        let mut order: Vec<usize> = (0..height).collect();
        for last in (1..height).rev() {
            order.swap(last, random.below(last as u64 + 1) as usize);
        }
        let colours = order[..height / 2].iter().fold(0, |bits, &number| bits | 1 << number);
        let mut twin = tower(height, colours, cap);
        let mut board = board_of::<Grid<8>>(&twin);
        assert_eq!(usize::from(board.heights()[27]), height + usize::from(cap));
        let bottom = twin.stacks[27][0].player as u128;
        let below: u128 = board.stacks()[27];
        assert_eq!(below >> (height + usize::from(cap) - 2), bottom);
        let all = board;
        let mut made = Vec::new();
        // Whoever owns the tower takes as much from it as can be carried, until it is gone.
        while !twin.stacks[27].is_empty() {
            let moves = twin.moves();
            let from_tower = moves.iter().filter(|mv| matches!(mv, naive::Move::Slide(27, ..)));
            let mv = from_tower.max_by_key(|mv| match mv {
                naive::Move::Slide(_, _, drops) => drops.iter().sum(),
                naive::Move::Place(..) => 0,
            });
            let Some(mv) = mv.cloned() else {
                // It is the other player's: wait for a turn.
                twin.plies += 1;
                board.set_ply(board.ply() + 1);
                made.push(None);
                continue;
            };
            compare(&mut board, &twin, &mut random);
            let ours = board.read_move(&twin.ptn(&mv)).unwrap_or_else(|_| {
                let mut moves = Vec::new();
                board.push_moves(&mut moves);
                *moves.iter().find(|&&ours| naive_move(ours) == mv).unwrap()
            });
            made.push(Some((ours, board.make(ours))));
            twin.play(&mv);
            compare_boards(&board, &twin);
        }
        while let Some(step) = made.pop() {
            match step {
                Some((mv, undo)) => board.unmake(mv, undo),
                None => board.set_ply(board.ply() - 1),
            }
        }
        assert_eq!(board, all);
    }
}

#[test]
fn the_twin_counts_what_is_published() {
    assert_eq!(naive::Position::new(3, 10, 0, 0).perft(5), 271_812);
    assert_eq!(naive::Position::new(5, 21, 1, 0).perft(3), 43_320);
}

#[test]
fn a_capstone_flattens_only_alone() {
    let board: Board<Grid<5>> = "x5/x2,2S,x2/x2,121C,x2/x5/x5 1 4".parse().unwrap();
    let mut moves = Vec::new();
    board.push_moves(&mut moves);
    let up: Vec<String> = moves.iter().map(|mv| mv.to_ptn::<Grid<5>>()).collect();
    let up: Vec<&str> = up.iter().map(String::as_str).filter(|mv| mv.contains("c3+")).collect();
    assert_eq!(up, ["c3+"]);
    let mut after = board;
    after.make(board.read_move("c3+").unwrap());
    assert_eq!(after.to_string(), "x5/x2,21C,x2/x2,12,x2/x5/x5 2 4");
    assert_eq!(after.pile(17).unwrap().kind, Kind::Capstone);
}
