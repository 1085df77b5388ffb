//! `endtable line`: best play from tables, followed move by move.

mod harness;

use endtable::games::{self, Position};
use endtable::table::Options;
use harness::commands::{endtable, generate_2048};
use harness::process::{Done, Process};
use harness::{folder, project};

/// Runs `line` on a table.
fn line(table: &std::path::Path, words: &[&str]) -> Done {
    endtable().arg("line").arg(table).args(words).run()
}

/// The position after the moves of some lines.
fn follow(game: &str, start: &str, lines: &str) -> Box<dyn Position> {
    let game = games::by_name(game).unwrap();
    let mut position = game.position(start, &Options::default()).unwrap();
    for line in lines.lines() {
        position = position.play(line.split(' ').next().unwrap()).unwrap();
    }
    position
}

#[test]
fn a_line_counts_down_to_the_end() {
    let done = line(&project("data"), &["--seed", "1"]);
    let stderr = done.stderr.clone();
    let lines = done.printed();
    for (number, line) in lines.lines().enumerate() {
        let result = ["win", "loss"][number % 2];
        assert!(line.ends_with(&format!(" {result} {}", 13 - number)), "{line}");
    }
    assert_eq!(lines.lines().count(), 13);
    let last = follow("collapsi", "1", &lines);
    assert_eq!(last.over().as_deref(), Some("x wins"));
    assert_eq!(stderr, format!("endtable: {}: x wins\n", last.text()));
}

#[test]
fn chance_is_drawn_from_a_seed() {
    let folder = folder();
    let table = folder.path().join("2x3.etb");
    generate_2048("2x3", "tile:32", &table).run().printed();
    let start = "2,4,0/0,2,0";
    let of = |seed| line(&table, &[start, "--chance", seed]).printed();
    let lines = of("1");
    assert_eq!(lines, of("1"));
    assert_ne!(lines, of("2"));
    // A move and a new tile by turns; after the last move nothing is to be done.
    let last = follow("2048", start, &lines);
    assert!(last.over().is_some() || last.text().contains('5'), "{}", last.text());
    assert!(lines.lines().next().unwrap().starts_with("down 0.9999"), "{lines}");
    assert!(lines.lines().nth(1).unwrap().contains('@'), "{lines}");
}

#[test]
fn what_is_not_in_the_table_is_said() {
    let message = line(&project("data"), &["--seed", "5"]).failed(1);
    assert!(message.contains("not in the table"), "{message}");
    let message = line(&project("data"), &["nonsense"]).failed(2);
    assert!(message.contains("nonsense: expected a position"), "{message}");
    // Deals only: the line leaves the table after one move, which is still printed.
    let folder = folder();
    let deals = folder.path().join("deals.etb");
    let options = ["--seeds", "0..3", "--positions", "root", "--out"];
    endtable().args(["generate", "collapsi"]).args(options).arg(&deals).run().printed();
    let done = line(&deals, &["--seed", "1"]);
    assert_eq!(done.stdout.lines().count(), 1, "{done}");
    assert!(done.failed(1).contains("not in the table"));
}
