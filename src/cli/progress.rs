//! Progress on standard error: a bar on a terminal, a line now and then elsewhere.

use std::fmt;
use std::io::{IsTerminal, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use endtable::job::Progress;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use super::remark;

/// How often a log gets a line.
const LOG_EVERY: Duration = Duration::from_secs(30);

/// How often a stop is looked for: at once, as people see it.
const STOP_EVERY: Duration = Duration::from_millis(50);

/// Shows how far some work is.
pub struct Shown {
    stage: Arc<Mutex<Option<Stage>>>,
}

const STOPPING: &str = "stopping…";

struct Stage {
    name: String,
    /// What is at work now, if that has a name.
    at: String,
    bar: Option<ProgressBar>,
    start: Instant,
    last_line: Instant,
    total: u64,
    begun_at: u64,
    done: u64,
    items: u64,
}

impl Shown {
    pub fn new() -> Self {
        Self { stage: Arc::default() }
    }

    /// The same for work that can be stopped: as soon as that is asked for, it says so.
    pub fn stoppable(stop: &Arc<AtomicBool>) -> Self {
        let shown = Self::new();
        let (stop, stage) = (Arc::clone(stop), Arc::downgrade(&shown.stage));
        thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                if stage.strong_count() == 0 {
                    return;
                }
                thread::sleep(STOP_EVERY);
            }
            let Some(stage) = stage.upgrade() else { return };
            let stage = stage.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            match stage.as_ref().and_then(|stage| stage.bar.as_ref()) {
                Some(bar) => bar.suspend(|| remark(STOPPING)),
                None => remark(STOPPING),
            }
        });
        shown
    }

    /// Does something that prints, without the bar in its way.
    pub fn aside(&self, print: impl FnOnce()) {
        self.with(|current| match current.as_ref().and_then(|stage| stage.bar.as_ref()) {
            Some(bar) => bar.suspend(print),
            None => print(),
        });
    }

    fn with(&self, act: impl FnOnce(&mut Option<Stage>)) {
        act(&mut self.stage.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
    }
}

impl Stage {
    /// How long it will still take, if what is left goes as fast as what is done.
    fn left(&self) -> String {
        let (done, left) =
            (self.done.saturating_sub(self.begun_at), self.total.saturating_sub(self.done));
        match done {
            0 => "…".into(),
            done => {
                let each = self.start.elapsed().as_secs_f64() / done as f64;
                format!("{} left", Spoken(each * left as f64))
            }
        }
    }
}

/// Seconds as people say them: `5 s`, `2 min 5 s`, `1 h 10 min`, `3 days 4 h`.
#[derive(Clone, Copy, Debug)]
pub struct Spoken(pub f64);

impl fmt::Display for Spoken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.clamp(0.0, 1e15).ceil() as u64;
        let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
        let (large, small) = match (days, hours, minutes) {
            (0, 0, 0) => return write!(f, "{seconds} s"),
            (0, 0, _) => (format!("{minutes} min"), format!("{} s", seconds % 60)),
            (0, _, _) => (format!("{hours} h"), format!("{} min", minutes % 60)),
            (1, _, _) => ("1 day".into(), format!("{} h", hours % 24)),
            _ => (format!("{days} days"), format!("{} h", hours % 24)),
        };
        if small.starts_with("0 ") { f.write_str(&large) } else { write!(f, "{large} {small}") }
    }
}

impl Progress for Shown {
    fn begin(&self, stage: &str, total: u64, done: u64) {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = "{prefix:>8} {wide_bar} {percent:>3} % {msg}";
            let style = ProgressStyle::with_template(style)
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::new(total).with_style(style).with_prefix(stage.to_owned());
            bar.set_position(done);
            bar.reset_eta();
            bar
        });
        let now = Instant::now();
        self.with(|current| {
            *current = Some(Stage {
                name: stage.into(),
                at: String::new(),
                bar,
                start: now,
                last_line: now,
                total,
                begun_at: done,
                done,
                items: 0,
            });
        });
    }

    fn advance(&self, steps: u64, items: u64) {
        self.with(|current| {
            let Some(stage) = current else { return };
            stage.done += steps;
            stage.items += items;
            let rate = stage.items as f64 / stage.start.elapsed().as_secs_f64().max(1e-9);
            let rate = format!(
                "{}{} positions, {}/s, {}",
                stage.at,
                HumanCount(stage.items),
                HumanCount(rate as u64),
                stage.left()
            );
            match &stage.bar {
                Some(bar) => {
                    bar.set_message(rate);
                    bar.set_position(stage.done);
                }
                None if stage.last_line.elapsed() >= LOG_EVERY => {
                    stage.last_line = Instant::now();
                    let percent = 100 * stage.done / stage.total.max(1);
                    // Nobody may be listening any more.
                    _ = writeln!(std::io::stderr(), "{}: {percent} %, {rate}", stage.name);
                }
                None => {}
            }
        });
    }

    fn at(&self, what: &str) {
        self.with(|current| {
            if let Some(stage) = current {
                stage.at = format!("{what}: ");
            }
        });
    }

    fn end(&self) {
        self.with(|current| {
            if let Some(Stage { bar: Some(bar), .. }) = current.take() {
                bar.finish_and_clear();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_spoken() {
        for (seconds, text) in [
            (0.0, "0 s"),
            (4.2, "5 s"),
            (59.5, "1 min"),
            (125.0, "2 min 5 s"),
            (3600.0, "1 h"),
            (4200.0, "1 h 10 min"),
            (90_000.0, "1 day 1 h"),
            (200_000.0, "2 days 7 h"),
        ] {
            assert_eq!(Spoken(seconds).to_string(), text);
        }
    }
}
