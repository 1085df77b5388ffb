//! How long the stages of a job take.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use endtable::job::Progress;

/// How long each stage of a job takes.
#[derive(Default)]
pub struct Stages {
    times: Mutex<Vec<Duration>>,
    begun: Mutex<Option<Instant>>,
}

impl Progress for Stages {
    fn begin(&self, _stage: &str, _total: u64, _done: u64) {
        *self.begun.lock().expect("no thread has panicked") = Some(Instant::now());
    }

    fn advance(&self, _steps: u64, _items: u64) {}

    fn end(&self) {
        if let Some(begun) = self.begun.lock().expect("no thread has panicked").take() {
            self.times.lock().expect("no thread has panicked").push(begun.elapsed());
        }
    }
}

impl Stages {
    /// Millions of so many records a second in each stage that was finished.
    pub fn rates(&self, records: u64) -> Vec<f64> {
        let times = self.times.lock().expect("no thread has panicked");
        times.iter().map(|time| records as f64 / time.as_secs_f64() / 1e6).collect()
    }
}
