//! What sliding does to a row: 65,536 answers, looked up.

use std::sync::LazyLock;

/// The tables, made once.
pub(super) static ROWS: LazyLock<Rows> = LazyLock::new(Rows::new);

/// For each of the 65,536 rows, the first cell in the lowest nybble.
pub(super) struct Rows {
    /// The row after sliding towards the first cell.
    pub left: Box<[u16; 1 << 16]>,
    /// The row after sliding towards the last of its two, three or four cells. A table for each,
    /// so that those of short rows are short, too, and stay in the nearest cache.
    right: [Box<[u16; 1 << 16]>; 3],
    /// The score of either.
    pub score: Box<[u32; 1 << 16]>,
}

impl Rows {
    fn new() -> Self {
        let mut rows =
            Self { left: zeroed(), right: [zeroed(), zeroed(), zeroed()], score: zeroed() };
        for row in 0..=u16::MAX {
            let (left, score) = slide(row);
            rows.left[usize::from(row)] = left;
            rows.score[usize::from(row)] = score;
            for (cells, right) in (2..).zip(&mut rows.right) {
                let shift = 4 * (4 - cells);
                if row >> (4 * cells - 1) >> 1 == 0 {
                    right[usize::from(reverse(row) >> shift)] = reverse(left) >> shift;
                }
            }
        }
        rows
    }

    /// Rows of so many cells after sliding towards the last one.
    #[inline]
    pub fn right(&self, cells: u8) -> &[u16; 1 << 16] {
        &self.right[usize::from(cells - 2)]
    }
}

fn zeroed<T: Copy + Default + std::fmt::Debug>() -> Box<[T; 1 << 16]> {
    vec![T::default(); 1 << 16].try_into().expect("as many as asked for")
}

/// Slides a row towards its first cell: pairs merge, the ones nearest that cell first, each tile
/// at most once. Two tiles of exponent 15 do not merge: a nybble holds no 16.
pub(super) fn slide(row: u16) -> (u16, u32) {
    let (mut result, mut at, mut score) = (0, 0, 0);
    let mut waiting = 0;
    for cell in 0..4 {
        let tile = row >> (4 * cell) & 15;
        if tile == 0 {
            continue;
        }
        if tile == waiting && tile < 15 {
            result |= (tile + 1) << at;
            score += 1 << (tile + 1);
            at += 4;
            waiting = 0;
            continue;
        }
        if waiting != 0 {
            result |= waiting << at;
            at += 4;
        }
        waiting = tile;
    }
    // All four cells may be taken already, but then nothing waits.
    if waiting != 0 {
        result |= waiting << at;
    }
    (result, score)
}

/// The same cells from the other end.
const fn reverse(row: u16) -> u16 {
    row >> 12 | (row >> 4 & 0xf0) | (row << 4 & 0xf00) | row << 12
}
