//! The examples in docs/FORMAT.md are made anew: their commands must print what the document says,
//! and the files they make must have the bytes of its dumps.

mod harness;

use std::collections::BTreeMap;
use std::fs;

use harness::commands::endtable;
use harness::process::Process;
use harness::{folder, project};

/// What the document's marked blocks hold.
#[derive(Default)]
struct Example {
    /// Commands, each with what it prints.
    commands: Vec<(String, String)>,
    /// For each file, the lines of its dumps: where, and which bytes.
    dumps: BTreeMap<String, Vec<(usize, Vec<u8>)>>,
}

/// Reads the blocks that begin with ```` ```console ```` or ```` ```hexdump FILE ````.
fn example(document: &str) -> Example {
    let mut example = Example::default();
    let mut kind = "";
    for line in document.lines() {
        if let Some(info) = line.strip_prefix("```") {
            kind = info;
        } else if let Some(file) = kind.strip_prefix("hexdump ") {
            example.dumps.entry(file.into()).or_default().push(dump_line(line));
        } else if kind == "console" {
            if let Some(command) = line.strip_prefix("$ ") {
                example.commands.push((command.into(), String::new()));
            } else if let Some((_, output)) = example.commands.last_mut() {
                *output += line;
                *output += "\n";
            }
        }
    }
    example
}

/// `OFFSET: BYTES   MEANING`, the first two in hex, three blanks before the meaning.
fn dump_line(line: &str) -> (usize, Vec<u8>) {
    let parts = line.split_once(": ").and_then(|(at, rest)| Some((at, rest.split_once("   ")?.0)));
    let (at, bytes) = parts.unwrap_or_else(|| panic!("not a line of a dump: {line:?}"));
    let bytes = bytes.split(' ').map(|byte| u8::from_str_radix(byte, 16).expect(line)).collect();
    (usize::from_str_radix(at, 16).expect(line), bytes)
}

#[test]
fn the_examples_are_what_the_program_writes() {
    let document = fs::read_to_string(project("docs/FORMAT.md")).unwrap();
    let Example { commands, dumps } = example(&document);
    let folder = folder();
    for (command, output) in &commands {
        let words = command.strip_prefix("endtable ").expect("only our own program is run");
        let printed = endtable().words(words).current_dir(&folder).run().printed();
        assert_eq!(printed, *output, "{command}");
    }
    let files = ["few.etb", "few.raw", "one.etb", "one.raw", "plain.etb"];
    assert_eq!(dumps.keys().collect::<Vec<_>>(), files);
    for (file, lines) in &dumps {
        let found = fs::read(folder.path().join(file)).unwrap();
        for (at, bytes) in lines {
            let there = found.get(*at..at + bytes.len());
            assert_eq!(there, Some(bytes.as_slice()), "{file} at {at:03x}");
        }
    }
    // These are shown whole from there on, in order, nothing left out.
    for (file, start) in [("one.etb", 0), ("one.raw", 0), ("few.etb", 0x100)] {
        let lines = dumps[file].iter().filter(|(at, _)| *at >= start);
        let shown: Vec<u8> = lines.flat_map(|(_, bytes)| bytes.clone()).collect();
        assert_eq!(shown, fs::read(folder.path().join(file)).unwrap()[start..], "{file}");
    }
}
