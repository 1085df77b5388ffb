//! The fuzz target's harness, bounded: its corpus, and some thousand mutations of it.

#![expect(unsafe_code, reason = "an allocator that watches sizes is unsafe by nature")]

mod harness;

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use endtable::random::SplitMix64;
use harness::kinds::{Extent, KINDS};
use harness::mutate::mutate;
use harness::project;
use harness::reader::read_both_ways;

/// The system's allocator, which remembers the largest request.
struct Watched;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every request goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// No file makes the reader ask for more at once: a block of 2¹⁶ records takes 24 bytes each.
const MOST_MEMORY: usize = 2 << 20;

fn corpus() -> Vec<Vec<u8>> {
    let entries = fs::read_dir(project("fuzz/corpus/reader")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// A small table of each kind, and its name.
fn tables() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    KINDS.iter().map(|kind| (kind.name, fs::read(kind.sample(Extent::Small).path).unwrap()))
}

#[test]
fn the_corpus_is_read() {
    let corpus = corpus();
    let opened = corpus.iter().filter(|file| read_both_ways(file).0).count();
    assert!(opened >= 4 && opened < corpus.len(), "{opened} of {}", corpus.len());
}

#[test]
fn mutated_tables_are_read_or_refused() {
    let mut random = SplitMix64::new(0x5eed);
    let mut files: Vec<(&str, Vec<u8>)> = corpus().into_iter().map(|it| ("corpus", it)).collect();
    files.extend(tables());
    let (mut opened, mut opened_repaired) = (0, BTreeMap::new());
    for number in 0..18_000 {
        let (name, file) = &files[number % files.len()];
        let mut file = file.clone();
        mutate(&mut file, &mut random);
        let (as_it_is, repaired) = read_both_ways(&file);
        opened += usize::from(as_it_is);
        *opened_repaired.entry(name).or_insert(0) += usize::from(repaired);
    }
    // Otherwise the mutations would test little but the checksums.
    assert!(opened < opened_repaired.values().sum::<usize>(), "{opened} {opened_repaired:?}");
    assert!(opened_repaired.values().all(|&opened| opened > 20), "{opened_repaired:?}");
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(largest < MOST_MEMORY, "{largest} bytes at once");
}
