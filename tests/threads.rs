//! One open table of each kind, eight threads that probe it, and others that open and close the same
//! file.

mod harness;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use endtable::random::SplitMix64;
use endtable::table::Record;
use harness::kinds::{Extent, KINDS, Sample, find};
use harness::reader::AnyTable;

const PROBERS: u64 = 8;
const OPENERS: u64 = 3;
const PROBES: u64 = 5_000;

/// A code that is there or most likely not, and what the table must say.
fn question(records: &[Record], random: &mut SplitMix64) -> (u64, Option<Record>) {
    let record = records[random.below(records.len() as u64) as usize];
    let code = record.code + random.below(2);
    (code, find(records, code))
}

fn probe(table: &AnyTable, records: &[Record], seed: u64) {
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

/// Opens, asks a little and closes until told to stop; returns how often.
fn open_and_close(sample: &Sample, seed: u64, stop: &AtomicBool) -> u64 {
    let mut random = SplitMix64::new(seed);
    let mut opened = 0;
    while !stop.load(Ordering::Relaxed) {
        let table = AnyTable::open(&sample.path).unwrap();
        for _ in 0..20 {
            let (code, expected) = question(&sample.records, &mut random);
            assert_eq!(table.get(code).unwrap(), expected);
        }
        opened += 1;
    }
    opened
}

#[test]
fn tables_of_all_kinds_serve_many_threads() {
    for kind in KINDS {
        // More blocks than a reader keeps, so that threads push out each other's.
        let sample = kind.sample(Extent::Large);
        let table = AnyTable::open(&sample.path).unwrap();
        let stop = AtomicBool::new(false);
        let opened = AtomicU64::new(0);
        thread::scope(|scope| {
            for seed in 0..OPENERS {
                let (sample, stop, opened) = (&sample, &stop, &opened);
                scope.spawn(move || {
                    opened.fetch_add(open_and_close(sample, seed, stop), Ordering::Relaxed);
                });
            }
            let probers: Vec<_> = (0..PROBERS)
                .map(|seed| {
                    let (table, records) = (&table, &sample.records);
                    scope.spawn(move || probe(table, records, seed))
                })
                .collect();
            let results: Vec<_> = probers.into_iter().map(|prober| prober.join()).collect();
            stop.store(true, Ordering::Relaxed);
            assert!(results.iter().all(Result::is_ok), "{}: a prober failed", kind.name);
        });
        assert!(opened.into_inner() > OPENERS, "{}: nobody opened it meanwhile", kind.name);
    }
}
