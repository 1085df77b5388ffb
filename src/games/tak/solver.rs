//! Forced wins by search.

use crate::games::{GameError, OptionSpec, Solver};
use crate::table::Options;

/// The options of solving.
pub(super) const OPTIONS: &[OptionSpec] = &[];

/// The solver that options describe.
///
/// # Errors
/// There is none.
pub(super) fn solver(_options: &Options, _parallel: bool) -> Result<Box<dyn Solver>, GameError> {
    Err(GameError::Unsupported("tak has no solver in this version".into()))
}
