//! Whole games on the 4x4 board, their endgames played from the tables of patterns.

use std::path::Path;

use super::{Direction, PatternOutlook, PatternTables, TallBoard};
use crate::table::TableError;

/// Tables of patterns that choose moves of whole games.
///
/// A board is theirs when its large tiles hold a pattern and are all different, so that nothing
/// merges before the target is made, and the target is likely enough. Then the tables rest until the
/// large tiles hold a pattern again: what to make of a target that stands beside them is nothing
/// that they know.
pub struct Endgames {
    tables: PatternTables,
}

/// A chance below which the search knows better: the table would give up all else for it.
const LEAST_CHANCE: f64 = 0.0;

impl Endgames {
    /// Opens tables of patterns: a file, or all of a folder.
    ///
    /// # Errors
    /// When there is none, one cannot be opened, or is not a pattern's.
    pub fn open(path: &Path) -> Result<Self, TableError> {
        Ok(Self { tables: PatternTables::open(&[path])? })
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &PatternTables {
        &self.tables
    }

    /// The move of the tables, if the board is theirs.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn choose(&self, board: TallBoard) -> Result<Option<Direction>, TableError> {
        let found = self.tables.probe(board.nybbles())?;
        Ok(found.filter(|found| are_trusted(board, found)).and_then(|found| found.best()))
    }

    /// Whether the tables choose the move on a board.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn have(&self, board: TallBoard) -> Result<bool, TableError> {
        Ok(self.choose(board)?.is_some())
    }
}

/// Whether what a table says of a board decides the move.
fn are_trusted(board: TallBoard, found: &PatternOutlook<'_>) -> bool {
    let target = found.table.rules().target().exponent();
    !found.won && found.chance > LEAST_CHANCE && all_different(board, target)
}

/// Whether no two tiles from this exponent on are equal.
fn all_different(board: TallBoard, least: u8) -> bool {
    let mut seen = 0u32;
    board.exponents().into_iter().filter(|&exponent| exponent >= least).all(|exponent| {
        let new = seen >> exponent & 1 == 0;
        seen |= 1 << exponent;
        new
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::Size;
    use crate::games::twenty48::jobs::tests::pattern_table;

    fn board(rows: &str) -> TallBoard {
        TallBoard::parse(rows, Size::FULL).unwrap()
    }

    #[test]
    fn tables_choose_where_large_tiles_are_different_and_hold_the_pattern() {
        let (folder, _) = pattern_table("4x4 tile:16 44");
        let endgames = Endgames::open(folder.path()).unwrap();
        let rows = |large: &str| board(&format!("2,0,0,0/4,2,0,0/{large}"));
        let chosen = |large: &str| endgames.choose(rows(large)).unwrap();
        let theirs = "16,32,64,128/2048,1024,512,256";
        let found = endgames.tables().probe(rows(theirs).nybbles()).unwrap().unwrap();
        assert!(found.chance > 0.0 && found.best().is_some());
        assert_eq!(chosen(theirs), found.best());
        assert!(endgames.have(rows(theirs)).unwrap());
        // A 65536 and a 32768 are different, two of the same are not.
        assert!(chosen("65536,32768,64,128/2048,1024,512,256").is_some());
        assert_eq!(chosen("32768,32768,64,128/2048,1024,512,256"), None);
        assert_eq!(chosen("64,32,64,128/2048,1024,512,256"), None);
        // Too few large tiles, and one more than the pattern has.
        assert_eq!(chosen("8,32,64,128/2048,1024,512,256"), None);
        assert_eq!(
            endgames.choose(board("16,0,0,0/2,2,0,0/4096,32,64,128/2048,1024,512,256")).unwrap(),
            None
        );
        // Nothing moves but what the pattern forbids.
        assert_eq!(
            endgames.choose(board("2,4,2,4/4,2,4,2/16,32,64,128/2048,1024,512,256")).unwrap(),
            None
        );
    }
}
