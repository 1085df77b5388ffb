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
fn a_file_is_not_replaced_unasked() {
    let folder = with_table("2x2", "score");
    for (command, file) in [
        ("play 2048 --board 2x2 --depth 1 --record games.txt", "games.txt"),
        ("export table.etb --csv --out table.csv", "table.csv"),
        ("stats table.etb --svg table.svg", "table.svg"),
    ] {
        stdout(&endtable(folder.path(), command));
        std::fs::write(folder.path().join(file), "mine").unwrap();
        let refused = endtable(folder.path(), command);
        assert_eq!(refused.status.code(), Some(2), "{command}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("--force replaces it"));
        assert_eq!(std::fs::read_to_string(folder.path().join(file)).unwrap(), "mine");
        stdout(&endtable(folder.path(), &format!("{command} --force")));
        assert_ne!(std::fs::read_to_string(folder.path().join(file)).unwrap(), "mine");
    }
}

#[test]
fn options_of_the_other_game_are_refused() {
    let folder = with_table("2x2", "score");
    stdout(&endtable(
        folder.path(),
        "generate collapsi --seeds 0..1 --positions root --out collapsi.etb",
    ));
    for args in [
        "probe table.etb 2,2/0,0 --rules wild",
        "probe table.etb 2,2/0,0 --fold64",
        "probe collapsi.etb --seed 0 --spawns",
        "solve --board 2,2/0,0 --rules wild",
        "solve --board 2,2/0,0 --verbose",
        "solve --board 2,2/0,0 --fold64",
        "solve --seed 0 --heuristic edges",
        "solve --seed 0 --cut-off 0.1",
        "generate 2048 --board 2x2 --heuristic edges --out other.etb",
    ] {
        let done = endtable(folder.path(), args);
        assert_eq!(done.status.code(), Some(2), "{args}");
    }
    let mixed = endtable(folder.path(), "generate 2048 --board 2x3 --out 2x3.etb");
    assert!(mixed.status.success());
    let mixed = endtable(folder.path(), "merge table.etb 2x3.etb --out both.etb");
    assert_eq!(mixed.status.code(), Some(2));
    let said = String::from_utf8_lossy(&mixed.stderr).into_owned();
    assert!(said.contains("differ in rules: 2x2 score and 2x3 score"), "{said}");
}

/// Asks politely, then waits for the end.
#[cfg(unix)]
#[test]
fn games_that_were_played_are_kept_when_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let play = "play 2048 --board 2x2 --depth 1 --games 1000000000 --threads 2 --record games.txt";
    let child = Command::new(ENDTABLE)
        .args(play.split_whitespace())
        .current_dir(folder.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(said.contains("stopped after "), "{said}");
    let games = std::fs::read_to_string(folder.path().join("games.txt")).unwrap();
    let shown = numbers(&String::from_utf8_lossy(&done.stdout), "games")[0];
    assert!(shown > 0.0 && games.lines().count() as f64 == shown, "{said}");
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
    // No player ever has to move with one tile on the board.
    let (code, _, said) = solve("2,0,0/0,0,0 --tables table.etb --depth 2 --heuristic score");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("is not in the table: searched with score"), "{said}");
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
    let played = endtable(folder.path(), play);
    stdout(&played);
    let said = String::from_utf8_lossy(&played.stderr).into_owned();
    assert!(said.contains("what a search found, not exact values"), "{said}");
    let moves = std::fs::read_to_string(folder.path().join("table")).unwrap();
    let table = endtable::table::Table::open(folder.path().join("one.etb")).unwrap();
    let longest = moves.lines().map(|line| line.rsplit(' ').next().unwrap().len()).sum::<usize>();
    // A position a move, the three last ones, and few that come up twice.
    assert!(table.len() as usize <= longest + 3, "{} {longest}", table.len());
    assert!(table.len() as usize > longest - 100, "{} {longest}", table.len());
    // Tables of one search join, also when they are joined already; those of different ones do not.
    let generate = |args: &str| {
        let args = format!("generate 2048 --board 4x4 --heuristic edges {args}");
        stdout(&endtable(folder.path(), &args));
    };
    generate("--depth 1 --seeds 9..10 --out more.etb");
    generate("--depth 0 --seeds 9..10 --out other.etb");
    stdout(&endtable(folder.path(), "merge one.etb more.etb --out both.etb"));
    stdout(&endtable(folder.path(), "merge both.etb both.etb more.etb --out all.etb"));
    for other in ["more.etb", "both.etb", "all.etb"] {
        let mixed = endtable(folder.path(), &format!("merge {other} other.etb --out mixed.etb"));
        assert_eq!(mixed.status.code(), Some(2));
        let said = String::from_utf8_lossy(&mixed.stderr).into_owned();
        assert!(said.contains("differ in their search"), "{said}");
    }
    let refused = endtable(folder.path(), "verify one.etb --full");
    assert_eq!(refused.status.code(), Some(2));
    let missing = endtable(folder.path(), "generate 2048 --board 4x4 --depth 3 --out x.etb");
    assert!(String::from_utf8_lossy(&missing.stderr).contains("--seeds"));
}
