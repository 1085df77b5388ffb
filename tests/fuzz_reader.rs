//! The fuzz target's harness, bounded: its corpus, and some thousand mutations of it.

#![expect(unsafe_code, reason = "an allocator that watches sizes is unsafe by nature")]

mod harness;

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use endtable::random::SplitMix64;
use harness::kinds::{Extent, KINDS};
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

/// No file makes the reader ask for more at once: a block of 2²⁰ records takes 24 bytes each.
const MOST_MEMORY: usize = 32 << 20;

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

/// One to four changes: a byte, a field, a piece cut out, a piece put twice, an end cut off.
fn mutate(bytes: &mut Vec<u8>, random: &mut SplitMix64) {
    const NUMBERS: [u64; 6] = [0, 1, 0x7fff_ffff, 0xffff_ffff, u64::MAX / 32, u64::MAX];
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            return;
        }
        // Half of the changes go to the header, where a byte decides much.
        let reach = if random.below(2) == 0 { bytes.len().min(88) } else { bytes.len() };
        let at = random.below(reach as u64) as usize;
        let length = random.below(40) as usize + 1;
        let end = (at + length).min(bytes.len());
        match random.below(8) {
            0..4 => bytes[at] = random.next() as u8,
            4 | 5 => {
                let number = NUMBERS[random.below(NUMBERS.len() as u64) as usize].to_le_bytes();
                let field = at / 8 * 8..(at / 8 * 8 + 8).min(bytes.len());
                bytes[field.clone()].copy_from_slice(&number[..field.len()]);
            }
            6 => _ = bytes.drain(at..end),
            _ => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
        }
        if random.below(16) == 0 {
            bytes.truncate(random.below(bytes.len() as u64 + 1) as usize);
        }
    }
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
    for number in 0..14_000 {
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
