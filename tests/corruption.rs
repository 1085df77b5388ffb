//! A damaged table gives the right answers or an error, whatever its kind: every byte flipped, every
//! length cut to, bytes behind the end.

mod harness;

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;

use endtable::table::{Record, TableError};
use harness::kinds::{Extent, KINDS, SAMPLE, Sample};
use harness::reader::AnyTable;
use rayon::prelude::*;

/// Does something to a small table of each kind.
fn for_each_kind(act: impl Fn(&str, &Sample) + Sync) {
    KINDS.par_iter().for_each(|kind| act(kind.name, &kind.sample(Extent::Small)));
}

/// The value if there is one. An error must name the file.
#[track_caller]
fn ok<T>(result: Result<T, TableError>) -> Option<T> {
    if let Err(error) = &result {
        assert!(error.to_string().contains(SAMPLE), "{error}");
    }
    result.ok()
}

/// About how many codes are asked for at a time.
const QUESTIONS: usize = 64;

/// Opens the file as it is now, asks for codes, and reads it all. Each number asks for other codes,
/// so that in the end all have been asked for. Returns whether the table is found sound.
fn is_sound(sample: &Sample, number: usize, what: &str) -> bool {
    let Some(table) = ok(AnyTable::open(&sample.path)) else { return false };
    let there = sample.records.iter().map(|&record| (record.code, Some(record)));
    let questions = there.chain(sample.absent.iter().map(|&code| (code, None)));
    let step = (sample.records.len() + sample.absent.len()).div_ceil(QUESTIONS);
    let mut answered = true;
    for (code, expected) in questions.skip(number % step).step_by(step) {
        match table.get(code) {
            Ok(found) => assert_eq!(found, expected, "{what}"),
            Err(_) => answered = false,
        }
    }
    let read: Vec<Record> = table.records().map_while(ok).collect();
    assert!(sample.records.starts_with(&read), "{what}");
    let sound = read.len() == sample.records.len();
    let verified = (0..table.blocks()).all(|block| ok(table.verify_block(block)).is_some());
    assert_eq!(sound, verified, "{what}: reading and verifying disagree");
    assert!(answered || !sound, "{what}: a sound table did not answer");
    sound
}

fn writable(sample: &Sample) -> File {
    OpenOptions::new().write(true).open(&sample.path).unwrap()
}

#[test]
fn a_flipped_byte_never_gives_a_wrong_answer() {
    for_each_kind(|kind, sample| {
        let bytes = fs::read(&sample.path).unwrap();
        let file = writable(sample);
        let mut unnoticed = 0;
        for (number, (at, flip)) in
            (0..bytes.len()).flat_map(|at| [(at, 0xff), (at, 1 << (at % 8))]).enumerate()
        {
            file.write_all_at(&[bytes[at] ^ flip], at as u64).unwrap();
            let sound = is_sound(sample, number, &format!("{kind}: byte {at} ^ {flip}"));
            unnoticed += usize::from(sound);
            file.write_all_at(&bytes[at..=at], at as u64).unwrap();
        }
        // Up to seven bytes between blocks and index mean nothing.
        assert!(unnoticed <= 2 * 7, "{kind}: {unnoticed} flips went unnoticed");
        assert!(is_sound(sample, 0, kind), "{kind}");
    });
}

#[test]
fn a_table_cut_short_is_refused() {
    for_each_kind(|kind, sample| {
        let bytes = fs::read(&sample.path).unwrap();
        let file = writable(sample);
        for length in (0..bytes.len()).rev() {
            file.set_len(length as u64).unwrap();
            let opened = ok(AnyTable::open(&sample.path));
            assert!(opened.is_none(), "{kind}: cut to {length}");
            // Cut and filled up with zeros, as a file system may leave it after a crash.
            file.set_len(bytes.len() as u64).unwrap();
            is_sound(sample, length, &format!("{kind}: zeros from {length}"));
            file.set_len(length as u64).unwrap();
        }
    });
}

#[test]
fn a_table_with_bytes_behind_its_end_is_refused() {
    for_each_kind(|kind, sample| {
        let bytes = fs::read(&sample.path).unwrap();
        let filled = |(more, filler)| [bytes.clone(), vec![filler; more]].concat();
        let fillers = [1, 7, 8, 32, 4096].map(|more| [(more, 0), (more, 0xff)]);
        let longer = fillers.into_iter().flatten().map(filled);
        for (number, longer) in longer.chain([[&bytes[..], &bytes].concat()]).enumerate() {
            fs::write(&sample.path, longer).unwrap();
            let opened = ok(AnyTable::open(&sample.path));
            assert!(opened.is_none(), "{kind}: number {number}");
        }
    });
}
