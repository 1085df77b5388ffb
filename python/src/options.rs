//! Options from keyword arguments, as the Python half hands them over: names and texts.

use endtable::games::{Game, OptionSpec, Use, read_options};
use endtable::table::Options;
use pyo3::prelude::*;

use super::failure::Failure;

/// Names and values, none for a switch.
#[derive(Clone, Debug, FromPyObject)]
#[pyo3(transparent)]
pub struct Given(Vec<(String, Option<String>)>);

impl Given {
    /// Reads the options that a game has for some uses.
    pub fn read(&self, game: &dyn Game, uses: &[Use]) -> Result<Options, Failure> {
        let entries = self.0.iter().map(|(name, value)| (name.as_str(), value.as_deref()));
        Ok(read_options(game, uses, entries)?)
    }
}

/// Refuses options that do not go with a question for all moves.
pub fn check_moves(game: &dyn Game, uses: &[Use], options: &Options) -> Result<(), Failure> {
    const MOVES: &str = "moves";
    let mut specs = uses.iter().flat_map(|&of| game.options(of));
    let conflicts = |spec: &&OptionSpec| options.has(spec.name) && spec.conflicts.contains(&MOVES);
    match specs.find(conflicts) {
        Some(spec) => Err(Failure::input(format!("{}: does not go with {MOVES}", spec.name))),
        None => Ok(()),
    }
}
