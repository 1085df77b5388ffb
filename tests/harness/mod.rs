//! What the tests share. The names that the program and the library may change stand here: command
//! lines in [`commands`], how tables are made and opened in [`tables`] and [`kinds`].
#![allow(dead_code, reason = "every test takes the part it needs")]

pub mod commands;
pub mod documents;
pub mod every_use;
#[cfg(feature = "serve")]
pub mod http;
pub mod kinds;
pub mod mutate;
pub mod process;
#[cfg(unix)]
pub mod pty;
pub mod reader;
pub mod rebuild;
pub mod repair;
pub mod search;
pub mod tables;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// An empty folder that is removed with the value.
pub fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder")
}

/// An empty folder that stays until the next run: for a static, which is never dropped.
pub fn lasting_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// A file or folder of the project.
pub fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}
