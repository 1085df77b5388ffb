//! What a search of 2048 boards finds, through the program: printed, looked up, kept in tables.

mod harness;
mod twin;

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use endtable::games::twenty48::{Board, Choice, PlayedGame, Search, Size};
use harness::commands::{
    generate_2048, generate_searched, info, merge, play_2048, probe, solve_2048, verify,
};
use harness::folder;
use harness::process::{Done, Process};
use harness::search::{close, heuristic, search, settings};
use harness::tables::open_2048;
use tempfile::TempDir;
use twin::twenty48::Grid;
use twin::twenty48::heuristics::edges;
use twin::twenty48::search::{Expectimax, PlayedOut};

/// Runs a command in a folder.
fn run_in(folder: &TempDir, command: &mut Command) -> Done {
    command.current_dir(folder).run()
}

fn solve(board: &str, options: &str) -> Done {
    solve_2048(board).words(options).run()
}

/// At a glance it is best to go right, two rounds further on to have gone left.
#[test]
fn the_move_and_the_value_are_those_of_the_naive_search() {
    let text = "32,2,4,4/4,64,4,4/4,16,16,32/8,4,32,0";
    let board = Board::parse(text, Size::FULL).unwrap();
    let naive = Expectimax::new(edges, false);
    let mut moves = Vec::new();
    for depth in [0, 1, 2] {
        let options = format!("--depth {depth} --heuristic edges --cut-off 0");
        let printed = solve(text, &options).printed();
        let words: Vec<&str> = printed.split_whitespace().collect();
        let [hex, answer, value] = words[..] else { panic!("{printed}") };
        assert_eq!(hex, board.to_string());
        let expected = naive.moves(&Grid::new(board, Size::FULL), depth);
        let best = expected.into_iter().flatten().fold(0.0, f64::max);
        assert!(close(value.parse().unwrap(), best), "{printed}: {expected:?}");
        let direction = expected.iter().position(|&value| value == Some(best)).unwrap();
        assert_eq!(answer, format!("01{direction:02x}"), "{expected:?}");
        moves.push(direction);
        // In hex as in rows.
        assert_eq!(solve(hex, &options).printed(), printed);
    }
    assert_eq!((moves[0], moves[2]), (1, 3), "the depth decides");
}

#[test]
fn a_board_is_looked_up_before_it_is_searched() {
    let folder = folder();
    run_in(&folder, &mut generate_2048("2x3", "score", "table.etb")).printed();
    let solve = |board: &str, options: &str| {
        run_in(&folder, solve_2048(board).words("--tables table.etb").words(options))
    };
    let looked_up = solve("16,8,4/2,2,0", "");
    assert_eq!(looked_up.stderr, "");
    let probed = run_in(&folder, probe("table.etb").arg("16,8,4/2,2,0")).printed();
    assert_eq!(looked_up.printed(), probed);
    // No player ever has to move with one tile on the board. Every board that follows is in the
    // table, so that a search of one round is exact.
    let done = solve("2,0,0/0,0,0", "--depth 1 --heuristic score");
    assert!(done.stderr.contains("is not in the table: searched with score"), "{done}");
    let searched = done.printed();
    let value: f64 = searched.split_whitespace().nth(2).unwrap().parse().unwrap();
    let board = Board::parse("2,0,0/0,0,0", "2x3".parse().unwrap()).unwrap();
    let exact = PlayedOut::score().value(&Grid::new(board, "2x3".parse().unwrap()));
    assert!(close(value, exact), "{searched}: {exact}");
}

#[test]
fn what_cannot_be_searched_is_said() {
    let over = solve("2,4,2/4,2,4", "--depth 3 --heuristic sum");
    assert!(over.stderr.contains("the game is over"), "{over}");
    assert_eq!(over.printed(), "0000000002120121 00ff 0\n");
    let said = solve("1000", "--board 2x3").failed(2);
    assert!(said.contains("outside of the 2x3 board"), "{said}");
}

/// The games of seeds, with what the search found on the canonical form of each of their boards.
fn played(
    seeds: std::ops::Range<u64>,
    search: &Search,
) -> (Vec<PlayedGame>, BTreeMap<Board, Choice>) {
    let (size, mut found) = (Size::FULL, BTreeMap::new());
    let play = |seed| {
        let mut game = PlayedGame::new(seed, size);
        loop {
            let board = game.board().nybbles();
            let symmetry = board.to_canonical(size);
            let canonical = symmetry.board(board, size);
            let Some(choice) = search.best(canonical) else { return game };
            found.insert(canonical, choice);
            game.play(symmetry.direction_before(choice.direction));
        }
    };
    (seeds.map(play).collect(), found)
}

#[test]
fn a_table_of_searched_games_holds_what_the_search_found() {
    let folder = folder();
    let generate = |threads: u32, out: &str| {
        let options = format!("--heuristic edges --depth 1 --seeds 4..7 --threads {threads}");
        run_in(&folder, &mut generate_searched("4x4", &options, out)).printed();
        fs::read(folder.path().join(out)).unwrap()
    };
    assert!(generate(1, "one.etb") == generate(2, "two.etb"), "threads show in the file");
    let (games, found) = played(4..7, &search(&settings(&heuristic("edges"), Size::FULL, 1)));
    let tables = open_2048(&folder.path().join("one.etb"));
    for (&board, choice) in &found {
        let stored = tables.probe(board).unwrap().unwrap_or_else(|| panic!("{board} is missing"));
        assert_eq!(stored.value, f64::from(choice.value as f32), "{board}");
        assert_eq!(stored.best, Some(choice.direction), "{board}");
    }
    for game in &games {
        let last =
            tables.probe(game.board().nybbles()).unwrap().expect("the last board is there, too");
        assert_eq!((last.value, last.best), (0.0, None));
    }
    assert_eq!(tables.set().tables()[0].len() as usize, found.len() + games.len());
    // Played from the table, with a search that would play otherwise, they are the same games.
    let options = "--seed 4 --games 3 --depth 0 --heuristic sum";
    let mut from_table = play_2048();
    from_table.words(options).words("--tables one.etb --record from-table");
    let done = run_in(&folder, &mut from_table);
    assert!(done.stderr.contains("what a search found, not exact values"), "{done}");
    done.printed();
    run_in(&folder, play_2048().words(options).words("--record searched")).printed();
    let recorded = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let expected: String = games.iter().map(|game| format!("{}\n", game.record())).collect();
    assert_eq!(recorded("from-table"), expected);
    assert_ne!(recorded("searched"), expected);
}

#[test]
fn tables_of_searched_games_name_their_search_and_join_only_with_their_like() {
    let folder = folder();
    let generate = |options: &str, out: &str| {
        let options = format!("--heuristic edges {options}");
        run_in(&folder, &mut generate_searched("4x4", &options, out)).printed();
    };
    generate("--depth 1 --seeds 8..9", "one.etb");
    generate("--depth 1 --seeds 9..10", "more.etb");
    generate("--depth 0 --seeds 9..10", "other.etb");
    let info = run_in(&folder, &mut info("one.etb")).printed();
    assert!(info.contains("rules        4x4 search"), "{info}");
    assert!(info.contains("--depth 1 --heuristic edges --cut-off 0.0001"), "{info}");
    let merge = |tables: &[&str], out: &str| run_in(&folder, &mut merge(tables, out));
    merge(&["one.etb", "more.etb"], "both.etb").printed();
    // Also when they are joined already.
    merge(&["both.etb", "both.etb", "more.etb"], "all.etb").printed();
    for other in ["more.etb", "both.etb", "all.etb"] {
        let said = merge(&[other, "other.etb"], "mixed.etb").failed(2);
        assert!(said.contains("differ in their search"), "{said}");
    }
    // Their values are no backups of each other.
    run_in(&folder, &mut verify("all.etb")).printed();
    run_in(&folder, verify("all.etb").arg("--full")).failed(2);
    let said = run_in(&folder, &mut generate_searched("4x4", "--depth 3", "x.etb")).failed(2);
    assert!(said.contains("--seeds"), "{said}");
}
