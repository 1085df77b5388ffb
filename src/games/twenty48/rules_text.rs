//! Rules as text: what the header of a table says of them.

use std::fmt;
use std::str::FromStr;

use super::{BoardError, Objective, Rules};

/// The size and the objective: `3x3 score`, `2x4 tile:256`, `4x4 search`.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.size, self.objective)
    }
}

/// The inverse. Unlike a person, a table may be of the objective `search`.
impl FromStr for Rules {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, BoardError> {
        let (size, objective) = text.split_once(' ').unwrap_or((text, ""));
        let size = size.parse()?;
        let objective = match objective {
            "search" => Objective::Search,
            objective => objective.parse()?,
        };
        Ok(Self { size, objective: objective.check(size)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::{Size, Target};

    #[test]
    fn rules_read_back_as_they_are_written() {
        let tiles = (3..=15).filter_map(Target::new).map(Objective::Tile);
        let objectives = [Objective::Score, Objective::Search].into_iter().chain(tiles);
        for (size, objective) in objectives.flat_map(|it| Size::all().map(move |size| (size, it))) {
            let Ok(objective) = objective.check(size) else { continue };
            let rules = Rules { size, objective };
            assert_eq!(rules.to_string().parse(), Ok(rules), "{rules}");
        }
        let target = Target::new(8).unwrap();
        assert_eq!("2x4 tile:256".parse::<Rules>().unwrap().objective, Objective::Tile(target));
    }

    #[test]
    fn what_is_no_rules_is_refused() {
        for text in ["", "3x3", "score", "5x5 score", "3x3 luck", "2x2 tile:64", "3x3  score"] {
            assert!(text.parse::<Rules>().is_err(), "{text:?}");
        }
    }
}
