//! Komi: the points that Black gets for moving second.

use std::fmt;
use std::str::FromStr;

/// What is added to Black's flats when they are counted. Written in points: `2`, `2.5`, `-0.5`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Komi {
    half_points: i8,
}

impl Komi {
    /// None.
    pub const ZERO: Self = Self { half_points: 0 };

    /// The most half points, of either sign.
    const MOST: i8 = 41;

    /// A number of half points, if it is not too large.
    #[must_use]
    pub const fn from_half_points(half_points: i8) -> Option<Self> {
        if half_points.unsigned_abs() <= Self::MOST as u8 {
            Some(Self { half_points })
        } else {
            None
        }
    }

    /// The number of half points.
    #[must_use]
    pub const fn half_points(self) -> i8 {
        self.half_points
    }
}

impl FromStr for Komi {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (negative, points) = match text.strip_prefix('-') {
            Some(points) => (true, points),
            None => (false, text),
        };
        let (whole, half) = match points.split_once('.') {
            Some((whole, "0")) => (whole, 0),
            Some((whole, "5")) => (whole, 1),
            Some(_) => ("", 0),
            None => (points, 0),
        };
        let digits =
            (1..=2).contains(&whole.len()) && whole.bytes().all(|byte| byte.is_ascii_digit());
        let whole = if digits { whole.parse::<i8>().ok() } else { None };
        let half_points = whole.and_then(|whole| whole.checked_mul(2)?.checked_add(half));
        let half_points = half_points.map(|number| if negative { -number } else { number });
        half_points.and_then(Self::from_half_points).ok_or_else(|| {
            format!("expected points in halves from -20.5 to 20.5, as in 2 or 2.5, found {text:?}")
        })
    }
}

impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.half_points.unsigned_abs();
        let sign = if self.half_points < 0 { "-" } else { "" };
        let half = if size.is_multiple_of(2) { "" } else { ".5" };
        write!(f, "{sign}{}{half}", size / 2)
    }
}
