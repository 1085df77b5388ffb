//! How fast this machine is. Where a job cannot be tried in part before it is planned, its time is estimated
//! by constants, which were measured on one machine.

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

use crate::random::{SplitMix64, mix};

/// Numbers that are looked up at random: as many bytes as stay in no core's own cache.
const NUMBERS: u64 = 1 << 20;

/// How many are looked up, each of them where the one before says, mixed: like most work here, half of it waits
/// for caches and half for the core.
const LOOKED_UP: u64 = 1 << 18;

/// The shortest of so many times is that of a machine that does nothing else.
const TIMES: usize = 5;

/// Seconds that it took on the machine of the constants, a core of an AMD EPYC.
const THERE: f64 = 3.85e-3;

static HERE: LazyLock<f64> = LazyLock::new(|| {
    let mut random = SplitMix64::new(1);
    let numbers: Vec<u64> = (0..NUMBERS).map(|_| random.next()).collect();
    let time = |_| {
        let start = Instant::now();
        let last = (0..LOOKED_UP).fold(0, |at, _| mix(numbers[(at % NUMBERS) as usize] ^ at));
        black_box(last);
        start.elapsed().as_secs_f64()
    };
    (0..TIMES).map(time).fold(f64::INFINITY, f64::min)
});

/// Seconds of a core of this machine, for so many of the machine on which constants were measured.
pub(crate) fn seconds_here(there: f64) -> f64 {
    there * *HERE / THERE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_work_takes_twice_as_long() {
        let one = seconds_here(1.0);
        assert!(one > 0.0 && one.is_finite());
        assert_eq!(seconds_here(2.0), 2.0 * one);
    }
}
