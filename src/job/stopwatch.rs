//! How long work takes on the threads at hand, however busy the machine is.

use std::time::Duration;

/// Began when the process had used so much time of all cores.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    began: Duration,
}

impl Stopwatch {
    /// Begins now.
    #[must_use]
    pub fn start() -> Self {
        Self { began: used() }
    }

    /// Seconds since, in which all current threads were at work.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        used().saturating_sub(self.began).as_secs_f64() / rayon::current_num_threads() as f64
    }
}

/// What the process has used of all cores.
#[cfg(unix)]
fn used() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec.unsigned_abs(), used.tv_nsec.unsigned_abs() as u32)
}

/// The time on the clock, as if all threads had been at work.
#[cfg(not(unix))]
fn used() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;

    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    FIRST.elapsed() * rayon::current_num_threads() as u32
}
