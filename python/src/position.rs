//! Positions, as Python has them.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use endtable::games::{Field, Game, GameError, Position};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::failure::Failure;

/// More bytes than any form of a position takes.
const LONGEST_POSITION: usize = 1000;

/// A position of a game. It never changes: a move gives another one.
#[pyclass(frozen, name = "Position", module = "endtable")]
#[derive(Clone)]
pub struct PyPosition {
    game: &'static dyn Game,
    position: Arc<dyn Position>,
}

impl PyPosition {
    /// A position of a game.
    pub fn new(game: &'static dyn Game, position: Arc<dyn Position>) -> Self {
        Self { game, position }
    }

    /// Reads a text as a game or its tables do.
    pub fn parse(
        game: &'static dyn Game,
        text: &str,
        read: impl FnOnce(&str) -> Result<Box<dyn Position>, GameError>,
    ) -> Result<Self, Failure> {
        Ok(Self { game, position: parse(text, read)?.into() })
    }

    /// The position itself.
    pub fn inner(&self) -> &dyn Position {
        &*self.position
    }

    /// The position itself, shared.
    pub fn shared(&self) -> Arc<dyn Position> {
        Arc::clone(&self.position)
    }

    /// A field of it, as a text.
    fn field(&self, wanted: &str) -> Option<String> {
        let field = self.position.fields().into_iter().find(|(name, _)| *name == wanted);
        field.map(|(_, field)| field.to_string())
    }
}

/// Fields by their names.
pub fn dictionary<'py>(
    py: Python<'py>,
    fields: Vec<(&'static str, Field)>,
) -> PyResult<Bound<'py, PyDict>> {
    let dictionary = PyDict::new(py);
    for (name, field) in fields {
        match field {
            Field::Text(text) => dictionary.set_item(name, text)?,
            Field::Number(number) => dictionary.set_item(name, number)?,
            Field::Group(fields) => dictionary.set_item(name, self::dictionary(py, fields)?)?,
        }
    }
    Ok(dictionary)
}

/// Reads a text, and says which one was wrong.
pub fn parse(
    text: &str,
    read: impl FnOnce(&str) -> Result<Box<dyn Position>, GameError>,
) -> Result<Box<dyn Position>, Failure> {
    if text.len() > LONGEST_POSITION {
        let length = text.len();
        return Err(Failure::input(format!("expected a position, found {length} bytes of text")));
    }
    let text = text.trim();
    read(text).map_err(|error| Failure::from(error).about(text))
}

#[pymethods]
impl PyPosition {
    /// The name of the game.
    #[getter]
    pub fn game(&self) -> &'static str {
        self.game.name()
    }

    /// The position in the game's notation.
    #[getter]
    pub fn text(&self) -> String {
        self.position.text()
    }

    /// Its key.
    #[getter]
    pub fn key(&self) -> String {
        self.position.key().to_string()
    }

    /// The side to move as the game calls it, "chance" where chance moves; None if there is but one.
    #[getter]
    pub fn turn(&self) -> Option<String> {
        self.field("turn")
    }

    /// How the game ended, in its own notation; None if it has not.
    #[getter]
    fn over(&self) -> Option<String> {
        self.position.over()
    }

    /// What tells the position apart, by name: its rules, its text and what else it has.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dictionary(py, self.position.fields())
    }

    /// The legal moves, in the game's order and notation. None are left when the game is over.
    fn moves(&self) -> Vec<String> {
        self.position.moves()
    }

    /// The position after a move.
    #[pyo3(signature = (r#move, /))]
    pub fn play(&self, r#move: &str) -> Result<Self, Failure> {
        let position = self.position.play(r#move);
        let position = position.map_err(|error| Failure::from(error).about(self.text()))?;
        Ok(Self { game: self.game, position: position.into() })
    }

    /// A drawing, with a move marked if one is given.
    #[pyo3(signature = (r#move = None), text_signature = "($self, /, move=None)")]
    fn picture(&self, r#move: Option<&str>) -> String {
        self.position.picture(r#move).to_string()
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("<endtable.Position {} {:?}>", self.game.name(), self.text())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.game() == other.game() && self.position.fields() == other.position.fields()
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.game(), self.key()).hash(&mut hasher);
        hasher.finish()
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (_memo, /))]
    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }
}

/// A position that is asked for: a text, or one that was read before.
pub enum Asked<'py> {
    Position(Bound<'py, PyPosition>),
    Text(String),
}

impl<'py> FromPyObject<'_, 'py> for Asked<'py> {
    type Error = PyErr;

    fn extract(asked: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(position) = asked.cast::<PyPosition>() {
            return Ok(Self::Position(position.to_owned()));
        }
        match asked.cast::<PyString>() {
            Ok(text) => Ok(Self::Text(text.to_str()?.to_owned())),
            Err(_) => {
                let kind = asked.get_type().name()?;
                Err(PyTypeError::new_err(format!("expected a str or a Position, found {kind}")))
            }
        }
    }
}

impl Asked<'_> {
    /// Reads it if it is a text.
    pub fn read(
        self,
        parse: impl FnOnce(&str) -> Result<PyPosition, Failure>,
    ) -> Result<PyPosition, Failure> {
        match self {
            Self::Position(position) => Ok(position.get().clone()),
            Self::Text(text) => parse(&text),
        }
    }
}
