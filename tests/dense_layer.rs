//! Dense layers, made part by part: wherever the work is stopped and whatever becomes of its files,
//! what is sound is resumed, and the finished table is the same to the byte.

mod harness;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;

use endtable::games::Game;
use endtable::games::collapsi::Collapsi;
use endtable::job::dense::{DenseLayer, MadeLayer, Packing, join_layers, make_layer};
use endtable::job::hands::Hand;
use endtable::job::work::remove_work;
use endtable::job::work::{Lock, WorkFolder};
use endtable::job::{Quiet, ShardId, work_folder};
use endtable::random::SplitMix64;
use endtable::table::{
    Compression, DenseTable, DenseWriter, Description, Layout, Options, Recipe, TableError,
    ValueKind,
};
use harness::folder;
use harness::tables::{description, run};
use tempfile::TempDir;

/// Not a whole number of blocks.
const ENTRIES: usize = 20_001;
/// Nor is this.
const PART: u64 = 5_000;
/// The parts, of whole blocks but for the last.
const PARTS: [Range<u64>; 4] = [0..4096, 4096..8192, 8192..12288, 12288..20_001];
const PACKING: Packing =
    Packing { stored: |entry| entry - 1, entry: |nybble| nybble.wrapping_add(1) };

struct Work {
    folder: TempDir,
    entries: Vec<u8>,
}

impl Work {
    /// A layer of which so many parts are made.
    fn new(parts: usize) -> Self {
        let mut random = SplitMix64::new(3);
        let entries = (0..ENTRIES).map(|_| 1 + random.below(15) as u8).collect();
        let work = Self { folder: folder(), entries };
        if parts > 0 {
            assert!(work.make(&plain(), 5, parts).unwrap().is_none(), "it was stopped");
        }
        work
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("table.etd")
    }

    /// Makes the layer, or resumes; is stopped after so many parts.
    fn make(
        &self,
        description: &Description,
        layer: u8,
        parts: usize,
    ) -> Result<Option<MadeLayer>, TableError> {
        self.make_by(&Hand::alone(&AtomicBool::new(false)), description, layer, parts)
    }

    /// The same by one of several hands.
    fn make_by(
        &self,
        hand: &Hand<'_>,
        description: &Description,
        layer: u8,
        mut parts: usize,
    ) -> Result<Option<MadeLayer>, TableError> {
        let (path, stop) = (self.path(), AtomicBool::new(false));
        let layer = self.layer(&path, description, layer);
        let mut found = vec![0; ENTRIES];
        let solve = |entries: &mut [u8], part: Range<u64>| {
            let Some(left) = parts.checked_sub(1) else { return Ok(false) };
            parts = left;
            entries.copy_from_slice(&self.entries[part.start as usize..part.end as usize]);
            Ok(true)
        };
        let run = run(&path, &stop);
        let made = make_layer(layer, hand, Some(&mut found), PACKING, &run, solve)?;
        assert!(made.is_none() || found == self.entries, "every entry is known at the end");
        Ok(made)
    }

    fn layer<'a>(&self, path: &'a Path, description: &'a Description, layer: u8) -> DenseLayer<'a> {
        let entries = ENTRIES as u64;
        DenseLayer {
            path,
            description,
            layer,
            name: "a layer",
            entries,
            part: PART,
            has_file: true,
        }
    }

    /// Makes the table of the parts that hands have left.
    fn join_by(&self, hand: &Hand<'_>) -> Result<bool, TableError> {
        let (path, stop, description) = (self.path(), AtomicBool::new(false), plain());
        join_layers(&[self.layer(&path, &description, 5)], hand, &run(&path, &stop))
    }

    /// Finishes; answers how many entries were there and the bytes of the table.
    fn finish(&self) -> (u64, Vec<u8>) {
        let made = self.make(&plain(), 5, usize::MAX).unwrap().expect("nobody stops it");
        assert_eq!(fs::read_dir(self.folder.path()).unwrap().count(), 1, "only the table is left");
        (made.resumed, fs::read(self.path()).unwrap())
    }

    /// The parts on the disk.
    fn shards(&self) -> Vec<PathBuf> {
        let work = fs::read_dir(self.folder.path().join("table.etd.work")).unwrap();
        let mut shards: Vec<PathBuf> = work.map(|entry| entry.unwrap().path()).collect();
        shards.retain(|path| path.extension().is_some_and(|ending| ending == "etd"));
        shards.sort();
        shards
    }
}

fn plain() -> Description {
    Description { layout: Layout::Entry, ..description(ValueKind::None, Compression::Zstd) }
}

/// The same table, written at once and without work.
fn at_once() -> Vec<u8> {
    let work = Work::new(0);
    let mut writer = DenseWriter::create(&work.path(), plain(), 5).unwrap();
    writer.write(&work.entries, PACKING.stored).unwrap();
    writer.finish().unwrap();
    fs::read(work.path()).unwrap()
}

#[test]
fn parts_do_not_show_in_the_table() {
    let expected = at_once();
    for parts in 0..PARTS.len() {
        let work = Work::new(parts);
        let there = if parts == 0 { 0 } else { PARTS[parts - 1].end };
        assert!(work.finish() == (there, expected.clone()), "{parts} parts");
        let table = DenseTable::open(work.path()).unwrap();
        let read = (0..table.blocks()).flat_map(|block| table.block(block).unwrap());
        assert!(read.eq(work.entries.iter().map(|&entry| (PACKING.stored)(entry))));
    }
}

/// A shard is a function of its number: it does not matter which were made, nor in which order.
#[test]
fn any_parts_are_resumed() {
    let expected = at_once();
    for missing in 0..8 {
        let work = Work::new(3);
        let shards = work.shards();
        assert_eq!(shards.len(), 3);
        for (number, shard) in shards.iter().enumerate() {
            if missing >> number & 1 == 1 {
                fs::remove_file(shard).unwrap();
            }
        }
        let there = 4096 * u64::from(3 - u32::count_ones(missing));
        assert!(work.finish() == (there, expected.clone()), "without {missing:03b}");
    }
}

#[test]
fn damaged_parts_are_made_again() {
    let (expected, work) = (at_once(), Work::new(3));
    let saved: Vec<_> =
        work.shards().into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect();
    let recipe = work.folder.path().join("table.etd.work/recipe");
    let recipe = (fs::read(&recipe).unwrap(), recipe);
    let mut random = SplitMix64::new(4);
    for round in 0..60 {
        fs::create_dir_all(recipe.1.parent().unwrap()).unwrap();
        saved.iter().chain([&recipe]).for_each(|(bytes, path)| fs::write(path, bytes).unwrap());
        let (bytes, path) = &saved[random.below(3) as usize];
        let at = random.below(bytes.len() as u64) as usize;
        let mut damaged = bytes.clone();
        match round % 2 {
            0 => damaged[at] ^= 1 << (at % 8),
            _ => damaged.truncate(at),
        }
        fs::write(path, damaged).unwrap();
        let (there, table) = work.finish();
        assert!(table == expected, "byte {at} of {}", path.display());
        // A part, or nothing where the byte does not matter.
        assert!([2 * 4096, 3 * 4096].contains(&there), "byte {at}: {there}");
        fs::remove_file(work.path()).unwrap();
    }
}

#[test]
fn the_work_of_others_is_not_believed() {
    let other = |name: &str| {
        let recipe = Recipe::new(Collapsi.name(), Options::default().with_switch(name));
        Description { recipe, ..plain() }
    };
    let work = Work::new(3);
    let error = work.make(&other("other"), 5, 1).unwrap_err();
    assert!(matches!(error, TableError::OtherRecipe { .. }), "{error}");
    for description in [
        Description { generator: "endtable 0.0.9".into(), ..plain() },
        Description { rules: "wild".into(), ..plain() },
    ] {
        let error = work.make(&description, 5, 1).unwrap_err();
        assert!(error.to_string().contains("remove the folder"), "{error}");
    }
    // The same job, but another layer's part.
    let six = Work::new(0);
    assert!(six.make(&plain(), 6, 1).unwrap().is_none());
    let (from, to) = (six.shards(), work.shards());
    fs::copy(&from[0], &to[0]).unwrap();
    assert!(work.finish() == (2 * 4096, at_once()));
}

/// Each hand knows every entry at the end, and the table is the same: whether they come together, late, or
/// to what another one has left, sound or not.
#[test]
fn several_hands_make_one_table() {
    let expected = at_once();
    for parts in 0..=3 {
        let work = Work::new(0);
        let hand = |number| {
            let stop = AtomicBool::new(false);
            let shard = ShardId { stage: "layers".into(), number, of: 3 };
            let folder = work_folder(&work.path());
            let hand = Hand::of(&shard, &folder, &plain(), &stop);
            let left = if number == 0 { parts } else { usize::MAX };
            let made = work.make_by(&hand, &plain(), 5, left).unwrap()?;
            // As jobs do: another hand that found a damaged part may remove the one that was made instead.
            let joined = work.join_by(&hand).or_else(|_| {
                assert!(work.make_by(&hand, &plain(), 5, left)?.is_some());
                work.join_by(&hand)
            });
            assert!(joined.unwrap());
            Some(made.resumed)
        };
        // The first is stopped; one of its parts is damaged.
        assert!(hand(0).is_none());
        if let Some(path) = work.shards().first() {
            let mut bytes = fs::read(path).unwrap();
            bytes[300] ^= 4;
            fs::write(path, bytes).unwrap();
        }
        let resumed = thread::scope(|scope| {
            let hands = [1, 2].map(|number| scope.spawn(move || hand(number)));
            hands.map(|hand| hand.join().unwrap().expect("nobody stops it"))
        });
        assert!(fs::read(work.path()).unwrap() == expected, "{parts} parts");
        assert!(resumed.iter().all(|&entries| entries <= ENTRIES as u64));
        remove_work(&work.path(), &plain()).unwrap();
        assert_eq!(fs::read_dir(work.folder.path()).unwrap().count(), 1, "only the table is left");
    }
}

/// Hands leave the parts. One that is damaged before it goes into the table is found out and made again.
#[test]
fn a_part_that_is_damaged_later_does_not_become_the_table() {
    let (work, stop) = (Work::new(0), AtomicBool::new(false));
    let shard = ShardId { stage: "layers".into(), number: 0, of: 2 };
    let hand = Hand::of(&shard, &work_folder(&work.path()), &plain(), &stop);
    let (path, description) = (work.path(), plain());
    let layer = work.layer(&path, &description, 5);
    assert!(!layer.lists_parts());
    let made = work.make_by(&hand, &plain(), 5, usize::MAX).unwrap().unwrap();
    assert_eq!((made.bytes, made.resumed), (0, 0));
    assert!(layer.lists_parts() && !work.path().exists());
    let part = &work.shards()[1];
    let mut bytes = fs::read(part).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(part, bytes).unwrap();
    let error = work.join_by(&hand).unwrap_err().to_string();
    assert!(error.contains("run what is left of the plan"), "{error}");
    assert!(!part.exists() && !work.path().exists() && !layer.lists_parts());
    let made = work.make_by(&hand, &plain(), 5, 1).unwrap().unwrap();
    assert!(made.resumed < ENTRIES as u64);
    assert!(work.join_by(&hand).unwrap());
    assert!(fs::read(work.path()).unwrap() == at_once());
}

/// Where the entries need not be known at the end there is no room for all of them, and the same table.
#[test]
fn entries_that_nobody_needs_are_not_kept() {
    let (work, stop) = (Work::new(0), AtomicBool::new(false));
    let (path, description) = (work.path(), plain());
    let layer = work.layer(&path, &description, 5);
    let solve = |entries: &mut [u8], part: Range<u64>| {
        assert!(entries.len() as u64 <= PART);
        entries.copy_from_slice(&work.entries[part.start as usize..part.end as usize]);
        Ok(true)
    };
    let (hand, run) = (Hand::alone(&stop), run(&path, &stop));
    make_layer(layer, &hand, None, PACKING, &run, solve).unwrap().unwrap();
    assert!(fs::read(&path).unwrap() == at_once());
}

#[test]
fn two_at_work_on_one_table_are_one_too_many() {
    let work = Work::new(1);
    let folder = WorkFolder::open(&work.path(), &plain()).unwrap();
    let lock = Lock::take(&folder, &Quiet).unwrap();
    let error = work.make(&plain(), 5, 1).unwrap_err();
    assert!(matches!(error, TableError::Busy { .. }), "{error}");
    drop(lock);
    assert_eq!(work.finish().0, 4096);
}
