//! The few operations of the solver's inner loop that deserve their own instructions.

use super::cube::{self, Mask};
use super::layer::{Children, Task, solve_task};

/// Bytes in a vector; a row has at most 15, so that a load may run over its end.
pub const LANES: usize = 16;

/// A processor, as the inner loop sees it.
pub trait Machine: Copy {
    /// Sixteen bytes.
    type Row: Copy;
    fn pext(self, x: Mask, mask: Mask) -> Mask;
    fn pdep(self, x: Mask, mask: Mask) -> Mask;
    fn load(self, bytes: &[u8; LANES]) -> Self::Row;
    fn store(self, row: Self::Row, bytes: &mut [u8; LANES]);
    fn min(self, a: Self::Row, b: Self::Row) -> Self::Row;
    fn or(self, a: Self::Row, b: Self::Row) -> Self::Row;
    /// Byte `i` becomes `a[by[i]]`, or 0 where `by[i]` is 0x80.
    fn shuffle(self, a: Self::Row, by: Self::Row) -> Self::Row;
}

/// Solves a task with the best instructions there are.
pub fn solve_best(task: Task<'_>, children: &Children<'_>) {
    #[cfg(target_arch = "x86_64")]
    if let Some(machine) = x86::Bmi2::detect() {
        return machine.solve(task, children);
    }
    solve_task(Portable, task, children);
}

/// Any machine.
#[derive(Clone, Copy)]
pub struct Portable;

impl Machine for Portable {
    type Row = [u8; LANES];
    fn pext(self, x: Mask, mask: Mask) -> Mask {
        cube::pext(x, mask)
    }
    fn pdep(self, x: Mask, mask: Mask) -> Mask {
        cube::pdep(x, mask)
    }
    fn load(self, bytes: &[u8; LANES]) -> Self::Row {
        *bytes
    }
    fn store(self, row: Self::Row, bytes: &mut [u8; LANES]) {
        *bytes = row;
    }
    fn min(self, a: Self::Row, b: Self::Row) -> Self::Row {
        std::array::from_fn(|i| a[i].min(b[i]))
    }
    fn or(self, a: Self::Row, b: Self::Row) -> Self::Row {
        std::array::from_fn(|i| a[i] | b[i])
    }
    fn shuffle(self, a: Self::Row, by: Self::Row) -> Self::Row {
        std::array::from_fn(|i| if by[i] & 0x80 != 0 { 0 } else { a[(by[i] & 15) as usize] })
    }
}

/// The one module of the game with `unsafe` in it. Its contract: a [`x86::Bmi2`] exists only where
/// the processor has the instructions, because only [`x86::Bmi2::detect`] makes one; and a vector
/// is read from and written to arrays of its own size, wherever they lie.
#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "two to three times as fast as portable code")]

    use std::arch::x86_64::*;

    use super::{Children, LANES, Machine, Mask, Task, solve_task};

    /// Processors with BMI1, BMI2, POPCNT and SSSE3.
    #[derive(Clone, Copy)]
    pub struct Bmi2(());

    impl Bmi2 {
        /// The token, if this processor has all the instructions that [`solve_bmi2`] enables.
        pub fn detect() -> Option<Self> {
            (is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("popcnt")
                && is_x86_feature_detected!("ssse3"))
            .then_some(Bmi2(()))
        }

        /// Solves a task with them.
        pub fn solve(self, task: Task<'_>, children: &Children<'_>) {
            // SAFETY: see the module's contract.
            unsafe { solve_bmi2(self, task, children) }
        }
    }

    #[target_feature(enable = "bmi1,bmi2,popcnt,ssse3")]
    fn solve_bmi2(machine: Bmi2, task: Task<'_>, children: &Children<'_>) {
        solve_task(machine, task, children)
    }

    // SAFETY, for all of these: see the module's contract.
    impl Machine for Bmi2 {
        type Row = __m128i;
        #[inline(always)]
        fn pext(self, x: Mask, mask: Mask) -> Mask {
            unsafe { _pext_u32(x as u32, mask as u32) as Mask }
        }
        #[inline(always)]
        fn pdep(self, x: Mask, mask: Mask) -> Mask {
            unsafe { _pdep_u32(x as u32, mask as u32) as Mask }
        }
        #[inline(always)]
        fn load(self, bytes: &[u8; LANES]) -> __m128i {
            unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
        }
        #[inline(always)]
        fn store(self, row: __m128i, bytes: &mut [u8; LANES]) {
            unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), row) }
        }
        #[inline(always)]
        fn min(self, a: __m128i, b: __m128i) -> __m128i {
            unsafe { _mm_min_epu8(a, b) }
        }
        #[inline(always)]
        fn or(self, a: __m128i, b: __m128i) -> __m128i {
            unsafe { _mm_or_si128(a, b) }
        }
        #[inline(always)]
        fn shuffle(self, a: __m128i, by: __m128i) -> __m128i {
            unsafe { _mm_shuffle_epi8(a, by) }
        }
    }
}
