//! 2048 on small boards: counts and values against published ones, against games played out, and
//! against themselves.

mod harness;
mod twin;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use endtable::games::twenty48::{Board, Direction, Size, Symmetry, Tables};
use endtable::random::SplitMix64;
use endtable::table::{Meta, Record, Table, Writer};
use endtable::value::{Plies, Value};
use harness::commands::{generate_2048, play_2048, probe, stats, verify};
use harness::folder;
use harness::process::Process;
use harness::search::{exact, heuristic, search};
use harness::tables::open_2048;
use tempfile::TempDir;
use twin::twenty48::Grid;
use twin::twenty48::search::PlayedOut;

/// A table made by the program, in a folder of its own.
struct Made {
    folder: TempDir,
    tables: Tables,
}

impl Made {
    fn new(size: &str, objective: &str, more: &str) -> Self {
        let folder = folder();
        let out = folder.path().join("table.etb");
        generate_2048(size, objective, &out).words(more).run().printed();
        assert!(!folder.path().join("table.etb.work").exists());
        Self { tables: open_2048(&out), folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("table.etb")
    }

    fn table(&self) -> &Table {
        &self.tables.set().tables()[0]
    }

    fn size(&self) -> Size {
        self.tables.rules().size
    }

    fn boards(&self) -> Vec<Board> {
        let records = self.table().records();
        records.map(|record| self.tables.board(&record.unwrap()).unwrap()).collect()
    }

    fn start(&self) -> f64 {
        self.tables.start().unwrap().unwrap()
    }
}

/// States, terminal states and highest tile.
fn counts(made: &Made) -> (usize, usize, u32) {
    let boards = made.boards();
    let over = boards.iter().filter(|board| board.is_over(made.size())).count();
    let highest = boards.iter().map(|board| 1 << board.highest()).max().unwrap();
    (boards.len(), over, highest)
}

fn close(found: f64, published: f64, within: f64) {
    assert!((found - published).abs() <= within, "{found}, published {published}");
}

#[test]
fn published_counts_and_scores() {
    let two_two = Made::new("2x2", "score", "--value f64");
    assert_eq!(counts(&two_two), (110, 36, 32));
    close(two_two.start(), 66.96414946, 5e-9);
    let two_three = Made::new("2x3", "score", "");
    assert_eq!(counts(&two_three), (21_752, 4_484, 128));
    close(two_three.start(), 480.2583, 5e-5);
    // The other way up it is the same game.
    let three_two = Made::new("3x2", "score", "");
    assert_eq!(counts(&three_two), (21_752, 4_484, 128));
    assert!((three_two.start() - two_three.start()).abs() < 1e-9);
}

#[test]
fn published_counts_and_score_of_two_by_four() {
    let made = Made::new("2x4", "score", "");
    assert_eq!(counts(&made), (4_980_767, 892_648, 512));
    close(made.start(), 2641.873, 5e-4);
    // Every record is one step of backup from the records after it.
    verify(made.path()).arg("--full").run().printed();
}

#[test]
fn published_chances() {
    let chance = |size, objective| {
        let made = Made::new(size, objective, "--value f64");
        let unfinished = made.boards();
        let going = unfinished.iter().filter(|board| !board.is_over(made.size())).count();
        (made.start(), going)
    };
    let (sixteen, _) = chance("2x2", "tile:16");
    close(sixteen, 770_009_003.0 / 800_000_000.0, 1e-15);
    let (thirty_two, going) = chance("2x2", "tile:32");
    close(thirty_two, 0.0829, 5e-5);
    assert_eq!(going, 57, "jdleesmiller/twenty48 counts the states of the game to 32");
    close(chance("2x3", "tile:128").0, 0.0570, 5e-5);
    close(chance("2x4", "tile:256").0, 0.8698, 5e-5);
    close(chance("2x4", "tile:512").0, 0.0246, 5e-5);
}

#[test]
fn every_value_is_that_of_the_game_played_out() {
    for (size, objective, mut naive) in [
        ("2x2", "score", PlayedOut::score()),
        ("2x2", "tile:16", PlayedOut::tile(16)),
        ("2x3", "score", PlayedOut::score()),
        ("2x3", "tile:64", PlayedOut::tile(64)),
    ] {
        let made = Made::new(size, objective, "--value f64");
        for board in made.boards() {
            let value = naive.value(&Grid::new(board, made.size()));
            let found = made.tables.probe(board).unwrap().unwrap();
            assert!(
                (found.value - value).abs() <= 1e-12 * value.max(1.0),
                "{board} {found:?} {value}"
            );
            assert_eq!(found.win, value > 0.0, "{board}");
            let moves = made.tables.moves(board).unwrap();
            assert_eq!(found.best.is_none(), board.is_over(made.size()), "{board}");
            if let Some(best) = found.best {
                let best = moves[best as usize].unwrap().value.unwrap();
                assert!((best - value).abs() <= 1e-12 * value.max(1.0), "{board}");
            }
        }
    }
}

#[test]
fn search_beyond_the_end_of_the_game_gives_the_value_of_the_table() {
    for (size, least_sum) in [("2x2", 0), ("2x3", 190)] {
        let made = Made::new(size, "score", "--value f64");
        let search = search(&exact(&heuristic("score"), made.size(), 60));
        let late = made.boards().into_iter().filter(|board| board.sum() >= least_sum);
        let late: Vec<Board> = late.filter(|board| !board.is_over(made.size())).collect();
        assert!(late.len() > 70, "{size}: {}", late.len());
        for board in late {
            let value = made.tables.probe(board).unwrap().unwrap().value;
            let found = search.best(board).unwrap().value;
            assert!((found - value).abs() <= 1e-5 * value.max(1.0), "{board}: {found}, {value}");
        }
    }
}

#[test]
fn any_orientation_gets_the_same_answer() {
    let made = Made::new("2x3", "score", "");
    let mut random = SplitMix64::new(1);
    let boards = made.boards();
    for _ in 0..2_000 {
        let board = boards[random.below(boards.len() as u64) as usize];
        let found = made.tables.probe(board).unwrap().unwrap();
        for symmetry in Symmetry::all(made.size()) {
            let image = symmetry.board(board, made.size());
            let there = made.tables.probe(image).unwrap().unwrap();
            assert_eq!((there.win, there.value), (found.win, found.value));
            // The best move is legal in this orientation, and worth as much.
            if let Some(best) = there.best {
                let value =
                    made.tables.moves(image).unwrap()[best as usize].unwrap().value.unwrap();
                assert!((value - found.value).abs() <= 1e-5 * found.value.max(1.0), "{image}");
            }
        }
    }
}

#[test]
fn one_start_gives_what_follows_from_it() {
    let text = "64,32,16/2,2,0";
    let made = Made::new("2x3", "score", &format!("--start {text} --value f64"));
    let all = Made::new("2x3", "score", "--value f64");
    let start = Board::parse(text, made.size()).unwrap();
    let mut boards = BTreeSet::new();
    let mut left = vec![start];
    while let Some(board) = left.pop() {
        if boards.insert(board.canonical(made.size())) {
            let grid = Grid::new(board, made.size());
            let after = Direction::ALL.map(|direction| grid.slide(direction).0);
            let after = after.into_iter().filter(|after| *after != grid);
            left.extend(
                after.flat_map(|it| it.spawns().map(|it| it.0.board()).collect::<Vec<_>>()),
            );
        }
    }
    assert!(boards.len() > 50, "{}", boards.len());
    assert_eq!(made.boards().into_iter().collect::<BTreeSet<_>>(), boards);
    for board in boards {
        assert_eq!(made.tables.probe(board).unwrap(), all.tables.probe(board).unwrap());
    }
    assert_eq!(made.tables.start().unwrap(), None, "the starts of a game are not there");
}

#[test]
fn full_verification_finds_a_wrong_record() {
    let made = Made::new("2x3", "score", "");
    let folder = folder();
    let records: Vec<Record> = made.table().records().map(Result::unwrap).collect();
    let with = |name: &str, number: usize, change: &dyn Fn(&mut Record)| {
        let path = folder.path().join(name);
        let mut writer = Writer::create(&path, made.table().header().description.clone()).unwrap();
        for (there, record) in records.iter().enumerate() {
            let mut record = *record;
            if there == number {
                change(&mut record);
            }
            writer.push(record).unwrap();
        }
        writer.finish().unwrap();
        let done = verify(path).arg("--full").run();
        (done.code(), done.stderr)
    };
    assert_eq!(with("right", usize::MAX, &|_| ()).0, Some(0));
    let valued =
        records.iter().position(|record| f32::from_bits(record.value as u32) > 100.0).unwrap();
    let (code, said) = with("value", valued, &|record| {
        let value = f32::from_bits(record.value as u32) * 1.001;
        record.value = value.to_bits().into();
    });
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("one step of backup gives"), "{said}");
    let best = |record: &Record| record.meta.best_move();
    let (win, loss) = (Value::Win(Plies(0)), Value::Loss(Plies(0)));
    let (code, said) =
        with("win", valued, &|record| record.meta = Meta::new(0, loss, best(record)));
    assert!(matches!(code, Some(1 | 3)), "{said}");
    let (code, said) = with("none", valued, &|record| record.meta = Meta::new(0, win, None));
    assert!(matches!(code, Some(1 | 3)), "{said}");
}

#[test]
fn won_lost_finished_and_absent_boards_are_told_apart() {
    let made = Made::new("2x2", "tile:16", "");
    let probe = |board: &str| {
        let done = probe(made.path()).arg(board).run();
        (done.code(), done.stdout, done.stderr)
    };
    let (code, said, _) = probe("8,4/2,4");
    assert_eq!((code, said.split_whitespace().nth(1)), (Some(0), Some("0100")), "{said}");
    assert_eq!(probe("8,4/2,2").1.split_whitespace().nth(1), Some("0101"));
    let (code, lost, _) = probe("8,2/4,8");
    assert_eq!((code, lost.as_str()), (Some(0), "0000000000320013 00ff 0.0000000000\n"));
    let (code, finished, _) = probe("16,2/0,0");
    assert_eq!((code, finished.as_str()), (Some(0), "0000000000000014 01ff 1.0000000000\n"));
    let (code, line, absent) = probe("8,8/8,2");
    assert_eq!((code, line.as_str()), (Some(1), "0000000000130033 -\n"));
    assert!(absent.contains("not in the table"), "{absent}");
}

#[test]
fn bad_boards_and_objectives_are_refused_with_a_reason() {
    let made = Made::new("2x3", "score", "");
    let probe = |words: &str| {
        let mut command = probe(made.path());
        command.words(words);
        command
    };
    let generate = |size: &str, objective: &str, words: &str| {
        let mut command = generate_2048(size, objective, "x");
        command.words(words);
        command
    };
    let mut missing = stats(made.path());
    missing.arg("missing.etb");
    for (mut command, reason) in [
        (probe("1000"), "outside of the 2x3 board"),
        (probe("8,8,8/8,8,8"), "the tile that came last"),
        (probe("0,0,0/0,0,2"), "two tiles"),
        (probe("128,128,2/0,0,0"), "has room for 1 tiles of 128"),
        (probe("2,4/0,2"), "where the board is 2x3"),
        (probe("--seed 1"), "--seed: not an option of 2048"),
        (probe(""), "name a position"),
        (generate("5x5", "score", ""), "not a board size"),
        (generate("3x3", "tile:3", ""), "not an objective"),
        (generate("2x2", "tile:64", ""), "never seen on a 2x2 board"),
        (generate("3x4", "score", ""), "--force begins all the same"),
        (generate("2x2", "score", "--start 32,32/2,2"), "no game leads to it"),
        (generate("2x2", "score", "--value chance32"), "a score is no chance"),
        (missing, "missing.etb"),
    ] {
        let folder = folder();
        let done = command.current_dir(&folder).run();
        assert!(matches!(done.code(), Some(2 | 3)), "{done}");
        assert!(done.stderr.contains(reason), "{done}");
        assert!(fs::read_dir(&folder).unwrap().next().is_none(), "something is left: {done}");
    }
}

#[test]
fn statistics_and_their_picture() {
    let made = Made::new("2x2", "score", "");
    let svg = made.folder.path().join("stats.svg");
    let said = stats(made.path()).arg("--all").arg("--svg").arg(&svg).run().printed();
    let numbers = |name: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let line = line.unwrap_or_else(|| panic!("no {name}\n{said}"));
        line.split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(["positions", "over", "highest 32"].map(numbers), ["110", "36", "35"]);
    assert!(numbers("start").starts_with("66.9641") && said.contains("\nsum 4 "), "{said}");
    let drawn = fs::read_to_string(svg).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.ends_with("</svg>\n"), "{drawn}");
    // As many bars as highest tiles, each with its share.
    let bars: Vec<&str> = drawn
        .split("<title>highest tile ")
        .skip(1)
        .filter_map(|it| it.split("</title>").next())
        .collect();
    assert_eq!(
        bars,
        [
            "2: 3 positions, 2.73 %",
            "4: 13 positions, 11.82 %",
            "8: 25 positions, 22.73 %",
            "16: 34 positions, 30.91 %",
            "32: 35 positions, 31.82 %"
        ]
    );
}

/// A chance of 1 is a sum that may come out a little higher.
#[test]
fn certain_chances_are_sound() {
    let made = Made::new("2x3", "tile:16", "--value f64");
    verify(made.path()).arg("--full").run().printed();
}

/// Signed with right checksums, but every move that can be illegal is: no game is played for ever.
#[test]
fn a_table_of_moves_that_move_nothing_is_not_played() {
    let made = Made::new("2x2", "score", "");
    let size = made.size();
    let path = made.folder.path().join("forged.etb");
    let mut writer = Writer::create(&path, made.table().header().description.clone()).unwrap();
    for record in made.table().records() {
        let mut record = record.unwrap();
        let board = made.tables.board(&record).unwrap();
        let still = Direction::ALL.into_iter().find(|&it| board.slide(it, size).is_none());
        if let (Some(still), Some(_)) = (still, record.meta.best_move()) {
            record.meta = Meta::new(0, record.meta.value(), Some(still as u16));
        }
        writer.push(record).unwrap();
    }
    writer.finish().unwrap();
    let said = play_2048().words("--board 2x2 --games 3 --tables").arg(&path).run().failed(3);
    assert!(said.contains("moves nothing"), "{said}");
    verify(&path).run().failed(1);
}
