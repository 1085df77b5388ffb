//! The examples of the documents are run as they stand, and must print what is said.

mod harness;

use harness::documents::{Example, examples};
use harness::folder;
use serde_json::Value;

/// Runs the examples of a document, all in one folder, so that one may use a file that an earlier one
/// made.
fn check(document: &str) {
    let folder = folder();
    for example in examples(document) {
        let done = example.run(folder.path());
        assert!(done.status.success(), "{}: {done}", example.place);
        assert_eq!(done.stdout, example.output, "{}: {done}", example.place);
    }
}

#[test]
fn the_examples_of_the_readme() {
    check("README.md");
}

#[test]
fn the_examples_of_the_guide() {
    check("docs/GUIDE.md");
}

/// Fields whose values are another machine's or another day's: only their kind is compared.
const VARYING: [&str; 4] = ["seconds", "core_seconds", "generator", "moves_per_second"];

/// Whether a value is the one that was expected, varying fields aside.
fn agrees(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            let fields = expected.iter().zip(found.values());
            let mut agreeing = fields.map(|((name, expected), found)| {
                let same_kind = std::mem::discriminant(expected) == std::mem::discriminant(found);
                same_kind && (VARYING.contains(&name.as_str()) || agrees(expected, found))
            });
            expected.keys().eq(found.keys()) && agreeing.all(|agrees| agrees)
        }
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len()
                && expected.iter().zip(found).all(|(expected, found)| agrees(expected, found))
        }
        (expected, found) => expected == found,
    }
}

/// The objects among some lines.
fn objects(text: &str) -> Vec<Value> {
    let lines = text.lines().filter(|line| line.starts_with('{'));
    lines.map(|line| serde_json::from_str(line).expect("an object")).collect()
}

/// Below each command stand the objects of standard output, then those of standard error.
#[test]
fn the_examples_of_the_objects() {
    let folder = folder();
    for example in examples("docs/JSON.md") {
        let done = example.run(folder.path());
        let found = objects(&format!("{}{}", done.stdout, done.stderr));
        let Example { place, output, .. } = example;
        let expected = objects(&output);
        assert_eq!(expected.len(), output.lines().count(), "{place}: not an object a line");
        assert!(agrees(&expected.into(), &found.into()), "{place}: {done}");
    }
}
