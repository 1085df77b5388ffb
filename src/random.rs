//! SplitMix64: the one source of pseudo-random numbers, simple enough to repeat in any language.

/// The generator's increment, the odd integer nearest to 2⁶⁴ divided by the golden ratio.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's answer for the state `x`: a bijection of the 64-bit numbers that mixes every bit.
#[must_use]
pub const fn mix(x: u64) -> u64 {
    let z = x.wrapping_add(GAMMA);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A SplitMix64 generator.
///
/// ```
/// use endtable::random::SplitMix64;
///
/// let mut random = SplitMix64::new(0);
/// assert_eq!(random.next(), 0xe220_a839_7b1d_cdaf);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator whose stream is fixed by `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub const fn next(&mut self) -> u64 {
        let answer = mix(self.state);
        self.state = self.state.wrapping_add(GAMMA);
        answer
    }

    /// A number below `n`, each equally likely: draws past the last whole multiple of `n` are
    /// drawn again.
    ///
    /// # Panics
    /// If `n` is zero.
    pub const fn below(&mut self, n: u64) -> u64 {
        // 2⁶⁴ mod n, without 2⁶⁴: as many of the highest draws would favour small answers.
        let surplus = (u64::MAX % n + 1) % n;
        loop {
            let draw = self.next();
            if draw <= u64::MAX - surplus {
                return draw % n;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_covers_its_range_evenly() {
        let mut random = SplitMix64::new(7);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[random.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|&c| (9_500..10_500).contains(&c)), "{counts:?}");
    }
}
