//! Tables against a sorted list: what is written is what is read, and what is not a table is
//! refused for the right reason.

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use endtable::games::Game;
use endtable::games::collapsi::Collapsi;
use endtable::job::items::{Source, generate};
use endtable::job::work::{Lock, Stage, WorkFolder};
use endtable::job::{Ending, Quiet, Run, work_folder};
use endtable::random::SplitMix64;
use endtable::table::{
    Codec, Compression, Description, Kind, Layout, Meta, Options, Recipe, Record, Table,
    TableError, TableSet, ValueKind, Writer, merge, read_header,
};
use endtable::value::{Plies, Value};
use harness::folder;
use harness::kinds::find;
use harness::repair::repair;
use harness::tables::{description, random_records, run, write};
use tempfile::TempDir;

const COMPRESSIONS: [Compression; 3] = [Compression::None, Compression::Zstd, Compression::Packed];
const VALUES: [ValueKind; 7] = [
    ValueKind::None,
    ValueKind::F32,
    ValueKind::F64,
    ValueKind::Chance16,
    ValueKind::Chance24,
    ValueKind::Chance32,
    ValueKind::U64,
];

/// Some answer, another for each number.
fn meta(bits: u16) -> Meta {
    Layout::Short.unpack(bits.into()).unwrap()
}

/// A folder, and the name of a table in it.
fn place() -> (TempDir, PathBuf) {
    let folder = folder();
    let path = folder.path().join("table.etb");
    (folder, path)
}

/// Codes that are there, and their neighbours, most of which are not.
fn questions(records: &[Record]) -> Vec<u64> {
    let around = |record: &Record| [record.code - 1, record.code, record.code.saturating_add(1)];
    records.iter().flat_map(around).chain([0, u64::MAX / 2, u64::MAX]).collect()
}

fn check_against_list(table: &Table, records: &[Record], random: &mut SplitMix64) {
    assert_eq!(table.len(), records.len() as u64);
    assert_eq!(table.is_empty(), records.is_empty());
    let all: Vec<Record> = table.records().map(Result::unwrap).collect();
    assert_eq!(all, records);
    let mut codes = questions(records);
    let expected: Vec<_> = codes.iter().map(|&code| find(records, code)).collect();
    assert_eq!(table.get_many(&codes).unwrap(), expected);
    // One by one, and in no order: thousands are enough.
    for _ in 0..codes.len().min(5_000) {
        let code = codes[random.below(codes.len() as u64) as usize];
        assert_eq!(table.get(code).unwrap(), find(records, code), "{code:x}");
        let position = records.partition_point(|record| record.code < code);
        assert_eq!(table.position(code).unwrap(), position as u64, "{code:x}");
    }
    codes.reverse();
    let expected: Vec<_> = codes.iter().map(|&code| find(records, code)).collect();
    assert_eq!(table.get_many(&codes).unwrap(), expected);
    for from in [0, 1, 255, 256, 257, 511, records.len().saturating_sub(1), records.len()] {
        let rest: Vec<Record> =
            table.records_from(from as u64).take(600).map(Result::unwrap).collect();
        let expected: Vec<Record> = records.iter().copied().skip(from).take(600).collect();
        assert_eq!(rest, expected, "from {from}");
    }
    assert_eq!(table.records_from(u64::MAX).count(), 0);
    let counted: u64 = (0..table.blocks()).map(|block| table.verify_block(block).unwrap()).sum();
    assert_eq!(counted, table.len());
}

#[test]
fn what_is_written_is_read() {
    let mut random = SplitMix64::new(1);
    let (_folder, path) = place();
    for compression in COMPRESSIONS {
        for value in VALUES {
            for count in [0, 1, 2, 255, 256, 257, 1000, 70_000] {
                let description = description(value, compression);
                let records = random_records(count, value, &mut random);
                write(&path, &description, &records).unwrap();
                let table = Table::open(&path).unwrap();
                assert_eq!(table.header().description, description);
                check_against_list(&table, &records, &mut random);
            }
        }
    }
}

#[test]
fn the_outermost_codes_have_their_place() {
    let (_folder, path) = place();
    let records = [0, 1, u64::MAX - 1, u64::MAX].map(|code| Record {
        code,
        meta: meta(code as u16),
        value: 0,
    });
    for compression in COMPRESSIONS {
        write(&path, &description(ValueKind::None, compression), &records).unwrap();
        let table = Table::open(&path).unwrap();
        for record in records {
            assert_eq!(table.get(record.code).unwrap(), Some(record));
        }
        assert_eq!(table.get(2).unwrap(), None);
        assert_eq!(table.position(2).unwrap(), 2);
    }
}

#[test]
fn records_out_of_order_are_refused() {
    let (_folder, path) = place();
    for code in [7, 6, 0] {
        let mut writer =
            Writer::create(&path, description(ValueKind::None, Compression::Zstd)).unwrap();
        let record = |code| Record { code, meta: meta(0), value: 0 };
        writer.push(record(7)).unwrap();
        let error = writer.push(record(code)).unwrap_err();
        let expected = |it: &TableError| matches!(it, TableError::OutOfOrder { before: 7, code: c, .. } if *c == code);
        assert!(expected(&error), "{error}");
    }
}

#[test]
fn an_unfinished_table_is_refused_as_such() {
    let mut random = SplitMix64::new(2);
    let (folder, path) = place();
    let mut writer = Writer::create(&path, description(ValueKind::F64, Compression::None)).unwrap();
    for record in random_records(200_000, ValueKind::F64, &mut random) {
        writer.push(record).unwrap();
    }
    let partials = || fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let partial = partials().next().unwrap();
    let copy = folder.path().join("copy.etb");
    fs::copy(&partial, &copy).unwrap();
    assert!(fs::metadata(&copy).unwrap().len() > 1 << 20, "some of it is on the disk");
    let error = Table::open(&copy).unwrap_err();
    assert!(matches!(error, TableError::Unfinished { .. }), "{error}");
    assert!(error.to_string().contains("unfinished"), "{error}");
    drop(writer);
    assert!(partials().eq([copy]), "what was dropped is gone");
}

#[test]
fn a_description_that_no_header_holds_is_refused() {
    let (_folder, path) = place();
    for text in ["two\nlines".to_owned(), "a\rreturn".into(), "long".repeat(20_000)] {
        let recipe = Recipe::new(Collapsi.name(), Options::default().with("option", text));
        let description = Description { recipe, ..description(ValueKind::None, Compression::Zstd) };
        let error = Writer::create(&path, description).unwrap_err();
        assert!(matches!(error, TableError::Inconsistent { .. }), "{error}");
    }
}

fn small_table(path: &Path) -> Vec<u8> {
    let records = random_records(600, ValueKind::None, &mut SplitMix64::new(3));
    write(path, &description(ValueKind::None, Compression::Zstd), &records).unwrap();
    fs::read(path).unwrap()
}

fn open_bytes(path: &Path, bytes: &[u8]) -> TableError {
    fs::write(path, bytes).unwrap();
    Table::open(path).unwrap_err()
}

#[test]
fn what_is_no_table_is_refused() {
    let (folder, path) = place();
    let foreign: [&[u8]; 5] = [
        b"",
        b"E",
        b"\0",
        b"#!/bin/sh\nexit 0\n# long enough for a header, were it one ........",
        &[0x28; 4096],
    ];
    for bytes in foreign {
        let error = open_bytes(&path, bytes);
        assert!(matches!(error, TableError::NotATable { .. }), "{error}");
    }
    let missing = Table::open(folder.path().join("missing.etb")).unwrap_err();
    assert!(matches!(&missing, TableError::Io { .. }), "{missing}");
    assert!(missing.to_string().contains("missing.etb: No such file"), "{missing}");
    let error = Table::open(folder.path()).unwrap_err();
    assert!(matches!(error, TableError::NotATable { .. }), "{error}");
}

/// Changes some bytes of a header, makes its checksum right, and opens that.
fn with_header(path: &Path, at: usize, field: &[u8]) -> TableError {
    let mut bytes = small_table(path);
    bytes[at..at + field.len()].copy_from_slice(field);
    repair(&mut bytes);
    open_bytes(path, &bytes)
}

#[test]
fn what_is_not_known_is_refused_by_name() {
    let (_folder, path) = place();
    for (version, advice) in [(1, "generate the table again"), (3, "a newer endtable")] {
        let error = with_header(&path, 8, &u16::to_le_bytes(version));
        assert!(matches!(error, TableError::Version { expected: 2, .. }), "{error}");
        assert!(error.to_string().contains(advice), "{error}");
    }
    for (at, what) in
        [(16, "feature"), (24, "key codec"), (25, "value column"), (26, "compression")]
    {
        let error = with_header(&path, at, &[99]);
        let named =
            matches!(&error, TableError::Unknown { what: it, found: 99, .. } if *it == what);
        assert!(named, "{what}: {error}");
    }
    let error = with_header(&path, 29, &[3, 5, 7]);
    let named = matches!(&error, TableError::Unknown { what: "layout of records", .. });
    assert!(named, "{error}");
    let error = with_header(&path, 27, &[12]);
    assert!(matches!(error, TableError::Inconsistent { .. }), "{error}");
}

/// Draws, long moves and long games have room in the long layout, and are refused in the short one.
#[test]
fn the_layout_decides_what_a_record_has_room_for() {
    let mut random = SplitMix64::new(8);
    let (_folder, path) = place();
    let mut code = 0;
    let mut record = |value, best| {
        code += 1 + random.below(1000);
        Record { code, meta: Meta::new(random.below(2) as u16, value, best), value: 0 }
    };
    let mut long: Vec<Record> = (0..600)
        .map(|number| match number % 3 {
            0 => record(Value::Draw, Some(number * 100)),
            1 => record(Value::Win(Plies(number * 13)), Some(0xfffe)),
            _ => record(Value::Loss(Plies(number)), None),
        })
        .collect();
    for compression in COMPRESSIONS {
        let short = description(ValueKind::None, compression);
        let description = Description { layout: Layout::Long, ..short.clone() };
        write(&path, &description, &long).unwrap();
        let table = Table::open(&path).unwrap();
        assert_eq!(table.header().description.record_bytes(), 16 + 4);
        check_against_list(&table, &long, &mut SplitMix64::new(9));
        for record in &long[..2] {
            let error = write(&path, &short, &[*record]).unwrap_err();
            assert!(matches!(error, TableError::NoRoom { .. }), "{error}");
        }
    }
    long.truncate(3);
    let error = write(&path, &description(ValueKind::None, Compression::Zstd), &long).unwrap_err();
    assert!(matches!(error, TableError::NoRoom { code, .. } if code == long[0].code), "{error}");
}

#[test]
fn a_header_that_claims_too_much_is_refused() {
    let (_folder, path) = place();
    for length in [0, 8, 87, 89, 1 << 16, u32::MAX] {
        let error = with_header(&path, 12, &u32::to_le_bytes(length));
        assert!(matches!(error, TableError::Inconsistent { .. }), "{length}: {error}");
    }
    for huge in [1 << 20, 1 << 40, u64::MAX / 32, u64::MAX - 31, u64::MAX] {
        for at in [32, 40, 56] {
            let error = with_header(&path, at, &u64::to_le_bytes(huge));
            assert!(matches!(error, TableError::Inconsistent { .. }), "{at} {huge}: {error}");
        }
        let error = with_header(&path, 64, &u64::to_le_bytes(huge));
        assert!(matches!(error, TableError::Length { .. }), "{huge}: {error}");
    }
    for at in [48, 52] {
        let error = with_header(&path, at, &u32::MAX.to_le_bytes());
        assert!(matches!(error, TableError::Inconsistent { .. }), "{at}: {error}");
    }
}

/// Header and index agree on one block of four billion records: only its size gives it away.
#[test]
fn a_block_that_claims_too_much_is_refused() {
    let (_folder, path) = place();
    let records = random_records(100, ValueKind::None, &mut SplitMix64::new(7));
    write(&path, &description(ValueKind::None, Compression::Zstd), &records).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    let entry = Table::open(&path).unwrap().header().index_offset as usize;
    bytes[32..40].copy_from_slice(&u64::from(u32::MAX).to_le_bytes());
    bytes[48..52].copy_from_slice(&u32::MAX.to_le_bytes());
    bytes[entry + 20..entry + 24].copy_from_slice(&u32::MAX.to_le_bytes());
    repair(&mut bytes);
    let error = open_bytes(&path, &bytes);
    assert!(matches!(error, TableError::Inconsistent { .. }), "{error}");
}

#[test]
fn each_kind_of_damage_has_its_error() {
    let (_folder, path) = place();
    let bytes = small_table(&path);
    let flipped = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        bytes
    };
    let error = open_bytes(&path, &bytes[..bytes.len() - 1]);
    assert!(matches!(error, TableError::Length { .. }), "{error}");
    let error = open_bytes(&path, &flipped(90));
    assert!(matches!(error, TableError::PartChecksum { part: "header", .. }), "{error}");
    let error = open_bytes(&path, &flipped(bytes.len() - 33));
    assert!(matches!(error, TableError::PartChecksum { part: "index", .. }), "{error}");
    let error = open_bytes(&path, &flipped(bytes.len() - 1));
    assert!(matches!(error, TableError::Inconsistent { .. }), "{error}");
}

/// A table of three blocks whose middle one is damaged, and its records.
fn damaged_in_the_middle(path: &Path, compression: Compression) -> (Table, Vec<Record>) {
    let records = random_records(700, ValueKind::None, &mut SplitMix64::new(4));
    write(path, &description(ValueKind::None, compression), &records).unwrap();
    let mut bytes = fs::read(path).unwrap();
    let index = Table::open(path).unwrap().header().index_offset as usize;
    let entry = index + 32 + 8;
    let offset = u64::from_le_bytes(bytes[entry..entry + 8].try_into().unwrap());
    bytes[offset as usize] ^= 0x10;
    fs::write(path, bytes).unwrap();
    (Table::open(path).unwrap(), records)
}

#[test]
fn reading_ends_at_a_damaged_block_with_an_error() {
    let (_folder, path) = place();
    for compression in COMPRESSIONS {
        let (table, records) = damaged_in_the_middle(&path, compression);
        for from in [0, 1, 255, 256, 300, 511] {
            let read: Vec<_> = table.records_from(from).collect();
            let (last, right) = read.split_last().unwrap();
            assert!(
                matches!(last, Err(TableError::ChecksumMismatch { block: 1, .. })),
                "from {from}: {last:?}"
            );
            let right: Vec<Record> = right.iter().map(|it| *it.as_ref().unwrap()).collect();
            let expected = records[..256].get(from as usize..).unwrap_or_default();
            assert_eq!(right, expected, "from {from}");
        }
        let behind: Vec<Record> = table.records_from(512).map(Result::unwrap).collect();
        assert_eq!(behind, records[512..]);
        let tables = [table];
        let merged: Vec<_> = merge(&tables).collect();
        assert!(merged.last().unwrap().is_err(), "merging ends there too");
        assert_eq!(merged.iter().filter(|it| it.is_err()).count(), 1);
    }
}

/// Splits records over tables; some are in several.
fn split(folder: &Path, records: &[Record], random: &mut SplitMix64) -> Vec<PathBuf> {
    let mut parts = vec![Vec::new(); 5];
    for &record in records {
        let (one, other) = (random.below(5) as usize, random.below(15) as usize);
        parts[one].push(record);
        if other < 5 && other != one {
            parts[other].push(record);
        }
    }
    parts.push(Vec::new());
    let write_part = |(number, part): (usize, &Vec<Record>)| {
        let path = folder.join(format!("part-{number}.etb"));
        let compression = COMPRESSIONS[number % COMPRESSIONS.len()];
        write(&path, &description(ValueKind::F32, compression), part).unwrap();
        path
    };
    parts.iter().enumerate().map(write_part).collect()
}

#[test]
fn parts_make_the_whole_again() {
    let mut random = SplitMix64::new(5);
    let folder = folder();
    let records = random_records(20_000, ValueKind::F32, &mut random);
    let paths = split(folder.path(), &records, &mut random);
    let parts: Vec<Table> = paths.iter().map(|path| Table::open(path).unwrap()).collect();
    assert!(parts.iter().map(|part| part.len()).sum::<u64>() > 21_000, "there are duplicates");
    let merged: Vec<Record> = merge(&parts).map(Result::unwrap).collect();
    assert_eq!(merged, records);

    fs::write(folder.path().join("notes.txt"), "not a table").unwrap();
    let set = TableSet::open(&[folder.path()]).unwrap();
    assert_eq!(set.tables().len(), parts.len());
    for code in questions(&records) {
        assert_eq!(set.get(code).unwrap(), find(&records, code));
    }
    let set = TableSet::open(&paths[..2]).unwrap();
    let there = records.iter().filter(|it| set.get(it.code).unwrap() == Some(**it)).count();
    assert_eq!(there, merge(set.tables()).count());
}

#[test]
fn two_answers_for_one_code_are_an_error_that_names_it() {
    let folder = folder();
    let record = |code, meta| Record { code, meta: self::meta(meta), value: 0 };
    let lists = [vec![record(1, 1), record(0xabc, 2)], vec![record(2, 1)], vec![record(0xabc, 3)]];
    let mut tables = Vec::new();
    for (number, records) in lists.iter().enumerate() {
        let path = folder.path().join(format!("{number}.etb"));
        write(&path, &description(ValueKind::None, Compression::Zstd), records).unwrap();
        tables.push(Table::open(&path).unwrap());
    }
    let merged: Vec<_> = merge(&tables).collect();
    let [.., Err(error)] = &merged[..] else { panic!("{merged:?}") };
    assert!(merged[..merged.len() - 1].iter().all(Result::is_ok), "nothing comes behind an error");
    let (one, other) = (record(0xabc, 2), record(0xabc, 3));
    assert!(
        matches!(error, TableError::Conflict { one: a, other: b } if (*a, *b) == (one, other)),
        "{error}"
    );
    assert!(error.to_string().contains("0000000000000abc"), "{error}");
}

/// A thousand tables of long recipes: the header says how many, and what they have in common.
#[test]
fn a_thousand_tables_are_merged() {
    let (_folder, path) = place();
    let recipe = |number: u64| {
        let options = Options::default().with("seeds", format!("{number}..{}", number + 1));
        let options = options.with("note", format!("{number} {}", "x".repeat(500)));
        Recipe::new(Collapsi.name(), options.with("rules", "one").with_switch("exact"))
    };
    let recipes: Vec<Recipe> = (0..1000).map(recipe).collect();
    let recipe = Recipe::joined(&recipes).unwrap();
    let base = description(ValueKind::None, Compression::Zstd);
    write(&path, &Description { recipe: recipe.clone(), ..base }, &[]).unwrap();
    let header = read_header(&path).unwrap();
    assert_eq!(header.description.recipe, recipe);
    assert_eq!(recipe.merged, Some(1000));
    assert_eq!(recipe.options.to_string(), "--rules one --exact");
}

#[test]
fn tables_that_do_not_belong_together_are_refused() {
    let base = description(ValueKind::None, Compression::Zstd);
    let others = [
        ("rules", Description { rules: "wild".into(), ..base.clone() }),
        ("codec", Description { codec: Codec::Exact, ..base.clone() }),
        ("value column", Description { value: ValueKind::F32, ..base.clone() }),
    ];
    for (expected, other) in others {
        let folder = folder();
        write(&folder.path().join("a.etb"), &base, &[]).unwrap();
        write(&folder.path().join("b.etb"), &other, &[]).unwrap();
        let error = TableSet::open(&[folder.path()]).unwrap_err();
        assert!(matches!(&error, TableError::Mixed { what, .. } if *what == expected), "{error}");
        let text = error.to_string();
        assert!(text.contains("a.etb") && text.contains("b.etb"), "{text}");
    }
    let empty = folder();
    let error = TableSet::open(&[empty.path()]).unwrap_err();
    assert!(matches!(error, TableError::MissingTable { .. }), "{error}");
}

fn job(name: &str) -> Description {
    let recipe = Recipe::new(Collapsi.name(), Options::default().with_switch(name));
    Description { recipe, ..description(ValueKind::U64, Compression::Zstd) }
}

fn stage(work: &WorkFolder) -> Stage {
    work.stage("solved", Kind::Keyed, work.description().clone()).unwrap()
}

#[test]
fn two_positions_with_one_folded_key_are_detected() {
    let (_folder, path) = place();
    let record = |value| Record { code: 0xf01d, meta: meta(1), value };
    let conflict = |error: &TableError| matches!(error, TableError::Conflict { one, other } if (one.value, other.value) == (1, 2));
    let mut shards = stage(&WorkFolder::open(&path, &job("c")).unwrap());
    let error = shards.save_unsorted(0..1, &mut vec![record(2), record(1)]).unwrap_err();
    assert!(conflict(&error), "in one shard: {error}");
    shards.save_unsorted(0..1, &mut vec![record(1), record(1)]).unwrap();
    shards.save_unsorted(1..2, &mut vec![record(2)]).unwrap();
    let shards = shards.open_shards().unwrap();
    let merged: Result<Vec<_>, _> = merge(&shards).collect();
    let error = merged.unwrap_err();
    assert!(conflict(&error), "in two shards: {error}");
}

#[test]
fn a_work_folder_believes_only_its_own_sound_shards() {
    let (_folder, table) = place();
    let path = work_folder(&table);
    let open = || WorkFolder::open(&table, &job("c")).unwrap();
    let found = || {
        let shards = stage(&open());
        (shards.done(), shards.shard_count())
    };
    let mut random = SplitMix64::new(6);
    let mut shards = stage(&open());
    // In any order.
    for items in [3..7, 0..2, 7..9, 2..3] {
        let mut records = random_records(300, ValueKind::U64, &mut random);
        shards.save_unsorted(items, &mut records).unwrap();
    }
    let lock = Lock::take(&open(), &Quiet).unwrap();
    let busy = Lock::take(&open(), &Quiet).unwrap_err();
    assert!(matches!(busy, TableError::Busy { .. }), "{busy}");
    drop(lock);
    let file = |name: &str| path.join(name);
    fs::write(file(".solved-9-12.etb.1-2-3.partial"), [0; 100]).unwrap();
    fs::write(file("notes"), "somebody's own").unwrap();
    assert_eq!(found(), (9, 4));
    // What another program has done of the same does no harm.
    shards.save_unsorted(1..4, &mut random_records(10, ValueKind::U64, &mut random)).unwrap();
    assert_eq!(found(), (9, 4));

    // A shard under another's name has sound checksums, and still the wrong items.
    fs::rename(file("solved-7-9.etb"), file("solved-7-12.etb")).unwrap();
    assert_eq!(found(), (7, 3));
    let mut bytes = fs::read(file("solved-2-3.etb")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(file("solved-2-3.etb"), bytes).unwrap();
    // The damaged shard leaves a gap, and only that is made again.
    assert_eq!(found(), (6, 2));
    let mut shards = stage(&open());
    assert_eq!(shards.gap(9), 2..3);
    shards.save_unsorted(2..3, &mut random_records(300, ValueKind::U64, &mut random)).unwrap();
    assert_eq!(found(), (7, 3));
    assert_eq!(stage(&open()).gap(9), 7..9);

    let newer = Description { generator: "endtable 99".into(), ..job("c") };
    let error = WorkFolder::open(&table, &newer).unwrap_err();
    assert!(error.to_string().contains("another version"), "{error}");
    let error = WorkFolder::open(&table, &job("d")).unwrap_err();
    let named = matches!(&error, TableError::OtherRecipe { expected, found, .. } if expected.options.has("d") && found.options.has("c"));
    assert!(named, "{error}");
    let recipe = fs::read(file("recipe")).unwrap();
    fs::write(file("recipe"), &recipe[..recipe.len() / 4]).unwrap();
    let error = WorkFolder::open(&table, &job("c")).unwrap_err();
    assert!(error.to_string().contains("remove the folder"), "{error}");
    fs::write(file("recipe"), recipe).unwrap();
    open().remove().unwrap();
    assert_eq!(fs::read_dir(&path).unwrap().count(), 1, "only the notes stay");
}

/// A source whose items share some records.
struct Steps(u64);

impl Source for Steps {
    type State = ();

    fn start(&self) {}

    fn what(&self) -> &'static str {
        "steps"
    }

    fn items(&self) -> u64 {
        self.0
    }

    fn solve(
        &self,
        (): &mut (),
        item: u64,
        _stop: &AtomicBool,
        records: &mut Vec<Record>,
    ) -> Result<bool, TableError> {
        let record = |code| Record { code, meta: meta(code as u16), value: 0 };
        records.extend((10 * item..10 * item + 15).map(record));
        Ok(true)
    }

    fn most_records(&self) -> usize {
        15
    }
}

#[test]
fn any_memory_bound_gives_the_same_table() {
    let folder = folder();
    let stop = AtomicBool::new(false);
    let description = description(ValueKind::None, Compression::Zstd);
    let mut files = Vec::new();
    for memory in [0, 33 << 20, 1 << 40, u64::MAX] {
        let out = folder.path().join(format!("{memory}.etb"));
        let run = Run { memory, ..run(&out, &stop) };
        let ending = generate(&Steps(100), &description, &run).unwrap();
        assert!(matches!(ending, Ending::Finished));
        assert_eq!(read_header(&out).unwrap().records, 1005);
        assert!(!work_folder(&out).exists());
        files.push(fs::read(&out).unwrap());
    }
    assert!(files.windows(2).all(|two| two[0] == two[1]));
}

#[test]
fn the_next_run_cleans_up_after_a_kill() {
    let (_folder, out) = place();
    let stop = AtomicBool::new(false);
    let description = description(ValueKind::None, Compression::Zstd);
    let run = || generate(&Steps(10), &description, &run(&out, &stop));
    run().unwrap();
    let bytes = fs::read(&out).unwrap();
    // As it is when the program is killed with the table in place and its shards not yet removed.
    let work = WorkFolder::open(&out, &description).unwrap();
    stage(&work).save_unsorted(0..10, &mut Vec::new()).unwrap();
    assert!(matches!(run().unwrap(), Ending::Finished));
    assert!(!work_folder(&out).exists() && fs::read(&out).unwrap() == bytes);
    assert!(matches!(run().unwrap_err(), TableError::Exists { .. }), "and no more than that");
}
