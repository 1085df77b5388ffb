//! The naive twin of Collapsi: the rules once more, as a person would apply them, walking paths
//! over arrays of cells. It shares nothing with the crate but the eight numbers of a board.

pub mod random;
pub mod search;

use std::array;

use endtable::games::collapsi::{Board, Rules};

/// A board to play on: how many steps each cell's card allows, and where the game begins.
pub struct Game {
    steps: [&'static [usize]; 16],
    pub root: Position,
}

/// What changes in the course of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub alive: [bool; 16],
    pub mover: u8,
    pub waiter: u8,
}

impl Position {
    /// The mover's card collapses, and the turn passes.
    pub fn after(mut self, to: u8) -> Self {
        self.alive[usize::from(self.mover)] = false;
        Self { alive: self.alive, mover: self.waiter, waiter: to }
    }
}

impl Game {
    pub fn new(board: &Board, rules: Rules) -> Self {
        let ([a, two, three, four, x, o, collapsed], turn) = board.to_raw();
        let joker: &[usize] = if rules == Rules::One { &[1] } else { &[1, 2, 3, 4] };
        let steps = array::from_fn(|cell| {
            let cards: [(u16, &[usize]); 4] = [(a, &[1]), (two, &[2]), (three, &[3]), (four, &[4])];
            let here = cards.into_iter().find(|(set, _)| set >> cell & 1 == 1);
            here.map_or(joker, |(_, steps)| steps)
        });
        let pawn = |set: u16| (0..16).find(|&cell| set == 1 << cell).expect("one pawn a side");
        let alive = array::from_fn(|cell| collapsed >> cell & 1 == 0);
        let (mover, waiter) = if turn == 0 { (x, o) } else { (o, x) };
        Self { steps, root: Position { alive, mover: pawn(mover), waiter: pawn(waiter) } }
    }

    /// Where the pawn to move can go, in ascending order.
    pub fn destinations(&self, position: &Position) -> impl Iterator<Item = u8> + use<> {
        let mut ends = [false; 16];
        for &steps in self.steps[usize::from(position.mover)] {
            walk(position.alive, usize::from(position.mover), steps, &mut ends);
        }
        ends[usize::from(position.waiter)] = false;
        (0..16).filter(move |&cell| ends[usize::from(cell)])
    }
}

/// Marks where every path of exactly `steps` steps ends that starts on `at` and enters only
/// `free` cells, none of them twice.
pub fn walk(mut free: [bool; 16], at: usize, steps: usize, ends: &mut [bool; 16]) {
    if steps == 0 {
        ends[at] = true;
        return;
    }
    free[at] = false;
    let (row, column) = (at / 4, at % 4);
    for (down, right) in [(0, 1), (1, 0), (0, 3), (3, 0)] {
        let next = 4 * ((row + down) % 4) + (column + right) % 4;
        if free[next] {
            walk(free, next, steps - 1, ends);
        }
    }
}
