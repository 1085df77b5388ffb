//! The examples of documents: commands in fenced blocks, and what stands below them.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use super::commands::PROGRAM;
use super::process::{Done, Process};
use super::project;

/// A command in a block, and the lines below it.
pub struct Example {
    /// The document and the line.
    pub place: String,
    pub command: String,
    pub output: String,
}

/// Every `$ ` command of the blocks of a document that begin with ```` ```console ````. Commands that
/// start with `make` are left out: they build the program and run these very tests, so CI runs them.
pub fn examples(document: &str) -> Vec<Example> {
    let text = fs::read_to_string(project(document)).unwrap();
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    let mut skipping = true;
    for (number, line) in (1..).zip(text.lines()) {
        if line.starts_with("```") {
            inside = line == "```console";
            skipping = true;
        } else if let (true, Some(command)) = (inside, line.strip_prefix("$ ")) {
            skipping = command.split(' ').next() == Some("make");
            if !skipping {
                examples.push(Example {
                    place: format!("{document} line {number}"),
                    command: command.to_owned(),
                    output: String::new(),
                });
            }
        } else if let (true, false, Some(example)) = (inside, skipping, examples.last_mut()) {
            example.output += line;
            example.output += "\n";
        }
    }
    assert!(!examples.is_empty(), "no console block with a command in {document}");
    examples
}

impl Example {
    /// Runs it in a folder, as a reader would who has the program on the path.
    pub fn run(&self, folder: &Path) -> Done {
        let mut shell = Command::new("sh");
        shell.args(["-c", &self.command]).current_dir(folder).env("PATH", search_path()).run()
    }
}

/// The search path with the built program's folder first.
fn search_path() -> OsString {
    let program = Path::new(PROGRAM);
    let folder = program.parent().expect("the program lies in a folder").to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    env::join_paths([folder].into_iter().chain(env::split_paths(&others))).unwrap()
}
