//! Games of 2048 through the program: what a table expects comes about; seeds, records and threads.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

const ENDTABLE: &str = env!("CARGO_BIN_EXE_endtable");

fn endtable(folder: &Path, args: &str) -> Output {
    Command::new(ENDTABLE).args(args.split_whitespace()).current_dir(folder).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The numbers on the line that begins so.
fn numbers(text: &str, line: &str) -> Vec<f64> {
    let line = text.lines().find(|it| it.starts_with(line)).unwrap_or_else(|| panic!("{text}"));
    let words = line.split(|c: char| !c.is_ascii_digit() && c != '.');
    words.filter_map(|word| word.parse().ok()).collect()
}

fn with_table(board: &str, objective: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let made = format!("generate 2048 --board {board} --objective {objective} --out table.etb");
    stdout(&endtable(folder.path(), &made));
    folder
}

#[test]
fn the_score_that_a_table_expects_comes_about() {
    let folder = with_table("2x3", "score");
    let play = "play 2048 --board 2x3 --tables table.etb --games 20000 --seed 7";
    let said = stdout(&endtable(folder.path(), play));
    let score = numbers(&said, "score mean");
    let expected = numbers(&said, "the table expects")[0];
    // The interval is two standard errors; twice that is missed once in 16,000 runs, and this
    // seed is always the same run.
    assert!((score[0] - expected).abs() < 2.0 * score[1], "{said}");
    assert!((expected - 480.2583).abs() < 1e-3, "{said}");
}

#[test]
fn the_chance_that_a_table_expects_comes_about() {
    let folder = with_table("2x2", "tile:32");
    let play = "play 2048 --board 2x2 --tables table.etb --games 20000 --seed 3";
    let said = stdout(&endtable(folder.path(), play));
    let reached = numbers(&said, "tile 32");
    let expected = numbers(&said, "the table expects")[1];
    let width = reached[3] - reached[2];
    assert!((reached[1] - expected).abs() < width, "{said}");
}

#[test]
fn a_seed_gives_the_same_games_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    for threads in [1, 3] {
        let play = format!(
            "play 2048 --games 4 --depth 0 --seed 11 --threads {threads} --record {threads}"
        );
        stdout(&endtable(folder.path(), &play));
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("1"), read("3"));
    assert_eq!(read("1").lines().count(), 4);
    assert!(read("1").starts_with("4x4 11 "));
}

#[test]
fn a_recorded_game_plays_again() {
    let folder = tempfile::tempdir().unwrap();
    let said = stdout(&endtable(
        folder.path(),
        "play 2048 --board 3x3 --games 2 --depth 1 --seed 5 --record games.txt",
    ));
    let best = numbers(&said, "score range")[1];
    let last = |number: u32| {
        let replay = format!("play 2048 --replay games.txt --number {number}");
        let listed = stdout(&endtable(folder.path(), &replay));
        listed.lines().last().unwrap().rsplit(' ').next().unwrap().parse::<f64>().unwrap()
    };
    assert_eq!(last(1).max(last(2)), best);
    for (args, reason) in [
        ("play 2048 --replay games.txt --number 3", "has no game 3"),
        ("play 2048 --replay missing.txt", "missing.txt"),
        ("play 2048 --watch", "no terminal"),
        ("play 2048 --heuristic best", "no heuristic"),
        ("play 2048 --cut-off 2", "not from 0 to 1"),
    ] {
        let done = endtable(folder.path(), args);
        assert!(!done.status.success(), "{args}");
        assert!(String::from_utf8_lossy(&done.stderr).contains(reason), "{args}");
    }
    std::fs::write(folder.path().join("games.txt"), "3x3 5 uuuuuuuuuuuuuuuuuuuuuu\n").unwrap();
    let done = endtable(folder.path(), "play 2048 --replay games.txt");
    assert!(String::from_utf8_lossy(&done.stderr).contains("moves nothing"));
}

#[test]
fn a_board_is_searched_or_looked_up() {
    let folder = with_table("2x3", "score");
    let solve = |args: &str| {
        let done = endtable(folder.path(), &format!("solve --board {args}"));
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        (done.status.code(), said, String::from_utf8_lossy(&done.stderr).into_owned())
    };
    // Only one move keeps the pair: the search must see it, in hex as in rows.
    let (code, rows, _) = solve("16,8,4,2/0,0,0,0/0,0,0,0/2,0,0,0 --depth 3 --heuristic edges");
    assert_eq!(code, Some(0), "{rows}");
    let hex = rows.split(' ').next().unwrap().to_owned();
    assert_eq!(solve(&format!("{hex} --depth 3 --heuristic edges")).1, rows);
    let (_, looked_up, _) = solve("16,8,4/2,2,0 --tables table.etb");
    let probed = stdout(&endtable(folder.path(), "probe table.etb 16,8,4/2,2,0"));
    assert_eq!(looked_up, probed);
    let (code, over, said) = solve("2,4,2/4,2,4 --depth 3 --heuristic sum");
    assert_eq!((code, over.as_str()), (Some(0), "0000000002120121 00ff 0\n"));
    assert!(said.contains("the game is over"), "{said}");
    let (code, _, said) = solve("1000 --size 2x3");
    assert_eq!(code, Some(2));
    assert!(said.contains("outside of the 2x3 board"), "{said}");
}

#[test]
fn searched_games_make_a_table_that_plays_them() {
    let folder = tempfile::tempdir().unwrap();
    let generate = |threads: u32, out: &str| {
        let args = format!(
            "generate 2048 --board 4x4 --depth 1 --seeds 4..7 --heuristic edges --threads {threads} --out {out}"
        );
        stdout(&endtable(folder.path(), &args));
        std::fs::read(folder.path().join(out)).unwrap()
    };
    assert!(generate(1, "one.etb") == generate(2, "two.etb"), "threads show in the file");
    let info = stdout(&endtable(folder.path(), "info one.etb"));
    assert!(info.contains("rules        4x4 search"), "{info}");
    assert!(info.contains("--depth 1 --heuristic edges --cut-off 0.0001"), "{info}");
    stdout(&endtable(folder.path(), "verify one.etb"));
    // The same seeds from the table are the same games.
    let play =
        "play 2048 --seed 4 --games 3 --tables one.etb --depth 0 --heuristic sum --record table";
    stdout(&endtable(folder.path(), play));
    let moves = std::fs::read_to_string(folder.path().join("table")).unwrap();
    let table = endtable::table::Table::open(folder.path().join("one.etb")).unwrap();
    let longest = moves.lines().map(|line| line.rsplit(' ').next().unwrap().len()).sum::<usize>();
    // A position a move, the three last ones, and few that come up twice.
    assert!(table.len() as usize <= longest + 3, "{} {longest}", table.len());
    assert!(table.len() as usize > longest - 100, "{} {longest}", table.len());
    let refused = endtable(folder.path(), "verify one.etb --full");
    assert_eq!(refused.status.code(), Some(2));
    let missing = endtable(folder.path(), "generate 2048 --board 4x4 --depth 3 --out x.etb");
    assert!(String::from_utf8_lossy(&missing.stderr).contains("--seeds"));
}
