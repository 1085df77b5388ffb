//! When a search is to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// When a search is to stop. Without any of it, it goes on to its end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits<'a> {
    /// Set to stop at once.
    pub stop: Option<&'a AtomicBool>,
    /// When to stop.
    pub deadline: Option<Instant>,
}

impl Limits<'_> {
    /// Whether it is time to stop.
    #[must_use]
    pub fn reached(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
