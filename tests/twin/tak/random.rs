//! Random positions of Tak, by play and by chance.

use endtable::random::SplitMix64;

use super::{Kind, Move, Position, Stone};

/// Flats and capstones of each player that all fit one stack: at most 64 stones to 6x6, 128 beyond.
pub fn stones(random: &mut SplitMix64, size: usize) -> (usize, usize) {
    let most = if size <= 6 { 32 } else { 64 };
    let caps = random.below(4) as usize;
    let flats = 2 + random.below(most - 3 - caps as u64 + 1) as usize;
    (flats, caps)
}

/// The empty board, with as many stones as may be.
pub fn start(random: &mut SplitMix64, size: usize) -> Position {
    let (flats, caps) = stones(random, size);
    Position::new(size, flats, caps, random.below(9) as i32 - 4)
}

/// A move, slides as likely as placings where there are any: so that stacks grow.
pub fn some_move<'a>(random: &mut SplitMix64, moves: &'a [Move]) -> &'a Move {
    let wanted = random.below(3) > 0;
    let slides = |mv: &&Move| matches!(mv, Move::Slide(..)) == wanted;
    let some: Vec<&Move> = moves.iter().filter(slides).collect();
    match some.len() {
        0 => &moves[random.below(moves.len() as u64) as usize],
        count => some[random.below(count as u64) as usize],
    }
}

/// Stones thrown on a board: stacks as high as all stones but the last few allow.
pub fn thrown(random: &mut SplitMix64, size: usize) -> Position {
    let mut position = start(random, size);
    let squares = (size * size) as u64;
    // Few squares make high stacks.
    let used = 1 + random.below(squares);
    let mut left: Vec<usize> = Vec::new();
    for player in 0..2 {
        let kept = random.below(position.flats[player] as u64) as usize;
        left.extend(std::iter::repeat_n(player, position.flats[player] - kept));
        position.flats[player] = kept;
    }
    while !left.is_empty() {
        let player = left.swap_remove(random.below(left.len() as u64) as usize);
        let square = (random.below(used) * 7 % squares) as usize;
        position.stacks[square].push(Stone { player, kind: Kind::Flat });
    }
    for square in 0..position.stacks.len() {
        let Some(top) = position.stacks[square].last().copied() else { continue };
        match random.below(5) {
            0 => position.stacks[square].last_mut().unwrap().kind = Kind::Wall,
            1 if position.caps[top.player] > 0 => {
                position.caps[top.player] -= 1;
                position.stacks[square].push(Stone { player: top.player, kind: Kind::Cap });
            }
            _ => {}
        }
    }
    position.plies = 2 + random.below(200) as usize;
    position
}
