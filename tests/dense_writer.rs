//! Dense tables, written in chunks: wherever a writer is stopped and whatever happens to its files,
//! the next one resumes from what is sound, and the finished table is the same to the byte.

mod harness;

use std::fs;
use std::path::{Path, PathBuf};

use endtable::games::random::SplitMix64;
use endtable::table::{Compression, DenseTable, DenseWriter, Description, TableError, ValueKind};
use harness::folder;
use harness::tables::description;
use tempfile::TempDir;

/// Not a whole number of blocks.
const ENTRIES: usize = 20_001;
/// Nor is this.
const CHUNK: usize = 5_000;
/// The whole blocks of the first chunks.
const WRITTEN: [usize; 4] = [0, 4096, 8192, 14336];

struct Begun {
    folder: TempDir,
    entries: Vec<u8>,
}

impl Begun {
    /// A table of which this many chunks are written.
    fn new(chunks: usize) -> Self {
        let mut random = SplitMix64::new(3);
        let entries = (0..ENTRIES).map(|_| random.below(15) as u8).collect();
        let begun = Self { folder: folder(), entries };
        let mut writer = begun.resume().unwrap();
        for chunk in 1..=chunks {
            writer.write(&begun.entries[..chunk * CHUNK], |entry| entry).unwrap();
        }
        begun
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("table.etd")
    }

    fn partial(&self) -> PathBuf {
        self.folder.path().join("table.etd.partial")
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("table.etd.journal")
    }

    /// Resumes, and checks that what was read back is right.
    fn resume(&self) -> Result<DenseWriter, TableError> {
        let mut found = vec![255; ENTRIES];
        let writer = begin(&self.path(), &plain(), 5, &mut found)?;
        let written = writer.written();
        assert_eq!(found[..written], self.entries[..written]);
        Ok(writer)
    }

    /// Resumes and finishes; returns how many entries were there, and the bytes of the table.
    fn finish(&self) -> (usize, Vec<u8>) {
        let mut writer = self.resume().unwrap();
        let there = writer.written();
        writer.write(&self.entries, |entry| entry).unwrap();
        writer.finish().unwrap();
        assert!(!self.partial().exists() && !self.journal().exists(), "only the table is left");
        (there, fs::read(self.path()).unwrap())
    }
}

fn plain() -> Description {
    description(ValueKind::None, Compression::Zstd)
}

fn begin(
    path: &Path,
    description: &Description,
    layer: u8,
    entries: &mut [u8],
) -> Result<DenseWriter, TableError> {
    DenseWriter::begin(path, description, layer, entries, |nybble| nybble)
}

fn at_once() -> Vec<u8> {
    Begun::new(0).finish().1
}

#[test]
fn chunks_do_not_show_in_the_table() {
    let expected = at_once();
    for (chunks, written) in WRITTEN.into_iter().enumerate() {
        let begun = Begun::new(chunks);
        assert!(begun.finish() == (written, expected.clone()), "{chunks} chunks");
        let table = DenseTable::open(begun.path()).unwrap();
        let read = (0..table.blocks()).flat_map(|block| table.block(block).unwrap());
        assert!(read.eq(begun.entries.iter().copied()));
    }
}

#[test]
fn what_is_not_finished_is_no_table() {
    let begun = Begun::new(3);
    let error = DenseTable::open(begun.partial()).unwrap_err();
    assert!(matches!(error, TableError::Unfinished { .. }), "{error}");
    assert!(DenseTable::open(begun.journal()).is_err());
}

/// What stands before a damaged byte is kept, and nothing behind it is believed.
fn check_damage(file: fn(&Begun) -> PathBuf, damage: impl Fn(&mut Vec<u8>, usize)) {
    let (expected, begun) = (at_once(), Begun::new(3));
    let saved = [begun.partial(), begun.journal()].map(|path| (fs::read(&path).unwrap(), path));
    let length = fs::metadata(file(&begun)).unwrap().len() as usize;
    let mut random = SplitMix64::new(4);
    let mut seen = Vec::new();
    for at in (0..80).map(|_| random.below(length as u64) as usize).chain([0, length - 1]) {
        saved.iter().for_each(|(bytes, path)| fs::write(path, bytes).unwrap());
        let mut bytes = fs::read(file(&begun)).unwrap();
        damage(&mut bytes, at);
        fs::write(file(&begun), bytes).unwrap();
        let (there, table) = begun.finish();
        assert!(table == expected, "byte {at}");
        seen.push((at, there));
        fs::remove_file(begun.path()).unwrap();
    }
    seen.sort_unstable();
    // The header's room in the partial file is written anew and does not matter.
    let counts = seen.iter().map(|&(_, there)| there).filter(|&there| there != WRITTEN[3]);
    assert!(counts.is_sorted(), "the further the damage, the more is kept: {seen:?}");
    for kept in &WRITTEN[..3] {
        assert!(seen.iter().any(|(_, there)| there == kept), "{kept} are never kept");
    }
}

#[test]
fn flipped_bytes_of_blocks_cost_a_chunk() {
    check_damage(Begun::partial, |bytes, at| bytes[at] ^= 1 << (at % 8));
}

#[test]
fn flipped_bytes_of_the_journal_cost_a_chunk() {
    check_damage(Begun::journal, |bytes, at| bytes[at] ^= 1 << (at % 8));
}

#[test]
fn what_is_cut_off_is_made_again() {
    check_damage(Begun::partial, Vec::truncate);
    check_damage(Begun::journal, Vec::truncate);
}

/// What a writer leaves that is killed in the middle of a chunk, or behind the last one.
#[test]
fn what_stands_behind_the_last_chunk_does_not_count() {
    let (expected, begun) = (at_once(), Begun::new(2));
    for (file, bytes) in [(begun.partial(), 3000), (begun.journal(), 20)] {
        let mut longer = fs::read(&file).unwrap();
        longer.resize(longer.len() + bytes, 0xa5);
        fs::write(&file, longer).unwrap();
    }
    assert!(begun.finish() == (WRITTEN[2], expected.clone()));
    // Every byte of the table written, but not its name.
    let begun = Begun::new(3);
    let mut writer = begun.resume().unwrap();
    writer.write(&begun.entries, |entry| entry).unwrap();
    drop(writer);
    fs::write(begun.partial(), &expected).unwrap();
    assert!(begun.finish() == (ENTRIES, expected));
}

#[test]
fn the_work_of_others_is_not_believed() {
    let begun = Begun::new(3);
    let saved = [begun.partial(), begun.journal()].map(|path| (fs::read(&path).unwrap(), path));
    let others = [
        (Description { command: "another".into(), ..plain() }, 5, ENTRIES),
        (Description { generator: "endtable 0.0.9".into(), ..plain() }, 5, ENTRIES),
        (Description { rules: 1, ..plain() }, 5, ENTRIES),
        (plain(), 6, ENTRIES),
        (plain(), 5, ENTRIES + 1),
        (plain(), 5, ENTRIES),
    ];
    for (description, layer, entries) in others {
        saved.iter().for_each(|(bytes, path)| fs::write(path, bytes).unwrap());
        let writer = begin(&begun.path(), &description, layer, &mut vec![0; entries]).unwrap();
        let own = (&description, layer, entries) == (&plain(), 5, ENTRIES);
        assert_eq!(writer.written(), if own { WRITTEN[3] } else { 0 }, "{description:?} {layer}");
    }
}

#[test]
fn a_second_writer_of_a_table_is_refused() {
    let begun = Begun::new(1);
    let writer = begun.resume().unwrap();
    let error = begun.resume().unwrap_err();
    assert!(matches!(error, TableError::Busy { .. }), "{error}");
    drop(writer);
    assert_eq!(begun.finish().0, WRITTEN[1]);
}
