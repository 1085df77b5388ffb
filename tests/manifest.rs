//! What tables ship with, and how `verify` and `info` speak of files and folders of every kind.

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::commands::{
    endtable, generate_2048, generate_complete, generate_seeds, info, probe, verify,
};
use harness::folder;
use harness::kinds::{Extent, KINDS};
use harness::process::{Done, Process};
use serde_json::Value;
use tempfile::TempDir;

/// A folder with tables of both games and both kinds.
fn tables() -> TempDir {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    generate_complete(4, &folder).run().printed();
    generate_seeds("0..5", path("deals.etb")).words("--positions root").run().printed();
    generate_2048("2x2", "score", path("2x2.etb")).run().printed();
    folder
}

const FILES: [&str; 5] =
    ["2x2.etb", "collapsi-02.etd", "collapsi-03.etd", "collapsi-04.etd", "deals.etb"];

fn manifest(folder: &Path) -> Command {
    let mut command = endtable();
    command.arg("manifest").arg(folder);
    command
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

/// The objects that a command prints, one a line.
fn objects(done: &Done) -> Vec<Value> {
    done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Changes a byte of a file's first block.
fn damage(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let header = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) as usize;
    bytes[header] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_manifest_says_what_the_tables_are() {
    let folder = tables();
    let printed = manifest(folder.path()).run().printed();
    assert!(printed.ends_with(": 5 tables in manifest.json and SHA256SUMS\n"), "{printed}");
    let lists = [read(&folder, "manifest.json"), read(&folder, "SHA256SUMS")];

    let listed: Value = serde_json::from_str(&lists[0]).unwrap();
    let tables = listed["tables"].as_array().unwrap();
    let names: Vec<&str> = tables.iter().map(|table| table["file"].as_str().unwrap()).collect();
    assert_eq!(names, FILES);
    let layer = &tables[2];
    assert_eq!(layer["game"], "collapsi");
    assert_eq!(layer["rules"], "one and wild");
    assert_eq!((&layer["kind"], &layer["layer"]), (&"dense".into(), &3.into()));
    assert_eq!(layer["records"], 1386);
    assert_eq!(layer["command"], "endtable generate collapsi --complete --cards 4");
    let deals = &tables[4];
    assert_eq!((&deals["kind"], &deals["positions"]), (&"keyed".into(), &"canonical".into()));
    assert_eq!(deals["records"], 5);
    for table in tables {
        let file = folder.path().join(table["file"].as_str().unwrap());
        assert_eq!(table["bytes"], fs::metadata(file).unwrap().len());
        assert_eq!(table["licence"], "CC0-1.0");
        assert_eq!(table["generator"], concat!("endtable ", env!("CARGO_PKG_VERSION")));
        let sum =
            format!("{}  {}\n", table["sha256"].as_str().unwrap(), table["file"].as_str().unwrap());
        assert!(lists[1].contains(&sum), "{sum}");
    }

    // A program that is not ours agrees.
    let mut sums = Command::new("sha256sum");
    let checked = sums.args(["-c", "SHA256SUMS"]).current_dir(&folder).run().printed();
    assert_eq!(checked, FILES.map(|name| format!("{name}: OK\n")).concat());

    manifest(folder.path()).run().printed();
    assert_eq!([read(&folder, "manifest.json"), read(&folder, "SHA256SUMS")], lists);

    let verified = verify(&folder).run().printed();
    for list in ["manifest.json", "SHA256SUMS"] {
        let path = folder.path().join(list);
        let line = format!("{}: 5 files are as listed\n", path.display());
        assert!(verified.contains(&line), "{verified}");
    }
    for name in FILES {
        let line = format!("{}: ", folder.path().join(name).display());
        assert!(verified.lines().any(|found| found.starts_with(&line)), "{name}: {verified}");
    }
}

#[test]
fn what_is_not_as_listed_is_named() {
    let folder = tables();
    manifest(folder.path()).run().printed();
    let path = |name: &str| folder.path().join(name);
    let lists = [read(&folder, "manifest.json"), read(&folder, "SHA256SUMS")];
    let change = |name: &str, from: &str, to: &str| {
        let text = read(&folder, name);
        assert!(text.contains(from), "{from} in {text}");
        fs::write(path(name), text.replacen(from, to, 1)).unwrap();
    };
    let restore = || {
        fs::write(path("manifest.json"), &lists[0]).unwrap();
        fs::write(path("SHA256SUMS"), &lists[1]).unwrap();
    };
    let says = |code: i32, file: &str, what: &str| {
        let said = verify(&folder).run().failed(code);
        let about = format!("{}: ", path(file).display());
        let named = said.lines().any(|line| line.contains(&about) && line.contains(what));
        assert!(named, "{file} {what}: {said}");
    };

    let hidden = path("2x2.hidden");
    fs::rename(path("2x2.etb"), &hidden).unwrap();
    says(1, "2x2.etb", "manifest.json lists it, but it is not there");
    // Another sound table under its name: of another length, and of the same.
    fs::copy(path("deals.etb"), path("2x2.etb")).unwrap();
    says(1, "2x2.etb", "but manifest.json says");
    fs::remove_file(path("2x2.etb")).unwrap();
    fs::rename(&hidden, path("2x2.etb")).unwrap();

    let deals = fs::read(path("deals.etb")).unwrap();
    generate_seeds("0..5", path("deals.etb"))
        .words("--positions root --rules wild --force")
        .run()
        .printed();
    says(1, "deals.etb", "but SHA256SUMS says");
    fs::write(path("deals.etb"), &deals).unwrap();

    fs::copy(path("2x2.etb"), path("more.etb")).unwrap();
    says(1, "more.etb", "a table that manifest.json does not list");
    says(1, "more.etb", "a table that SHA256SUMS does not list");
    fs::remove_file(path("more.etb")).unwrap();

    change("manifest.json", "\"records\": 1386", "\"records\": 1387");
    says(1, "collapsi-03.etd", "records 1386, but manifest.json says 1387");
    restore();
    change("manifest.json", "\"licence\": \"CC0-1.0\"", "\"licence\": \"mine\"");
    says(1, "2x2.etb", "licence \"CC0-1.0\", but manifest.json says \"mine\"");
    restore();
    let sum = lists[1].split_once(' ').unwrap().0;
    let wrong = "0".repeat(64);
    change("SHA256SUMS", sum, &wrong);
    says(1, "2x2.etb", &format!("sha256 {sum}, but SHA256SUMS says {wrong}"));
    restore();
    change("manifest.json", sum, &wrong);
    says(1, "2x2.etb", &format!("sha256 {sum}, but manifest.json says \"{wrong}\""));
    restore();
    // A list leads nowhere else, and what cannot be read is said.
    change("SHA256SUMS", "  2x2.etb", "  ../2x2.etb");
    says(3, "SHA256SUMS", "line 1: expected 64 hex digits");
    restore();
    change("manifest.json", "\"tables\": [", "\"tables\": ");
    says(3, "manifest.json", "not a list of tables");
    restore();
    // Nothing is said twice, and nothing steers a terminal.
    fs::write(path("SHA256SUMS"), format!("{wrong}  2x2.etb\n{}", lists[1])).unwrap();
    says(3, "SHA256SUMS", "line 2: a file is listed twice");
    restore();
    change("SHA256SUMS", "  2x2.etb", "  \u{1b}[31m2x2.etb");
    says(1, "\\u{1b}[31m2x2.etb", "lists it, but it is not there");
    restore();
    fs::write(path("manifest.json"), "[".repeat(3 << 20)).unwrap();
    let said = verify(&folder).run().failed(3);
    assert!(said.contains("manifest.json: too long for a list"), "{said}");
    restore();
    verify(&folder).run().printed();

    // A damaged table is damaged, and is not the one that is listed.
    damage(&path("deals.etb"));
    says(3, "deals.etb", "block 0 is damaged");
    says(3, "deals.etb", "sha256");
    fs::remove_file(path("manifest.json")).unwrap();
    says(3, "deals.etb", "but SHA256SUMS says");
}

#[test]
fn lists_of_others_are_not_replaced() {
    let folder = tables();
    let path = |name: &str| folder.path().join(name);
    let sum = "0".repeat(64);
    for (name, text) in [
        ("manifest.json", "{\"name\": \"an app\", \"tables\": []}".to_owned()),
        ("manifest.json", "not even JSON".to_owned()),
        ("SHA256SUMS", format!("{sum}  deals.etb\n{sum}  photo.jpg\n")),
    ] {
        fs::write(path(name), &text).unwrap();
        let said = manifest(folder.path()).run().failed(2);
        assert!(said.contains(name) && said.contains("--force replaces it"), "{said}");
        assert_eq!(read(&folder, name), text);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), FILES.len() + 1, "nothing else is left");
        manifest(folder.path()).arg("--force").run().printed();
        verify(&folder).run().printed();
        for list in ["manifest.json", "SHA256SUMS"] {
            fs::remove_file(path(list)).unwrap();
        }
    }
    // An app's manifest does not keep tables from being sound.
    fs::write(path("manifest.json"), "{\"name\": \"an app\"}").unwrap();
    verify(&folder).run().printed();
    fs::remove_file(path("manifest.json")).unwrap();

    // What is damaged is not shipped.
    damage_header(&path("2x2.etb"));
    let said = manifest(folder.path()).run().failed(3);
    assert!(said.contains("2x2.etb"), "{said}");
    assert!(!path("manifest.json").exists() && !path("SHA256SUMS").exists());
    manifest(&path("deals.etb")).run().failed(2);
    fs::create_dir(path("empty")).unwrap();
    manifest(&path("empty")).run().failed(3);
}

fn damage_header(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    bytes[81] ^= 1;
    fs::write(path, bytes).unwrap();
}

/// Two bad tables and a good one, in a folder and by name: each is named, and the worst decides.
#[test]
fn verify_goes_on_after_a_bad_file() {
    let folder = tables();
    let paths: Vec<PathBuf> = FILES.iter().map(|name| folder.path().join(name)).collect();
    damage(&paths[0]);
    damage(&paths[4]);
    // One layer's block, the other's header: the folder cannot be opened as a whole.
    damage(&paths[2]);
    damage_header(&paths[3]);
    let bad = [0, 2, 3, 4];
    let mut by_name = verify(&paths[0]);
    by_name.args(&paths[1..]);
    for mut command in [verify(&folder), by_name] {
        let done = command.run();
        for (number, path) in paths.iter().enumerate() {
            let (path, is_bad) = (path.display(), bad.contains(&number));
            let said = done.stderr.lines().filter(|line| line.contains(&format!("{path}: ")));
            assert_eq!(said.count(), usize::from(is_bad), "{path}: {done}");
            assert_eq!(done.stdout.contains(&format!("{path}: ")), !is_bad, "{path}: {done}");
        }
        let objects = objects(&command.arg("--json").run());
        assert_eq!(objects.len(), paths.len(), "{objects:?}");
        for object in objects {
            let file = object["file"].as_str().unwrap();
            let number = paths.iter().position(|path| path.display().to_string() == file);
            let is_bad = bad.contains(&number.unwrap());
            assert_eq!(object["sound"], !is_bad, "{object}");
            let text = object[if is_bad { "error" } else { "report" }].as_str().unwrap();
            assert!(!text.is_empty() && !text.contains(file), "{object}");
        }
        done.failed(3);
    }
    // A layer that is missing is named as well.
    fs::remove_file(&paths[1]).unwrap();
    let said = verify(&folder).run().failed(3);
    assert!(said.contains("collapsi-04.etd: ") && said.contains("2x2.etb: "), "{said}");
}

#[test]
fn every_kind_of_table_has_information_and_is_verified() {
    let kinds =
        ["canonical", "exact", "folded", "exact folded", "uncompressed", "dense", "2048 score"];
    for name in kinds {
        let kind = KINDS.iter().find(|kind| kind.name == name).unwrap();
        let sample = kind.sample(Extent::Small);
        let objects = objects(&info(&sample.path).arg("--json").run());
        let [object] = &objects[..] else { panic!("{objects:?}") };
        assert_eq!(object["file"], sample.path.display().to_string());
        assert_eq!(object["records"], sample.records.len());
        assert_eq!(object["bytes"], fs::metadata(&sample.path).unwrap().len());
        assert_eq!(object["kind"], if name == "dense" { "dense" } else { "keyed" });
        // The options are those of the command, which is made of them.
        let options =
            object["options"].as_object().unwrap().iter().map(|(name, value)| match value {
                Value::Bool(true) => format!(" --{name}"),
                value => format!(" --{name} {}", value.as_str().unwrap()),
            });
        let command = format!(
            "endtable generate {}{}",
            object["game"].as_str().unwrap(),
            options.collect::<String>()
        );
        assert_eq!(object["command"], command);
        let verified = verify(&sample.path).run().printed();
        assert!(verified.contains("are sound"), "{verified}");
        let text = info(&sample.path).run().printed();
        assert!(text.contains(&format!("\ncommand      {command}\n")), "{text}");
    }
    let said = info("missing.etb").arg("also-missing.etb").run().failed(3);
    assert!(said.contains("missing.etb") && said.contains("also-missing.etb"), "{said}");
}

/// The file of one layer answers by itself: what it does not have is searched.
#[test]
fn a_layer_answers_by_itself() {
    let folder = folder();
    generate_complete(6, &folder).run().printed();
    let file = folder.path().join("collapsi-05.etd");
    let position = "2x.A./2A3o./..../.... x";
    for rules in ["one", "wild"] {
        let ask = |table: &Path| {
            let mut command = probe(table);
            command.arg(position).words("--moves --rules").arg(rules).run().printed()
        };
        assert_eq!(ask(&file), ask(folder.path()));
    }
    verify(&file).run().printed();
    let said = verify(&file).arg("--full").run().failed(2);
    assert!(said.contains("name the folder"), "{said}");
}
