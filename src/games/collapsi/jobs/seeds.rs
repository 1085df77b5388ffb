//! Collapsi positions as records.

use super::Source;
use crate::value::Value;
use crate::games::collapsi::{
    Board, Enumerator, Mask, Move, Rules, Solver, Subgame, deal_from_seed,
};
use crate::table::{Codec, Description, Meta, Record, TableError, ValueKind};

/// Which positions of a deal to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positions {
    /// Every one that can be reached.
    All,
    /// The deal only.
    Root,
}

/// The deals of seeds.
#[derive(Clone, Debug)]
pub struct Seeds {
    /// The first seed.
    pub first: u64,
    /// How many there are.
    pub count: u64,
    /// The joker rule.
    pub rules: Rules,
    /// Which positions to keep.
    pub positions: Positions,
    /// How they become codes.
    pub codec: Codec,
}

/// What a thread keeps: room for the positions of a deal, a solver.
#[derive(Debug)]
pub struct State {
    enumerator: Enumerator,
    solver: Solver,
}

impl Source for Seeds {
    type State = State;

    fn start(&self) -> State {
        State { enumerator: Enumerator::new(), solver: Solver::new() }
    }

    fn items(&self) -> u64 {
        self.count
    }

    fn solve(
        &self,
        state: &mut State,
        item: u64,
        records: &mut Vec<Record>,
    ) -> Result<(), TableError> {
        let deal = deal_from_seed(self.first.wrapping_add(item));
        match self.positions {
            Positions::All => {
                let game = Subgame::new(deal, self.rules);
                state.enumerator.solve(&deal, self.rules, |solved| {
                    let board = game.board_at(solved.spot);
                    records.push(record(&board, solved.value, solved.best, self.codec));
                });
            }
            Positions::Root => {
                let moves = state.solver.move_values(&deal, self.rules);
                let Some(value) = moves.iter().map(|&(_, value)| value).max() else {
                    return Ok(());
                };
                let best = moves.iter().filter(|&&(_, it)| it == value);
                let best = Mask(best.fold(0, |set, (mv, _)| set | mv.to.mask().0));
                records.push(record(&deal, value, best, self.codec));
            }
        }
        Ok(())
    }

    fn most_records(&self) -> usize {
        match (self.positions, self.rules) {
            (Positions::Root, _) => 1,
            // Measured over 100,000 deals, and rounded up.
            (Positions::All, Rules::One) => 120_000,
            (Positions::All, Rules::Wild) => 420_000,
        }
    }

    fn run_value(&self, description: &Description) -> ValueKind {
        if self.codec.is_folded() { ValueKind::U64 } else { description.value }
    }
}

/// The record of a board: its best move is the one with the lowest destination in the form that
/// is stored.
#[must_use]
pub fn record(board: &Board, value: Value, best: Mask, codec: Codec) -> Record {
    let (board, best) = match codec {
        Codec::Exact | Codec::ExactFolded => (*board, best),
        Codec::Canonical | Codec::Folded => {
            let canonical = board.canonical();
            (canonical.board, canonical.symmetry.mask(best))
        }
    };
    let mv = best.first().map(|to| Move { from: board.mover(), to });
    let meta = Meta::new(board.turn().bit(), value, mv.map_or(Meta::NO_MOVE, Move::byte));
    // A folded key cannot be unfolded: runs remember the exact code beside it.
    let value = match codec {
        Codec::Folded => board.code(),
        Codec::ExactFolded => board.exact_code(),
        Codec::Canonical | Codec::Exact => 0,
    };
    Record { code: code(&board, codec), meta, value }
}

/// The code of a board that is in the codec's form already.
#[must_use]
pub fn code(board: &Board, codec: Codec) -> u64 {
    match codec {
        Codec::Canonical => board.code(),
        Codec::Exact => board.exact_code(),
        Codec::Folded | Codec::ExactFolded => board.key().fold().0,
    }
}
