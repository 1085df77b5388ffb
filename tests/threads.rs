//! One open table, eight threads that probe it, and others that open and close the same file.

mod harness;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use endtable::random::SplitMix64;
use endtable::table::{Compression, Record, Table, TableSet, ValueKind};
use harness::folder;
use harness::tables::{description, random_records, write};

const PROBERS: u64 = 8;
const OPENERS: u64 = 3;
const PROBES: u64 = 50_000;

/// A code that is there or most likely not, and what the table must say.
fn question(records: &[Record], random: &mut SplitMix64) -> (u64, Option<Record>) {
    let record = records[random.below(records.len() as u64) as usize];
    let code = record.code + random.below(2);
    let at = records.binary_search_by_key(&code, |it| it.code);
    (code, at.ok().map(|at| records[at]))
}

fn probe(table: &Table, records: &[Record], seed: u64) {
    let mut random = SplitMix64::new(seed);
    for _ in 0..PROBES {
        let (code, expected) = question(records, &mut random);
        assert_eq!(table.get(code).unwrap(), expected);
    }
    let mut asked: Vec<_> = (0..PROBES / 10).map(|_| question(records, &mut random)).collect();
    asked.sort_unstable_by_key(|&(code, _)| code);
    let (codes, expected): (Vec<u64>, Vec<_>) = asked.into_iter().unzip();
    assert_eq!(table.get_many(&codes).unwrap(), expected);
}

/// Opens, asks a little and closes until told to stop; answers how often.
fn open_and_close(path: &Path, records: &[Record], seed: u64, stop: &AtomicBool) -> u64 {
    let mut random = SplitMix64::new(seed);
    let mut opened = 0;
    while !stop.load(Ordering::Relaxed) {
        let set = TableSet::open(&[path]).unwrap();
        for _ in 0..20 {
            let (code, expected) = question(records, &mut random);
            assert_eq!(set.get(code).unwrap(), expected);
        }
        opened += 1;
    }
    opened
}

fn probe_from_everywhere(compression: Compression) {
    let folder = folder();
    let path = folder.path().join("table.etb");
    // More blocks than are kept taken apart, so that threads push out each other's.
    let records = random_records(30_000, ValueKind::F64, &mut SplitMix64::new(1));
    write(&path, &description(ValueKind::F64, compression), &records).unwrap();
    let table = Table::open(&path).unwrap();
    let stop = AtomicBool::new(false);
    let opened = AtomicU64::new(0);
    thread::scope(|scope| {
        for seed in 0..OPENERS {
            let (path, records, stop, opened) = (&path, &records, &stop, &opened);
            scope.spawn(move || {
                opened.fetch_add(open_and_close(path, records, seed, stop), Ordering::Relaxed);
            });
        }
        let probers: Vec<_> = (0..PROBERS)
            .map(|seed| {
                let (table, records) = (&table, &records);
                scope.spawn(move || probe(table, records, seed))
            })
            .collect();
        let results: Vec<_> = probers.into_iter().map(|prober| prober.join()).collect();
        stop.store(true, Ordering::Relaxed);
        assert!(results.iter().all(Result::is_ok), "a prober failed");
    });
    assert!(opened.into_inner() > OPENERS, "others opened the table meanwhile");
}

#[test]
fn a_compressed_table_serves_many_threads() {
    probe_from_everywhere(Compression::Zstd);
}

#[test]
fn an_uncompressed_table_serves_many_threads() {
    probe_from_everywhere(Compression::None);
}
