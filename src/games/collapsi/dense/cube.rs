//! The board as a 4-cube, and its symmetries.
//!
//! A ring of four cells is a square, so the 4x4 torus is a square times a square: the 4-cube.
//! Number the cells so that neighbours differ in exactly one bit, and a symmetry of the board is
//! `x -> sigma(x ^ t)`: a translation `t` (one of 16), then a permutation `sigma` of the four
//! bits (one of 24). The dense index and its solver use these numbers throughout.

/// A set of cells: bit `x` is cube cell `x`.
pub type Mask = u16;
/// A cube cell, 0..16.
pub type Cell = u8;
/// One of the 24 permutations of the cube's axes, in lexicographic order; 0 is the identity.
pub type Sigma = u8;

/// Number of axis permutations.
pub const SIGMAS: usize = 24;

/// The grid's cells as the cube's, or the other way round: rows and columns are counted in Gray
/// code (0, 1, 3, 2), which is its own inverse, so that the third and the fourth change places.
pub const fn relabel(mask: Mask) -> Mask {
    let m = mask & 0x3333 | (mask & 0x4444) << 1 | (mask & 0x8888) >> 1;
    m & 0x00ff | (m & 0x0f00) << 4 | (m & 0xf000) >> 4
}

/// Where permutation `s` sends axis `i`.
const AXES: [[u8; 4]; SIGMAS] = {
    let mut all = [[0; 4]; SIGMAS];
    let (mut n, mut code) = (0, 0);
    // Counting in base 4 meets the permutations in lexicographic order.
    while code < 256 {
        let p = [code >> 6, code >> 4 & 3, code >> 2 & 3, code & 3];
        if 1 << p[0] | 1 << p[1] | 1 << p[2] | 1 << p[3] == 15 {
            all[n] = [p[0] as u8, p[1] as u8, p[2] as u8, p[3] as u8];
            n += 1;
        }
        code += 1;
    }
    all
};

/// Where permutation `s` sends cell `x`.
pub const SIGMA: [[Cell; 16]; SIGMAS] = {
    let mut all = [[0; 16]; SIGMAS];
    let mut s = 0;
    while s < SIGMAS {
        let mut x = 0;
        while x < 16 {
            let mut i = 0;
            while i < 4 {
                all[s][x] |= ((x >> i & 1) as u8) << AXES[s][i];
                i += 1;
            }
            x += 1;
        }
        s += 1;
    }
    all
};

/// The image of a mask's low and high byte under each permutation.
static BYTES: [[[Mask; 256]; 2]; SIGMAS] = {
    let mut all = [[[0; 256]; 2]; SIGMAS];
    let mut s = 0;
    while s < SIGMAS {
        let mut half = 0;
        while half < 2 {
            let mut byte = 1;
            while byte < 256usize {
                let low = byte.trailing_zeros() as usize;
                all[s][half][byte] =
                    all[s][half][byte & (byte - 1)] | 1 << SIGMA[s][8 * half + low];
                byte += 1;
            }
            half += 1;
        }
        s += 1;
    }
    all
};

/// `COMPOSE[f][g]` does `g` first, then `f`.
pub const COMPOSE: [[Sigma; SIGMAS]; SIGMAS] = {
    let mut table = [[0; SIGMAS]; SIGMAS];
    let mut f = 0;
    while f < SIGMAS {
        let mut g = 0;
        while g < SIGMAS {
            let mut s = 0;
            while s < SIGMAS {
                let (a, b, c) = (AXES[f], AXES[g], AXES[s]);
                if a[b[0] as usize] == c[0] && a[b[1] as usize] == c[1] && a[b[2] as usize] == c[2]
                {
                    table[f][g] = s as Sigma;
                }
                s += 1;
            }
            g += 1;
        }
        f += 1;
    }
    table
};

/// The image of a set under an axis permutation.
#[inline(always)]
pub fn permute(sigma: Sigma, mask: Mask) -> Mask {
    let [low, high] = &BYTES[sigma as usize];
    low[(mask & 255) as usize] | high[(mask >> 8) as usize]
}

/// The image of a set under `x -> x ^ t`.
#[inline(always)]
pub fn translate(mask: Mask, t: Cell) -> Mask {
    let mut m = mask;
    if t & 1 != 0 {
        m = (m & 0x5555) << 1 | m >> 1 & 0x5555;
    }
    if t & 2 != 0 {
        m = (m & 0x3333) << 2 | m >> 2 & 0x3333;
    }
    if t & 4 != 0 {
        m = (m & 0x0f0f) << 4 | m >> 4 & 0x0f0f;
    }
    if t & 8 != 0 {
        m = m.rotate_left(8);
    }
    m
}

/// Gather the bits of `x` selected by `mask` into the low bits.
pub fn pext(x: Mask, mask: Mask) -> Mask {
    let (mut rest, mut out, mut bit) = (mask, 0, 1);
    while rest != 0 {
        if x & rest & rest.wrapping_neg() != 0 {
            out |= bit;
        }
        rest &= rest - 1;
        bit <<= 1;
    }
    out
}

/// Scatter the low bits of `x` to the places selected by `mask`: the inverse of [`pext`].
pub fn pdep(x: Mask, mask: Mask) -> Mask {
    let (mut rest, mut out) = (mask, 0);
    for i in 0..mask.count_ones() {
        if x >> i & 1 != 0 {
            out |= rest & rest.wrapping_neg();
        }
        rest &= rest - 1;
    }
    out
}

/// The cells of a set, in increasing order.
pub fn cells(mask: Mask) -> impl Iterator<Item = Cell> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let cell = rest.trailing_zeros() as Cell;
            rest &= rest - 1;
            cell
        })
    })
}
