//! The C library as C sees it: a program that uses all of it answers as Rust does, on every kind of
//! table, from four threads at once, with damaged and missing files, and under valgrind where it is
//! installed.
//!
//! What is tested is what would be installed: the libraries under their own names in a folder with the
//! header and the pkg-config file.

mod expected;
mod install;
mod kinds;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use endtable::games::{self, Detail, Position, Tables};
use endtable::table::Options;

use expected::Expected;
use install::{INSTALLED, cc, compile, programs};
use kinds::{Kind, SOLVERS, damaged, kinds, options, table_of};

const FFI: &str = env!("CARGO_MANIFEST_DIR");

/// An empty folder for the tables or programs of a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c").join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// What a command prints, which must succeed. It reads the lines.
fn output_of(command: &mut Command, lines: &[String]) -> String {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (mut stdin, input) = (child.stdin.take().unwrap(), lines.join("\n"));
    let done: Output = thread::scope(|scope| {
        scope.spawn(move || _ = stdin.write_all(input.as_bytes()));
        child.wait_with_output().unwrap()
    });
    let stderr = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {}\n{stderr}", done.status);
    String::from_utf8(done.stdout).unwrap()
}

fn succeeds(command: &mut Command) -> String {
    output_of(command, &[])
}

/// Whether a program is installed. What is not tested for want of it is said.
fn is_installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        println!("{program} is not installed: what needs it is left out");
    }
    found
}

/// The C program with arguments for a kind of table or solver.
fn probe(program: &Path, what: &str, kind: &Kind) -> Command {
    let mut command = Command::new(program);
    command.args([what, &kind.option_text()]);
    command
}

#[test]
fn tables_of_every_kind_answer_as_in_rust() {
    for (kind, table) in kinds() {
        let questions = kind.questions(400);
        let expected = expected::of_tables(&*kind.open(table), kind, &questions);
        let found = expected.lines().filter(|line| line.starts_with("0 ")).count();
        assert!(found > 100 && expected.contains("\n2 "), "{}: {found} were found", kind.name);
        for program in programs() {
            let mut command = probe(program, "tables", kind);
            assert_eq!(output_of(command.arg(table), &questions), expected, "{}", kind.name);
        }
    }
}

#[test]
fn several_files_and_a_folder_are_searched_as_one() {
    let (kind, table) = table_of("canonical");
    let (folder, questions) = (folder("several"), kind.questions(100));
    let paths = ["0.etb", "1.etb"].map(|name| folder.join(name));
    fs::copy(table, &paths[0]).unwrap();
    let other = Kind { name: "1", job: &[("seeds", "1..2")], ..*kind };
    assert_eq!(other.make(&folder), paths[1]);
    let opened = games::open(&paths, &Options::default()).unwrap();
    let expected = expected::of_tables(&*opened, kind, &questions);
    assert!(expected.contains(" 2 files, "));
    for paths in [&paths[..], &[folder]] {
        let mut command = probe(&programs()[0], "tables", kind);
        assert_eq!(output_of(command.args(paths), &questions), expected);
    }
}

#[test]
fn solvers_answer_as_in_rust() {
    for kind in SOLVERS {
        let (game, options, questions) = (kind.game(), options(kind.options), kind.questions(60));
        let solve = |position: &dyn Position, detail| {
            game.solver(&options, false)?.solve(position, detail).map(Some)
        };
        let expected = Expected { position: &|text| game.position(text, &options), answer: &solve };
        let expected = expected.lines(&questions);
        for program in programs() {
            let mut command = probe(program, "solver", kind);
            assert_eq!(output_of(command.arg(kind.game), &questions), expected, "{}", kind.name);
        }
    }
}

#[test]
fn a_damaged_table_gives_errors_and_no_wrong_answer() {
    let folder = folder("damaged");
    for (kind, table) in kinds() {
        let (copy, questions) = (damaged(table, &folder), kind.questions(400));
        for program in programs() {
            let mut command = probe(program, "damaged", kind);
            println!("{}: {}", kind.name, output_of(command.args([table, &copy]), &questions));
        }
    }
}

/// The C program, to try what must be refused.
fn errors(program: &Path) -> Command {
    let (table, other) = (table_of("canonical").1, table_of("exact").1);
    let mut command = Command::new(program);
    command.arg("errors").arg(table).arg("0").arg(Path::new(FFI).join("Cargo.toml")).arg(other);
    command
}

#[test]
fn what_makes_no_sense_is_refused() {
    for program in programs() {
        succeeds(&mut errors(program));
    }
}

/// The same command under valgrind, which fails where memory is misused or lost.
fn under_valgrind(command: &Command) -> Command {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--quiet", "--error-exitcode=99", "--leak-check=full"]);
    valgrind.arg("--errors-for-leak-kinds=definite,indirect");
    valgrind.arg(command.get_program()).args(command.get_args());
    valgrind
}

#[test]
fn valgrind_finds_nothing() {
    if !is_installed("valgrind") {
        return;
    }
    let program = &programs()[0];
    succeeds(&mut under_valgrind(&errors(program)));
    for (kind, table) in kinds() {
        let (mut command, questions) = (probe(program, "tables", kind), kind.questions(20));
        let output = output_of(&mut under_valgrind(command.arg(table)), &questions);
        let expected = expected::of_tables(&*kind.open(table), kind, &questions);
        assert_eq!(output, expected, "{}", kind.name);
    }
    let (kind, table) = table_of("complete");
    let mut command = probe(program, "damaged", kind);
    command.args([table, &damaged(table, &folder("valgrind"))]);
    output_of(&mut under_valgrind(&command), &kind.questions(200));
    for kind in SOLVERS {
        let mut command = probe(program, "solver", kind);
        output_of(&mut under_valgrind(command.arg(kind.game)), &kind.questions(20));
    }
}

/// The question with the longest game, and the moves of that game, a line each.
fn longest_line(kind: &Kind, tables: &dyn Tables) -> (String, String) {
    let options = options(kind.options);
    let lines = kind.questions(20).into_iter().map(|question| {
        let (mut line, mut next) = (String::new(), tables.position(&question, &options).ok());
        while let Some(position) = next {
            let answer = tables.probe(&*position, Detail::Best).unwrap();
            let best = answer.as_ref().and_then(|answer| answer.best());
            best.iter().for_each(|best| _ = writeln!(line, "{best}"));
            next = best.and_then(|best| position.play(best).ok());
        }
        (question, line)
    });
    lines.max_by_key(|(_, line)| line.len()).unwrap()
}

#[test]
fn the_example_prints_the_best_line() {
    let source = Path::new(FFI).join("../examples/best_line.c");
    let program = folder("example").join("best_line");
    compile(&source, &program, &INSTALLED.shared, false);
    for (kind, table) in kinds() {
        let (question, line) = longest_line(kind, &*kind.open(table));
        let mut command = Command::new(&program);
        command.arg(table).arg(&question).arg(kind.option_text());
        assert_eq!(succeeds(&mut command), line, "{}: {question}", kind.name);
        assert!(!line.is_empty(), "{}", kind.name);
    }
    let missing = Command::new(&program).args(["missing.etb", "0"]).output().unwrap();
    assert_eq!(missing.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("missing.etb"));
}

#[test]
fn the_header_is_good_c89() {
    let source = folder("header").join("header.c");
    fs::write(&source, "#include \"endtable.h\"\nint main(void) { return ENDTABLE_OK; }\n")
        .unwrap();
    let include = Path::new(FFI).join("include");
    succeeds(cc().args(["-std=c89", "-fsyntax-only", "-I"]).arg(include).arg(source));
}

/// The functions that a header or a source declares, by lines that begin with this.
fn functions(path: &str, before: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(FFI).join(path)).unwrap();
    let declarations = text.lines().filter(|line| line.starts_with(before));
    let declarations = declarations.filter(|line| !line.starts_with([' ', '/']));
    let names = declarations.filter_map(|line| {
        let (name, _) = line[line.find("endtable_")?..].split_once('(')?;
        Some(name.to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Whoever reads the header must find in it what the library has, and nothing else.
#[test]
fn the_header_declares_what_the_library_defines() {
    let declared = functions("include/endtable.h", "");
    assert_eq!(declared, functions("src/lib.rs", "pub "));
    assert_eq!(declared.len(), 13);
    if !cfg!(target_os = "linux") || !is_installed("nm") || !is_installed("readelf") {
        return;
    }
    let library = INSTALLED.shared.join("lib/libendtable.so.0");
    let symbols = succeeds(Command::new("nm").args(["-D", "--defined-only"]).arg(&library));
    let mut exported: Vec<_> = symbols.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    exported.sort_unstable();
    assert_eq!(exported, declared);
    let dynamic = succeeds(Command::new("readelf").arg("-d").arg(&library));
    assert!(dynamic.contains("[libendtable.so.0]"), "{dynamic}");
}
