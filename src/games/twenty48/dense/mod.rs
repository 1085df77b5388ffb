//! Whole layers of a board at once, for boards and patterns of up to twelve cells with small tiles.
//!
//! A layer, all positions of one sum, is a row of bits ([`numbering`] says which), and so are the
//! boards that slides leave before a new tile comes, the *afterstates*. Forward, a layer's positions are
//! slid, which sets the bits of its afterstates, and a tile is put on every empty cell of those, which
//! sets bits of the two layers behind. Backward, every afterstate is worth the mean of what the two
//! layers say, and every position its best afterstate. All of it is arrays, and each board is worked on
//! once, whatever its orientation: it has the same number in all.

mod afterstates;
mod behind;
mod bits;
mod numbering;
mod positions;
mod shape;
mod slides;
mod steps;
mod sweep;
mod values;

pub use afterstates::{AfterstateCodes, AfterstateLayers, Backward, Forward};
pub use bits::{Bits, SHARE, Share};
pub use positions::{NumberedLayer, PositionLayers};
pub use steps::WORTH;
pub use sweep::Code;

/// Stands for no direction.
pub const NO_MOVE: u8 = 0xff;
