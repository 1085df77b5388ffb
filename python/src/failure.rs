//! Errors become exceptions, and so do panics.

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};

use endtable::games::GameError;
use endtable::job::JobError;
use endtable::table::TableError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The module in Python that has the exceptions.
const MODULE: &str = "endtable._errors";

/// Which exception it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Input,
    Table,
    Missing,
    NotFound,
    Internal,
}

/// Why a call failed: the exception that it raises, and a sentence for people.
#[derive(Clone, Debug)]
pub struct Failure {
    kind: Kind,
    message: String,
}

impl Failure {
    /// What was handed over makes no sense, and why.
    pub fn input(message: impl Into<String>) -> Self {
        Self { kind: Kind::Input, message: message.into() }
    }

    /// A fault in the library.
    pub fn internal(message: &str) -> Self {
        let message = format!("a fault in the library, please report it: {message}");
        Self { kind: Kind::Internal, message }
    }

    /// A position that none of the tables has.
    pub fn not_found(position: &str) -> Self {
        Self { kind: Kind::NotFound, message: format!("{position}: not in the tables") }
    }

    /// The same about something that was given, before its message.
    #[must_use]
    pub fn about(self, what: impl std::fmt::Display) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }
}

impl From<GameError> for Failure {
    fn from(error: GameError) -> Self {
        let kind = match &error {
            GameError::NotFound(_) => Kind::NotFound,
            GameError::Table(error) | GameError::Job(JobError::Table(error)) => kind_of(error),
            GameError::UnknownGame { .. } | GameError::Wrong(_) | GameError::Job(_) => Kind::Table,
            GameError::Stopped => Kind::Internal,
            _ => Kind::Input,
        };
        Self { kind, message: error.to_string() }
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        GameError::from(error).into()
    }
}

fn kind_of(error: &TableError) -> Kind {
    match error {
        TableError::NotAFile { .. }
        | TableError::OtherRecipe { .. }
        | TableError::OtherGame { .. }
        | TableError::Mixed { .. } => Kind::Input,
        TableError::MissingTable { .. } => Kind::Missing,
        TableError::Io { source, .. } if source.kind() == ErrorKind::NotFound => Kind::Missing,
        _ => Kind::Table,
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| match failure.kind.exception(py) {
            Ok(exception) => PyErr::from_type(exception.clone(), failure.message),
            Err(error) => error,
        })
    }
}

impl Kind {
    fn exception(self, py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
        static INPUT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static TABLE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static MISSING: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static NOT_FOUND: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        static INTERNAL: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let (cell, name) = match self {
            Self::Input => (&INPUT, "InputError"),
            Self::Table => (&TABLE, "TableError"),
            Self::Missing => (&MISSING, "MissingTableError"),
            Self::NotFound => (&NOT_FOUND, "NotFoundError"),
            Self::Internal => (&INTERNAL, "Error"),
        };
        cell.import(py, MODULE, name)
    }
}

/// Does something without Python's lock. A panic is a failure then.
///
/// Asserting unwind safety is right: tables have no state that a panic could leave half changed but
/// caches whose locks see to themselves, and a solver that panicked is not used again.
pub fn detached<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Failure::internal(text.unwrap_or("no message")))
    })
}
