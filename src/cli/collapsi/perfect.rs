//! Perfect play: from tables as far as they go, and by search elsewhere.

use std::path::Path;

use endtable::games::collapsi::{Board, Move, Rules, Solver, Tables};
use endtable::value::{Plies, Value};

use crate::cli::Failure;

/// Knows what every move is worth.
pub struct Perfect {
    tables: Option<Tables>,
    rules: Rules,
}

impl Perfect {
    /// Opens tables, if there are any; the rule is theirs where none is asked for.
    pub fn open(tables: Option<&Path>, rules: Option<Rules>) -> Result<Self, Failure> {
        let tables = tables.map(|path| Tables::open(&[path], rules)).transpose()?;
        let rules = tables.as_ref().map_or(rules.unwrap_or_default(), Tables::rules);
        Ok(Self { tables, rules })
    }

    /// The rule that it plays by.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Every legal move with what it is worth to the one who makes it, by ascending destination. The
    /// solver is asked where the tables do not know all of them.
    pub fn moves(&self, board: &Board, solver: &mut Solver) -> Result<Moves, Failure> {
        let known = match &self.tables {
            Some(tables) => {
                let moves = tables.moves(board)?.into_iter();
                moves.map(|(mv, value)| Some((mv, value?))).collect()
            }
            None => None,
        };
        Ok(Moves(known.unwrap_or_else(|| solver.move_values(board, self.rules))))
    }
}

/// The legal moves of a board with what they are worth, by ascending destination.
#[derive(Clone, Debug, Default)]
pub struct Moves(pub Vec<(Move, Value)>);

impl Moves {
    /// What the board is worth to the side to move.
    pub fn value(&self) -> Value {
        self.0.iter().map(|(_, value)| *value).max().unwrap_or(Value::Loss(Plies(0)))
    }

    /// The best moves.
    pub fn best(&self) -> impl Iterator<Item = Move> {
        let most = self.value();
        self.0.iter().filter(move |(_, value)| *value == most).map(|(mv, _)| *mv)
    }

    /// What a move is worth, if it is legal.
    pub fn value_of(&self, mv: Move) -> Option<Value> {
        self.0.iter().find(|(it, _)| *it == mv).map(|(_, value)| *value)
    }
}
