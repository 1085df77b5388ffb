//! The patterns of the network: which weights a board looks up.

use endtable::games::twenty48::Board;

/// Outer rectangle, outer axe, inner rectangle, inner axe.
pub const TABLES: usize = 4;
/// Entries of a table: six cells.
pub const ENTRIES: usize = 1 << 24;
/// Look-ups for one board: eight for each table, one for every symmetry.
pub const LOOKUPS: usize = 8 * TABLES;

/// The weights a board looks up, counted through all tables. What the patterns are is told in
/// `src/games/twenty48/heuristic/strong.rs`.
#[inline(always)]
pub fn entries(board: Board) -> [usize; LOOKUPS] {
    let mut entries = [0; LOOKUPS];
    for (half, Board(lines)) in [board, board.transposed()].into_iter().enumerate() {
        let far = (lines >> 32) as u32;
        let inner = (lines >> 16) as u32;
        let pairs = [lines as u32, far.rotate_left(16), inner, inner.rotate_left(16)];
        for (i, pair) in pairs.into_iter().enumerate() {
            let table = if i < 2 { 0 } else { 2 };
            for (j, pair) in [pair, mirror(pair)].into_iter().enumerate() {
                let at = 16 * half + 4 * i + 2 * j;
                entries[at] = table * ENTRIES + rectangle(pair);
                entries[at + 1] = (table + 1) * ENTRIES + axe(pair);
            }
        }
    }
    entries
}

/// The first three cells of both lines.
#[inline(always)]
fn rectangle(pair: u32) -> usize {
    (pair & 0xfff | pair >> 4 & 0xff_f000) as usize
}

/// The whole first line and the first two cells of the second.
#[inline(always)]
fn axe(pair: u32) -> usize {
    (pair & 0xff_ffff) as usize
}

/// Both lines read from their other ends.
#[inline(always)]
fn mirror(pair: u32) -> u32 {
    let pair = (pair & 0x0f0f_0f0f) << 4 | pair >> 4 & 0x0f0f_0f0f;
    (pair & 0x00ff_00ff) << 8 | pair >> 8 & 0x00ff_00ff
}
