//! All records of tables, so many at a time, as rows of bytes of which the Python half makes arrays.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use endtable::games::key::Key;
use endtable::games::{self, Row};
use endtable::table::ValueKind;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use rayon::prelude::*;

use super::batch::number;
use super::failure::{Failure, detached};
use super::pool;
use super::tables::Opened;

/// The number of a best move where there is none.
const NO_MOVE: u16 = u16::MAX;

/// How many records a thread takes at a time: some blocks.
const PIECE: u64 = 1 << 12;

/// The records of tables, in the order of the tables and of their codes or numbers.
#[pyclass(frozen, module = "endtable._endtable")]
pub struct Records {
    tables: Vec<games::Records>,
    size: u64,
    /// The table and the number of the record to come.
    next: Mutex<(usize, u64)>,
}

impl Records {
    pub fn open(opened: &Opened, size: usize) -> Result<Self, Failure> {
        if size == 0 {
            return Err(Failure::input("expected a size of at least 1"));
        }
        let files = opened.tables.files().into_iter();
        let tables =
            files.map(|file| games::Records::open(file.path())).collect::<Result<_, _>>()?;
        Ok(Self { tables, size: size as u64, next: Mutex::new((0, 0)) })
    }

    /// What the values of all tables are.
    fn value(&self) -> ValueKind {
        let first = self.tables.first();
        first.map_or(ValueKind::None, |table| table.header().description.value)
    }

    /// Bytes of a key.
    fn key_bytes(&self) -> usize {
        let first = self.tables.first();
        first.map_or(0, |table| table.header().description.key_bytes.into())
    }

    /// The next records: a table and a range of its numbers.
    fn take(&self) -> Option<(&games::Records, Range<u64>)> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (number, first) = *next;
            let table = self.tables.get(number)?;
            if first < table.len() {
                let end = first.saturating_add(self.size).min(table.len());
                *next = (number, end);
                return Some((table, first..end));
            }
            *next = (number + 1, 0);
        }
    }

    fn piece(&self, table: &games::Records, numbers: Range<u64>) -> Result<Vec<u8>, Failure> {
        let (mut rows, mut bytes) = (Vec::new(), Vec::new());
        table.read(numbers, &mut rows)?;
        for row in &rows {
            self.push(&mut bytes, row);
        }
        Ok(bytes)
    }

    /// Appends a row: the key (8 bytes, or the upper and the lower 8), turn (1), result (1), best move
    /// (2), plies (2), nothing (2), value (8) if there is one.
    fn push(&self, bytes: &mut Vec<u8>, row: &Row) {
        match row.key {
            Key::Long(key) => {
                bytes.extend(key.hi().to_le_bytes());
                bytes.extend(key.lo().to_le_bytes());
            }
            Key::Short(key) => bytes.extend(key.0.to_le_bytes()),
        }
        let (meta, value) = (row.meta, row.meta.value());
        bytes.extend((meta.turn() as u8).to_le_bytes());
        bytes.extend(number(value.result()).to_le_bytes());
        bytes.extend(meta.best_move().unwrap_or(NO_MOVE).to_le_bytes());
        bytes.extend(value.plies().0.to_le_bytes());
        bytes.extend([0; 2]);
        if self.value() != ValueKind::None {
            bytes.extend(self.value().decode(row.value).to_le_bytes());
        }
    }
}

#[pymethods]
impl Records {
    /// Name and type of each column, as numpy calls them.
    #[getter]
    fn columns(&self) -> Vec<(&'static str, &'static str)> {
        let mut columns = match self.key_bytes() {
            16 => vec![("key_hi", "<u8"), ("key_lo", "<u8")],
            _ => vec![("key", "<u8")],
        };
        columns.extend([("turn", "u1"), ("result", "i1"), ("best", "<u2"), ("plies", "<u2")]);
        if self.value() != ValueKind::None {
            columns.push(("value", "<f8"));
        }
        columns
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyByteArray>>> {
        let Some((table, Range { start, end })) = self.take() else { return Ok(None) };
        let pieces = (start..end).step_by(PIECE as usize).collect::<Vec<u64>>();
        let parts = detached(py, || {
            pool::install(|| {
                let piece = |start: u64| self.piece(table, start..(start + PIECE).min(end));
                let parts: Vec<Result<_, Failure>> = pieces.into_par_iter().map(piece).collect();
                parts.into_iter().collect::<Result<Vec<Vec<u8>>, Failure>>()
            })
        })?;
        Ok(Some(PyByteArray::new(py, &parts.concat())))
    }
}
