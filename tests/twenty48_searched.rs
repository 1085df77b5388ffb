//! What a search of 2048 boards finds, through the program: printed, looked up, kept in tables.

mod harness;

use std::fs;
use std::process::Command;

use endtable::table::Table;
use harness::commands::{
    generate_2048, generate_searched, info, merge, play_2048, probe, solve_2048, verify,
};
use harness::folder;
use harness::process::{Done, Process};
use tempfile::TempDir;

/// Runs a command in a folder.
fn run_in(folder: &TempDir, command: &mut Command) -> Done {
    command.current_dir(folder).run()
}

#[test]
fn a_board_is_searched_or_looked_up() {
    let folder = folder();
    run_in(&folder, &mut generate_2048("2x3", "score", "table.etb")).printed();
    let solve = |board: &str, options: &str| run_in(&folder, solve_2048(board).words(options));
    // Only one move keeps the pair: the search must see it, in hex as in rows.
    let rows = "16,8,4,2/0,0,0,0/0,0,0,0/2,0,0,0";
    let rows = solve(rows, "--depth 3 --heuristic edges").printed();
    let hex = rows.split(' ').next().unwrap().to_owned();
    assert_eq!(solve(&hex, "--depth 3 --heuristic edges").printed(), rows);
    let looked_up = solve("16,8,4/2,2,0", "--tables table.etb").printed();
    let probed = run_in(&folder, probe("table.etb").arg("16,8,4/2,2,0")).printed();
    assert_eq!(looked_up, probed);
    // No player ever has to move with one tile on the board.
    let done = solve("2,0,0/0,0,0", "--tables table.etb --depth 2 --heuristic score");
    assert_eq!(done.code(), Some(0), "{done}");
    assert!(done.stderr.contains("is not in the table: searched with score"), "{done}");
    let over = solve("2,4,2/4,2,4", "--depth 3 --heuristic sum");
    assert!(over.stderr.contains("the game is over"), "{over}");
    assert_eq!(over.printed(), "0000000002120121 00ff 0\n");
    let said = solve("1000", "--size 2x3").failed(2);
    assert!(said.contains("outside of the 2x3 board"), "{said}");
}

#[test]
fn searched_games_make_a_table_that_plays_them() {
    let folder = folder();
    let generate = |options: &str, out: &str| {
        let options = format!("--heuristic edges {options}");
        run_in(&folder, &mut generate_searched(&options, out)).printed();
        fs::read(folder.path().join(out)).unwrap()
    };
    let one = generate("--depth 1 --seeds 4..7 --threads 1", "one.etb");
    let two = generate("--depth 1 --seeds 4..7 --threads 2", "two.etb");
    assert!(one == two, "threads show in the file");
    let info = run_in(&folder, &mut info("one.etb")).printed();
    assert!(info.contains("rules        4x4 search"), "{info}");
    assert!(info.contains("--depth 1 --heuristic edges --cut-off 0.0001"), "{info}");
    run_in(&folder, &mut verify("one.etb")).printed();
    // The same seeds from the table are the same games.
    let options = "--seed 4 --games 3 --tables one.etb --depth 0 --heuristic sum --record table";
    let played = run_in(&folder, play_2048().words(options));
    assert!(played.stderr.contains("what a search found, not exact values"), "{played}");
    played.printed();
    let moves = fs::read_to_string(folder.path().join("table")).unwrap();
    let table = Table::open(folder.path().join("one.etb")).unwrap();
    let longest = moves.lines().map(|line| line.rsplit(' ').next().unwrap().len()).sum::<usize>();
    // A position a move, the three last ones, and few that come up twice.
    assert!(table.len() as usize <= longest + 3, "{} {longest}", table.len());
    assert!(table.len() as usize > longest - 100, "{} {longest}", table.len());
    // Tables of one search join, also when they are joined already; those of different ones do not.
    generate("--depth 1 --seeds 9..10", "more.etb");
    generate("--depth 0 --seeds 9..10", "other.etb");
    let merge = |tables: &[&str], out: &str| run_in(&folder, &mut merge(tables, out));
    merge(&["one.etb", "more.etb"], "both.etb").printed();
    merge(&["both.etb", "both.etb", "more.etb"], "all.etb").printed();
    for other in ["more.etb", "both.etb", "all.etb"] {
        let said = merge(&[other, "other.etb"], "mixed.etb").failed(2);
        assert!(said.contains("differ in their search"), "{said}");
    }
    run_in(&folder, verify("one.etb").arg("--full")).failed(2);
    let said = run_in(&folder, &mut generate_searched("--depth 3", "x.etb")).failed(2);
    assert!(said.contains("--seeds"), "{said}");
}
