//! Tables of small games of Tak: the numbering against boards, the entries against the rules, work that
//! is killed and resumed, and damage.

mod harness;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use endtable::games::tak::{
    Arrangement, Board, Colour, Grid, Kind, LayerTable, Move, Pile, Size, SmallGame, Stack,
    Symmetry, Tables,
};
use endtable::games::{self, Detail};
use endtable::random::SplitMix64;
use endtable::table::{DenseTable, DenseWriter, Options};
use endtable::value::{Plies, Value};
use harness::commands::{Position, endtable, export_csv, generate_tak, probe, stats, verify};
use harness::process::Process;
use harness::{folder, lasting_folder};
use rayon::prelude::*;

/// Tables that are made once for all tests that only read them.
static FOUR_FLATS: LazyLock<PathBuf> = LazyLock::new(|| made(3, 4));
static FIVE_FLATS: LazyLock<PathBuf> = LazyLock::new(|| made(3, 5));
static FOUR_BY_FOUR: LazyLock<PathBuf> = LazyLock::new(|| made(4, 4));
static FIVE_BY_FIVE: LazyLock<PathBuf> = LazyLock::new(|| made(5, 3));

fn made(size: u8, flats: u8) -> PathBuf {
    let folder = lasting_folder(&format!("tak-{size}-{flats}"));
    generate_tak(size, flats, &folder).run().printed();
    folder
}

fn open(folder: &Path) -> Tables {
    Tables::open(&[folder]).unwrap()
}

fn has_position(layer: &LayerTable, number: u64) -> bool {
    layer.table.get(number).unwrap().unwrap() != 0
}

/// The same board with colours exchanged and the other player to move.
fn recoloured<S: Size>(board: &Board<S>) -> Board<S> {
    let mut other = Board::<S>::new(board.rules());
    for square in 0..S::SQUARES {
        let Some(pile) = board.pile(square) else { continue };
        let all = (1_u128 << (pile.height - 1)) - 1;
        let below = S::Stack::from_bits(!pile.below.into() & all);
        other.put(square, Pile { colour: pile.colour.other(), below, ..pile }).unwrap();
    }
    other.set_ply(board.ply() ^ 1);
    other
}

#[test]
fn there_are_as_many_positions_as_arrangements_without_a_road() {
    for (folder, positions) in [(&*FIVE_FLATS, 4_961_567), (&*FOUR_BY_FOUR, 4_684_584)] {
        let counted: serde_json::Value =
            serde_json::from_str(&stats(folder).arg("--json").run().printed()).unwrap();
        assert_eq!(counted["positions"], positions);
    }
}

/// Every number of a position gives a board back that has this number, and so have all of its images, in
/// both colours.
fn check_numbers<S: Size>(tables: &Tables, step: usize) {
    for layer in tables.layers() {
        let numbers = (0..layer.numbering.numbers() as usize).into_par_iter().step_by(step);
        numbers.for_each(|number| {
            let number = number as u64;
            let board = layer.numbering.board::<S>(number);
            assert_eq!(board.is_some(), has_position(layer, number), "{number}");
            let Some(board) = board else { return };
            for symmetry in Symmetry::all() {
                let image = board.image(symmetry);
                for board in [image, recoloured(&image)] {
                    let arrangement = Arrangement::of(&board).unwrap();
                    assert_eq!(layer.numbering.number(&arrangement), Some(number), "{board}");
                }
            }
        });
    }
}

#[test]
fn numbers_and_boards_are_one_to_one() {
    check_numbers::<Grid<3>>(&open(&FOUR_FLATS), 1);
    check_numbers::<Grid<3>>(&open(&FIVE_FLATS), 101);
    check_numbers::<Grid<4>>(&open(&FOUR_BY_FOUR), 101);
    check_numbers::<Grid<5>>(&open(&FIVE_BY_FIVE), 11);
}

/// The examples of the specification.
#[test]
fn numbers_are_as_specified() {
    let text = fs::read_to_string(harness::project("docs/FORMAT.md")).unwrap();
    let mut compared = 0;
    for line in text.lines().filter(|line| line.starts_with("    ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [board, "1", mv, flats, stones, number] = words[..] else { continue };
        let (tps, flats) = (format!("{board} 1 {mv}"), flats.parse().unwrap());
        match board.split('/').count() {
            3 => check_example::<Grid<3>>(&tps, flats, stones, number),
            4 => check_example::<Grid<4>>(&tps, flats, stones, number),
            5 => check_example::<Grid<5>>(&tps, flats, stones, number),
            _ => continue,
        }
        compared += 1;
    }
    assert!(compared >= 5, "{compared} examples");
}

fn check_example<S: Size>(tps: &str, flats: u8, stones: &str, number: &str) {
    let game = SmallGame { size: S::N as u8, flats };
    let numbering = game.numbering(stones.parse().unwrap());
    let board = Board::<S>::from_tps(tps, game.rules()).unwrap();
    let found = numbering.number(&Arrangement::of(&board).unwrap());
    assert_eq!(found, Some(number.parse().unwrap()), "{tps}");
}

/// What follows from the values of the positions after a board's moves, by the rules of the game alone. That
/// every entry does so proves them: a win or a loss tells a line to the end, and what can be won or lost is
/// entered so by induction over its length.
fn check_backup<S: Size>(tables: &Tables, board: &Board<S>) {
    let mut moves: Vec<Move> = Vec::new();
    board.push_moves(&mut moves);
    let after = moves.iter().map(|&mv| {
        let mut after = *board;
        after.make(mv);
        tables.value(&after).unwrap().expect("it is in the tables").before_move()
    });
    assert_eq!(tables.value(board).unwrap(), after.max(), "{board}");
}

fn check_layers<S: Size>(tables: &Tables, step: usize) {
    for layer in tables.layers() {
        let numbers = (0..layer.numbering.numbers() as usize).into_par_iter().step_by(step);
        let boards = numbers.filter_map(|number| layer.numbering.board::<S>(number as u64));
        boards.for_each(|board| check_backup(tables, &board));
    }
}

#[test]
fn every_entry_follows_from_those_after_its_moves() {
    check_layers::<Grid<3>>(&open(&FOUR_FLATS), 1);
    check_layers::<Grid<3>>(&open(&FIVE_FLATS), 37);
    check_layers::<Grid<4>>(&open(&FOUR_BY_FOUR), 37);
    check_layers::<Grid<5>>(&open(&FIVE_BY_FIVE), 5);
    for folder in [&*FIVE_FLATS, &*FOUR_BY_FOUR] {
        let said = verify(folder).arg("--full").run().printed();
        assert_eq!(
            said.matches("follows from those after its moves").count(),
            said.lines().count() / 2
        );
    }
}

#[test]
fn play_begins_at_the_empty_board() {
    let tables = open(&FIVE_FLATS);
    let mut board = Board::<Grid<3>>::new(tables.game().rules());
    let mut value = tables.value(&board).unwrap().unwrap();
    assert_eq!(value, Value::Win(Plies(9)));
    // Best play gets there in as many plies.
    while value.plies().0 > 0 {
        let moves = tables.moves(&board).unwrap();
        let (best, _) = moves.into_iter().find(|(_, it)| *it == Some(value)).unwrap();
        board.make(best);
        let after = tables.value(&board).unwrap().unwrap();
        assert_eq!(after.before_move(), value);
        value = after;
    }
    assert_eq!(board.end().and_then(|end| end.winner()), Some(Colour::White));
}

/// The opponent finishes the road, because everything else is worse or as bad.
#[test]
fn wins_of_even_length_are_there() {
    let tables = open(&FIVE_FLATS);
    let layer = &tables.layers()[0];
    let entry_of_win_in_two = 5;
    let number = (0..layer.numbering.numbers())
        .find(|&number| layer.table.get(number).unwrap() == Some(entry_of_win_in_two))
        .expect("there are some");
    let board = layer.numbering.board::<Grid<3>>(number).unwrap();
    assert_eq!(tables.value(&board).unwrap(), Some(Value::Win(Plies(2))), "{board}");
    for (mv, value) in tables.moves(&board).unwrap() {
        let mut after = board;
        after.make(mv);
        assert_ne!(value, Some(Value::Win(Plies(1))), "{after}");
    }
}

#[test]
fn probes_tell_every_move_and_what_is_not_there() {
    let board = "x3/x,12S,x/1,x2 2 3";
    let said = probe(&*FIVE_FLATS).args([board, "--moves"]).run().printed();
    let mut lines = said.lines();
    assert_eq!(lines.next(), Some("0000000000be7821 black loss 6 b1"));
    assert!(lines.any(|line| line == "move Sb1 loss 6"), "{said}");
    // Two stones of one player and none of the other's cannot come about.
    let absent = probe(&*FIVE_FLATS).arg("x3/1,1,x/x3 1 3").run();
    assert!(absent.stdout.contains(" -") || absent.code() == Some(1), "{absent}");
    // As can no position of other rules.
    let said = probe(&*FIVE_FLATS).args([board, "--flats", "6"]).run().failed(2);
    assert!(said.contains("the tables are of 3x3, 5 flats"), "{said}");
    let said = probe(&*FIVE_FLATS).arg("x4/x4/x4/x4 1 1").run().failed(2);
    assert!(said.contains("a board of 4x4, but the tables are of 3x3"), "{said}");
}

/// A game that is over is answered, too.
#[test]
fn finished_games_are_told() {
    let tables = open(&FIVE_FLATS);
    for (text, value) in [
        ("1,1,1/2,2,x/x3 2 4", Value::Loss(Plies(0))),
        ("1,1,1/2,2,x/x3 1 4", Value::Win(Plies(0))),
    ] {
        let board = Board::<Grid<3>>::from_tps(text, tables.game().rules()).unwrap();
        assert_eq!(tables.value(&board).unwrap(), Some(value), "{text}");
        assert!(tables.moves(&board).unwrap().is_empty());
    }
}

#[test]
fn exports_list_every_position_once() {
    let out = folder();
    let tables = made(3, 3);
    let csv = out.path().join("all.csv");
    export_csv(&tables, &csv).run().printed();
    let text = fs::read_to_string(csv).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("key,result,plies"));
    let keys: HashSet<&str> = lines.map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!((keys.len(), text.lines().count()), (4654, 4655));
    let npy = out.path().join("all.npy");
    let mut command = harness::commands::endtable();
    command.arg("export").arg(&tables).args(["--npy", "--out"]).arg(&npy).run().printed();
    let bytes = fs::read(npy).unwrap();
    assert!(String::from_utf8_lossy(&bytes[..200]).contains("4654"));
}

#[test]
fn the_longest_games_can_be_replayed() {
    let counted: serde_json::Value =
        serde_json::from_str(&stats(&*FIVE_FLATS).arg("--json").run().printed()).unwrap();
    let examples = counted["examples"].as_array().unwrap();
    assert!(!examples.is_empty());
    let tables = games::open(&[&*FIVE_FLATS], &Options::default()).unwrap();
    let longest = counted["by_win"].as_array().unwrap().last().unwrap()["win"].as_u64();
    assert_eq!(examples[0]["plies"].as_u64(), longest);
    for example in examples {
        let text = example["position"].as_str().unwrap();
        let position = tables.position(text, &Options::default()).unwrap();
        let answer = tables.probe(&*position, Detail::Best).unwrap().unwrap();
        let expected = format!("{} {}", example["result"].as_str().unwrap(), example["plies"]);
        assert_eq!(answer.worth.to_string(), expected, "{text}");
    }
}

/// The files of a folder by name.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<(String, Vec<u8>)> = names
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

fn files_there(folder: &Path) -> usize {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "etd")).count()
}

#[test]
fn kills_and_threads_leave_no_trace() {
    let expected = files(&FIVE_FLATS);
    assert_eq!(expected.len(), 7);
    let out = folder();
    let command = || {
        let mut command = generate_tak(3, 5, &out);
        command.args(["--threads", "1"]);
        command
    };
    let mut random = SplitMix64::new(0x7a6b);
    // Killed in every layer, sooner or later.
    for layers in [0, 0, 1, 1, 2, 3, 4, 5] {
        let mut running = command().start();
        running.wait_for(|| files_there(out.path()) >= layers);
        let ended = running.kill_after(Duration::from_millis(random.below(40)));
        // On a quick machine it may have finished before.
        if let Some(status) = ended {
            assert!(status.success(), "{layers} layers: {status}");
            assert!(files(out.path()) == expected, "{layers} layers");
            fs::remove_file(out.path().join("tak-05.etd")).unwrap();
        }
    }
    command().run().printed();
    assert!(files(out.path()) == expected);
    // A kill between the end of a layer and that of its work folder leaves the folder.
    let work = out.path().join("tak-05.etd.work");
    fs::create_dir(&work).unwrap();
    fs::write(work.join("lock"), "").unwrap();
    // With what is there nothing is left to do.
    let said = command().run().printed();
    assert_eq!(said.matches("there").count(), 7, "{said}");
    assert!(files(out.path()) == expected);
}

#[test]
fn ctrl_c_keeps_finished_layers() {
    let out = folder();
    let mut running = generate_tak(3, 6, &out).start();
    assert!(running.wait_for(|| out.path().join("tak-10.etd.work").exists()), "it was too quick");
    let said = running.interrupt().failed(1);
    assert!(said.contains("stopped with 0 of 9 layers done"), "{said}");
    assert_eq!(files_there(out.path()), 0);
}

#[test]
fn a_damaged_layer_is_made_again() {
    let out = folder();
    generate_tak(3, 4, &out).run().printed();
    let expected = files(out.path());
    let path = out.path().join("tak-05.etd");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x40;
    fs::write(&path, bytes).unwrap();
    verify(&out).run().failed(3);
    generate_tak(3, 4, &out).run().printed();
    assert!(files(out.path()) == expected);
    verify(&out).arg("--full").run().printed();
}

#[test]
fn tables_of_other_games_are_not_touched() {
    let out = folder();
    generate_tak(3, 2, &out).run().printed();
    let said = generate_tak(3, 3, &out).run().failed(2);
    assert!(said.contains("--flats 2") && said.contains("--flats 3"), "{said}");
    fs::remove_file(out.path().join("tak-02.etd")).unwrap();
    generate_tak(3, 3, &out).run().printed();
    for (size, flats, said_of) in [(6, 3, "3x3, 4x4 and 5x5"), (3, 9, "2 to 8"), (4, 1, "2 to 5")] {
        let said = generate_tak(size, flats, &out).run().failed(2);
        assert!(said.contains(said_of), "{said}");
    }
}

/// A table whose checksums are right and whose entries are not.
fn with_entry(out: &Path, number: usize, entry: u8) {
    let path = out.join("tak-04.etd");
    let table = DenseTable::open(&path).unwrap();
    let mut entries: Vec<u8> =
        (0..table.blocks()).flat_map(|block| table.block(block).unwrap()).collect();
    entries[number] = entry;
    let description = table.header().description.clone();
    drop(table);
    let mut writer = DenseWriter::create(&path, description, 4).unwrap();
    writer.write(&entries, |entry| entry).unwrap();
    writer.finish().unwrap();
}

#[test]
fn wrong_entries_are_found() {
    let out = folder();
    generate_tak(3, 3, &out).run().printed();
    let table = DenseTable::open(out.path().join("tak-04.etd")).unwrap();
    let entries = table.block(1).unwrap();
    let first = table.block_entries();
    drop(table);
    let find = |wanted: u8| first + entries.iter().position(|&entry| entry == wanted).unwrap();
    let (absent, draw, win) = (find(0), find(1), find(3));
    // A position where there is none, and none where there is one.
    for (number, wrong, right) in [(absent, 1, 0), (draw, 0, 1)] {
        with_entry(out.path(), number, wrong);
        let said = verify(&out).run().failed(3);
        assert!(said.contains(&format!("number {number}")), "{said}");
        with_entry(out.path(), number, right);
    }
    // What can be, but does not follow.
    for (number, wrong, right) in [(draw, 7, 1), (win, 1, 3), (win, 7, 3)] {
        with_entry(out.path(), number, wrong);
        verify(&out).run().printed();
        let said = verify(&out).arg("--full").run().failed(1);
        assert!(said.contains("do not follow from those after their moves"), "{said}");
        with_entry(out.path(), number, right);
    }
    verify(&out).arg("--full").run().printed();
    // A number of plies that no entry has room for.
    with_entry(out.path(), win, 255);
    let said = verify(&out).run().failed(3);
    assert!(said.contains("127 plies"), "{said}");
}

/// A layer by itself answers for its own positions, and says so of others.
#[test]
fn one_layer_answers_for_itself() {
    let path = FIVE_FLATS.join("tak-05.etd");
    let alone = Tables::open(&[&path]).unwrap();
    let all = open(&FIVE_FLATS);
    let layer = &alone.layers()[0];
    let number = (0..).find(|&number| has_position(layer, number)).unwrap();
    let board = layer.numbering.board::<Grid<3>>(number).unwrap();
    assert_eq!(alone.value(&board).unwrap(), all.value(&board).unwrap());
    for ((mv, value), (_, known)) in
        alone.moves(&board).unwrap().into_iter().zip(all.moves(&board).unwrap())
    {
        let stays = mv.kind() != Some(Kind::Flat) && mv.kind() != Some(Kind::Standing);
        assert!(value == known || !stays && value.is_none());
    }
    let said = verify(&path).arg("--full").run().failed(2);
    assert!(said.contains("name the folder"), "{said}");
    verify(&path).run().printed();
}

/// Positions of games in which random moves are made, none of them over, as TPS.
fn random_positions(size: u8, flats: u8, count: usize) -> Vec<String> {
    let options = Options::default().with("flats", flats).with("caps", 0);
    let game = games::by_name("tak").unwrap();
    let empty = vec![format!("x{size}"); size.into()].join("/");
    let start = || game.position(&format!("{empty} 1 1"), &options).unwrap();
    let mut random = SplitMix64::new(u64::from(size));
    let (mut position, mut all) = (start(), HashSet::new());
    while all.len() < count {
        let moves = position.moves();
        position = position.play(&moves[random.below(moves.len() as u64) as usize]).unwrap();
        match position.over() {
            Some(_) => position = start(),
            None => drop(all.insert(position.text())),
        }
    }
    let mut all: Vec<String> = all.into_iter().collect();
    all.sort_unstable();
    all
}

/// The solver looks so far. What it does not decide is longer, or a draw.
const SEARCHED: u64 = 5;

#[test]
fn the_solver_agrees_with_the_tables() {
    for (folder, size, flats) in [(&*FIVE_FLATS, 3, 5), (&*FOUR_BY_FOUR, 4, 4)] {
        let positions = random_positions(size, flats, 20_000);
        let lines = positions.join("\n");
        let solve = format!("solve tak --flats {flats} --caps 0 --plies {SEARCHED} --stdin --json");
        let mut solve_all = endtable();
        solve_all.args(solve.split(' '));
        let answers = |command: &mut Command| -> Vec<serde_json::Value> {
            let printed = command.feed(lines.as_bytes()).printed();
            printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let solved = answers(&mut solve_all);
        let probed = answers(probe(folder).stdin_lines().arg("--json"));
        assert_eq!((solved.len(), probed.len()), (positions.len(), positions.len()));
        let mut decided = 0;
        for (solved, probed) in solved.iter().zip(&probed) {
            if solved["result"] == "unknown" {
                let longer = probed["plies"].as_u64().is_some_and(|plies| plies > SEARCHED);
                assert!(longer || probed["result"] == "draw", "{solved} {probed}");
                continue;
            }
            let known = (&solved["result"], &solved["plies"]);
            assert_eq!(known, (&probed["result"], &probed["plies"]), "{solved} {probed}");
            // Of moves that draw, some may do so by going to and fro for longer than was searched.
            let is_best = |mv| probed["best"].as_array().unwrap().contains(mv);
            assert!(solved["best"].as_array().unwrap().iter().all(is_best), "{solved} {probed}");
            if solved["result"] != "draw" {
                assert_eq!(solved["best"], probed["best"], "{solved} {probed}");
            }
            decided += 1;
        }
        assert!(decided > 5000, "{decided}");
    }
}
