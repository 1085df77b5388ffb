//! Any bytes, read as a table. `cargo +nightly fuzz run reader`, in the folder above.
//!
//! The corpus: tables that `endtable generate collapsi --positions root` made, with the options in
//! their names, and files that are no tables.

#![no_main]

#[path = "../../tests/harness/reader.rs"]
mod reader;
#[path = "../../tests/harness/repair.rs"]
mod repair;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reader::read_both_ways(bytes);
});
