//! Any bytes, signed and used as a table in every way that the commands do. `cargo +nightly fuzz run
//! uses fuzz/corpus/uses fuzz/corpus/reader`, in the folder above.

#![no_main]

#[allow(dead_code, reason = "the layers of complete sets are not fuzzed here")]
#[path = "../../tests/harness/every_use.rs"]
mod every_use;
#[path = "../../tests/harness/repair.rs"]
mod repair;

use std::sync::LazyLock;

use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder"));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    every_use::use_everything(FOLDER.path(), bytes);
});
