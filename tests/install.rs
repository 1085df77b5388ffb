//! `make install` puts what programs and people need where they look for it; `make uninstall` takes
//! all of it away again.
#![cfg(unix)]

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::commands::{PROGRAM, endtable};
use harness::process::Process;
use harness::{folder, project};

/// Builds the C libraries with what this test was built with. Cargo says where they are.
fn libraries() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(project("")).args(["build", "--locked", "--profile", "test"]);
    // Both packages with their tests, as `make test` has them: then all else is built already.
    cargo.args(["--lib", "--tests", "-p", "endtable", "-p", "endtable-ffi"]);
    cargo.args(["--message-format", "json", "--target-dir"]).arg(target);
    let messages = cargo.run().printed();
    let mut words = messages.split('"').map(Path::new);
    let archive = words.find(|path| path.file_name().is_some_and(|it| it == "libendtable_c.a"));
    archive.expect("cargo builds the archive").parent().unwrap().to_owned()
}

/// The prefix that the system will have, and the folder that stands for its root.
struct Place {
    root: PathBuf,
    prefix: &'static str,
}

impl Place {
    fn make(&self, what: &str) {
        let variable = |name: &str, path: &Path| format!("{name}={}", path.display());
        let mut make = Command::new("make");
        make.current_dir(project("")).arg("--no-print-directory").arg(what);
        make.arg(variable("DESTDIR", &self.root)).arg(format!("PREFIX={}", self.prefix));
        make.arg(variable("ENDTABLE", Path::new(PROGRAM)));
        make.arg(variable("LIBRARIES", &libraries()));
        // This test may itself be run by a make, whose options are not ours.
        for name in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL"] {
            make.env_remove(name);
        }
        make.run().printed();
    }

    /// Where a file of the installation is now.
    fn path(&self, path: &str) -> PathBuf {
        self.root.join(self.prefix.trim_start_matches('/')).join(path)
    }
}

/// Whether a program is there. What is not tested for want of it is said.
fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        println!("{program} is not installed: what needs it is left out");
    }
    found
}

/// Every file and link below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => files.extend(self::files(&entry.path())),
            false => files.push(entry.path()),
        }
    }
    files
}

#[test]
fn what_is_installed_works_and_is_uninstalled() {
    let folder = folder();
    let place = Place { root: folder.path().join("root"), prefix: "/opt/end" };
    place.make("install-files");
    check_program(&place);
    check_library(&place, folder.path());
    check_manual(&place);
    check_completions(&place);
    place.make("install-files");
    place.make("uninstall");
    assert_eq!(files(&place.root), Vec::<PathBuf>::new());
}

fn check_program(place: &Place) {
    let version = Command::new(place.path("bin/endtable")).arg("--version").run().printed();
    assert_eq!(version, format!("endtable {}\n", env!("CARGO_PKG_VERSION")));
}

/// A C program is compiled with what pkg-config says, linked with either library, and run.
fn check_library(place: &Place, folder: &Path) {
    let link = place.path(&format!("lib/libendtable{}", std::env::consts::DLL_SUFFIX));
    let target = fs::read_link(&link).unwrap();
    assert!(link.with_file_name(&target).is_file(), "{}", target.display());
    assert!(place.path("lib/libendtable.a").is_file());
    if !is_there("pkg-config") {
        return;
    }
    let pkg_config = |arguments: &[&str]| {
        let mut command = Command::new("pkg-config");
        command.arg(format!("--define-variable=prefix={}", place.path("").display()));
        command.args(arguments).arg("endtable");
        command.env("PKG_CONFIG_PATH", place.path("lib/pkgconfig"));
        command.run().printed()
    };
    assert_eq!(pkg_config(&["--modversion"]).trim(), env!("CARGO_PKG_VERSION"));
    // It names where things will be, not where they lie now.
    let text = fs::read_to_string(place.path("lib/pkgconfig/endtable.pc")).unwrap();
    assert!(text.starts_with(&format!("prefix={}\n", place.prefix)), "{text}");
    let flags = pkg_config(&["--cflags", "--libs"]);
    let program = folder.join("best_line");
    let source = project("examples/best_line.c");
    let script = format!("\"${{CC:-cc}}\" -Werror -o \"$0\" \"$1\" {flags}");
    let mut compile = Command::new("sh");
    compile.args(["-c", script.trim()]).arg(&program).arg(source).run().printed();
    let mut best_line = Command::new(&program);
    best_line.arg(project("data/collapsi-one-seeds-0-2.etb")).arg("1");
    best_line.env("LD_LIBRARY_PATH", place.path("lib"));
    best_line.env("DYLD_LIBRARY_PATH", place.path("lib"));
    let line = best_line.run().printed();
    let solved = endtable().args(["solve", "collapsi", "--seed", "1"]).run().printed();
    let best = solved.trim().split_at(solved.trim().len() - 2).1;
    assert_eq!(line.lines().next(), Some(best));
    assert_eq!(line.lines().count(), 13, "the game lasts 13 plies: {line}");
}

/// A page for the program, each command, and each game of a command; man reads them without a word.
fn check_manual(place: &Place) {
    let manual = place.path("share/man/man1");
    let pages: Vec<PathBuf> = files(&manual);
    let has = |name: &str| pages.contains(&manual.join(name));
    for name in ["endtable.1", "endtable-solve.1", "endtable-solve-2048.1", "endtable-export.1"] {
        assert!(has(name), "{name} in {pages:?}");
    }
    let help = endtable().arg("--help").run().printed();
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    for line in commands.lines().take_while(|line| !line.is_empty()) {
        let name = line.split_whitespace().next().unwrap();
        assert!(name == "help" || has(&format!("endtable-{name}.1")), "{name} in {pages:?}");
    }
    let export = fs::read_to_string(manual.join("endtable-export.1")).unwrap();
    assert!(export.contains("numpy.load") && export.contains("Examples"), "{export}");
    if !is_there("groff") {
        return;
    }
    for page in pages {
        let mut groff = Command::new("groff");
        let done = groff.args(["-man", "-Tascii", "-ww", "-z"]).arg(&page).run();
        assert_eq!(done.stderr, "", "{}", page.display());
        done.printed();
    }
    if is_there("man") {
        let mut man = Command::new("man");
        let shown = man.arg("-l").arg(manual.join("endtable-probe.1")).env("MANPAGER", "cat");
        let shown = shown.run().printed();
        assert!(shown.contains("endtable-probe") || shown.contains("minimized"), "{shown}");
    }
}

fn check_completions(place: &Place) {
    for (shell, option, path) in [
        ("bash", "-n", "share/bash-completion/completions/endtable"),
        ("zsh", "-n", "share/zsh/site-functions/_endtable"),
        ("fish", "--no-execute", "share/fish/vendor_completions.d/endtable.fish"),
    ] {
        let path = place.path(path);
        let script = fs::read_to_string(&path).unwrap();
        for word in ["manifest", "cut-off", "collapsi"] {
            assert!(script.contains(word), "{word} in {}", path.display());
        }
        if is_there(shell) {
            Command::new(shell).arg(option).arg(&path).run().printed();
        }
    }
}
