//! x
#![allow(missing_docs)]
pub mod games;
pub mod job;
pub mod random;
pub mod solve;
pub mod table;
pub mod value;
