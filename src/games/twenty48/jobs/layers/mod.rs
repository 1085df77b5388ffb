//! Jobs that go through layers: what is found and solved, how it is kept, and by sorting.
//!
//! Boards fall into layers by the sum of their tiles, which grows by 2 or 4 every turn. Forward, each
//! layer is found from the two before it; backward, each is solved from the two behind it; then the
//! records of all layers become one table. How a layer is found and solved is a kernel's business:
//! [`sorted`] does it for boards of any kind. What stays in memory, and what goes to the disk, is the
//! [`driver`]'s.

pub mod answers;
pub mod driver;
pub mod group_files;
pub mod groups;
pub mod kernel;
pub mod rows;
pub mod sorted;
pub mod sorted_groups;

use crate::games::twenty48::Board;
use crate::solve::layered::Solved;
use crate::table::{Meta, Table, TableError};

/// What a job solves: everything that follows from some boards, in canonical form.
pub trait Domain: Sync {
    /// Whether a layer may be empty and one behind it not.
    const HAS_GAPS: bool;

    /// What it begins with.
    fn starts(&self) -> &[Board];

    /// The sum of a board's tiles, as far as it tells its layer.
    fn sum_of(&self, board: Board) -> u32;

    /// The smallest sum of the starts.
    fn first_sum(&self) -> u32;

    /// How many layers there can be.
    fn most_layers(&self) -> u64;

    /// The code that a table has for a board.
    fn code(&self, board: Board) -> u64;

    /// The board of a code.
    ///
    /// # Errors
    /// Says why there is none.
    fn board(&self, code: u64) -> Result<Board, String>;

    /// The boards that follow those of a layer, in the next layer and in the one behind it, not
    /// sorted, some of them more than once.
    fn expand(&self, layer: &[u64]) -> [Vec<u64>; 2];

    /// Values the boards of a layer. `value` is asked for boards of the two layers behind it, 0 and 1;
    /// `None` if it does not know one.
    fn solve(
        &self,
        layer: &[u64],
        value: impl Fn(usize, u64) -> Option<f64> + Sync,
    ) -> Option<Vec<Solved>>;

    /// What a record says besides the value.
    fn meta(value: f64, best: Option<u8>) -> Meta;

    /// A value as the table stores it.
    fn stored(&self, value: f64) -> u64;

    /// The sum of a layer, of which 0 is the first.
    fn sum(&self, layer: u64) -> u32 {
        self.first_sum() + 2 * layer as u32
    }

    /// The layer of a board.
    fn layer(&self, board: Board) -> u64 {
        u64::from(self.sum_of(board).saturating_sub(self.first_sum()) / 2)
    }

    /// The board of a code that a shard holds.
    ///
    /// # Errors
    /// When it is none.
    fn board_in(&self, code: u64, shard: &Table) -> Result<Board, TableError> {
        let inconsistent = |what| TableError::Inconsistent { path: shard.path().into(), what };
        self.board(code).map_err(inconsistent)
    }

    /// The layer of a board that a shard holds.
    ///
    /// # Errors
    /// When it is none.
    fn layer_in(&self, code: u64, shard: &Table) -> Result<u64, TableError> {
        self.board_in(code, shard).map(|board| self.layer(board))
    }
}
