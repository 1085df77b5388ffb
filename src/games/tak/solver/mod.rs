//! The solver: who can force a win, and in exactly how many plies.

mod answer;
mod duel;
mod options;
mod packed;
mod roads;

pub use answer::{ForcedWins, Question};
pub use duel::{Attack, Goal};
pub use packed::Packed;

pub(super) use answer::solver;
pub(super) use options::OPTIONS;
