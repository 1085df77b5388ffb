//! The house keeps its order: dependencies point down, and only a game's own folder names it.
//!
//! cli, serve, ffi → games → solve, table, job → value, random. The source is read as text: what stands in
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
        ("job", &["value", "random", "table", "job"]),
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

/// The folders of games.
fn folders() -> Vec<String> {
    let folders = fs::read_dir(source().join("games")).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders.filter(|path| path.is_dir());
    folders.map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

/// How a game's name begins in a text, or stands in one.
fn titles() -> Vec<String> {
    let titles = games::ALL.iter().map(|game| game.name());
    titles
        .flat_map(|name| [format!("\"{name}\""), format!("\"{name} "), format!(" {name} ")])
        .collect()
}

/// The words of a line of code, in small letters: `one_two` and `OneTwo` are two each.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in line.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && !before.is_uppercase() {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().unwrap().extend(c.to_lowercase());
        }
        before = c;
    }
    words
}

#[test]
fn names_are_told_from_other_words() {
    let line = "self.take(TakBoard, tak_solver::TAKEN, \"Tak\");";
    let found = words(line).into_iter().filter(|word| word == "tak").count();
    assert_eq!(found, 3, "{:?}", words(line));
}

#[test]
fn only_a_games_own_folder_names_it() {
    let (folders, titles) = (folders(), titles());
    assert!(folders.len() == games::ALL.len() && titles.len() >= games::ALL.len());
    for file in files(&source()) {
        let inside = file.strip_prefix(source()).unwrap();
        let of_a_game = |part: &str| {
            let folder = |name: &String| inside.starts_with(Path::new(part).join(name));
            folders.iter().any(folder) || inside == Path::new(part).join("mod.rs")
        };
        let own = inside.starts_with("games") || of_a_game("cli") || of_a_game("serve");
        if own {
            continue;
        }
        let mut in_tests = file.ends_with("tests.rs");
        for (number, line) in code(&file) {
            in_tests |= line.contains("#[cfg(test)]");
            let named = words(&line).iter().any(|word| folders.contains(word))
                || titles.iter().any(|title| line.to_lowercase().contains(title));
            assert!(in_tests || !named, "{}:{number} names a game: {line}", file.display());
        }
    }
}

#[test]
fn every_folder_of_games_is_registered() {
    assert_eq!(folders().len(), games::ALL.len());
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
