//! Every kind of table, so that tests which hold for all of them are written once. A new kind is a
//! line in [`KINDS`].

use std::fs;
use std::path::{Path, PathBuf};

use endtable::random::SplitMix64;
use endtable::table::{Compression, Description, Layout, Meta, Record, ValueKind};
use tempfile::TempDir;

use super::commands::{
    generate_2048, generate_complete, generate_pattern, generate_searched, generate_seeds,
    generate_tak,
};
use super::folder;
use super::process::Process;
use super::reader::AnyTable;
use super::tables::{description, random_records, write};

/// A kind of table: what its game is, how positions become codes, how blocks are stored, what the
/// value column holds.
pub struct Kind {
    pub name: &'static str,
    /// Makes such a table.
    make: fn(&Path, Extent),
}

/// How much a table holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Few records.
    Small,
    /// More blocks than a reader keeps decompressed.
    Large,
}

pub const KINDS: &[Kind] = &[
    Kind { name: "plain", make: |out, size| random(out, size, PLAIN, ValueKind::None) },
    Kind { name: "plain f64", make: |out, size| random(out, size, PLAIN, ValueKind::F64) },
    Kind { name: "zstd", make: |out, size| random(out, size, ZSTD, ValueKind::None) },
    Kind { name: "zstd f32", make: |out, size| random(out, size, ZSTD, ValueKind::F32) },
    Kind { name: "zstd u64", make: |out, size| random(out, size, ZSTD, ValueKind::U64) },
    Kind { name: "packed", make: |out, size| random(out, size, PACKED, ValueKind::None) },
    Kind { name: "packed f64", make: |out, size| random(out, size, PACKED, ValueKind::F64) },
    Kind { name: "plain, bare", make: |out, size| bare(out, size, PLAIN, ValueKind::Chance16) },
    Kind { name: "zstd, bare", make: |out, size| bare(out, size, ZSTD, ValueKind::Chance24) },
    Kind { name: "packed, bare", make: |out, size| bare(out, size, PACKED, ValueKind::Chance24) },
    Kind { name: "plain, long", make: |out, size| long(out, size, PLAIN) },
    Kind { name: "zstd, long", make: |out, size| long(out, size, ZSTD) },
    Kind { name: "packed, long", make: |out, size| long(out, size, PACKED) },
    Kind { name: "canonical", make: |out, size| collapsi(out, size, "") },
    Kind { name: "exact", make: |out, size| collapsi(out, size, "--exact") },
    Kind { name: "uncompressed", make: |out, size| collapsi(out, size, "--uncompressed") },
    Kind { name: "folded", make: |out, size| collapsi(out, size, "--fold64") },
    Kind { name: "exact folded", make: |out, size| collapsi(out, size, "--exact --fold64") },
    Kind { name: "dense", make: dense },
    Kind { name: "dense bytes", make: dense_bytes },
    Kind { name: "2048 score", make: |out, size| twenty48(out, size, ["2x2", "2x3"], "score") },
    Kind { name: "2048 tile", make: |out, size| twenty48(out, size, ["2x3", "2x4"], "tile:16") },
    Kind { name: "2048 searched", make: searched },
    Kind { name: "2048 pattern", make: |out, size| pattern(out, size.of(8, 64), "44") },
    Kind { name: "2048 free pattern", make: |out, size| pattern(out, size.of(8, 32), LOOSE) },
];

const PLAIN: Compression = Compression::None;
const ZSTD: Compression = Compression::Zstd;
const PACKED: Compression = Compression::Packed;

impl Extent {
    fn of<T>(self, small: T, large: T) -> T {
        if self == Self::Small { small } else { large }
    }
}

fn random(out: &Path, extent: Extent, compression: Compression, value: ValueKind) {
    let count = extent.of(270, 30_000);
    let records = random_records(count, value, &mut SplitMix64::new(count as u64));
    write(out, &description(value, compression), &records).unwrap();
}

/// Records of a code and a value.
fn bare(out: &Path, size: Extent, compression: Compression, value: ValueKind) {
    let count = size.of(270, 30_000);
    let mut records = random_records(count, value, &mut SplitMix64::new(count as u64));
    records.iter_mut().for_each(|record| record.meta = Meta::default());
    let short = description(value, compression);
    write(out, &Description { layout: Layout::Bare, ..short }, &records).unwrap();
}

/// Records of the long layout: draws, moves of 16 bits, long games.
fn long(out: &Path, size: Extent, compression: Compression) {
    let count = size.of(270, 30_000);
    let mut random = SplitMix64::new(count as u64);
    let mut records = random_records(count, ValueKind::None, &mut random);
    for record in &mut records {
        let bits = random.next() as u32;
        record.meta = Layout::Long.unpack(bits).or(Layout::Long.unpack(bits & !6)).unwrap();
    }
    let short = description(ValueKind::None, compression);
    write(out, &Description { layout: Layout::Long, ..short }, &records).unwrap();
}

/// Deals, or all positions of a deal.
fn collapsi(out: &Path, extent: Extent, options: &str) {
    let (seeds, positions) = extent.of(("0..20", "--positions root"), ("0..1", "--positions all"));
    generate_seeds(seeds, out).words(positions).words(options).run().printed();
}

/// A layer of the complete tables.
fn dense(out: &Path, extent: Extent) {
    let cards = extent.of(4, 5);
    let folder = folder();
    generate_complete(cards, &folder).run().printed();
    fs::rename(folder.path().join(format!("collapsi-{cards:02}.etd")), out).unwrap();
}

/// A layer of tables of Tak.
fn dense_bytes(out: &Path, extent: Extent) {
    let (flats, stones) = extent.of((2, 2), (5, 6));
    let folder = folder();
    generate_tak(3, flats, &folder).run().printed();
    fs::rename(folder.path().join(format!("tak-{stones:02}.etd")), out).unwrap();
}

fn twenty48(out: &Path, extent: Extent, [small, large]: [&str; 2], objective: &str) {
    generate_2048(extent.of(small, large), objective, out).run().printed();
}

/// A pattern whose large tiles may leave their cells for others, which is not numbered.
const LOOSE: &str = "loose ..../..../FFFF/FFFF 2,0,0,0/F,0,0,0/F,F,F,F/F,F,F,F";

fn pattern(out: &Path, target: u32, pattern: &str) {
    generate_pattern(pattern, target, out).run().printed();
}

fn searched(out: &Path, extent: Extent) {
    let seeds = extent.of("0..7", "0..600");
    let options = format!("--depth 0 --heuristic edges --seeds {seeds}");
    generate_searched("3x3", &options, out).run().printed();
}

/// A table in a folder of its own, and what it holds.
pub struct Sample {
    _folder: TempDir,
    pub path: PathBuf,
    pub records: Vec<Record>,
    /// Codes that it does not hold.
    pub absent: Vec<u64>,
}

impl Kind {
    pub fn sample(&self, extent: Extent) -> Sample {
        let folder = folder();
        let path = folder.path().join(SAMPLE);
        (self.make)(&path, extent);
        let table = AnyTable::open(&path).unwrap();
        let records: Vec<Record> = table.records().map(Result::unwrap).collect();
        assert_eq!(records.len() as u64, table.len(), "{}", self.name);
        let between = records.windows(2).map(|two| two[0].code.midpoint(two[1].code));
        let behind = records.last().map(|last| last.code.saturating_add(1));
        let absent = between.chain([0, u64::MAX]).chain(behind);
        let there = |code: &u64| find(&records, *code).is_some();
        let absent = absent.filter(|code| !there(code)).collect();
        Sample { _folder: folder, path, records, absent }
    }
}

/// The name of a sample's file.
pub const SAMPLE: &str = "table.etb";

/// What a table of these records must answer, by the most naive means.
pub fn find(records: &[Record], code: u64) -> Option<Record> {
    records.binary_search_by_key(&code, |record| record.code).ok().map(|at| records[at])
}
