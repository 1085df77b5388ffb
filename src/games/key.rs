//! Keys: numbers that name positions, and the pairing they are made with.

use std::fmt;
use std::str::FromStr;

use crate::random::mix;

/// Szudzik's pairing: maps two 64-bit numbers one-to-one onto the 128-bit numbers, and two n-bit
/// numbers onto 2n bits.
///
/// ```
/// use endtable::games::key::{pair, unpair};
///
/// assert_eq!(pair(3, 5), 28);
/// assert_eq!(unpair(28), (3, 5));
/// ```
#[must_use]
pub const fn pair(a: u64, b: u64) -> u128 {
    let (a, b) = (a as u128, b as u128);
    if a < b { b * b + a } else { a * a + a + b }
}

/// The inverse of [`pair`].
#[must_use]
pub const fn unpair(z: u128) -> (u64, u64) {
    let root = z.isqrt();
    let rest = z - root * root;
    if rest < root { (rest as u64, root as u64) } else { (root as u64, (rest - root) as u64) }
}

/// An exact 128-bit key. Written `HI:LO`, two halves of 16 hex digits.
///
/// ```
/// use endtable::games::key::Key128;
///
/// let key: Key128 = "0123456789abcdef:0011223344556677".parse()?;
/// assert_eq!(key.hi(), 0x0123456789abcdef);
/// assert_eq!(key.to_string(), "0123456789abcdef:0011223344556677");
/// # Ok::<(), endtable::games::key::KeyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key128(pub u128);

impl Key128 {
    /// The upper 64 bits.
    #[must_use]
    pub const fn hi(self) -> u64 {
        (self.0 >> 64) as u64
    }

    /// The lower 64 bits.
    #[must_use]
    pub const fn lo(self) -> u64 {
        self.0 as u64
    }

    /// Folded to 64 bits: shorter, no longer exact, and not to be inverted.
    #[must_use]
    pub const fn fold(self) -> Key64 {
        Key64(mix(mix(self.hi()) ^ self.lo()))
    }
}

impl fmt::Display for Key128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}:{:016x}", self.hi(), self.lo())
    }
}

impl FromStr for Key128 {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        // As tables are exported: one number.
        let exported = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let halves = match exported {
            Some(digits) => digits.split_at_checked(16),
            None => text.split_once(':'),
        };
        let (hi, lo) = halves.ok_or(KeyError::NoColon)?;
        let (hi, lo) = (parse_half("HI", hi)?, parse_half("LO", lo)?);
        Ok(Self(u128::from(hi) << 64 | u128::from(lo)))
    }
}

/// A 64-bit key: a folded [`Key128`], or the key of a game that needs no more. Written as 16 hex
/// digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key64(pub u64);

impl fmt::Display for Key64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Key64 {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        parse_half("the key", text).map(Self)
    }
}

/// A key of either length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// 128 bits.
    Long(Key128),
    /// 64 bits: a folded key, or a game's that needs no more.
    Short(Key64),
}

impl Key {
    /// Its bytes, little-endian: 16 or 8.
    #[must_use]
    pub fn to_bytes(self) -> Vec<u8> {
        match self {
            Self::Long(key) => key.0.to_le_bytes().into(),
            Self::Short(key) => key.0.to_le_bytes().into(),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Long(key) => key.fmt(f),
            Self::Short(key) => key.fmt(f),
        }
    }
}

fn parse_half(half: &'static str, text: &str) -> Result<u64, KeyError> {
    let legible = (1..=16).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    legible
        .then(|| u64::from_str_radix(text, 16).ok())
        .flatten()
        .ok_or_else(|| KeyError::BadHalf { half, found: text.into() })
}

/// Why a text is no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A 128-bit key without its colon.
    #[error("a 128-bit key is two hex numbers parted by a colon, HI:LO, or 0x and 32 hex digits")]
    NoColon,
    /// A half that is not a hex number of 64 bits.
    #[error("{half} of a key is 1 to 16 hex digits, found {found:?}")]
    BadHalf {
        /// Which half.
        half: &'static str,
        /// What stood there.
        found: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairing_is_inverted(a: u64, b: u64, z: u128) {
            prop_assert_eq!(unpair(pair(a, b)), (a, b));
            let (a, b) = unpair(z);
            prop_assert_eq!(pair(a, b), z);
        }

        #[test]
        fn text_is_inverted(z: u128) {
            let key = Key128(z);
            prop_assert_eq!(key.to_string().parse(), Ok(key));
        }
    }

    #[test]
    fn pairing_keeps_to_twice_the_bits() {
        for bits in [1, 8, 16, 32, 64] {
            let top = u64::MAX >> (64 - bits);
            assert_eq!(128 - pair(top, top).leading_zeros(), 2 * bits);
        }
    }
}
