//! Answers for every position of Collapsi, from the tables of all layers.

use std::cell::RefCell;
use std::path::Path;
use std::sync::LazyLock;

use super::keyed::record;
use super::layers::CompleteSet;
use crate::games::collapsi::{
    Answer, Board, Index, Layer, Mask, Move, Rules, Solver, value_of_plies,
};
use crate::table::{Codec, DenseTable, Record, TableError};
use crate::value::Value;

/// The complete tables of Collapsi, for one joker rule. Threads may share them.
///
/// Positions in layers that the set leaves out are looked up one ply further down, and those above
/// its largest are searched: slower, and as exact.
///
/// ```no_run
/// use endtable::games::collapsi::{CompleteTables, Rules, deal_from_seed};
///
/// let tables = CompleteTables::open("complete".as_ref(), Rules::Wild)?;
/// let answer = tables.probe(&deal_from_seed(1))?;
/// println!("{} {:?}", answer.value, answer.best);
/// # Ok::<(), endtable::table::TableError>(())
/// ```
#[derive(Debug)]
pub struct CompleteTables {
    set: CompleteSet,
    index: &'static Index,
    rules: Rules,
    /// By the number of cards.
    layers: [Option<DenseTable>; 17],
}

/// A place is a layer, and below it a number of the index, which has fewer bits.
const LAYER_SHIFT: u32 = 56;

/// The index of all complete tables: it takes a while to make, and never changes.
static INDEX: LazyLock<Index> = LazyLock::new(Index::new);

impl CompleteTables {
    /// Opens the tables in a folder.
    ///
    /// # Errors
    /// When there are none, or one is missing, damaged or another's.
    pub fn open(folder: &Path, rules: Rules) -> Result<Self, TableError> {
        Self::of_set(CompleteSet::find(folder)?, rules)
    }

    /// Opens the tables of a set.
    ///
    /// # Errors
    /// When one is missing, damaged or another's.
    pub fn of_set(set: CompleteSet, rules: Rules) -> Result<Self, TableError> {
        let index = &*INDEX;
        let mut layers = [const { None }; 17];
        for cards in Layer::FEWEST..=Layer::MOST {
            if let Some(layer) = Layer::new(cards, rules) {
                layers[usize::from(cards)] = set.open(layer, index)?;
            }
        }
        Ok(Self { set, index, rules, layers })
    }

    /// The files that they are in.
    #[must_use]
    pub fn set(&self) -> &CompleteSet {
        &self.set
    }

    /// The joker rule.
    #[must_use]
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The index of the tables.
    #[must_use]
    pub fn index(&self) -> &Index {
        self.index
    }

    /// The table of the layer with so many cards, if it is there.
    #[must_use]
    pub fn layer(&self, cards: u8) -> Option<&DenseTable> {
        self.layers.get(usize::from(cards))?.as_ref()
    }

    /// Who wins, and when.
    ///
    /// # Errors
    /// When a table is damaged where the answer would be.
    pub fn value(&self, board: &Board) -> Result<Value, TableError> {
        self.look_up(board)
    }

    /// Every legal move with what it is worth to the one who makes it, by ascending destination.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn moves(&self, board: &Board) -> Result<Vec<(Move, Value)>, TableError> {
        if self.is_far_above(board.alive().len() as usize - 1) {
            return Ok(SOLVER.with_borrow_mut(|solver| solver.move_values(board, self.rules)));
        }
        self.look_up_moves(board).collect()
    }

    /// Who wins, and the best move, of equally good ones the one with the lowest destination.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn probe(&self, board: &Board) -> Result<Answer, TableError> {
        Ok(best(&self.moves(board)?))
    }

    /// The record of the deal with a number of the index, in canonical form; `None` if there is no
    /// such number.
    ///
    /// # Errors
    /// When a table is damaged where an answer would be.
    pub fn deal_record(&self, number: u64) -> Result<Option<Record>, TableError> {
        let Some(deal) = self.index.unrank(Layer::MOST, number) else { return Ok(None) };
        let moves = self.moves(&deal)?;
        let value = best(&moves).value;
        let equal = moves.iter().filter(|(_, it)| *it == value);
        let destinations = Mask(equal.fold(0, |set, (mv, _)| set | mv.to.mask().0));
        Ok(Some(record(&deal, value, destinations, Codec::Canonical)))
    }

    /// Every legal move with the place of the position after it, for [`entry`](Self::entry).
    pub(super) fn places(&self, board: &Board) -> Vec<(Move, u64)> {
        let place = |mv| {
            let after = board.play(mv, self.rules).expect("a generated move is legal");
            let layer = u64::from(after.alive().len()) << LAYER_SHIFT;
            (mv, layer | self.index.rank(&after))
        };
        board.moves(self.rules).map(place).collect()
    }

    /// What stands at a place: `None` if its layer is not there.
    pub(super) fn entry(&self, place: u64) -> Result<Option<u8>, TableError> {
        let (layer, number) = (place >> LAYER_SHIFT, place & ((1 << LAYER_SHIFT) - 1));
        match &self.layers[layer as usize] {
            Some(table) => table.get(number),
            None => Ok(None),
        }
    }

    fn look_up(&self, board: &Board) -> Result<Value, TableError> {
        let cards = board.alive().len() as usize;
        if let Some(table) = &self.layers[cards] {
            let plies = table.get(self.index.rank(board))?;
            return Ok(value_of_plies(plies.expect("a table of the index's length was opened")));
        }
        if self.is_far_above(cards) {
            return Ok(SOLVER.with_borrow_mut(|solver| solver.solve(board, self.rules).value));
        }
        let mut value = value_of_plies(0);
        for child in self.look_up_moves(board) {
            value = value.max(child?.1);
        }
        Ok(value)
    }

    /// Whether a layer is neither there nor one ply above one that is, so that its moves can be looked
    /// up. There a search without tables is much quicker than one that ends in them: it proves the
    /// value with few positions, and looks at one in less time than a probe takes.
    fn is_far_above(&self, cards: usize) -> bool {
        self.layers[cards].is_none()
            && cards.checked_sub(1).is_none_or(|below| self.layers[below].is_none())
    }

    fn look_up_moves(
        &self,
        board: &Board,
    ) -> impl Iterator<Item = Result<(Move, Value), TableError>> {
        board.moves(self.rules).map(move |mv| {
            let after = board.play(mv, self.rules).expect("a generated move is legal");
            Ok((mv, self.look_up(&after)?.before_move()))
        })
    }
}

thread_local! {
    /// Searches what the tables do not have.
    static SOLVER: RefCell<Solver> = RefCell::default();
}

/// The answer that the values of all moves give.
#[must_use]
pub fn best(moves: &[(Move, Value)]) -> Answer {
    let value = moves.iter().map(|&(_, value)| value).max();
    let best = moves.iter().find(|&&(_, it)| Some(it) == value).map(|&(mv, _)| mv);
    Answer { value: value.unwrap_or(value_of_plies(0)), best }
}
