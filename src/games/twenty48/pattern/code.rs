//! The codes of a pattern's afterstates: what its tables sort and store.
//!
//! Patterns whose large tiles stand on masks of up to twelve free cells are numbered
//! ([`AfterstateCodes`]). Others have the smallest code of a board's images: the rank of the set of
//! large cells among the sets of so many cells, then the other cells as the digits of a number, the
//! first cell the least significant one.

use super::{PatternRules, large_cells};
use crate::games::twenty48::dense::AfterstateCodes;
use crate::games::twenty48::{Board, LARGE, Size, Symmetry};
use crate::table::Codec;

/// Maps afterstates to codes and back.
pub(in crate::games::twenty48) enum PatternCodes {
    Numbered(AfterstateCodes),
    Canonical(CanonicalCodes),
}

impl PatternCodes {
    pub fn new(rules: &PatternRules) -> Self {
        match AfterstateCodes::new(rules.pattern(), rules.target()) {
            Some(numbered) => Self::Numbered(numbered),
            None => Self::Canonical(CanonicalCodes::new(rules)),
        }
    }

    /// What a table says of its codes.
    pub fn codec(&self) -> Codec {
        match self {
            Self::Numbered(_) => Codec::Numbered,
            Self::Canonical(_) => Codec::Canonical,
        }
    }

    /// The code of an afterstate, in any orientation of the pattern's; `None` if it has none: it is
    /// not of the pattern, has the tile to reach, or more large tiles than there is room to build.
    #[inline]
    pub fn code(&self, board: Board) -> Option<u64> {
        match self {
            Self::Numbered(codes) => codes.code(board),
            Self::Canonical(codes) => codes.code(board),
        }
    }

    /// The afterstate with a code; `None` if there is none.
    pub fn board(&self, code: u64) -> Option<Board> {
        match self {
            Self::Numbered(codes) => codes.board(code),
            Self::Canonical(codes) => codes.board(code),
        }
    }
}

/// Codes of boards whose large tiles may be on many cells.
pub(in crate::games::twenty48) struct CanonicalCodes {
    rules: PatternRules,
    symmetries: Vec<Symmetry>,
    /// The digits of the free cells have this base, and so many numbers.
    base: u64,
    numbers: u64,
}

impl CanonicalCodes {
    fn new(rules: &PatternRules) -> Self {
        let base = u64::from(rules.target().exponent());
        let numbers = base.pow(rules.pattern().free_cells().into());
        let symmetries = rules.pattern().symmetries();
        Self { rules: rules.clone(), symmetries, base, numbers }
    }

    fn code(&self, board: Board) -> Option<u64> {
        let pattern = self.rules.pattern();
        let larges = large_cells(board).count_ones() as u8;
        if larges != pattern.larges() || !pattern.holds(board) || self.rules.is_won(board) {
            return None;
        }
        let images = self.symmetries.iter().map(|it| it.board(board, Size::FULL));
        images.map(|image| self.code_of(image)).min()
    }

    /// The code of a board as it stands.
    fn code_of(&self, board: Board) -> u64 {
        let cells = (0..16).rev().map(|cell| board.0 >> (4 * cell) & 15);
        let free = cells.filter(|&digit| digit != u64::from(LARGE));
        let digits = free.fold(0, |number, digit| number * self.base + digit);
        rank(large_cells(board)) * self.numbers + digits
    }

    fn board(&self, code: u64) -> Option<Board> {
        let larges = unrank(code / self.numbers, self.rules.pattern().larges().into())?;
        let mut digits = code % self.numbers;
        let mut board = 0;
        for cell in 0..16 {
            let digit = if larges >> cell & 1 == 1 {
                LARGE.into()
            } else {
                let digit = digits % self.base;
                digits /= self.base;
                digit
            };
            board |= digit << (4 * cell);
        }
        let board = Board(board);
        (self.code(board) == Some(code)).then_some(board)
    }
}

/// How many sets with as many cells are smaller, as numbers.
fn rank(cells: u16) -> u64 {
    let places = (0..16).filter(|cell| cells >> cell & 1 == 1);
    (1..).zip(places).map(|(count, place)| binomial(place, count)).sum()
}

/// The set of so many cells with a rank; `None` if there is none.
fn unrank(rank: u64, count: u64) -> Option<u16> {
    let (mut rest, mut cells) = (rank, 0);
    for count in (1..=count).rev() {
        let place = (0..16).rev().find(|&place| binomial(place, count) <= rest)?;
        if cells >> place & 1 == 1 {
            return None;
        }
        rest -= binomial(place, count);
        cells |= 1 << place;
    }
    (rest == 0).then_some(cells)
}

/// In how many ways so many of some things can be chosen.
fn binomial(of: u64, count: u64) -> u64 {
    (0..count).fold(1, |ways, taken| ways * of.saturating_sub(taken) / (taken + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty48::Pattern;
    use crate::random::SplitMix64;

    #[test]
    fn sets_are_ranked_in_their_order() {
        let sets = (0..=u16::MAX).filter(|set| set.count_ones() == 5);
        for (number, set) in (0..).zip(sets) {
            assert_eq!((rank(set), unrank(number, 5)), (number, Some(set)));
        }
        assert_eq!(unrank(4368, 5), None);
    }

    /// Boards that follow a pattern's seeds by random play have codes, the same in every orientation,
    /// and come back from them in one of their orientations.
    #[test]
    fn codes_are_inverted() {
        let mut random = SplitMix64::new(1);
        let own: Pattern =
            "loose ..../..../..../...F 2,0,0,0/0,0,0,0/0,0,0,0/0,F,F,F".parse().unwrap();
        for pattern in Pattern::shipped().iter().cloned().chain([own]) {
            let rules = PatternRules::with_objective(pattern, "tile:128".parse().unwrap()).unwrap();
            let codes = PatternCodes::new(&rules);
            let symmetries = rules.pattern().symmetries();
            let mut seen = 0;
            for _ in 0..60 {
                let seeds = rules.pattern().seeds();
                let mut after = seeds[random.below(seeds.len() as u64) as usize];
                loop {
                    let code = codes.code(after).unwrap_or_else(|| panic!("{rules}: {after}"));
                    for symmetry in &symmetries {
                        let image = symmetry.board(after, Size::FULL);
                        assert_eq!(codes.code(image), Some(code), "{rules}: {after}");
                    }
                    let back = codes.board(code).unwrap();
                    assert!(symmetries.iter().any(|it| it.board(after, Size::FULL) == back));
                    seen += 1;
                    let spawns: Vec<_> = after.spawns(Size::FULL).collect();
                    let (board, _) = spawns[random.below(spawns.len() as u64) as usize];
                    let moves: Vec<_> =
                        rules.pattern().slides(board).into_iter().flatten().collect();
                    let Some(&next) = moves.get(random.below(4) as usize % moves.len().max(1))
                    else {
                        break;
                    };
                    if rules.is_won(next) {
                        assert_eq!(codes.code(next), None);
                        break;
                    }
                    after = next;
                }
            }
            assert!(seen > 500, "{rules}: {seen}");
        }
    }
}
