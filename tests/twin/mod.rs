//! Naive twins of what is clever: rules and searches once more, as a person would write them down
//! from a description. Each shares nothing with the crate but the numbers of its boards.
#![allow(dead_code, reason = "every test takes the part it needs")]

pub mod collapsi;
pub mod tak;
pub mod twenty48;
