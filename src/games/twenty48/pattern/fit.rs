//! Boards of real games as boards of a pattern.
//!
//! The largest tiles of a board, as many as the pattern has large ones and all of them at least the
//! target, are the large ones, in any of the eight orientations. If there is one more tile as large,
//! the target has been reached beside them.

use super::{PatternRules, wide};
use crate::games::twenty48::{Board, LARGE, Size, Symmetry};

/// How boards are turned so that their large tiles stand on a pattern's masks.
#[derive(Debug)]
pub(in crate::games::twenty48) struct Fitting {
    rules: PatternRules,
    /// One of all that lead to the same boards of the pattern.
    orientations: Vec<Orientation>,
}

#[derive(Debug)]
struct Orientation {
    symmetry: Symmetry,
    /// The masks before the board is turned.
    masks: Vec<u16>,
}

/// A board of a pattern: large tiles are nybbles of [`LARGE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::games::twenty48) struct Fitted {
    pub board: Board,
    /// How it was turned.
    pub symmetry: Symmetry,
}

/// What a board is to a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::games::twenty48) enum Fit {
    /// It is none of its boards.
    Not,
    /// The target is there, beside the large tiles.
    Won,
    /// It is one of its boards, with these cells of large tiles.
    Of(u16),
}

impl Fitting {
    pub fn new(rules: &PatternRules) -> Self {
        // A board on which every cell is another.
        const CELLS: Board = Board(0xfedc_ba98_7654_3210);
        let own = rules.pattern().symmetries();
        let mut seen = Vec::new();
        let mut orientations = Vec::new();
        for symmetry in Symmetry::all(Size::FULL) {
            let image = symmetry.board(CELLS, Size::FULL);
            if !seen.contains(&image) {
                seen.extend(own.iter().map(|it| it.board(image, Size::FULL)));
                let before = |&mask: &u16| {
                    let cells = (0..16u16).filter(|cell| {
                        let turned = symmetry.board(Board(1 << (4 * cell)), Size::FULL);
                        mask >> (turned.0.trailing_zeros() / 4) & 1 == 1
                    });
                    cells.fold(0, |cells, cell| cells | 1 << cell)
                };
                let masks = rules.pattern().masks().iter().map(before).collect();
                orientations.push(Orientation { symmetry, masks });
            }
        }
        Self { rules: rules.clone(), orientations }
    }

    /// What a board is to the pattern.
    pub fn fit(&self, board: Board) -> Fit {
        let larges = u32::from(self.rules.pattern().larges());
        let cells = at_least(board, self.rules.target().exponent());
        match cells.count_ones() {
            count if count < larges => Fit::Not,
            count if count == larges => match self.orientations.iter().any(|it| it.holds(cells)) {
                true => Fit::Of(cells),
                false => Fit::Not,
            },
            _ if self.is_won(board) => Fit::Won,
            _ => Fit::Not,
        }
    }

    /// Whether a board with more tiles of the target's size than the pattern has large ones can be
    /// one of its boards: of equal tiles any may be the large ones.
    fn is_won(&self, board: Board) -> bool {
        let larges = u32::from(self.rules.pattern().larges());
        let sure = (1..=LARGE).map(|exponent| at_least(board, exponent + 1));
        let enough = |it: &u16| it.count_ones() < larges;
        let larger = sure.into_iter().find(enough).unwrap_or(0);
        let least = (1..=LARGE).rev().map(|exponent| at_least(board, exponent));
        let able = least.into_iter().find(|it| it.count_ones() >= larges).unwrap_or(0);
        let fits = |mask: u16| mask & !able == 0 && (mask | larger).count_ones() <= larges;
        self.orientations
            .iter()
            .any(|it| it.masks.is_empty() || it.masks.iter().any(|&mask| fits(mask)))
    }

    /// A board with these cells of large tiles as boards of the pattern: in one orientation, unless it
    /// can be seen in several ways.
    pub fn fitted(&self, board: Board, larges: u16) -> impl Iterator<Item = Fitted> {
        let board = Board(board.0 | wide(larges));
        let holding = self.orientations.iter().filter(move |it| it.holds(larges));
        holding.map(move |it| Fitted {
            board: it.symmetry.board(board, Size::FULL),
            symmetry: it.symmetry,
        })
    }

    /// Why a board is none of the pattern's.
    pub fn reason(&self, board: Board) -> String {
        let (pattern, target) = (self.rules.pattern(), self.rules.target());
        let (name, larges) = (pattern.name(), pattern.larges());
        match at_least(board, target.exponent()).count_ones() as u8 {
            count if count < larges => {
                format!("{name} has {larges} tiles of {target} and more, this board {count}")
            }
            _ => format!("the {larges} largest tiles are not where {name} has them"),
        }
    }
}

impl Orientation {
    #[inline]
    fn holds(&self, larges: u16) -> bool {
        let filled = |&mask: &u16| larges & mask == mask;
        self.masks.is_empty() || self.masks.iter().any(filled)
    }
}

/// The cells with tiles of this exponent or a larger one.
#[inline]
fn at_least(board: Board, exponent: u8) -> u16 {
    let cells = (0..16).filter(|cell| (board.0 >> (4 * cell) & 15) as u8 >= exponent);
    cells.fold(0, |cells, cell| cells | 1 << cell)
}

/// Two equal large tiles of a board that nothing stands between, as their exponent: in a real game they
/// could merge.
pub(in crate::games::twenty48) fn equal_larges(board: Board, larges: u16) -> Option<u8> {
    let lines = (0..8).map(|line| {
        let cell = move |at: u8| if line < 4 { 4 * line + at } else { 4 * at + line - 4 };
        (0..4).map(cell).filter(|cell| board.0 >> (4 * cell) & 15 != 0).collect::<Vec<_>>()
    });
    let exponent = |cell: u8| (board.0 >> (4 * cell) & 15) as u8;
    lines.into_iter().find_map(|line| {
        let pair = line.windows(2).find(|two| {
            let both = larges >> two[0] & 1 == 1 && larges >> two[1] & 1 == 1;
            both && exponent(two[0]) == exponent(two[1]) && exponent(two[0]) < LARGE
        });
        pair.map(|two| exponent(two[0]))
    })
}

/// The position of a recorded game as a board of the pattern, player to move.
///
/// # Errors
/// Says why it is none.
pub(in crate::games::twenty48) fn normal_board(
    rules: &PatternRules,
    board: Board,
) -> Result<Board, String> {
    let fitting = Fitting::new(rules);
    match fitting.fit(board) {
        Fit::Not => Err(fitting.reason(board)),
        Fit::Won => Err(format!("a tile {} is there already", rules.target())),
        Fit::Of(larges) => {
            let fitted = fitting.fitted(board, larges).next();
            fitted.map(|it| it.board).ok_or_else(|| fitting.reason(board))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::large_cells;

    fn fitting(rules: &str) -> Fitting {
        Fitting::new(&rules.parse().unwrap())
    }

    fn board(rows: &str) -> Board {
        Board::parse(rows, Size::FULL).unwrap()
    }

    #[test]
    fn the_largest_tiles_are_the_large_ones_in_any_orientation() {
        let l3 = fitting("4x4 tile:64 L3");
        let real = board("2,0,0,0/4,0,0,0/8,64,128,256/2,512,1024,2048");
        for symmetry in Symmetry::all(Size::FULL) {
            let turned = symmetry.board(real, Size::FULL);
            let Fit::Of(larges) = l3.fit(turned) else { panic!("{turned}") };
            let fitted: Vec<Fitted> = l3.fitted(turned, larges).collect();
            assert_eq!(fitted.len(), 1);
            assert_eq!(fitted[0].board, Board(0xfff1_fff3_0002_0001));
            assert_eq!(
                fitted[0].symmetry.board(turned, Size::FULL).0 & 0x000f_000f_ffff_ffff,
                0x0001_0003_0002_0001
            );
        }
        // One of the six is too small, or elsewhere.
        assert_eq!(l3.fit(board("2,0,0,0/4,0,0,0/8,32,128,256/2,512,1024,2048")), Fit::Not);
        assert_eq!(l3.fit(board("64,0,0,0/4,0,0,0/8,2,128,256/2,512,1024,2048")), Fit::Not);
        assert_eq!(
            l3.reason(board("2,0,0,0/4,0,0,0/8,32,128,256/2,512,1024,2048")),
            "L3 has 6 tiles of 64 and more, this board 5"
        );
        // One more of them: the target is there, whichever of two equal ones is the large one.
        assert_eq!(l3.fit(board("2,0,0,0/4,0,0,64/8,128,128,256/2,512,1024,2048")), Fit::Won);
        assert_eq!(l3.fit(board("2,0,0,0/4,0,0,64/8,64,128,256/2,512,1024,2048")), Fit::Won);
        assert_eq!(l3.fit(board("2,0,0,0/4,0,0,512/8,64,128,256/2,512,1024,2048")), Fit::Not);
        assert_eq!(fitting("4x4 tile:64 free8").fit(real), Fit::Not);
    }

    #[test]
    fn a_pattern_with_its_own_symmetry_is_seen_in_one_way() {
        for (rules, orientations) in [
            ("4x4 tile:64 L3", 8),
            ("4x4 tile:64 44", 8),
            ("4x4 tile:64 LL", 4),
            ("4x4 tile:64 free8", 1),
        ] {
            assert_eq!(fitting(rules).orientations.len(), orientations, "{rules}");
        }
    }

    #[test]
    fn equal_large_tiles_are_noticed() {
        let real = board("2,0,0,0/4,0,0,0/8,64,128,128/2,512,1024,2048");
        assert_eq!(equal_larges(real, 0xee00), Some(7));
        assert_eq!(
            equal_larges(board("2,0,0,0/4,0,0,0/8,64,128,256/2,512,1024,2048"), 0xee00),
            None
        );
        let plain = board("2,0,0,0/4,0,0,0/8,32768,32768,32768/2,32768,32768,32768");
        assert_eq!(equal_larges(plain, 0xee00), None);
    }

    #[test]
    fn positions_of_recorded_games_are_turned() {
        let rules: PatternRules = "4x4 tile:64 L3".parse().unwrap();
        let turned = board("2048,1024,512,2/256,128,64,8/0,0,0,4/0,0,0,2");
        assert_eq!(normal_board(&rules, turned), Ok(Board(0xfff1_fff3_0002_0001)));
        assert!(normal_board(&rules, board("2,4,0,0/0,0,0,0/0,0,0,0/0,0,0,0")).is_err());
    }

    #[test]
    fn large_cells_of_the_fitted_board_are_those_of_a_mask() {
        let t = fitting("4x4 tile:64 t");
        let real = board("2,0,0,0/4,0,0,0/64,8,128,256/512,2,1024,2048");
        let Fit::Of(larges) = t.fit(real) else { panic!() };
        let fitted: Vec<Fitted> = t.fitted(real, larges).collect();
        assert_eq!(large_cells(fitted[0].board), 0xdd00);
    }
}
