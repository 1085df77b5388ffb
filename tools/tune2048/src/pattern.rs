//! The patterns of the network: which weights a board looks up.
//!
//! A board is read as sixteen pairs of neighbouring lines, and of each pair five patterns are looked
//! up. What a pair and its patterns are is told in `src/games/twenty48/heuristic/strong.rs`. The
//! sixteen are always treated alike, so that the compiler can take them all in one instruction.

use endtable::games::twenty48::Board;

/// Pairs of lines that a board is read as: eight outer ones, then eight inner ones.
pub const PAIRS: usize = 16;
/// Patterns looked up of each pair.
pub const PATTERNS: usize = 5;

/// The entries that a board looks up, by pattern and pair, counted through all tables.
pub type Entries = [[u32; PAIRS]; PATTERNS];

/// All tables: two of each pattern, for outer and for inner pairs. Those of six cells come first.
pub const TABLES: [Pattern; 2 * PATTERNS] = {
    use Pattern::*;
    [Rectangle, Rectangle, Axe, Axe, Line, Line, End, End, Middle, Middle]
};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// The first three cells of both lines.
    Rectangle,
    /// The whole first line and the first two cells of the second.
    Axe,
    /// The first line.
    Line,
    /// The first two cells of both lines.
    End,
    /// The middle cells of both lines.
    Middle,
}

impl Pattern {
    /// How many entries a table of it has.
    pub const fn entries(self) -> usize {
        match self {
            Self::Rectangle | Self::Axe => 1 << 24,
            Self::Line | Self::End | Self::Middle => 1 << 16,
        }
    }
}

/// Where a table begins.
pub const fn offset(table: usize) -> usize {
    let (mut offset, mut before) = (0, 0);
    while before < table {
        offset += TABLES[before].entries();
        before += 1;
    }
    offset
}

/// Entries of all tables, and of those of six cells.
pub const ENTRIES: usize = offset(TABLES.len());
pub const LARGE_ENTRIES: usize = offset(4);

/// Where the table of each pattern begins for each pair.
const OFFSETS: Entries = {
    let mut offsets = [[0; PAIRS]; PATTERNS];
    let mut at = 0;
    while at < PAIRS * PATTERNS {
        let (pattern, pair) = (at / PAIRS, at % PAIRS);
        offsets[pattern][pair] = offset(2 * pattern + pair / (PAIRS / 2)) as u32;
        at += 1;
    }
    offsets
};

/// The entries that a board looks up.
#[inline(always)]
pub fn entries(board: Board) -> Entries {
    let pairs = pairs(board);
    let mut entries = OFFSETS;
    for (i, pair) in pairs.into_iter().enumerate() {
        entries[0][i] += pair & 0xfff | pair >> 4 & 0xff_f000;
        entries[1][i] += pair & 0xff_ffff;
        entries[2][i] += pair & 0xffff;
        entries[3][i] += pair & 0xff | pair >> 8 & 0xff00;
        entries[4][i] += pair >> 4 & 0xff | pair >> 12 & 0xff00;
    }
    entries
}

/// The entry with large tiles halved: those from 4096 on, which a late board has all, and those down to 64
/// that follow them without a gap.
pub fn halved(entry: usize) -> usize {
    let cells = || (0..6).map(|cell| 4 * cell);
    let has = |exponent: usize| cells().any(|cell| entry >> cell & 15 == exponent);
    let gap = (6..12).rev().find(|&exponent| !has(exponent)).unwrap_or(5);
    let large = cells().filter(|cell| entry >> cell & 15 > gap);
    large.fold(entry, |entry, cell| entry - (1 << cell))
}

/// Each edge with the line beside it, then the two lines in the middle in either order; along,
/// across, and both read from their other ends.
#[inline(always)]
fn pairs(board: Board) -> [u32; PAIRS] {
    let (Board(along), Board(across)) = (board, board.transposed());
    let outer = |lines: u64| [lines as u32, ((lines >> 32) as u32).rotate_left(16)];
    let inner = |lines: u64| [(lines >> 16) as u32, ((lines >> 16) as u32).rotate_left(16)];
    let ([a, b], [c, d]) = (outer(along), outer(across));
    let ([e, f], [g, h]) = (inner(along), inner(across));
    let mut pairs = [a, b, c, d, a, b, c, d, e, f, g, h, e, f, g, h];
    for (i, pair) in pairs.iter_mut().enumerate() {
        *pair = if i & 4 == 0 { *pair } else { mirror(*pair) };
    }
    pairs
}

/// Both lines read from their other ends.
#[inline(always)]
pub const fn mirror(pair: u32) -> u32 {
    let pair = (pair & 0x0f0f_0f0f) << 4 | pair >> 4 & 0x0f0f_0f0f;
    (pair & 0x00ff_00ff) << 8 | pair >> 8 & 0x00ff_00ff
}
