//! All records of keyed tables, so many at a time, as rows of bytes of which the Python half makes
//! arrays.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use endtable::games::RecordDecoder;
use endtable::games::key::Key;
use endtable::table::{
    DENSE_EXTENSION, Kind, Record, Table, TableError, TableSet, ValueKind, files_in, read_header,
};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use rayon::prelude::*;

use super::batch::number;
use super::failure::{Failure, detached};
use super::pool;
use super::tables::Opened;

/// The number of a best move where there is none.
const NO_MOVE: u16 = u16::MAX;

/// The records of tables, in the order of the tables and of their codes.
#[pyclass(frozen, module = "endtable._endtable")]
pub struct Records {
    /// What the records stand for.
    decoder: Box<dyn RecordDecoder>,
    set: TableSet,
    size: usize,
    /// The table and the block to come.
    next: Mutex<(usize, usize)>,
}

impl Records {
    pub fn open(opened: &Opened, size: usize) -> Result<Self, Failure> {
        if size == 0 {
            return Err(Failure::input("expected a size of at least 1"));
        }
        if opened.paths.iter().any(|path| is_dense(path)) {
            return Err(Failure::input(
                "complete tables have no records with keys: probe their positions instead",
            ));
        }
        let set = TableSet::open(&opened.paths)?;
        let missing = || TableError::MissingTable { name: "no table".into() };
        let first = set.tables().first().ok_or_else(missing)?;
        let decoder = opened.game.decoder(first.header(), first.path())?;
        Ok(Self { decoder, set, size, next: Mutex::new((0, 0)) })
    }

    fn has_value(&self) -> bool {
        self.set.description().is_some_and(|description| description.value != ValueKind::None)
    }

    /// Bytes of a key.
    fn key_bytes(&self) -> usize {
        self.set.description().map_or(0, |description| description.key_bytes.into())
    }

    /// The next blocks: a table and a range of its blocks, which are of the size together, or more if
    /// one block is.
    fn take(&self) -> Option<(&Table, std::ops::Range<usize>)> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (number, first) = *next;
            let table = self.set.tables().get(number)?;
            if first < table.blocks() {
                let count = (self.size / table.block_len()).max(1);
                let end = first.saturating_add(count).min(table.blocks());
                *next = (number, end);
                return Some((table, first..end));
            }
            *next = (number + 1, 0);
        }
    }

    fn block(&self, table: &Table, block: usize) -> Result<Vec<u8>, Failure> {
        let mut rows = Vec::new();
        for record in table.block_records(block)? {
            self.push(&mut rows, table, &record)?;
        }
        Ok(rows)
    }

    /// Appends a row: the key (8 bytes, or the upper and the lower 8), turn (1), result (1), best move
    /// (2), plies (2), nothing (2), value (8) if there is one.
    fn push(&self, rows: &mut Vec<u8>, table: &Table, record: &Record) -> Result<(), Failure> {
        let description = &table.header().description;
        let key = self.decoder.key(record.code).map_err(|error| {
            let what = format!("code {:016x}: {error}", record.code);
            TableError::Inconsistent { path: table.path().into(), what }
        })?;
        match key {
            Key::Long(key) => {
                rows.extend(key.hi().to_le_bytes());
                rows.extend(key.lo().to_le_bytes());
            }
            Key::Short(key) => rows.extend(key.0.to_le_bytes()),
        }
        let (meta, value) = (record.meta, record.meta.value());
        rows.extend((meta.turn() as u8).to_le_bytes());
        rows.extend(number(value.result()).to_le_bytes());
        rows.extend(meta.best_move().unwrap_or(NO_MOVE).to_le_bytes());
        rows.extend(value.plies().0.to_le_bytes());
        rows.extend([0; 2]);
        if self.has_value() {
            rows.extend(description.value.decode(record.value).to_le_bytes());
        }
        Ok(())
    }
}

/// Whether a path is a dense table or a folder of such.
fn is_dense(path: &Path) -> bool {
    if path.is_dir() {
        return files_in(path, DENSE_EXTENSION).is_ok_and(|files| !files.is_empty());
    }
    read_header(path).is_ok_and(|header| header.kind == Kind::Dense)
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
        if self.has_value() {
            columns.push(("value", "<f8"));
        }
        columns
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyByteArray>>> {
        let Some((table, blocks)) = self.take() else { return Ok(None) };
        let parts = detached(py, || {
            pool::install(|| {
                let parts = blocks.into_par_iter().map(|block| self.block(table, block));
                let parts = parts.collect::<Vec<Result<_, Failure>>>();
                parts.into_iter().collect::<Result<Vec<Vec<u8>>, Failure>>()
            })
        })?;
        Ok(Some(PyByteArray::new(py, &parts.concat())))
    }
}
