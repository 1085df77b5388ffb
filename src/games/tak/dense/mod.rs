//! Every position of a small Tak by number, and a layer of them solved at a time.

mod arrangement;
mod layer;
mod mapping;
mod numbering;
mod shapes;
mod steps;

pub use arrangement::Arrangement;
pub use layer::StoneLayer;
pub use numbering::Numbering;
pub use shapes::MOST_STONES;
