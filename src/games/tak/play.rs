//! Making moves and taking them back.

use super::board::{Board, Kind};
use super::moves::{Move, drop_counts};
use super::size::{Size, Stack};

/// What a move does not tell about the position before it: whether a wall was flattened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Undo {
    crushed: bool,
}

impl<S: Size> Board<S> {
    /// Makes a legal move.
    #[inline]
    pub fn make(&mut self, mv: Move) -> Undo {
        let crushed = match mv.kind() {
            Some(kind) => {
                self.place(mv.square(), kind);
                false
            }
            None => self.slide(mv),
        };
        self.ply += 1;
        Undo { crushed }
    }

    /// Takes back the last move.
    #[inline]
    pub fn unmake(&mut self, mv: Move, undo: Undo) {
        self.ply -= 1;
        match mv.kind() {
            Some(kind) => self.take_up(mv.square(), kind),
            None => self.slide_back(mv, undo.crushed),
        }
    }

    /// Whose stone a player places now.
    #[inline]
    fn placed_colour(&self) -> usize {
        let turn = self.turn();
        (if self.is_opening() { turn.other() } else { turn }) as usize
    }

    #[inline]
    fn place(&mut self, square: usize, kind: Kind) {
        let (bit, colour) = (1 << square, self.placed_colour());
        self.colours[colour] |= bit;
        self.heights.as_mut()[square] = 1;
        let reserve = &mut self.reserves[colour];
        match kind {
            Kind::Flat => reserve.flats -= 1,
            Kind::Standing => {
                reserve.flats -= 1;
                self.standing |= bit;
            }
            Kind::Capstone => {
                reserve.caps -= 1;
                self.caps |= bit;
            }
        }
    }

    #[inline]
    fn take_up(&mut self, square: usize, kind: Kind) {
        let (bit, colour) = (1 << square, self.placed_colour());
        self.colours[colour] &= !bit;
        self.standing &= !bit;
        self.caps &= !bit;
        self.heights.as_mut()[square] = 0;
        let reserve = &mut self.reserves[colour];
        match kind {
            Kind::Flat | Kind::Standing => reserve.flats += 1,
            Kind::Capstone => reserve.caps += 1,
        }
    }

    /// Slides stones, and says if a wall was flattened.
    #[inline]
    fn slide(&mut self, mv: Move) -> bool {
        let (from, delta) = (mv.square(), mv.direction().delta::<S>());
        let mut carried = mv.carried();
        let stones = self.stones(from);
        let hand = stones.low_byte();
        self.set_stones(from, stones >> carried, self.heights()[from] - carried as u8);
        let mut square = from;
        for count in drop_counts(mv.drops()) {
            square = square.wrapping_add_signed(delta);
            carried -= u32::from(count);
            let dropped = hand >> carried & u8::MAX >> (8 - count);
            let stones = self.stones(square) << u32::from(count) | dropped.into();
            self.set_stones(square, stones, self.heights()[square] + count);
        }
        let crushed = self.standing >> square & 1 != 0;
        self.standing &= !(1 << square);
        self.move_top(from, square);
        crushed
    }

    #[inline]
    fn slide_back(&mut self, mv: Move, crushed: bool) {
        let (from, delta) = (mv.square(), mv.direction().delta::<S>());
        let mut hand = 0_u8;
        let mut square = from;
        for count in drop_counts(mv.drops()) {
            square = square.wrapping_add_signed(delta);
            let stones = self.stones(square);
            let taken = stones.low_byte() & u8::MAX >> (8 - count);
            hand = hand.checked_shl(u32::from(count)).unwrap_or(0) | taken;
            self.set_stones(square, stones >> u32::from(count), self.heights()[square] - count);
        }
        let carried = mv.carried();
        let stones = self.stones(from) << carried | hand.into();
        self.set_stones(from, stones, self.heights()[from] + carried as u8);
        self.move_top(square, from);
        self.standing |= u64::from(crushed) << square;
    }

    /// Takes along what the top of a stack is besides a flat.
    #[inline]
    fn move_top(&mut self, from: usize, to: usize) {
        for set in [&mut self.standing, &mut self.caps] {
            let top = *set >> from & 1;
            *set = *set & !(1 << from) | top << to;
        }
    }
}
