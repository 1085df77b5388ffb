//! What a position is put together from, as data, for editors.

/// The parts of a position: what lies on each place, and what else there is to set.
/// [`Game::assemble`](super::Game::assemble) makes the text of a position of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// What lies on each place, as it is typed, row by row from the top.
    pub cells: Vec<Vec<String>>,
    /// What a place can have.
    pub contents: Vec<Choice>,
    /// Whether a place can have more than that, in a few words what; empty if it cannot.
    pub others: &'static str,
    /// What else there is to set.
    pub settings: Vec<Setting>,
}

/// Something to set beside the places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name; that of an option where the game has one for it.
    pub name: &'static str,
    /// What it is called.
    pub label: &'static str,
    /// What it is set to.
    pub value: String,
    /// What it can be set to; nothing in particular if there are none.
    pub choices: Vec<Choice>,
}

/// A value to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The value, as it is typed.
    pub value: String,
    /// What it is called.
    pub label: String,
}

impl Choice {
    /// A value and what it is called.
    pub(crate) fn new(value: impl ToString, label: impl ToString) -> Self {
        Self { value: value.to_string(), label: label.to_string() }
    }
}

/// A position to begin with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// What kind of start it is, as in `size`; starts of a kind follow each other.
    pub kind: &'static str,
    /// What it is called.
    pub label: String,
    /// The position, in the game's notation.
    pub text: String,
}
