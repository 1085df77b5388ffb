//! Records: what a table says of a position.

use std::fmt;

use crate::games::{Plies, Value};

/// Who is to move, who wins, the best move and the distance, in sixteen bits: bit 0 turn, bit 1
/// win, bits 2–9 best move (`ff` for none), bits 10–15 plies to the end.
///
/// ```
/// use endtable::games::{Plies, Value};
/// use endtable::table::Meta;
///
/// let meta = Meta::new(0, Value::Win(Plies(9)), 0x1f);
/// assert_eq!(meta.to_string(), "011f");
/// assert_eq!(meta.value(), Value::Win(Plies(9)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Meta(pub u16);

impl Meta {
    /// The move byte that stands for no move.
    pub const NO_MOVE: u8 = 0xff;

    /// Packs its parts. Only the low bit of the turn and the low six of the plies are kept.
    #[must_use]
    pub fn new(turn: u16, value: Value, best_move: u8) -> Self {
        let result = turn & 1 | u16::from(value.is_win()) << 1;
        Self(u16::from(value.plies().0) << 10 | u16::from(best_move) << 2 | result)
    }

    /// Whose turn it is: 0 for the first player, 1 for the second.
    #[must_use]
    pub const fn turn(self) -> u16 {
        self.0 & 1
    }

    /// Who wins, and when.
    #[must_use]
    pub const fn value(self) -> Value {
        let plies = Plies((self.0 >> 10) as u8);
        if self.0 >> 1 & 1 == 1 { Value::Win(plies) } else { Value::Loss(plies) }
    }

    /// The best move, as the game writes it into a byte; [`NO_MOVE`](Self::NO_MOVE) for none.
    #[must_use]
    pub const fn best_move(self) -> u8 {
        (self.0 >> 2) as u8
    }

    /// Everything but the move in one byte: how blocks keep it.
    pub(super) const fn result_byte(self) -> u8 {
        (self.0 & 3 | self.0 >> 10 << 2) as u8
    }

    /// The inverse of [`result_byte`](Self::result_byte) and [`best_move`](Self::best_move).
    pub(super) const fn from_bytes(result: u8, best_move: u8) -> Self {
        let result = result as u16;
        Self(result & 3 | (best_move as u16) << 2 | result >> 2 << 10)
    }
}

/// Turn bit, win bit, best move in hex.
impl fmt::Display for Meta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{:02x}", self.turn(), u8::from(self.value().is_win()), self.best_move())
    }
}

/// A position and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Record {
    /// The position, through its game's codec. Records are sorted by it.
    pub code: u64,
    /// The answer.
    pub meta: Meta,
    /// The bits of the value column, 0 in a table that has none.
    pub value: u64,
}
