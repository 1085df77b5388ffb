//! The C interface and what stands on it: a C program and a Python module answer as Rust does.

mod harness;

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use endtable::games::collapsi::{Board, Rules, deal_from_seed};
use endtable::games::key::Key64;
use endtable::games::random::SplitMix64;
use endtable::probe::{Answer, RecordKey, record_key};
use endtable::table::Table;
use harness::commands::{PROGRAM, generate_seeds};
use harness::process::Process;
use harness::tables::open_collapsi;
use harness::{folder, project};

/// A library that was built along with this test. Cargo leaves it in `deps`, beside the program;
/// a copy that an earlier `cargo build` left beside the program itself may be older.
fn library(extension: &str) -> PathBuf {
    let folder = Path::new(PROGRAM).parent().unwrap().join("deps");
    let library = folder.join(format!("libendtable.{extension}"));
    assert!(library.is_file(), "{}: cargo did not build it", library.display());
    library
}

const SHARED: &str = if cfg!(target_os = "macos") { "dylib" } else { "so" };

/// The compiler that the environment names, with every warning an error.
fn cc() -> Command {
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or("cc".into()));
    cc.args(["-Wall", "-Wextra", "-Werror", "-pedantic"]);
    cc.arg("-I").arg(project("include"));
    cc
}

/// Compiles the C program with a library, given as arguments for the linker.
fn compile(to: &Path, libraries: &[&OsStr]) {
    let mut cc = cc();
    cc.args(["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-g", "-O1", "-pthread", "-o"]).arg(to);
    cc.arg(project("tests/c/probe.c")).args(libraries).run().printed();
}

/// Runs the C program on a table, its damaged twin, a foreign file and keys.
fn run(program: &Path, table: &Path, keys: &str) -> String {
    let mut command = Command::new(program);
    command.arg(table).arg(damaged(table)).arg(project("Cargo.toml"));
    command.feed(keys.as_bytes()).printed()
}

fn generate(folder: &Path, options: &str) -> PathBuf {
    let table = folder.join("t.etb");
    generate_seeds("0..2", &table).words("--threads 1").words(options).run().printed();
    table
}

/// A copy of a table with one bit of its first block flipped.
fn damaged(table: &Path) -> PathBuf {
    let mut bytes = fs::read(table).unwrap();
    // The header's length stands at byte 12, and the first block behind the header.
    let header = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    bytes[header + 5] ^= 0x10;
    let damaged = table.with_extension("damaged");
    fs::write(&damaged, bytes).unwrap();
    damaged
}

/// Boards of random games from the deals in the table, as they stand on the table and not in
/// canonical form; deals that are not there; and the boards of the first block.
fn boards(table: &Path) -> Vec<Board> {
    let mut random = SplitMix64::new(7);
    let mut boards: Vec<Board> = (100..130).map(deal_from_seed).collect();
    for game in 0..60 {
        let mut board = deal_from_seed(game % 2);
        loop {
            boards.push(board);
            let moves: Vec<_> = board.moves(Rules::One).collect();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len() as u64) as usize];
            board = board.play(mv, Rules::One).unwrap();
        }
    }
    let table = Table::open(table).unwrap();
    for record in table.records().take(100) {
        let key = record_key(&record.unwrap(), &table.header().description).unwrap();
        if let RecordKey::Long(key) = key {
            boards.push(Board::unkey(key).unwrap());
        }
    }
    // Shuffled, because neighbours in a table are quicker to look up.
    for last in (1..boards.len()).rev() {
        boards.swap(last, random.below(last as u64 + 1) as usize);
    }
    boards
}

/// The line that the C program prints for an answer.
fn line(key: &str, turn: u16, answer: Option<Answer>) -> String {
    let Some(Answer { value, best }) = answer else { return format!("{key} not found\n") };
    let best = best.map_or("ff".into(), |mv| mv.to_string());
    format!("{key} {turn}{}{best} {}\n", u8::from(value.is_win()), value.plies())
}

/// Keys, and the lines that Rust's answers for them make.
fn expected(table: &Path) -> (String, String) {
    let (tables, boards) = (open_collapsi(&[table]), boards(table));
    let (mut keys, mut lines) = (String::new(), String::new());
    for board in &boards {
        let key = board.key().to_string();
        _ = writeln!(keys, "{key}");
        lines += &line(&key, board.turn().bit(), tables.probe(board).unwrap());
    }
    let found = lines.lines().filter(|line| !line.ends_with("not found")).count();
    assert!(found > 300 && found + 30 <= boards.len(), "{found} of {}", boards.len());
    (keys, lines)
}

/// Compiled with the shared and with the static library.
fn programs(folder: &Path) -> [PathBuf; 2] {
    let [shared, with_static] = ["probe-shared", "probe-static"].map(|name| folder.join(name));
    // By its whole path, which the program then remembers: no other one can be taken for it.
    compile(&shared, &[library(SHARED).as_os_str()]);
    let archive = library("a");
    compile(&with_static, &[archive.as_os_str(), "-ldl".as_ref(), "-lm".as_ref()]);
    [shared, with_static]
}

#[test]
fn a_c_program_answers_as_rust_does() {
    let programs_folder = folder();
    let programs = programs(programs_folder.path());
    for options in ["", "--exact", "--uncompressed", "--fold64 --exact"] {
        let folder = folder();
        let table = generate(folder.path(), options);
        let (keys, lines) = expected(&table);
        for program in &programs {
            assert_eq!(run(program, &table, &keys), lines, "{options}");
        }
    }
}

#[test]
fn a_c_program_looks_up_folded_keys() {
    let folder = folder();
    let table = generate(folder.path(), "--fold64");
    let tables = open_collapsi(&[&table]);
    let records: Vec<_> = Table::open(&table).unwrap().records().map(Result::unwrap).collect();
    let (mut keys, mut lines) = (String::new(), String::new());
    let some = records[..300].iter().chain(records.iter().step_by(97));
    for key in some.map(|record| record.code).chain(1..20).map(Key64) {
        _ = writeln!(keys, "{key}");
        let (answer, turn) = tables.probe_folded(key).unwrap().unzip();
        lines += &line(&key.to_string(), turn.unwrap_or_default(), answer);
    }
    assert!(lines.lines().count() > 400 && lines.contains("not found"));
    for program in programs(folder.path()) {
        assert_eq!(run(&program, &table, &keys), lines);
    }
}

#[test]
fn many_boards_are_answered_as_one_by_one() {
    let folder = folder();
    let table = generate(folder.path(), "");
    let boards = boards(&table);
    // Once alone, and once behind a table that has only the deals.
    let deals = folder.path().join("deals.etb");
    generate_seeds("0..2", &deals).words("--positions root").run().printed();
    for paths in [&[&table][..], &[&deals, &table]] {
        let tables = open_collapsi(paths);
        let one_by_one: Vec<_> = boards.iter().map(|board| tables.probe(board).unwrap()).collect();
        assert_eq!(tables.probe_many(&boards).unwrap(), one_by_one);
    }
}

#[test]
fn the_header_is_good_c89() {
    let folder = folder();
    let source = folder.path().join("header.c");
    fs::write(&source, "#include \"endtable.h\"\nint main(void) { return ENDTABLE_OK; }\n")
        .unwrap();
    cc().args(["-std=c89", "-fsyntax-only"]).arg(source).run().printed();
}

/// Whoever reads the header must find in it what the library has, and nothing else.
#[test]
fn the_header_declares_what_the_library_defines() {
    let functions = |path: &str, before: &str| {
        let text = fs::read_to_string(project(path)).unwrap();
        let lines = text.lines().filter(|line| line.starts_with(before) || before.is_empty());
        let names = lines.filter(|line| !line.starts_with([' ', '/'])).filter_map(|line| {
            let name = &line[line.find("endtable_")?..];
            name.contains('(').then(|| name[..name.find('(').unwrap()].to_owned())
        });
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let defined = functions("src/ffi.rs", "pub ");
    assert_eq!(functions("include/endtable.h", ""), defined);
    assert_eq!(defined.len(), 10);
}

#[test]
fn python_answers_as_rust_does() {
    let folder = folder();
    let table = generate(folder.path(), "");
    let (_, lines) = expected(&table);
    let expected = folder.path().join("expected");
    fs::write(&expected, lines).unwrap();
    let mut python = Command::new(std::env::var_os("PYTHON").unwrap_or("python3".into()));
    python
        .args(["-B", "-m", "unittest", "test_endtable"])
        .current_dir(project("python"))
        .env("ENDTABLE_LIB", library(SHARED))
        .env("ENDTABLE_TABLE", &table)
        .env("ENDTABLE_DAMAGED", damaged(&table))
        .env("ENDTABLE_EXPECTED", expected);
    python.run().printed();
}
