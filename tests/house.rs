//! The house keeps its order: dependencies point down, and only a game's own folder names it.
//!
//! cli, ffi → games → solve, table, job → value, random. The source is read as text: what stands in
//! comments, examples above all, does not count.

use std::fs;
use std::path::{Path, PathBuf};

use endtable::games;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every Rust file below a path.
fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.into()];
    }
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.flat_map(|path| files(&path)).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "rs"));
    files
}

/// The lines of a file that are code, with their numbers, comments cut off.
fn code(path: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(path).unwrap();
    let lines = (1..).zip(text.lines());
    let code = lines.map(|(number, line)| {
        // Two slashes inside a text are cut off, too: nothing that is looked for stands behind them.
        (number, line.split("//").next().unwrap_or_default().to_owned())
    });
    code.collect()
}

/// The modules of this crate that a file uses, with the lines that do.
fn uses(path: &Path) -> Vec<(usize, String)> {
    let mut used = Vec::new();
    for (number, line) in code(path) {
        for rest in line.split("crate::").skip(1) {
            // `use crate::{a, b}` names several.
            let inner = rest.strip_prefix('{').map_or(rest, |list| list);
            let names =
                if rest.starts_with('{') { inner.split(',').collect() } else { vec![inner] };
            for name in names {
                let module: String =
                    name.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                used.push((number, module));
            }
        }
    }
    used
}

#[test]
fn dependencies_point_down() {
    for (module, may_use) in [
        ("value.rs", &[][..]),
        ("random.rs", &[]),
        ("solve", &["value", "solve"]),
        ("table", &["value", "random", "table"]),
        ("job", &["value", "table", "job"]),
        ("games", &["value", "random", "solve", "table", "job", "games"]),
    ] {
        let files = files(&source().join(module));
        assert!(!files.is_empty(), "nothing is left of {module}");
        for file in files {
            for (line, used) in uses(&file) {
                assert!(
                    may_use.contains(&used.as_str()),
                    "{}:{line} uses {used}, which is not below {module}",
                    file.display()
                );
            }
        }
    }
}

/// What a game is called in code: its folder, and its name in a text.
fn names() -> Vec<String> {
    let folders = fs::read_dir(source().join("games")).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders.filter(|path| path.is_dir());
    let folders = folders.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
    let titles = games::ALL.iter().map(|game| game.name());
    let quoted = titles.flat_map(|name| [format!("\"{name}"), format!(" {name} ")]);
    folders.chain(quoted).collect()
}

#[test]
fn only_a_games_own_folder_names_it() {
    let names = names();
    assert!(names.len() >= 3 * games::ALL.len(), "{names:?}");
    for file in files(&source()) {
        let inside = file.strip_prefix(source()).unwrap();
        let own = inside.starts_with("games")
            || names.iter().any(|name| inside.starts_with(Path::new("cli").join(name)))
            || inside == Path::new("cli/mod.rs");
        if own {
            continue;
        }
        let mut in_tests = false;
        for (number, line) in code(&file) {
            in_tests |= line.contains("#[cfg(test)]");
            let named = names.iter().find(|name| line.to_lowercase().contains(*name));
            assert!(
                in_tests || named.is_none(),
                "{}:{number} names a game: {line}",
                file.display()
            );
        }
    }
}

#[test]
fn every_folder_of_games_is_registered() {
    let folders = fs::read_dir(source().join("games")).unwrap();
    let folders = folders.filter(|entry| entry.as_ref().unwrap().path().is_dir()).count();
    assert_eq!(folders, games::ALL.len());
    for game in games::ALL {
        let again = games::by_name(game.name()).expect("it is found by its name");
        assert_eq!(again.name(), game.name());
    }
}

/// A function that enables instructions the processor does not have is undefined behaviour to call: who
/// makes the token for it asks for every one of them.
#[test]
fn every_instruction_set_that_is_enabled_is_asked_for() {
    let mut enabled = 0;
    for path in files(&source()) {
        let text = fs::read_to_string(&path).unwrap();
        for features in text.split("target_feature(enable = \"").skip(1) {
            let features = features.split('"').next().unwrap_or_default();
            for feature in features.split(',') {
                enabled += 1;
                let asked = format!("is_x86_feature_detected!(\"{feature}\")");
                assert!(text.contains(&asked), "{}: {feature} is not asked for", path.display());
            }
        }
    }
    assert!(enabled > 4, "{enabled}");
}
