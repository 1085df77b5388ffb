//! Keyed tables of Collapsi through the library: one by one, many at once, and by any form.

mod harness;

use endtable::games::collapsi::{Board, CollapsiPosition, Rules, Symmetry, Tables, record_board};
use endtable::games::{self, Detail};
use endtable::random::SplitMix64;
use endtable::table::Options;
use harness::project;
use harness::tables::open_collapsi;

/// Boards of the shipped table, in no order, and some that it does not have.
fn boards() -> Vec<Board> {
    let tables = open_collapsi(&[project("data")]);
    let table = &tables.set().tables()[0];
    let mut random = SplitMix64::new(5);
    let mut boards: Vec<Board> = (0..2_000)
        .map(|_| table.records_from(random.below(table.len())).next().unwrap().unwrap())
        .map(|record| record_board(&record, tables.codec()).unwrap().unwrap())
        .collect();
    boards.extend((100..200).map(endtable::games::collapsi::deal_from_seed));
    for number in 0..boards.len() {
        boards.swap(number, random.below(2_100) as usize);
    }
    boards
}

#[test]
fn many_at_once_are_answered_as_one_by_one() {
    let tables = Tables::open(&[project("data")], None).unwrap();
    let mut random = SplitMix64::new(6);
    let mut boards = boards();
    boards.extend(
        boards
            .clone()
            .iter()
            .map(|board| board.image(Symmetry::all().nth(random.below(384) as usize).unwrap())),
    );
    let answers = tables.probe_many(&boards.iter().collect::<Vec<_>>());
    let found = answers.iter().filter(|answer| answer.as_ref().unwrap().is_some()).count();
    assert_eq!(found, 4_000);
    for (board, answer) in boards.iter().zip(answers) {
        let answer = answer.unwrap();
        assert_eq!(answer, tables.probe(board).unwrap(), "{board}");
        let Some(answer) = answer else { continue };
        // The lowest destination of all that are as good, however the board lies.
        let moves = tables.moves(board).unwrap();
        let best = moves.iter().find(|(_, value)| *value == Some(answer.value));
        assert_eq!(answer.best, best.map(|(mv, _)| *mv), "{board}");
    }
}

#[test]
fn of_many_only_those_in_a_damaged_block_fail() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.etb");
    let mut bytes = std::fs::read(project("data").join("collapsi-one-seeds-0-2.etb")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let sound = Tables::open(&[project("data")], None).unwrap();
    let damaged = Tables::open(&[path], None).unwrap();
    let boards = boards();
    let boards: Vec<&Board> = boards.iter().collect();
    let answers = damaged.probe_many(&boards);
    let failed = answers.iter().filter(|answer| answer.is_err()).count();
    assert!((1..1_000).contains(&failed), "{failed}");
    for (answer, expected) in answers.into_iter().zip(sound.probe_many(&boards)) {
        if let Ok(answer) = answer {
            assert_eq!(answer, expected.unwrap());
        }
    }
}

#[test]
fn both_doors_give_the_same_answer() {
    let typed = Tables::open(&[project("data")], None).unwrap();
    let options = Options::default();
    let any = games::open(&[project("data")], &options).unwrap();
    for board in boards() {
        let position = any.position(&board.to_hex(), &options).unwrap();
        let answer = any.probe(&*position, Detail::Moves).unwrap();
        let found = typed.probe(&board).unwrap();
        assert_eq!(answer.is_some(), found.is_some(), "{board}");
        if let (Some(answer), Some(found)) = (answer, found) {
            assert_eq!(answer.worth.to_string(), found.value.to_string(), "{board}");
            let best = found.best.map(|mv| mv.to_string());
            assert_eq!(answer.best(), best.as_deref(), "{board}");
            let moves = typed.moves(&board).unwrap();
            assert_eq!(answer.moves.len(), moves.len(), "{board}");
        }
    }
}

#[test]
fn a_position_of_another_rule_is_refused() {
    let any = games::open(&[project("data")], &Options::default()).unwrap();
    let board = boards()[0];
    let wild = CollapsiPosition { board, rules: Rules::Wild, folded: false };
    let error = any.probe(&wild, Detail::Best).unwrap_err().to_string();
    assert!(error.contains("wild") && error.contains("one"), "{error}");
    let error = Tables::open(&[project("data")], Some(Rules::Wild)).unwrap_err().to_string();
    assert!(error.contains("the tables are of the rule one"), "{error}");
}
