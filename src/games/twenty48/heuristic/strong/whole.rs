//! What whole pairs of lines are worth beyond the patterns that lie in them.

use std::io;

#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::MmapMut;

use super::mirror;

/// Pairs of one kind, each in its canonical form, with their weights: a table by hash.
pub(super) struct WholePairs {
    bytes: MmapMut,
    /// How many bits of a hash do not count.
    shift: u32,
}

/// A line of the cache: pairs in the order in which they came, then places that are free; and the bits of the
/// weight of each.
pub(super) type Bucket = [[u32; PLACES]; 2];

const PLACES: usize = 8;

/// A pair that no board has, eight 32768s, marks a free place.
const FREE: u32 = !0;

impl WholePairs {
    /// Pairs with their weights, no pair twice.
    pub fn new(weights: &[(u32, i16)]) -> io::Result<Self> {
        // Half full: hardly a bucket overflows, and some have a free place.
        let bits = (weights.len() / PLACES * 2 + 2).next_power_of_two().trailing_zeros();
        let mut bytes = MmapMut::map_anon(size_of::<Bucket>() << bits)?;
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(Advice::HugePage);
        let buckets: &mut [Bucket] = bytemuck::cast_slice_mut(&mut bytes);
        buckets.fill([[FREE; PLACES], [0; PLACES]]);
        let shift = 64 - bits;
        for &(pair, weight) in weights {
            let mut at = hash(pair, shift);
            let place = loop {
                match buckets[at][0].iter().position(|&there| there == FREE) {
                    Some(place) => break place,
                    None => at = (at + 1) & (buckets.len() - 1),
                }
            };
            buckets[at][0][place] = pair;
            buckets[at][1][place] = i32::from(weight) as u32;
        }
        Ok(Self { bytes, shift })
    }

    #[inline(always)]
    fn buckets(&self) -> &[Bucket] {
        bytemuck::cast_slice(&self.bytes)
    }

    /// The bucket where a pair is looked for first.
    #[inline(always)]
    pub fn bucket(&self, pair: u32) -> &Bucket {
        &self.buckets()[hash(pair, self.shift)]
    }

    /// The weight of a pair in its canonical form, 0 if it has none.
    #[inline(always)]
    pub fn weight(&self, pair: u32) -> i32 {
        let buckets = self.buckets();
        let mut at = hash(pair, self.shift);
        loop {
            let [pairs, weights] = &buckets[at];
            let mut found = 0;
            for (&there, &weight) in pairs.iter().zip(weights) {
                found |= if there == pair { weight } else { 0 };
            }
            if found != 0 || pairs[PLACES - 1] == FREE {
                return found as i32;
            }
            at = (at + 1) & (buckets.len() - 1);
        }
    }
}

#[inline(always)]
fn hash(pair: u32, shift: u32) -> usize {
    ((u64::from(pair) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize
}

/// The canonical form of an outer pair: the smaller way to read it.
#[inline(always)]
pub(super) fn canonical_outer(pair: u32) -> u32 {
    pair.min(mirror(pair))
}

/// The canonical form of an inner pair: the smallest way to read it.
#[inline(always)]
pub(super) fn canonical_inner(pair: u32) -> u32 {
    canonical_outer(pair).min(canonical_outer(pair.rotate_left(16)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn pairs_have_the_weights_that_were_given_and_others_none() {
        let mut random = SplitMix64::new(3);
        for count in [0, 1, 15, 16, 17, 5_000] {
            let weights: HashMap<u32, i16> = (0..count)
                .map(|_| (random.below(20_000) as u32, random.below(1 << 16) as u16 as i16))
                .collect();
            let given: Vec<_> = weights.iter().map(|(&pair, &weight)| (pair, weight)).collect();
            let pairs = WholePairs::new(&given).unwrap();
            for pair in 0..20_000 {
                let weight = weights.get(&pair).copied().unwrap_or(0);
                assert_eq!(pairs.weight(pair), weight.into(), "{count} {pair}");
            }
        }
    }

    #[test]
    fn a_pair_has_one_canonical_form_however_it_is_read() {
        let mut random = SplitMix64::new(4);
        for _ in 0..1000 {
            let pair = random.below(1 << 32) as u32;
            let swapped = pair.rotate_left(16);
            assert_eq!(canonical_outer(pair), canonical_outer(mirror(pair)));
            for read in [mirror(pair), swapped, mirror(swapped)] {
                assert_eq!(canonical_inner(pair), canonical_inner(read));
            }
        }
    }
}
