//! A damaged table gives the right answers or an error: every byte flipped, every length cut to.

mod harness;

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use endtable::games::collapsi::Rules;
use endtable::generate::collapsi::{Positions, Seeds};
use endtable::generate::generate;
use endtable::job::Quiet;
use endtable::random::SplitMix64;
use endtable::table::{Codec, Compression, Record, Table, ValueKind};
use harness::folder;
use harness::tables::{description, options, random_records, write};
use tempfile::TempDir;

/// A table file, what it holds, and what it does not.
struct Sample {
    _folder: TempDir,
    path: PathBuf,
    bytes: Vec<u8>,
    records: Vec<Record>,
    absent: Vec<u64>,
}

impl Sample {
    fn new(make: impl FnOnce(&Path)) -> Self {
        let folder = folder();
        let path = folder.path().join("table.etb");
        make(&path);
        let bytes = fs::read(&path).unwrap();
        let table = Table::open(&path).unwrap();
        let records: Vec<Record> = table.records().map(Result::unwrap).collect();
        let between = records.windows(2).map(|two| two[0].code.midpoint(two[1].code));
        let absent = between.chain([0, u64::MAX]);
        let absent = absent.filter(|code| records.iter().all(|it| it.code != *code)).collect();
        Self { _folder: folder, path, bytes, records, absent }
    }

    /// Deals and their answers.
    fn generated(compression: Compression) -> Self {
        let codec = Codec::Canonical;
        let source =
            Seeds { first: 0, count: 530, rules: Rules::One, positions: Positions::Root, codec };
        Self::new(|out| {
            let stop = AtomicBool::new(false);
            let description = description(ValueKind::None, compression);
            generate(&source, &description, &options(out, &stop), &Quiet).unwrap();
        })
    }

    fn with_values() -> Self {
        let records = random_records(300, ValueKind::F64, &mut SplitMix64::new(1));
        let description = description(ValueKind::F64, Compression::Zstd);
        Self::new(|path| write(path, &description, &records).unwrap())
    }

    /// Opens the file as it is now and asks everything. Answers how many questions had an answer.
    fn answers(&self, what: &str) -> usize {
        let Ok(table) = Table::open(&self.path) else { return 0 };
        let mut answers = 0;
        for &record in &self.records {
            if let Ok(found) = table.get(record.code) {
                assert_eq!(found, Some(record), "{what}");
                answers += 1;
            }
        }
        for &code in &self.absent {
            if let Ok(found) = table.get(code) {
                assert_eq!(found, None, "{what}");
                answers += 1;
            }
        }
        let read: Vec<Record> = table.records().map_while(Result::ok).collect();
        assert!(self.records.starts_with(&read), "{what}");
        let complete = read.len() == self.records.len();
        let sound = (0..table.blocks()).all(|block| table.verify_block(block).is_ok());
        assert_eq!(complete, sound, "{what}: reading and verifying disagree");
        answers
    }

    fn file(&self) -> File {
        OpenOptions::new().write(true).open(&self.path).unwrap()
    }

    /// Flips bits of every byte in turn.
    fn flip_every_byte(&self) {
        let all = self.records.len() + self.absent.len();
        assert_eq!(self.answers("as written"), all);
        let file = self.file();
        let mut unharmed = 0;
        for flip in [0xff, 1] {
            for (at, byte) in self.bytes.iter().enumerate() {
                file.write_all_at(&[byte ^ flip], at as u64).unwrap();
                let answers = self.answers(&format!("byte {at} ^ {flip}"));
                unharmed += usize::from(answers == all);
                file.write_all_at(&[*byte], at as u64).unwrap();
            }
        }
        // Up to seven bytes between blocks and index mean nothing.
        assert!(unharmed <= 2 * 7, "{unharmed} flips went unnoticed");
        assert_eq!(self.answers("as written"), all);
    }

    fn cut_to_every_length(&self) {
        let file = self.file();
        for length in (0..self.bytes.len()).rev() {
            file.set_len(length as u64).unwrap();
            assert!(Table::open(&self.path).is_err(), "cut to {length}");
            // Cut and filled up with zeros, as a file system may leave it after a crash.
            file.set_len(self.bytes.len() as u64).unwrap();
            self.answers(&format!("zeros from {length}"));
            file.set_len(length as u64).unwrap();
        }
    }

    fn append(&self) {
        for more in [1, 7, 8, 32, 4096] {
            for filler in [0, 0xff] {
                let mut bytes = self.bytes.clone();
                bytes.resize(bytes.len() + more, filler);
                fs::write(&self.path, bytes).unwrap();
                assert!(Table::open(&self.path).is_err(), "{more} bytes of {filler} behind it");
            }
        }
        let twice = [&self.bytes[..], &self.bytes[..]].concat();
        fs::write(&self.path, twice).unwrap();
        assert!(Table::open(&self.path).is_err(), "the table twice");
    }

    fn harm(&self) {
        self.flip_every_byte();
        self.append();
        fs::write(&self.path, &self.bytes).unwrap();
        self.cut_to_every_length();
    }
}

#[test]
fn a_damaged_compressed_table_never_lies() {
    Sample::generated(Compression::Zstd).harm();
}

#[test]
fn a_damaged_uncompressed_table_never_lies() {
    Sample::generated(Compression::None).harm();
}

#[test]
fn a_damaged_table_with_values_never_lies() {
    Sample::with_values().harm();
}
