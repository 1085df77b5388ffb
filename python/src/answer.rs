//! Answers, as Python has them: the data classes of `endtable/_answers.py`.

use endtable::games::{Answer, MoveAnswer};
use endtable::value::Worth;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

use super::position::{PyPosition, dictionary};

const MODULE: &str = "endtable._answers";

/// What something is worth: result, plies, value, unit, plies searched.
type Parts = (Option<String>, Option<u16>, Option<f64>, Option<String>, Option<u16>);

fn parts(worth: Option<&Worth>) -> Parts {
    let plies = worth.and_then(Worth::plies).map(|plies| plies.0);
    match worth {
        Some(Worth::Expected(expected)) => {
            (None, None, Some(expected.value), Some(expected.unit.to_string()), None)
        }
        Some(Worth::Unknown { searched }) => {
            (Some("unknown".into()), None, None, None, Some(searched.0))
        }
        _ => {
            let result = worth.and_then(Worth::result).map(|result| result.to_string());
            (result, plies, None, None, None)
        }
    }
}

/// An answer as an object of the class `Answer`.
pub fn to_python<'py>(
    py: Python<'py>,
    position: &PyPosition,
    answer: &Answer,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (result, plies, value, unit, searched) = parts(Some(&answer.worth));
    let moves = answer.moves.iter().map(|mv| move_to_python(py, mv, answer));
    let moves = PyTuple::new(py, moves.collect::<PyResult<Vec<_>>>()?)?;
    let best = PyTuple::new(py, &answer.best)?;
    CLASS.import(py, MODULE, "Answer")?.call1((
        position.game(),
        position.text(),
        position.key(),
        position.turn(),
        result,
        plies,
        value,
        unit,
        searched,
        best,
        moves,
        dictionary(py, answer.source.clone())?,
    ))
}

fn move_to_python<'py>(
    py: Python<'py>,
    mv: &MoveAnswer,
    answer: &Answer,
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (result, plies, value, _, _) = parts(mv.worth.as_ref());
    let best = answer.best.contains(&mv.name);
    CLASS.import(py, MODULE, "Move")?.call1((&mv.name, best, result, plies, value))
}
