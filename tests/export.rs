//! What `export` and `dump` write of every kind of table: read here by the words of the help text and
//! of docs/FORMAT.md, and held against the positions solved anew.

mod harness;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use endtable::games::collapsi::{Board, Index, Rules, Solver};
use endtable::games::key::Key128;
use endtable::games::{Detail, open};
use endtable::table::{Codec, Compression, Layout, Meta, Options, Record, ValueKind};
use endtable::value::{Plies, Value};
use harness::commands::{endtable, generate_2048, generate_complete, generate_seeds};
use harness::kinds::{Extent, KINDS, Sample};
use harness::process::Process;
use harness::tables::{description, write};
use harness::{folder, project};

fn export(paths: &[&Path], options: &str) -> Command {
    let mut command = endtable();
    command.arg("export").args(paths).words(options);
    command
}

fn sample(name: &str, extent: Extent) -> Sample {
    let kind = KINDS.iter().find(|kind| kind.name == name);
    kind.unwrap_or_else(|| panic!("no kind {name}")).sample(extent)
}

/// The lines of a CSV export, each with its columns by name.
fn csv(paths: &[&Path], options: &str) -> (String, Vec<BTreeMap<String, String>>) {
    let text = export(paths, &format!("--csv {options}")).run().printed();
    let mut lines = text.lines();
    let heading = lines.next().unwrap().to_owned();
    let names: Vec<&str> = heading.split(',').collect();
    let rows = lines.map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields.len(), names.len(), "{line}");
        names.iter().zip(fields).map(|(name, field)| (name.to_string(), field.into())).collect()
    });
    let rows = rows.collect();
    (heading, rows)
}

/// A key as the export writes it, of so many bits.
fn key(text: &str, bits: usize) -> u128 {
    let digits = text.strip_prefix("0x").unwrap_or_else(|| panic!("{text}"));
    assert_eq!(4 * digits.len(), bits, "{text}");
    u128::from_str_radix(digits, 16).unwrap()
}

fn board(row: &BTreeMap<String, String>) -> Board {
    Board::unkey(Key128(key(&row["key"], 128))).unwrap()
}

/// The sides that win and the distances are those that a search finds.
fn assert_solved(row: &BTreeMap<String, String>, rules: Rules, solver: &mut Solver) {
    let (board, value) = (board(row), solver.solve(&board(row), rules));
    let result = if value.value.is_win() { "win" } else { "loss" };
    assert_eq!(row["result"], result, "{board}");
    assert_eq!(row["plies"], value.value.plies().to_string(), "{board}");
    if let Some(best) = row.get("best_move") {
        assert_eq!(*best, value.best.map_or(String::new(), |mv| mv.to_string()), "{board}");
    }
    match row.get("turn") {
        Some(turn) => assert_eq!(*turn, board.turn().bit().to_string()),
        None => assert_eq!(board.turn().bit(), 0),
    }
}

#[test]
fn columns_are_those_that_say_something() {
    for (kind, expected) in [
        ("canonical", "key,result,best_move,plies"),
        ("uncompressed", "key,result,best_move,plies"),
        ("exact", "key,turn,result,best_move,plies"),
        ("folded", "key,result,best_move,plies"),
        ("exact folded", "key,turn,result,best_move,plies"),
        ("dense", "key,result,plies"),
        ("2048 score", "key,best_move,value"),
        ("2048 tile", "key,best_move,value"),
        ("2048 searched", "key,best_move,value"),
    ] {
        let sample = sample(kind, Extent::Large);
        let (heading, rows) = csv(&[&sample.path], "");
        assert_eq!(heading, expected, "{kind}");
        assert_eq!(rows.len(), sample.records.len(), "{kind}");
        for name in expected.split(',') {
            let differs = rows.iter().any(|row| row[name] != rows[0][name]);
            assert!(differs, "{kind}: {name} is always {}", rows[0][name]);
        }
    }
}

#[test]
fn collapsi_records_are_right() {
    let mut solver = Solver::new();
    for kind in ["canonical", "exact", "uncompressed"] {
        let sample = sample(kind, Extent::Large);
        let (_, rows) = csv(&[&sample.path], "");
        for row in rows.iter().step_by(rows.len() / 100) {
            assert_solved(row, Rules::One, &mut solver);
        }
    }
}

#[test]
fn folded_keys_have_sixteen_digits() {
    let [canonical, folded] =
        ["canonical", "folded"].map(|kind| csv(&[&sample(kind, Extent::Small).path], "").1);
    let mut expected: Vec<u64> = canonical.iter().map(|row| board(row).key().fold().0).collect();
    expected.sort_unstable();
    let found: Vec<u64> = folded.iter().map(|row| key(&row["key"], 64) as u64).collect();
    assert_eq!(found, expected);
}

#[test]
fn boards_of_2048_have_names_of_moves_and_values() {
    for kind in ["2048 score", "2048 tile", "2048 searched"] {
        let sample = sample(kind, Extent::Small);
        let options = Options::default();
        let tables = open(&[&sample.path], &options).unwrap();
        let (_, rows) = csv(&[&sample.path], "");
        for row in &rows {
            let text = format!("{:016x}", key(&row["key"], 64));
            let position = tables.position(&text, &options).unwrap();
            let answer = tables.probe(&*position, Detail::Best).unwrap().unwrap();
            assert_eq!(row["best_move"], answer.best().unwrap_or(""), "{kind} {text}");
            assert_eq!(row["value"], answer.worth.to_string(), "{kind} {text}");
        }
    }
}

/// The layers of complete tables, exported: each position once for its number, each solved anew.
#[test]
fn dense_tables_have_every_position_with_its_key() {
    let (folder, index, mut solver) = (folder(), Index::new(), Solver::new());
    generate_complete(5, &folder).run().printed();
    let (heading, rows) = csv(&[folder.path()], "--layer 5");
    assert_eq!(heading, "key,result,plies");
    assert_eq!(rows.len() as u64, index.len(5));
    for (number, row) in rows.iter().enumerate() {
        let board = board(row);
        assert_eq!(board.canonical().board, board);
        // Two numbers may have the same position if it is its own image: then their answers agree.
        let rank = index.rank(&board) as usize;
        assert_eq!(board, self::board(&rows[rank]), "number {number}");
        if number % 997 == 0 {
            assert_solved(row, Rules::Wild, &mut solver);
        }
    }
    let file = folder.path().join("collapsi-05.etd");
    assert_eq!(csv(&[&file], "").1, rows);
    // Across the border of two blocks, and of what is encoded at once.
    for range in [2040..2050, 16_380..16_390, 0..1, rows.len() - 3..rows.len() + 10] {
        let (start, end) = (range.start, range.end.min(rows.len()));
        let options = format!("--records {start}..{}", range.end);
        assert_eq!(csv(&[&file], &options).1, rows[start..end], "{range:?}");
        let listed = endtable().arg("dump").arg(&file).words(&options).run().printed();
        for (line, row) in listed.lines().zip(&rows[start..end]) {
            let (hi, lo) = row["key"][2..].split_at(16);
            let win = u8::from(row["result"] == "win");
            assert_eq!(line, format!("{hi}:{lo} 0{win}-- {}", row["plies"]));
        }
        assert_eq!(listed.lines().count(), end - start);
    }
    // All layers, one behind the other.
    let all: u64 = (2..=5).map(|cards| index.len(cards)).sum();
    assert_eq!(csv(&[folder.path()], "").1.len() as u64, all);
    let listed = endtable().arg("dump").arg(folder.path()).run().printed();
    assert_eq!(listed.lines().count() as u64, all);
}

/// A structured array, by the words of NumPy's format: names, types, and the bytes of the records.
struct Npy {
    fields: Vec<(String, String)>,
    records: usize,
    data: Vec<u8>,
}

fn npy(path: &Path, options: &str) -> Npy {
    let folder = folder();
    let out = folder.path().join("array.npy");
    export(&[path], &format!("--npy {options} --out")).arg(&out).run().printed();
    let bytes = fs::read(&out).unwrap();
    assert_eq!(bytes[..8], *b"\x93NUMPY\x01\0");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!((10 + length) % 64, 0);
    let header = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
    assert!(header.ends_with('\n') && header.is_ascii());
    let (descr, rest) = header.strip_prefix("{'descr': [").unwrap().split_once("], ").unwrap();
    let quoted: Vec<String> = descr.split('\'').skip(1).step_by(2).map(str::to_owned).collect();
    let fields = quoted.chunks(2).map(|two| (two[0].clone(), two[1].clone())).collect();
    let shape = rest.trim_end().strip_prefix("'fortran_order': False, 'shape': (").unwrap();
    let records = shape.strip_suffix(",), }").unwrap().parse().unwrap();
    Npy { fields, records, data: bytes[10 + length..].to_vec() }
}

impl Npy {
    /// The bytes of each record by field.
    fn rows(&self) -> Vec<BTreeMap<&str, &[u8]>> {
        let width = |kind: &str| kind[2..].parse::<usize>().unwrap();
        let row_length: usize = self.fields.iter().map(|(_, kind)| width(kind)).sum();
        assert_eq!(self.data.len(), row_length * self.records);
        let rows = self.data.chunks(row_length).map(|mut rest| {
            let fields = self.fields.iter().map(|(name, kind)| {
                let (field, behind) = rest.split_at(width(kind));
                rest = behind;
                (name.as_str(), field)
            });
            fields.collect()
        });
        rows.collect()
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap().trim_end_matches('\0')
}

/// The array says what the text says, in types that hold it.
#[test]
fn arrays_agree_with_the_text() {
    let key128 = [("key_hi", "<u8"), ("key_lo", "<u8")];
    let played = [("result", "|i1"), ("best_move", "|S2"), ("plies", "|u1")];
    let turn = [("turn", "|u1")];
    let key64 = [("key", "<u8")];
    let value = |kind| [("best_move", "|S5"), ("value", kind)];
    for (kind, types) in [
        ("canonical", [&key128[..], &played].concat()),
        ("exact", [&key128[..], &turn, &played].concat()),
        ("folded", [&key64[..], &played].concat()),
        ("exact folded", [&key64[..], &turn, &played].concat()),
        ("dense", [&key128[..], &played[..1], &played[2..]].concat()),
        ("2048 score", [&key64[..], &value("<f4")].concat()),
        ("2048 tile", [&key64[..], &value("<f8")].concat()),
    ] {
        let sample = sample(kind, Extent::Large);
        let (_, lines) = csv(&[&sample.path], "");
        let array = npy(&sample.path, "");
        let fields: Vec<_> =
            array.fields.iter().map(|(name, kind)| (name.as_str(), kind.as_str())).collect();
        assert_eq!(fields, types, "{kind}");
        assert_eq!(array.records, lines.len(), "{kind}");
        for (row, line) in array.rows().into_iter().zip(&lines) {
            let digits = |name: &str| format!("{:016x}", number(row[name]));
            let key = match row.contains_key("key") {
                true => digits("key"),
                false => digits("key_hi") + &digits("key_lo"),
            };
            assert_eq!(line["key"], format!("0x{key}"), "{kind}");
            if let Some(result) = row.get("result") {
                assert_eq!(line["result"], if result == &[1] { "win" } else { "loss" });
                assert!(matches!(result, [1 | 0xff]), "{result:?}");
            }
            for name in ["turn", "plies"] {
                assert_eq!(line.get(name), row.get(name).map(|it| number(it).to_string()).as_ref());
            }
            assert_eq!(
                line.get("best_move").map(String::as_str),
                row.get("best_move").map(|it| text(it))
            );
            match row.get("value") {
                None => {}
                Some(&&[a, b, c, d]) => {
                    assert_eq!(line["value"].parse(), Ok(f32::from_le_bytes([a, b, c, d])));
                }
                Some(bytes) => {
                    let value = f64::from_bits(number(bytes));
                    assert_eq!(line["value"], format!("{value:.10}"));
                }
            }
        }
    }
}

#[test]
fn raw_records_are_as_the_format_says() {
    for (kind, key_bytes, value_bytes) in
        [("canonical", 16, 0), ("exact folded", 8, 0), ("dense", 16, 0), ("2048 score", 8, 4)]
    {
        let (sample, folder) = (sample(kind, Extent::Small), folder());
        let out = folder.path().join("raw");
        export(&[&sample.path], "--raw --out").arg(&out).run().printed();
        let bytes = fs::read(&out).unwrap();
        let (_, lines) = csv(&[&sample.path], "");
        assert_eq!(bytes.len(), lines.len() * (key_bytes + 2 + value_bytes), "{kind}");
        for (record, line) in bytes.chunks(key_bytes + 2 + value_bytes).zip(&lines) {
            let key = record[..key_bytes].iter().rev().map(|byte| format!("{byte:02x}"));
            assert_eq!(line["key"], format!("0x{}", key.collect::<String>()));
            let meta = number(&record[key_bytes..][..2]);
            let best = match meta >> 2 & 0xff {
                0xff => String::new(),
                best if value_bytes == 0 => format!("{best:02x}"),
                best => ["up", "right", "down", "left"][best as usize].into(),
            };
            assert_eq!(*line.get("best_move").unwrap_or(&String::new()), best, "{kind}");
            if let Some(result) = line.get("result") {
                assert_eq!(result, if meta & 2 == 0 { "loss" } else { "win" });
                assert_eq!(line["plies"], (meta >> 10).to_string());
            } else {
                let value = f32::from_bits(number(&record[key_bytes + 2..]) as u32);
                assert_eq!(line["value"].parse(), Ok(value));
            }
        }
    }
}

/// Tables of one folder that differ in their rules: a column tells which is which.
#[test]
fn rules_are_a_column_where_tables_differ_in_them() {
    let folder = folder();
    for rules in ["one", "wild"] {
        let mut generate = generate_seeds("0..3", folder.path().join(format!("{rules}.etb")));
        generate.words("--positions root --rules").arg(rules).run().printed();
    }
    let (heading, rows) = csv(&[folder.path()], "");
    assert_eq!(heading, "key,rules,result,best_move,plies");
    let mut solver = Solver::new();
    for (row, rules) in rows.iter().zip([[Rules::One; 3], [Rules::Wild; 3]].concat()) {
        assert_eq!(row["rules"], rules.name());
        assert_solved(row, rules, &mut solver);
    }
    let array = npy(folder.path(), "");
    assert_eq!(array.fields[2], ("rules".into(), "|S4".into()));
    let told: Vec<String> = array.rows().iter().map(|row| text(row["rules"]).into()).collect();
    assert_eq!(told, ["one", "one", "one", "wild", "wild", "wild"]);
    let said = export(&[folder.path()], "--raw").run().failed(2);
    assert!(said.contains("different rules"), "{said}");
}

#[test]
fn what_cannot_be_exported_is_refused() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    generate_complete(3, path("complete")).run().printed();
    generate_2048("2x2", "score", path("2048.etb")).run().printed();
    generate_seeds("0..1", path("deal.etb")).words("--positions root").run().printed();
    let complete = path("complete");
    for (paths, options, code, reason) in [
        (&[complete.as_path()][..], "--csv --layer 4", 1, "--layer 4: no table of that layer"),
        (&[&complete], "--csv --records 0..5", 2, "--records 0..5: several tables"),
        (&[&path("2048.etb"), &path("deal.etb")], "--csv", 2, "do not have the same columns"),
        (&[&path("missing.etb")], "--csv", 3, "missing.etb"),
        (&[&path("deal.etb")], "", 2, "--csv"),
        (&[&path("deal.etb")], "--csv --npy", 2, "--npy"),
    ] {
        let said = export(paths, options).run().failed(code);
        assert!(said.contains(reason), "{options}: {said}");
    }
}

/// A table with right checksums whose records are nonsense: the file and the record are named.
#[test]
fn records_that_cannot_be_are_named() {
    let folder = folder();
    let path = folder.path().join("hostile.etb");
    let describe = || description(ValueKind::None, Compression::None);
    assert_eq!((describe().codec, describe().layout), (Codec::Canonical, Layout::Short));
    let good = sample("canonical", Extent::Small).records[0];
    let none = Record { code: u64::MAX, ..good };
    write(&path, &describe(), &[good, none]).unwrap();
    let nowhere = Record { meta: Meta::new(0, Value::Win(Plies(1)), Some(0x77)), ..good };
    let other = folder.path().join("move.etb");
    write(&other, &describe(), &[nowhere]).unwrap();
    for form in ["--csv", "--npy", "--raw"] {
        let out = folder.path().join("out");
        let said = export(&[&path], form).arg("--out").arg(&out).run().failed(3);
        assert!(said.contains("hostile.etb: record 1: no position has the code ffff"), "{said}");
        assert!(!out.exists());
    }
    let said = export(&[&other], "--csv").run().failed(3);
    assert!(said.contains("move.etb") && said.contains("no move has the number 119"), "{said}");
}

/// Interrupted, an export leaves nothing behind.
#[test]
fn a_stopped_export_leaves_nothing() {
    let folder = folder();
    let (complete, target) = (folder.path().join("complete"), folder.path().join("to"));
    generate_complete(7, &complete).run().printed();
    fs::create_dir(&target).unwrap();
    let mut running =
        export(&[&complete], "--layer 7 --csv --out").arg(target.join("out.csv")).start();
    let length = |path: PathBuf| fs::metadata(path).map_or(0, |data| data.len());
    assert!(running.wait_for(|| {
        let mut entries = fs::read_dir(&target).unwrap();
        entries.any(|entry| length(entry.unwrap().path()) > 0)
    }));
    let done = running.interrupt();
    let said = done.failed(1);
    assert!(said.contains("stopped"), "{said}");
    assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
}

#[test]
fn a_table_is_not_exported_onto_itself() {
    let folder = folder();
    let table = folder.path().join("seeds.etb");
    fs::copy(project("data").join("collapsi-one-seeds-0-2.etb"), &table).unwrap();
    let before = fs::read(&table).unwrap();
    let mut command = endtable();
    command.arg("export").arg(&table).args(["--csv", "--force", "--out"]).arg(&table);
    let said = command.run().failed(2);
    assert!(said.contains("the table that is exported"), "{said}");
    assert_eq!(fs::read(&table).unwrap(), before);
}
