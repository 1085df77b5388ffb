//! Records: what a table says of a position.

use std::fmt;

use crate::value::{GameResult, Plies, Value};

/// Who is to move, the result, the best move and the distance, in 32 bits: bit 0 turn, bits 1–2
/// result (0 loss, 1 win, 2 draw), bits 3–15 plies to the end, bits 16–31 best move (all ones for
/// none). Files store it in the [`Layout`] that their header names.
///
/// ```
/// use endtable::table::Meta;
/// use endtable::value::{Plies, Value};
///
/// let meta = Meta::new(0, Value::Win(Plies(9)), Some(0x1f));
/// assert_eq!(meta.to_string(), "011f");
/// assert_eq!(meta.value(), Value::Win(Plies(9)));
/// assert_eq!(meta.best_move(), Some(0x1f));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Meta(u32);

impl Meta {
    /// The most plies that a record has room for.
    pub const MOST_PLIES: u16 = (1 << 13) - 1;
    const NO_MOVE: u16 = u16::MAX;

    /// Packs its parts. Only the low bit of the turn is kept, and distances over
    /// [`MOST_PLIES`](Self::MOST_PLIES) are cut to that.
    #[must_use]
    pub const fn new(turn: u16, value: Value, best_move: Option<u16>) -> Self {
        let result = match value.result() {
            GameResult::Loss => 0,
            GameResult::Win => 1,
            GameResult::Draw => 2,
        };
        let plies = value.plies().0;
        let plies = if plies > Self::MOST_PLIES { Self::MOST_PLIES } else { plies };
        let best_move = match best_move {
            Some(best_move) => best_move,
            None => Self::NO_MOVE,
        };
        Self::from_parts(turn as u32 & 1 | result << 1 | (plies as u32) << 3, best_move)
    }

    /// Everything but the move, and the move.
    const fn from_parts(result: u32, best_move: u16) -> Self {
        Self(result | (best_move as u32) << 16)
    }

    /// Whose turn it is: 0 for the first player, 1 for the second.
    #[must_use]
    pub const fn turn(self) -> u16 {
        (self.0 & 1) as u16
    }

    /// Who wins, and when.
    #[must_use]
    pub const fn value(self) -> Value {
        let plies = Plies((self.0 >> 3) as u16 & Self::MOST_PLIES);
        match self.0 >> 1 & 3 {
            0 => Value::Loss(plies),
            1 => Value::Win(plies),
            _ => Value::Draw,
        }
    }

    /// The best move, as the game numbers its moves; `None` for none.
    #[must_use]
    pub const fn best_move(self) -> Option<u16> {
        let best_move = (self.0 >> 16) as u16;
        if best_move == Self::NO_MOVE { None } else { Some(best_move) }
    }
}

/// A loss in no plies, without a move.
impl Default for Meta {
    #[inline]
    fn default() -> Self {
        Self::new(0, Value::Loss(Plies(0)), None)
    }
}

/// Turn bit, win bit (`=` for a draw), best move in hex: two digits, or four where it takes more.
impl fmt::Display for Meta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let result = match self.value().result() {
            GameResult::Win => '1',
            GameResult::Loss => '0',
            GameResult::Draw => '=',
        };
        write!(f, "{}{result}", self.turn())?;
        match self.best_move() {
            None => f.write_str("ff"),
            Some(best @ ..=0xff) => write!(f, "{best:02x}"),
            Some(best) => write!(f, "{best:04x}"),
        }
    }
}

impl fmt::Debug for Meta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Meta({self} {})", self.value())
    }
}

/// How a file lays out the meta of a record: the turn in bit 0, then the result, the best move and
/// the plies, each in so many bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Two bytes: win 1 bit, best move 8, plies 6. No draws.
    Short,
    /// Four bytes: result 2 bits, best move 16, plies 13.
    Long,
    /// Dense tables: no meta, but a nybble of plies whose parity is the result.
    Entry,
    /// Keyed tables without meta: a record is a code and a value, and every meta is the default one.
    Bare,
    /// Dense tables with draws: no meta, but a byte, the plies above a bit for a win. 0 plies are not the
    /// length of a game: 0 is a number that no position has, 1 a draw.
    ByteEntry,
}

impl Layout {
    /// Bits of result, best move and plies.
    #[must_use]
    pub const fn bits(self) -> [u8; 3] {
        match self {
            Self::Short => [1, 8, 6],
            Self::Long => [2, 16, 13],
            Self::Entry => [0, 0, 4],
            Self::Bare => [0, 0, 0],
            Self::ByteEntry => [1, 0, 7],
        }
    }

    /// Whether it is that of a dense table.
    #[must_use]
    pub const fn is_dense(self) -> bool {
        matches!(self, Self::Entry | Self::ByteEntry)
    }

    /// The inverse of [`bits`](Self::bits).
    pub(super) fn from_bits(bits: [u8; 3]) -> Option<Self> {
        let all = [Self::Short, Self::Long, Self::Entry, Self::Bare, Self::ByteEntry];
        all.into_iter().find(|layout| layout.bits() == bits)
    }

    /// Bytes of a record's meta.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Short => 2,
            Self::Long => 4,
            Self::Entry | Self::ByteEntry | Self::Bare => 0,
        }
    }

    /// Bytes of meta without the move, and of the move: how compressed blocks keep them apart.
    pub(super) const fn halves(self) -> usize {
        self.bytes() / 2
    }

    /// Whether the layout has room for a meta.
    #[inline]
    pub(super) fn fits(self, meta: Meta) -> bool {
        match self {
            Self::Short => {
                let value = meta.value();
                value != Value::Draw
                    && value.plies().0 < 1 << 6
                    && meta.best_move().is_none_or(|best| best < 0xff)
            }
            Self::Long => true,
            Self::Entry | Self::ByteEntry => false,
            Self::Bare => meta == Meta::default(),
        }
    }

    /// A meta as files have it: [`bytes`](Self::bytes) bytes of this number.
    #[inline]
    #[must_use]
    pub const fn pack(self, meta: Meta) -> u32 {
        let (result, best_move) = self.split(meta);
        let (result, best_move) = (result as u32, best_move as u32);
        match self {
            Self::Short => result & 3 | best_move << 2 | result >> 2 << 10,
            Self::Long | Self::Entry | Self::ByteEntry => {
                result & 7 | best_move << 3 | result >> 3 << 19
            }
            Self::Bare => 0,
        }
    }

    /// The inverse of [`pack`](Self::pack); `None` for a result that there is not.
    #[inline]
    #[must_use]
    pub const fn unpack(self, packed: u32) -> Option<Meta> {
        match self {
            Self::Short => {
                let result = packed & 3 | packed >> 10 << 2;
                self.join(result as u16, (packed >> 2 & 0xff) as u16)
            }
            Self::Long | Self::Entry | Self::ByteEntry => {
                let result = packed & 7 | packed >> 19 << 3;
                self.join(result as u16, (packed >> 3) as u16)
            }
            Self::Bare => self.join(packed as u16, 0),
        }
    }

    /// Turn, result and plies as one number, and the move.
    #[inline]
    pub(super) const fn split(self, meta: Meta) -> (u16, u16) {
        let (result, best_move) = (meta.0 as u16, (meta.0 >> 16) as u16);
        match self {
            Self::Short => (result & 3 | result >> 3 << 2, best_move & 0xff),
            Self::Long | Self::Entry | Self::ByteEntry => (result, best_move),
            Self::Bare => (0, 0),
        }
    }

    /// The inverse of [`split`](Self::split); `None` for a result that there is not.
    #[inline]
    pub(super) const fn join(self, result: u16, best_move: u16) -> Option<Meta> {
        match self {
            Self::Short => {
                let result = (result & 3 | result >> 2 << 3) as u32;
                let best_move = if best_move == 0xff { Meta::NO_MOVE } else { best_move };
                Some(Meta::from_parts(result, best_move))
            }
            Self::Long | Self::Entry | Self::ByteEntry => {
                if result >> 1 & 3 == 3 {
                    return None;
                }
                Some(Meta::from_parts(result as u32, best_move))
            }
            Self::Bare => Some(Meta::from_parts(0, Meta::NO_MOVE)),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn layouts_are_inverted(turn in 0u16..2, result in 0..3, plies in 0u16..=Meta::MOST_PLIES, best: Option<u16>) {
            let value = match result {
                0 => Value::Loss(Plies(plies)),
                1 => Value::Win(Plies(plies)),
                _ => Value::Draw,
            };
            let meta = Meta::new(turn, value, best);
            prop_assert_eq!((meta.turn(), meta.value()), (turn, value));
            for layout in [Layout::Short, Layout::Long, Layout::Bare] {
                if layout.fits(meta) {
                    prop_assert_eq!(layout.unpack(layout.pack(meta)), Some(meta));
                    let (result, best) = layout.split(meta);
                    prop_assert_eq!(layout.join(result, best), Some(meta));
                }
            }
        }
    }
}
