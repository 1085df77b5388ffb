//! The README's examples are run as they stand, and must print what it says.

mod harness;

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use harness::commands::PROGRAM;
use harness::process::Process;
use harness::{folder, project};

/// A command in a console block, and the lines below it.
struct Example {
    line: usize,
    command: String,
    output: String,
}

/// Every `$ ` command of the blocks that begin with ```` ```console ````. Commands that start with
/// `make` are left out: they build the program and run these very tests, so CI runs them.
fn examples(text: &str) -> Vec<Example> {
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
                let command = command.to_owned();
                examples.push(Example { line: number, command, output: String::new() });
            }
        } else if let (true, false, Some(example)) = (inside, skipping, examples.last_mut()) {
            example.output += line;
            example.output += "\n";
        }
    }
    examples
}

/// The search path with the built program's folder first.
fn search_path() -> OsString {
    let program = Path::new(PROGRAM);
    let folder = program.parent().expect("the program lies in a folder").to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    env::join_paths([folder].into_iter().chain(env::split_paths(&others))).unwrap()
}

#[test]
fn the_examples_print_what_the_readme_says() {
    let examples = examples(&fs::read_to_string(project("README.md")).unwrap());
    assert!(!examples.is_empty(), "no console block with a command in README.md");
    // One folder for all, so that an example may use a file that an earlier one made.
    let folder = folder();
    for Example { line, command, output } in examples {
        let mut shell = Command::new("sh");
        shell.args(["-c", &command]).current_dir(&folder).env("PATH", search_path());
        let done = shell.run();
        assert!(done.status.success(), "README.md line {line}: {done}");
        assert_eq!(done.stdout, output, "README.md line {line}: {done}");
    }
}
