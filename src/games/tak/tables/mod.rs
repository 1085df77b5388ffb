//! Tables of Tak.

use std::path::{Path, PathBuf};

use crate::games::{GameError, OptionSpec, RecordDecoder, Tables};
use crate::job::Job;
use crate::table::{Header, Options};

/// The options of making tables.
pub(super) const OPTIONS: &[OptionSpec] = &[];

fn none<T>() -> Result<T, GameError> {
    Err(GameError::Unsupported("tak has no tables in this version".into()))
}

/// Opens tables.
///
/// # Errors
/// There are none.
pub(super) fn open(_paths: &[PathBuf], _options: &Options) -> Result<Box<dyn Tables>, GameError> {
    none()
}

/// The job that options describe.
///
/// # Errors
/// There is none.
pub(super) fn job(_options: &Options) -> Result<Box<dyn Job>, GameError> {
    none()
}

/// What the records of a table stand for.
///
/// # Errors
/// There are none.
pub(super) fn decoder(_header: &Header, _path: &Path) -> Result<Box<dyn RecordDecoder>, GameError> {
    none()
}
