//! 2048: what the commands do with its boards and tables, one file each.

mod board;
mod generate;
mod probe;
mod solve;
mod stats;
mod verify;

pub use board::{BoardArgs, forms};
pub use generate::{GenerateArgs, generate};
pub use probe::{Shown, probe};
pub use solve::solve;
pub use stats::stats;
pub use verify::verify_full;
