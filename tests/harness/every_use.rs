//! Everything that the commands do with a table, in this process, whatever its bytes: the one harness of
//! a fuzz target and of the bounded run in the tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use endtable::games::collapsi::Index;
use endtable::games::{self, Check, Detail, GameError, Tables, Watch};
use endtable::job::Quiet;
use endtable::table::{
    Kind, Options, Record, Table, TableError, TableSet, Writer, merge, read_header,
};

use super::repair::repair;

/// Small files may claim a great many records: not all are looked at.
const MOST_RECORDS: u64 = 100_000;
const MOST_PROBES: usize = 60;

/// Makes the checksums of some bytes right and uses them as a table in every way, in a folder that is
/// there for nothing else. Answers whether it was opened and whether it was found sound.
///
/// # Panics
/// When a use does, or contradicts another.
pub fn use_everything(folder: &Path, bytes: &[u8]) -> (bool, bool) {
    let mut bytes = bytes.to_vec();
    repair(&mut bytes);
    let path = folder.join("table.etb");
    fs::write(&path, &bytes).expect("it can be written");
    _ = read_header(&path);
    let options = Options::default();
    let opened =
        games::game_of(&path).and_then(|game| game.open(std::slice::from_ref(&path), &options));
    let Ok(tables) = opened else {
        // What cannot be opened cannot be merged.
        assert!(merged(folder, &path).is_err(), "a table that is refused was merged");
        return (false, false);
    };
    if tables.contents().records > MOST_RECORDS {
        return (true, false);
    }
    let sound = is_sound(&*tables, Check::Sound);
    _ = is_sound(&*tables, Check::Sample { count: 3, seed: 1 });
    let full = is_sound(&*tables, Check::Full);
    assert!(sound || !full, "the thorough check found less");
    let counted = is_counted(&*tables);
    assert!(counted || !sound, "a sound table was not counted");
    if read_header(&path).is_ok_and(|header| header.kind == Kind::Dense) {
        // Layers are neither merged nor listed by code.
        return (true, sound);
    }
    probe_some(&*tables, &path, sound);
    // A merge gives the table that was there, or nothing; and what is sound afterwards was before.
    match merged(folder, &path) {
        Ok(again) => {
            let again = games::open(&[&again], &options).expect("just made");
            assert_eq!(again.contents().records, tables.contents().records);
            assert_eq!(is_sound(&*again, Check::Sound), sound, "merged, it is judged otherwise");
        }
        Err(error) => assert!(!sound, "a sound table was not merged: {error}"),
    }
    (true, sound)
}

/// The same with some bytes as the layer of four cards of a complete set.
///
/// # Panics
/// When a use does, or contradicts another.
pub fn use_layer(path: &Path, bytes: &[u8]) -> (bool, bool) {
    let mut bytes = bytes.to_vec();
    repair(&mut bytes);
    fs::write(path, &bytes).expect("it can be written");
    let options = Options::default();
    let folder = path.parent().expect("a file is in a folder");
    let Ok(tables) = games::open(&[folder], &options) else { return (false, false) };
    let sound = is_sound(&*tables, Check::Sound);
    let full = is_sound(&*tables, Check::Full);
    assert!(sound || !full, "the thorough check found less");
    assert!(is_counted(&*tables) || !sound, "a sound table was not counted");
    let index = Index::new();
    for number in (0..index.len(4)).step_by(999) {
        let board = index.unrank(4, number).expect("a number of the layer").to_string();
        let position = tables.position(&board, &options).expect("a position of the game");
        let answer = tables.probe(&*position, Detail::Moves);
        assert!(answer.is_ok() || !sound, "a sound table did not answer");
    }
    (true, sound)
}

fn is_counted(tables: &dyn Tables) -> bool {
    let stop = AtomicBool::new(false);
    tables.statistics(&Watch { stop: &stop, progress: &Quiet }).is_ok()
}

fn is_sound(tables: &dyn Tables, check: Check) -> bool {
    let stop = AtomicBool::new(false);
    let watch = Watch { stop: &stop, progress: &Quiet };
    let mut sound = true;
    let done = tables.check(check, &watch, &mut |part| sound &= part.is_ok());
    done.is_ok() && sound
}

/// Lists some records and looks their positions up.
fn probe_some(tables: &dyn Tables, path: &Path, sound: bool) {
    let Ok(set) = TableSet::open(&[path]) else { return };
    let table = &set.tables()[0];
    let step = (table.len() as usize / MOST_PROBES).max(1);
    let records = table.records().step_by(step).map_while(Result::ok);
    for record in records {
        let answer = probe_record(tables, &record, table);
        assert!(answer.is_ok() || !sound, "a sound table did not answer: {answer:?}");
    }
}

fn probe_record(tables: &dyn Tables, record: &Record, table: &Table) -> Result<(), GameError> {
    let key = tables.game().decoder(table.header(), table.path())?.key(record.code)?;
    let position = tables.position(&key.to_string(), &Options::default())?;
    if let Some(answer) = tables.probe(&*position, Detail::Chances)? {
        _ = (position.line(&answer), position.sentence(&answer));
    }
    Ok(())
}

/// What `merge` makes of a table.
fn merged(folder: &Path, path: &Path) -> Result<PathBuf, GameError> {
    let out = folder.join("merged.etb");
    let set = TableSet::open(&[path])?;
    let missing = || TableError::MissingTable { name: "no table".into() };
    let description = set.description().cloned().ok_or_else(missing)?;
    games::game_of(path)?.check_merge(set.tables())?;
    let mut writer = Writer::create(&out, description)?;
    for record in merge(set.tables()).take(MOST_RECORDS as usize) {
        writer.push(record?)?;
    }
    writer.finish()?;
    Ok(out)
}
