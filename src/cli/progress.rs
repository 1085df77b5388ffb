//! Progress on standard error: a bar on a terminal, a line now and then elsewhere.

use std::io::{IsTerminal, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use endtable::job::Progress;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

/// How often a log gets a line.
const LOG_EVERY: Duration = Duration::from_secs(30);

/// Shows how far a generation is.
pub struct Shown {
    stage: Mutex<Option<Stage>>,
}

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
        Self { stage: Mutex::new(None) }
    }

    fn with(&self, act: impl FnOnce(&mut Option<Stage>)) {
        act(&mut self.stage.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
    }
}

impl Progress for Shown {
    fn begin(&self, stage: &str, total: u64, done: u64) {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = "{prefix:>8} {wide_bar} {percent:>3} % {msg}, {eta} left";
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
                "{}{} positions, {}/s",
                stage.at,
                HumanCount(stage.items),
                HumanCount(rate as u64)
            );
            match &stage.bar {
                Some(bar) => {
                    bar.set_message(rate);
                    bar.set_position(stage.done);
                }
                None if stage.last_line.elapsed() >= LOG_EVERY => {
                    stage.last_line = Instant::now();
                    let left = stage.start.elapsed().as_secs_f64()
                        * (stage.total - stage.done) as f64
                        / (stage.done - stage.begun_at).max(1) as f64;
                    let percent = 100 * stage.done / stage.total.max(1);
                    // Nobody may be listening any more.
                    _ = writeln!(
                        std::io::stderr(),
                        "{}: {percent} %, {rate}, {left:.0} s left",
                        stage.name
                    );
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
