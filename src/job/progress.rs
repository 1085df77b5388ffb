//! How long work tells how far it is. The library prints nothing: whoever calls it decides.

use super::Made;

/// Hears how far some work is.
pub trait Progress: Sync {
    /// A stage begins, with so many steps to do of which some are done already.
    fn begin(&self, stage: &str, total: u64, done: u64);
    /// Some more steps are done; `items` is what they brought (positions, records).
    fn advance(&self, steps: u64, items: u64);
    /// Names what is at work now, where that tells more than the steps: a layer, say.
    fn at(&self, _what: &str) {}
    /// Something that whoever waits should know.
    fn note(&self, _what: &str) {}
    /// The stage is over.
    fn end(&self);
    /// A file is finished, or a step that leaves none.
    fn made(&self, _made: &Made) {}
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn begin(&self, _stage: &str, _total: u64, _done: u64) {}
    fn advance(&self, _steps: u64, _items: u64) {}
    fn end(&self) {}
}
