//! The solver: who can force a win, and in exactly how many plies.

mod answer;
mod choice;
mod duel;
mod options;
mod packed;
mod question;
mod roads;

pub use choice::Choice;
pub use duel::{Attack, Goal};
pub use packed::Packed;
pub use question::{ForcedWins, Question};

pub(super) use answer::solver;
pub(super) use options::OPTIONS;
