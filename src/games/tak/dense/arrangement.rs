//! Stones on a board, as the one to move sees them.

use super::shapes::{Heights, MOST_SQUARES, MOST_STONES};
use crate::games::tak::{Board, Colour, Kind, Pile, Rules, Size, Stack};

/// Stones on a board, as the one to move sees them: a position of which the colours are forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrangement {
    /// How many stones lie on each square.
    pub heights: Heights,
    /// The stones of the mover as bits: the stacks by ascending square, each from its top down, from the
    /// lowest bit on.
    pub colours: u16,
    /// The stacks with a wall on top, as bits in the same order.
    pub walls: u16,
}

impl Arrangement {
    /// The stones of a board without capstones; `None` if it has more squares or stones than there are
    /// tables of.
    #[must_use]
    pub fn of<S: Size>(board: &Board<S>) -> Option<Self> {
        let stones: usize = board.heights().iter().map(|&height| usize::from(height)).sum();
        if S::SQUARES > MOST_SQUARES || stones > MOST_STONES {
            return None;
        }
        let mut heights = [0; MOST_SQUARES];
        heights[..S::SQUARES].copy_from_slice(board.heights());
        let (mut black, mut walls, mut bit, mut stack) = (0, 0, 0, 0);
        for (square, &height) in heights[..S::SQUARES].iter().enumerate() {
            if height > 0 {
                let stones: u128 = board.stones(square).into();
                black |= (stones as u16) << bit;
                walls |= ((board.standing() >> square & 1) as u16) << stack;
                bit += height;
                stack += 1;
            }
        }
        let colours = match board.turn() {
            Colour::White => !black & ((1 << stones) - 1),
            Colour::Black => black,
        };
        Some(Self { heights, colours, walls })
    }

    /// How many stones there are.
    #[must_use]
    pub fn stones(&self) -> u8 {
        self.heights.iter().sum()
    }

    /// The board with White to move, as early in a game as it can be; `None` if the players do not have so
    /// many stones.
    #[must_use]
    pub fn board<S: Size>(&self, rules: Rules) -> Option<Board<S>> {
        let mut board = Board::<S>::new(rules);
        let (mut colours, mut walls) = (self.colours, self.walls);
        for (square, &height) in self.heights.iter().enumerate().filter(|(_, height)| **height > 0)
        {
            let own = colours & ((1 << height) - 1);
            let black = !own & ((1 << height) - 1);
            let pile = Pile {
                colour: if black & 1 == 0 { Colour::White } else { Colour::Black },
                kind: if walls & 1 == 0 { Kind::Flat } else { Kind::Standing },
                height,
                below: S::Stack::from_bits(u128::from(black) >> 1),
            };
            board.put(square, pile).ok()?;
            colours >>= height;
            walls >>= 1;
        }
        board.set_ply(2);
        Some(board)
    }
}
