//! `stats`: what fits a screen, everything, as objects, as a picture; each position counted once.

mod harness;

use std::fs;
use std::path::Path;
use std::process::Command;

use endtable::table::{Table, merge};
use harness::commands::{
    generate_2048, generate_complete, generate_seeds, merge as merge_tables, stats,
};
use harness::process::Process;
use harness::{folder, lasting_folder};
use serde_json::Value;

fn in_folder(folder: &Path, command: &mut Command) -> String {
    command.current_dir(folder).run().printed()
}

/// The object that `stats --json` prints for each set.
fn objects(folder: &Path, tables: &[&str]) -> Vec<Value> {
    let mut command = stats(tables[0]);
    command.args(&tables[1..]).arg("--json");
    let printed = in_folder(folder, &mut command);
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Two tables that share positions, another game's, and a complete set.
fn made() -> std::path::PathBuf {
    let folder = lasting_folder("stats");
    in_folder(&folder, &mut generate_seeds("0..2", "a.etb"));
    in_folder(&folder, &mut generate_seeds("1..3", "b.etb"));
    in_folder(&folder, &mut generate_2048("2x3", "score", "c.etb"));
    in_folder(&folder, &mut generate_complete(7, "complete"));
    folder
}

#[test]
fn every_kind_is_counted_once_and_fits_a_screen() {
    let folder = made();
    positions_that_tables_share_are_counted_once(&folder);
    what_is_printed_fits_a_screen_and_all_is_more(&folder);
    tables_of_different_kinds_are_counted_apart(&folder);
    a_file_of_a_complete_set_says_what_it_is(&folder);
    the_picture_has_axes_and_is_xml(&folder);
}

fn positions_that_tables_share_are_counted_once(folder: &Path) {
    let tables = ["a.etb", "b.etb"].map(|name| Table::open(folder.join(name)).unwrap());
    let records: Vec<_> = merge(&tables).collect::<Result<_, _>>().unwrap();
    let twice = tables.iter().map(|table| table.len() as usize).sum::<usize>();
    assert!(records.len() < twice, "the tables share the deal of seed 1");
    let together = objects(folder, &["a.etb", "b.etb"]);
    assert_eq!(together.len(), 1);
    assert_eq!(together[0]["positions"], records.len());
    let won = records.iter().filter(|record| record.meta.value().is_win()).count();
    assert_eq!(
        (&together[0]["won"], &together[0]["lost"]),
        (&won.into(), &(records.len() - won).into())
    );
    for bin in together[0]["by_plies"].as_array().unwrap() {
        let plies = bin["plies"].as_u64().unwrap();
        let there =
            |record: &&endtable::table::Record| u64::from(record.meta.value().plies().0) == plies;
        assert_eq!(bin["count"], records.iter().filter(there).count(), "{plies} plies");
    }
    // The same as of the merged table, and as of a table that is named twice.
    in_folder(folder, &mut merge_tables(&["a.etb", "b.etb"], "merged.etb"));
    let numbers = |mut object: Value| {
        object.as_object_mut().unwrap().remove("tables");
        object
    };
    let merged = objects(folder, &["merged.etb"]).remove(0);
    assert_eq!(numbers(merged.clone()), numbers(together[0].clone()));
    assert_eq!(numbers(objects(folder, &["merged.etb", "a.etb"]).remove(0)), numbers(merged));
    fs::remove_file(folder.join("merged.etb")).unwrap();
}

fn what_is_printed_fits_a_screen_and_all_is_more(folder: &Path) {
    for table in ["a.etb", "c.etb", "complete", "complete/collapsi-05.etd"] {
        let short = in_folder(folder, &mut stats(table));
        assert!(short.lines().count() <= 23, "{table}:\n{short}");
        assert!(short.lines().all(|line| line.chars().count() <= 80), "{table}:\n{short}");
        let all = in_folder(folder, stats(table).arg("--all"));
        assert!(all.lines().count() >= short.lines().count(), "{table}:\n{all}");
    }
    let done = stats("c.etb").current_dir(folder).run();
    assert!(done.stderr.contains("--all"), "{done}");
    assert!(!done.stdout.contains("\nsum 6 "), "{done}");
    let all = in_folder(folder, stats("c.etb").arg("--all"));
    assert!(all.contains("\nsum 6 ") && all.contains("\nvalue 0 to "), "{all}");
    // All counts of one quantity add up to the positions, however wide its lines.
    for text in [in_folder(folder, &mut stats("c.etb")), all] {
        for quantity in ["highest ", "value "] {
            let lines = text.lines().filter(|line| line.starts_with(quantity));
            let counts = lines.map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                words[words.len() - 3].parse::<u64>().unwrap()
            });
            assert_eq!(counts.sum::<u64>(), 21_752, "{quantity}\n{text}");
        }
    }
}

fn tables_of_different_kinds_are_counted_apart(folder: &Path) {
    let all = objects(folder, &[".", "complete"]);
    let games: Vec<&Value> = all.iter().map(|object| &object["game"]).collect();
    assert_eq!(games, ["collapsi", "2048", "collapsi"]);
    assert_eq!(all[0]["tables"], serde_json::json!(["./a.etb", "./b.etb"]));
    assert_eq!(all[1]["positions"], 21_752);
    let start = all[1]["start"].as_f64().unwrap();
    assert_eq!(start, 480.25827);
    let layers = all[2]["layers"].as_array().unwrap();
    assert_eq!(layers.len(), 6);
    assert_eq!((&layers[5]["layer"], &layers[5]["positions"]), (&7.into(), &16_134_948.into()));
    // The whole set in a heading for each.
    let printed = in_folder(folder, stats(".").arg("complete"));
    assert!(printed.contains("2048, 2x3 score: ./c.etb\n"), "{printed}");
}

fn a_file_of_a_complete_set_says_what_it_is(folder: &Path) {
    let one = objects(folder, &["complete/collapsi-06.etd"]).remove(0);
    let set = objects(folder, &["complete"]).remove(0);
    for field in ["positions", "won", "lost", "by_plies"] {
        assert_eq!(one[field], set["layers"][4][field], "{field}");
    }
    let printed = in_folder(folder, &mut stats("complete/collapsi-06.etd"));
    assert!(printed.starts_with("layer 6 of the complete tables of up to 7 cards\n"), "{printed}");
    // Under another name it is the same layer.
    fs::copy(folder.join("complete/collapsi-06.etd"), folder.join("renamed.etd")).unwrap();
    let renamed = objects(folder, &["renamed.etd"]).remove(0);
    assert_eq!(renamed["by_plies"], one["by_plies"]);
    fs::remove_file(folder.join("renamed.etd")).unwrap();
}

fn the_picture_has_axes_and_is_xml(folder: &Path) {
    for (table, words) in [
        ("a.etb", vec!["plies to the end", ">positions<", "fill=\"#ffffff\""]),
        ("c.etb", vec!["21,752 positions", "highest tile", "sum of the tiles", " – "]),
        (
            "complete",
            vec!["16,134,948", "Share of the positions by plies to the end", "url(#scale)"],
        ),
    ] {
        let svg = format!("{table}.svg");
        in_folder(folder, stats(table).args(["--svg", &svg, "--force"]));
        let drawn = fs::read_to_string(folder.join(svg)).unwrap();
        for word in words {
            assert!(drawn.contains(word), "{table}: no {word}");
        }
        for name in ["text", "title", "svg", "style", "linearGradient"] {
            let opened = drawn.matches(&format!("<{name}>")).count()
                + drawn.matches(&format!("<{name} ")).count();
            assert_eq!(opened, drawn.matches(&format!("</{name}>")).count(), "{table}: {name}");
        }
    }
}

#[test]
fn a_folder_without_tables_and_mixed_sets_are_refused() {
    let folder = folder();
    let said = stats(".").current_dir(&folder).run().failed(3);
    assert!(said.contains("*.etb"), "{said}");
    in_folder(folder.path(), &mut generate_complete(3, "three"));
    in_folder(folder.path(), &mut generate_complete(4, "four"));
    fs::copy(folder.path().join("four/collapsi-04.etd"), folder.path().join("three/x.etd"))
        .unwrap();
    let said = stats("three").current_dir(&folder).run().failed(2);
    assert!(said.contains("the set they belong to"), "{said}");
}
