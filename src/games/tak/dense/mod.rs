//! Every position of a small Tak by number, and a layer of them solved at a time.

mod layer;
mod mapping;
mod numbering;
mod shapes;
mod steps;

pub use layer::StoneLayer;
pub use numbering::{Arrangement, Numbering};
