//! Tables through the traits: answers in every orientation, checks, statistics, refusals.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use super::*;
use crate::games::twenty48::jobs::tests::{exact, made, searched};
use crate::games::twenty48::{Direction, Twenty48Position};
use crate::games::{self, Answer, Check, Detail, GameError, MoveAnswer, Position, Watch};
use crate::job::Quiet;
use crate::random::SplitMix64;
use crate::table::{Meta, Options, Writer};
use crate::value::{Plies, Value};

/// What tables say of a board that is written so.
fn ask(tables: &dyn games::Tables, text: &str, detail: Detail) -> Option<Answer> {
    let position = tables.position(text, &Options::default()).unwrap();
    tables.probe(&*position, detail).unwrap()
}

/// Boards of a table, chosen at random.
fn some_boards(tables: &Tables, count: usize) -> Vec<Board> {
    let records: Vec<Record> = tables.set().tables()[0].records().map(Result::unwrap).collect();
    let mut random = SplitMix64::new(1);
    let mut board = || {
        let number = random.below(records.len() as u64) as usize;
        tables.board(&records[number]).unwrap()
    };
    (0..count).map(|_| board()).collect()
}

#[test]
fn a_transposed_board_gets_the_transposed_answer() {
    let (_folder, tables) = made(&exact("2x3 score", None));
    let (upright, turned) = ("2x3".parse().unwrap(), "3x2".parse().unwrap());
    let transposed = |name: &str| match name {
        "up" => "left",
        "left" => "up",
        "right" => "down",
        "down" => "right",
        other => panic!("{other}"),
    };
    for board in some_boards(&tables, 300) {
        let probe = |board: Board, size| {
            let position = Twenty48Position::new(board, size);
            games::Tables::probe(&tables, &position, Detail::Chances).unwrap().unwrap()
        };
        let (one, other) = (probe(board, upright), probe(board.transposed(), turned));
        assert_eq!(one.worth, other.worth, "{board}");
        let best: BTreeSet<&str> = one.best.iter().map(|name| transposed(name)).collect();
        assert!(other.best.iter().map(String::as_str).collect::<BTreeSet<_>>() == best, "{board}");
        for mv in &one.moves {
            let there = other.moves.iter().find(|it| it.name == transposed(&mv.name)).unwrap();
            let value = |worth: Option<Worth>| match worth {
                Some(Worth::Expected(expected)) => expected.value,
                other => panic!("{other:?}"),
            };
            assert!((value(mv.worth) - value(there.worth)).abs() < 1e-9, "{board}");
            assert_eq!(mv.chances.len(), there.chances.len());
        }
    }
    assert!(tables.view("2x2".parse().unwrap()).is_none());
}

#[test]
fn every_best_move_is_listed_and_the_stored_one_first() {
    let (_folder, tables) = made(&exact("2x3 score", None));
    let mut ties = 0;
    for board in some_boards(&tables, 500) {
        let stored = tables.probe(board).unwrap().unwrap();
        let size = tables.rules().size;
        let position = Twenty48Position::new(board, size);
        let one = games::Tables::probe(&tables, &position, Detail::Best).unwrap().unwrap();
        let all = games::Tables::probe(&tables, &position, Detail::Moves).unwrap().unwrap();
        assert_eq!(one.best(), stored.best.map(Direction::name));
        assert_eq!((one.best.len() <= 1, one.moves.is_empty()), (true, true));
        assert_eq!(all.best(), one.best());
        // Each is worth the same, to the last digit that is printed.
        let printed = |mv: &MoveAnswer| mv.worth.as_ref().map(ToString::to_string);
        let listed = all.moves.iter().filter(|mv| all.best.contains(&mv.name)).map(printed);
        assert!(listed.collect::<BTreeSet<_>>().len() <= 1);
        assert_eq!(all.moves.len(), position.moves().len());
        ties += usize::from(all.best.len() > 1);
    }
    assert!(ties > 10, "{ties}");
    // The same to the left and to the right.
    let both = ask(&tables, "0,2,0/0,4,0", Detail::Moves).unwrap();
    assert!(["left", "right"].iter().all(|name| both.best.iter().any(|it| it == name)));
    // What a search found of the boards after a move says nothing of the move.
    let (_folder, games) = made(&searched(0..2));
    for board in some_boards(&games, 100) {
        let position = Twenty48Position::new(board, games.rules().size);
        let answer = games::Tables::probe(&games, &position, Detail::Moves).unwrap().unwrap();
        assert_eq!(answer.best.len(), usize::from(!board.is_over(games.rules().size)));
    }
}

#[test]
fn chances_and_afterstates() {
    let (_folder, tables) = made(&exact("2x2 score", Some(ValueKind::F64)));
    let answer = ask(&tables, "2,2/4,0", Detail::Chances).unwrap();
    let left = answer.moves.iter().find(|mv| mv.name == "left").unwrap();
    let texts: Vec<&str> = left.chances.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(texts[0], "2 at row 1 column 2 chance 0.4500");
    assert_eq!(texts[3], "4 at row 2 column 2 chance 0.0500");
    let value = |worth: Worth| match worth {
        Worth::Expected(Expected { value, unit: Unit::Score, gain: true, .. }) => value,
        other => panic!("{other:?}"),
    };
    // An afterstate is worth as much as the move to it, less what that scored.
    let position = games::Tables::position(&tables, "2,2/4,0", &Options::default()).unwrap();
    let after = position.play("left").unwrap();
    let there = games::Tables::probe(&tables, &*after, Detail::Moves).unwrap().unwrap();
    assert!((value(left.worth.unwrap()) - value(there.worth) - 4.0).abs() < 1e-12);
    let names: Vec<&str> = there.moves.iter().map(|mv| mv.name.as_str()).collect();
    assert_eq!(names, ["2@1,2", "4@1,2", "2@2,2", "4@2,2"]);
    assert!(there.best.is_empty());
}

#[test]
fn over_lost_finished_and_absent() {
    let (_folder, tables) = made(&exact("2x2 tile:16", None));
    let line = |text: &str| {
        let position = games::Tables::position(&tables, text, &Options::default()).unwrap();
        let answer = games::Tables::probe(&tables, &*position, Detail::Moves).unwrap();
        answer.map(|answer| (position.line(&answer), position.sentence(&answer)))
    };
    let said = |line: &str, sentence: &str| Some((line.to_owned(), sentence.to_owned()));
    assert_eq!(line("8,2/4,8"), said("0000000000320013 00ff 0.0000000000", "over"));
    assert_eq!(line("16,2/0,0"), said("0000000000000014 01ff 1.0000000000", "chance 1.0000"));
    assert_eq!(line("8,8/8,2"), None);
    assert!(line("8,4/2,4").unwrap().0.starts_with("0000000000210023 0100 "));
    // Two tiles that are too large to be, and would be taken for another board's code.
    assert_eq!(tables.probe(Board(0x0000_0000_0066_0001)).unwrap(), None);
    assert_eq!(tables.probe(Board(0x1000_0000_0000_0011)).unwrap(), None);
}

#[test]
fn boards_that_cannot_be_are_refused_with_a_reason() {
    let (_folder, tables) = made(&exact("2x3 score", None));
    let with = |board: &str| Options::default().with("board", board);
    for (text, options, reason) in [
        ("1000", Options::default(), "outside of the 2x3 board"),
        ("8,8,8/8,8,8", Options::default(), "the tile that came last"),
        ("0,0,0/0,0,2", Options::default(), "two tiles"),
        ("128,128,2/0,0,0", Options::default(), "has room for 1 tiles of 128"),
        ("2,4/0,2", Options::default(), "where the board is 2x3"),
        ("2,4/0,2", with("2x2"), "the tables are of 2x3 boards"),
        ("2,4/0,2/0,0", with("2x3"), "where the board is 2x3"),
        ("100000001", with("2x3"), "outside of the 2x3 board"),
        ("up", Options::default(), "not a board"),
    ] {
        let error = games::Tables::position(&tables, text, &options).err().unwrap().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
    let tall = games::Tables::position(&tables, "100000001", &with("3x2")).unwrap();
    assert!(tall.fields().contains(&("rows", "2,0/0,0/2,0".into())));
    let other = Twenty48Position::new(Board(0x11), "2x2".parse().unwrap());
    let error = games::Tables::probe(&tables, &other, Detail::Best).unwrap_err().to_string();
    assert_eq!(error, "a 2x2 board, but the tables are of 2x3 boards");
}

#[test]
fn tables_that_are_not_of_2048_are_refused_with_a_reason() {
    let (folder, tables) = made(&exact("2x2 score", None));
    let original = tables.set().tables()[0].header().description.clone();
    let path = folder.path().join("other.etb");
    let refused = |change: &dyn Fn(&mut Description)| {
        let mut description = original.clone();
        change(&mut description);
        Writer::create(&path, description).unwrap().finish().unwrap();
        Tables::open(&[&path]).unwrap_err().to_string()
    };
    assert!(refused(&|it| it.recipe.game = "chess".into()).contains("a table of chess"));
    assert!(refused(&|it| it.rules = "9x9 score".into()).contains("no rules \"9x9 score\""));
    assert!(refused(&|it| it.codec = Codec::Exact).contains("canonical form, not exact"));
    assert!(refused(&|it| it.key_bytes = 16).contains("8 bytes, not 16"));
    assert!(refused(&|it| it.layout = Layout::Long).contains("2 bytes of meta, not 4"));
    assert!(refused(&|it| it.value = ValueKind::None).contains("these have none"));
    assert!(Tables::open(&[folder.path().join("missing.etb")]).is_err());
}

#[test]
fn statistics_count_every_record() {
    let (_folder, tables) = made(&exact("2x2 score", None));
    let watch = Watch { stop: &AtomicBool::new(false), progress: &Quiet };
    let statistics = games::Tables::statistics(&tables, &watch).unwrap();
    let [section] = &statistics.sections[..] else { panic!("{statistics:?}") };
    let [group] = &section.groups[..] else { panic!("{section:?}") };
    assert_eq!((group.total, &group.parts[..]), (110, &[("over", 36), ("lost", 0)][..]));
    assert!(group.facts[0].1.to_string().starts_with("66.9641"), "{group:?}");
    let highest = &group.histograms[0].bins;
    assert_eq!(highest.iter().find(|bin| bin.from == 32.0).map(|bin| bin.count), Some(35));
    assert_eq!(
        group.histograms.iter().map(|it| it.by).collect::<Vec<_>>(),
        ["highest", "value", "sum"]
    );
    for histogram in &group.histograms {
        let counted = histogram.bins.iter().map(|bin| bin.count).sum::<u64>();
        assert_eq!(counted, 110, "{}", histogram.axis);
    }
    // Stopped, it says so.
    let watch = Watch { stop: &AtomicBool::new(true), ..watch };
    let stopped = games::Tables::statistics(&tables, &watch);
    assert!(matches!(stopped, Err(GameError::Stopped)));
}

/// What a check says of tables.
fn checked(tables: &dyn games::Tables, check: Check) -> Result<Vec<String>, GameError> {
    let stop = AtomicBool::new(false);
    let mut said = Vec::new();
    let watch = Watch { stop: &stop, progress: &Quiet };
    tables.check(check, &watch, &mut |part| {
        said.push(part.unwrap_or_else(|error| format!("wrong: {error}")));
    })?;
    Ok(said)
}

#[test]
fn sound_tables_are_found_sound_and_others_not() {
    let (folder, tables) = made(&exact("2x3 score", None));
    let path = folder.path().join("table.etb");
    let sound = format!("{}: 21752 records in 85 blocks are sound", path.display());
    assert_eq!(checked(&tables, Check::Sound).unwrap(), [sound.as_str()]);
    let full = format!("{sound}; each is one step of backup from those after it");
    assert_eq!(checked(&tables, Check::Full).unwrap(), [full]);
    let sample = checked(&tables, Check::Sample { count: 1, seed: 0 });
    assert!(sample.unwrap_err().to_string().contains("in full or not at all"));

    let table = &tables.set().tables()[0];
    let records: Vec<_> = table.records().map(Result::unwrap).collect();
    let valued = records.iter().position(|it| f32::from_bits(it.value as u32) > 100.0).unwrap();
    let with = |check, change: &dyn Fn(&mut Record)| {
        let path = folder.path().join("wrong.etb");
        let description = table.header().description.clone();
        let mut writer = Writer::create(&path, description).unwrap();
        for (number, record) in records.iter().enumerate() {
            let mut record = *record;
            if number == valued {
                change(&mut record);
            }
            writer.push(record).unwrap();
        }
        writer.finish().unwrap();
        let said = checked(&Tables::open(&[path]).unwrap(), check).unwrap();
        said.into_iter().next().unwrap()
    };
    let best = |best: Option<u16>| {
        move |record: &mut Record| {
            record.meta = Meta::new(0, record.meta.value(), best);
        }
    };
    assert!(with(Check::Full, &|_| ()).ends_with("from those after it"));
    let float = |value: f32| move |it: &mut Record| it.value = value.to_bits().into();
    for value in [f32::NAN, f32::INFINITY, -1.0] {
        assert!(with(Check::Sound, &float(value)).contains("a number from 0"), "{value}");
    }
    assert!(with(Check::Sound, &best(None)).contains("no best move, but there are moves"));
    assert!(with(Check::Sound, &best(Some(4))).contains("number 4"));
    let larger = |it: &mut Record| {
        it.value = (f32::from_bits(it.value as u32) * 1.001).to_bits().into();
    };
    assert!(with(Check::Sound, &larger).ends_with("are sound"));
    assert!(with(Check::Full, &larger).contains("one step of backup gives"));
    let lost = |it: &mut Record| it.meta = Meta::new(0, Value::Loss(Plies(0)), Some(0));
    assert!(with(Check::Full, &lost).starts_with("wrong: "));
}

#[test]
fn tables_of_searched_games_are_checked_for_soundness_only() {
    let (_folder, tables) = made(&searched(0..2));
    assert!(checked(&tables, Check::Sound).unwrap()[0].ends_with("are sound"));
    assert!(checked(&tables, Check::Full).is_err());
    assert!(!tables.is_exact());
}

#[test]
fn a_check_can_be_stopped() {
    let (_folder, tables) = made(&exact("2x2 score", None));
    let stop = AtomicBool::new(true);
    let watch = Watch { stop: &stop, progress: &Quiet };
    let done = games::Tables::check(&tables, Check::Sound, &watch, &mut |_| ());
    assert!(matches!(done, Err(GameError::Stopped)));
}
