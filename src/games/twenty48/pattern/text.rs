//! Patterns in a line: what the header of a table says of them.
//!
//! A pattern that is shipped is its name. Another is its name, its masks and its seeds, parted by
//! blanks: `corner ..../..../..../...F 2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,F`. What has commas is a seed. The
//! word `unturned` behind the name stands for a pattern without symmetry.

use std::fmt;
use std::str::FromStr;

use super::{Pattern, PatternError, drawing};

/// Says that a pattern is without symmetry.
const UNTURNED: &str = "unturned";

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.is_shipped() {
            return Ok(());
        }
        if !self.symmetric {
            write!(f, " {UNTURNED}")?;
        }
        self.masks.iter().try_for_each(|&mask| write!(f, " {}", drawing::mask(mask)))?;
        self.seeds.iter().try_for_each(|&seed| write!(f, " {}", drawing::board(seed)))
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let mut words = text.split_ascii_whitespace();
        let name = words.next().unwrap_or_default();
        let mut words: Vec<&str> = words.collect();
        if words.is_empty() {
            let shipped = Self::shipped().iter().find(|it| it.name == name);
            return shipped.cloned().ok_or_else(|| PatternError::Unknown(text.into()));
        }
        let symmetric = words[0] != UNTURNED;
        if !symmetric {
            words.remove(0);
        }
        let (seeds, masks): (Vec<&str>, Vec<&str>) =
            words.into_iter().partition(|word| word.contains(','));
        let masks = (1..).zip(masks).map(|(number, mask)| drawing::read_mask(mask, number));
        let seeds = (1..).zip(seeds).map(|(number, seed)| drawing::read_board(seed, number));
        let (masks, seeds) = (masks.collect::<Result<_, _>>()?, seeds.collect::<Result<_, _>>()?);
        let pattern = Self::new(name, "", masks, seeds)?;
        let pattern = if symmetric { pattern } else { pattern.without_symmetry() };
        pattern.with_own_name()
    }
}
