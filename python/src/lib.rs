//! The native half of the Python package: every game, every kind of table. The other half, in Python,
//! makes arrays of the bytes that come from here; `endtable/_endtable.pyi` says what there is.
//!
//! - [`failure`]: errors become exceptions, and so do panics;
//! - [`options`]: keyword arguments become options;
//! - [`position`] and [`answer`]: what goes in and what comes out;
//! - [`tables`]: opened tables; [`batch`]: many positions at once; [`records`]: everything;
//! - [`pool`]: the threads.
//!
//! Nothing here names a game: all go through the traits of [`endtable::games`]. Python's lock is
//! released wherever something may take time.

mod answer;
mod batch;
mod failure;
mod options;
mod pool;
mod position;
mod records;
mod tables;

use endtable::games::{self, Detail, Game, Solver, Use};
use pyo3::prelude::*;

use failure::{Failure, detached};
use options::Given;
use position::{Asked, PyPosition};

/// The game of a name.
fn game(name: &str) -> Result<&'static dyn Game, Failure> {
    games::by_name(name).ok_or_else(|| {
        let names = games::ALL.map(|game| game.name()).join(", ");
        Failure::input(format!("{name}: not a game that this library knows; those are: {names}"))
    })
}

/// The names of all games.
#[pyfunction(name = "games")]
fn game_names() -> Vec<&'static str> {
    games::ALL.iter().map(|game| game.name()).collect()
}

/// A position of a game.
#[pyfunction(name = "position")]
fn read_position(name: &str, text: &str, options: Given) -> Result<PyPosition, Failure> {
    let game = game(name)?;
    let options = options.read(game, &[Use::Position])?;
    PyPosition::parse(game, text, |text| game.position(text, &options))
}

/// What a search says of a position.
#[pyfunction]
fn solve<'py>(
    py: Python<'py>,
    name: &str,
    position: Asked<'py>,
    moves: bool,
    options: Given,
) -> PyResult<Bound<'py, PyAny>> {
    let game = game(name)?;
    let uses = [Use::Position, Use::Solve];
    let options = options.read(game, &uses)?;
    if moves {
        options::check_moves(game, &uses, &options)?;
    }
    let position = position
        .read(|text| PyPosition::parse(game, text, |text| game.position(text, &options)))?;
    let detail = if moves { Detail::Moves } else { Detail::Best };
    let solved = detached(py, || {
        pool::install(|| {
            let mut solver: Box<dyn Solver> = game.solver(&options, true)?;
            Ok(solver.solve(position.inner(), detail)?)
        })
    })?;
    answer::to_python(py, &position, &solved)
}

#[pymodule(gil_used = false)]
fn _endtable(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<PyPosition>()?;
    module.add_class::<tables::PyTables>()?;
    module.add_class::<records::Records>()?;
    module.add_function(wrap_pyfunction!(game_names, module)?)?;
    module.add_function(wrap_pyfunction!(read_position, module)?)?;
    module.add_function(wrap_pyfunction!(solve, module)?)
}
