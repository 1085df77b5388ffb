//! Random positions, the same in every run.

use std::array;

use endtable::games::collapsi::{Board, Cell, DEALS, Move, Rules, deal_from_rank};
use endtable::random::SplitMix64;

use super::Game;

/// A deal, each equally likely.
pub fn deal(random: &mut SplitMix64) -> Board {
    deal_from_rank(random.below(u64::from(DEALS)) as u32).expect("below the number of deals")
}

/// A deal after a number of random plies, or fewer when the game ends before.
pub fn played(plies: u64, rules: Rules, random: &mut SplitMix64) -> Board {
    let mut board = deal(random);
    for _ in 0..plies {
        let game = Game::new(&board, rules);
        let moves: Vec<u8> = game.destinations(&game.root).collect();
        if moves.is_empty() {
            break;
        }
        let to = moves[random.below(moves.len() as u64) as usize];
        let [from, to] = [game.root.mover, to].map(|cell| Cell::new(cell).expect("below 16"));
        board = board.play(Move { from, to }, rules).expect("the twin's moves are legal");
    }
    board
}

/// A board with this many cards alive, 2 to 16, reachable in play or not: any alive set,
/// any cards on it, any pawns. The collapsed cards are kept or forgotten.
pub fn state(alive: usize, random: &mut SplitMix64) -> Board {
    let mut cells: [u16; 16] = array::from_fn(|cell| cell as u16);
    let mut deck = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3];
    shuffle(&mut cells, random);
    shuffle(&mut deck, random);
    let turn = random.below(2) as usize;
    let (living, collapsed) = cells.split_at(alive);
    // The mover is first, the waiter second, and the mover's joker is the last to collapse.
    let carded = &living[alive.saturating_sub(14)..];
    let kept = if random.below(2) == 0 { collapsed } else { &[] };
    let mut boards = [0; 7];
    for (&cell, &card) in carded.iter().chain(kept).zip(&deck) {
        boards[card] |= 1 << cell;
    }
    boards[4 + turn] = 1 << living[0];
    boards[5 - turn] = 1 << living[1];
    boards[6] = collapsed.iter().fold(0, |set, cell| set | 1 << cell);
    Board::from_raw(boards, turn as u16).expect("a legal board")
}

fn shuffle<T>(items: &mut [T], random: &mut SplitMix64) {
    for i in (1..items.len()).rev() {
        items.swap(i, random.below(i as u64 + 1) as usize);
    }
}
