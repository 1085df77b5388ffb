//! Opened tables. Copies share them, and each is closed by itself; whoever is using them at that time
//! ends in peace.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use endtable::games::{self, Detail, Game, LineEnd, Step, Tables, Use, Watch};
use endtable::job::Quiet;
use endtable::table::Options;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyList};

use super::batch::Batch;
use super::failure::{Failure, detached};
use super::options::Given;
use super::position::{Asked, PyPosition};
use super::records::Records;
use super::{answer, pool};

/// What is open.
pub struct Opened {
    pub game: &'static dyn Game,
    pub options: Options,
    pub tables: Box<dyn Tables>,
}

impl Opened {
    fn position(&self, text: &str) -> Result<PyPosition, Failure> {
        PyPosition::parse(self.game, text, |text| self.tables.position(text, &self.options))
    }
}

/// Opened tables, or none any more.
#[pyclass(frozen, name = "Tables", module = "endtable._endtable")]
pub struct PyTables(Mutex<Option<Arc<Opened>>>);

impl PyTables {
    fn opened(&self) -> Result<Arc<Opened>, Failure> {
        let opened = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        opened.ok_or_else(|| Failure::input("the tables are closed"))
    }
}

/// A position with its answer, or none.
type Found<'py> = Option<Bound<'py, PyAny>>;

#[pymethods]
impl PyTables {
    #[new]
    fn new(py: Python<'_>, paths: Vec<PathBuf>, options: Given) -> Result<Self, Failure> {
        let opened = detached(py, || {
            let first = paths.first().ok_or_else(|| Failure::input("no path to a table"))?;
            let game = games::game_of(first)?;
            let options = options.read(game, &[Use::Position, Use::Probe])?;
            let tables = pool::install(|| Ok(game.open(&paths, &options)?))?;
            Ok(Opened { game, options, tables })
        })?;
        Ok(Self(Mutex::new(Some(Arc::new(opened)))))
    }

    fn share(&self) -> Result<Self, Failure> {
        Ok(Self(Mutex::new(Some(self.opened()?))))
    }

    fn close(&self, py: Python<'_>) {
        let opened = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(opened));
    }

    #[getter]
    fn closed(&self) -> bool {
        self.opened().is_err()
    }

    fn info(&self) -> Result<(&'static str, String, u64, u64), Failure> {
        let opened = self.opened()?;
        let contents = opened.tables.contents();
        Ok((opened.game.name(), contents.rules, contents.files, contents.records))
    }

    fn statistics(&self, py: Python<'_>) -> Result<String, Failure> {
        let opened = self.opened()?;
        let watch = Watch { stop: &AtomicBool::new(false), progress: &Quiet };
        detached(py, || pool::install(|| Ok(opened.tables.statistics(&watch)?.text())))
    }

    fn position(&self, py: Python<'_>, text: &str) -> Result<PyPosition, Failure> {
        let opened = self.opened()?;
        detached(py, || opened.position(text))
    }

    fn probe<'py>(&self, py: Python<'py>, position: Asked<'py>) -> PyResult<Found<'py>> {
        let opened = self.opened()?;
        let position = position.read(|text| detached(py, || opened.position(text)))?;
        let found = detached(py, || Ok(opened.tables.probe(position.inner(), Detail::Moves)?))?;
        found.map(|found| answer::to_python(py, &position, &found)).transpose()
    }

    fn line<'py>(
        &self,
        py: Python<'py>,
        position: Asked<'py>,
    ) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let opened = self.opened()?;
        let position = position.read(|text| detached(py, || opened.position(text)))?;
        let line = detached(py, || best_line(&opened, &position))?;
        let answers =
            line.into_iter().filter_map(|step| Some((step.mv, step.position, step.answer?)));
        let answers = answers.map(|(mv, position, found)| {
            let position = PyPosition::new(opened.game, position);
            Ok((mv, answer::to_python(py, &position, &found)?))
        });
        answers.collect()
    }

    /// Answers to all positions of a list, as rows of bytes.
    fn probe_list<'py>(
        &self,
        py: Python<'py>,
        positions: &Bound<'py, PyList>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let (opened, batch) = (self.opened()?, Batch::list(positions)?);
        let rows = detached(py, || pool::install(|| batch.answer(&opened)))?;
        Ok(PyByteArray::new(py, &rows))
    }

    /// The same for texts of a fixed width, each character of so many bytes.
    fn probe_fixed<'py>(
        &self,
        py: Python<'py>,
        texts: &[u8],
        width: usize,
        character: usize,
    ) -> Result<Bound<'py, PyByteArray>, Failure> {
        let (opened, batch) = (self.opened()?, Batch::fixed(texts, width, character)?);
        let rows = detached(py, || pool::install(|| batch.answer(&opened)))?;
        Ok(PyByteArray::new(py, &rows))
    }

    fn records(&self, py: Python<'_>, size: usize) -> Result<Records, Failure> {
        let opened = self.opened()?;
        detached(py, || Records::open(&opened, size))
    }
}

/// Best play to the end of the game, to where chance moves, or to where it repeats.
fn best_line(opened: &Opened, start: &PyPosition) -> Result<Vec<Step>, Failure> {
    let line = games::best_line(&*opened.tables, start.shared(), None)?;
    match line.end {
        LineEnd::Absent => Err(Failure::not_found(&line.last.text())),
        LineEnd::Done | LineEnd::Chance | LineEnd::Repeated => Ok(line.steps),
    }
}
