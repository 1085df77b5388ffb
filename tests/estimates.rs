//! What a generation expects before it begins is what it makes, within a quarter.

mod harness;

use std::sync::atomic::AtomicBool;
use std::{fs, path::Path};

use endtable::games::collapsi::Collapsi;
use endtable::games::twenty48::Twenty48;
use endtable::games::{Game, Use, read_options};
use endtable::job::{Ending, Job};
use endtable::table::{DenseTable, Table};
use harness::folder;
use harness::tables::{exact_2048, run};

/// The positions and the bytes of what a job has made: a file, or a folder of them.
fn outcome(out: &Path) -> (f64, f64) {
    if out.is_file() {
        let table = Table::open(out).unwrap();
        return (table.len() as f64, fs::metadata(out).unwrap().len() as f64);
    }
    let files = fs::read_dir(out).unwrap().map(|entry| entry.unwrap());
    files.fold((0.0, 0.0), |(positions, bytes), file| {
        let table = DenseTable::open(file.path()).unwrap();
        (positions + table.len() as f64, bytes + file.metadata().unwrap().len() as f64)
    })
}

fn check(name: &str, job: &dyn Job) {
    let expected = job.expect();
    let folder = folder();
    let out = folder.path().join("out");
    let stop = AtomicBool::new(false);
    assert!(matches!(job.run(&run(&out, &stop)).unwrap(), Ending::Finished), "{name}");
    let (positions, bytes) = outcome(&out);
    for (what, expected, found) in
        [("positions", expected.positions, positions), ("bytes", expected.table, bytes)]
    {
        let factor = expected / found;
        assert!((0.8..=1.25).contains(&factor), "{name}: {expected} {what}, but {found}: {factor}");
    }
    if expected.exact {
        assert_eq!(expected.positions, positions, "{name}");
    }
    assert!(expected.disk >= expected.table, "{name}");
}

fn job(game: &dyn Game, words: &str) -> Box<dyn Job> {
    let mut options = Vec::new();
    let mut words = words.split(' ').peekable();
    while let Some(name) = words.next() {
        let value = words.next_if(|word| !word.starts_with("--"));
        options.push((name.trim_start_matches("--"), value));
    }
    game.job(&read_options(game, &[Use::Generate], options).unwrap()).unwrap()
}

#[test]
fn boards_of_2048() {
    for words in [
        "--board 2x2 --objective score",
        "--board 2x2 --objective tile:16",
        "--board 2x3 --objective score",
        "--board 2x3 --objective tile:32",
        "--board 2x3 --objective tile:64",
        "--board 2x4 --objective score",
        "--board 2x4 --objective tile:64",
        "--board 2x4 --objective tile:256",
        "--board 2x4 --objective score --value f64",
        "--board 2x4 --objective score --start 128,64,0,0/2,0,0,0",
        "--board 2x4 --objective score --start 256,128,64,0/2,0,0,0",
        "--board 3x3 --objective tile:64",
    ] {
        check(words, &*job(&Twenty48, words));
    }
}

/// The numbers of boards that are too many to solve here.
#[test]
fn larger_boards_of_2048_are_counted() {
    for (size, objective, states) in [
        ("2x4", "tile:512", 2_980_688.0),
        ("3x3", "score", 48_713_519.0),
        ("3x3", "tile:512", 14_314_189.0),
        ("3x3", "tile:1024", 29_063_397.0),
    ] {
        let expected = exact_2048(size, objective).expect();
        assert_eq!((expected.positions, expected.exact), (states, true), "{size} {objective}");
    }
}

#[test]
fn deals_and_layers_of_collapsi() {
    for words in [
        "--seeds 0..1",
        "--seeds 5..12",
        "--seeds 0..40",
        "--seeds 0..3 --rules wild",
        "--seeds 0..10 --fold64",
        "--seeds 0..10 --exact",
        "--seeds 0..10 --uncompressed",
        "--seeds 0..2000 --positions root",
        "--complete --cards 5",
        "--complete --cards 7",
        "--complete --cards 7 --sparse",
    ] {
        check(words, &*job(&Collapsi, words));
    }
}
