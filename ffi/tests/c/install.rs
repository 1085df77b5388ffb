//! The C library built and installed, and programs compiled with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, OnceLock};

use super::{FFI, folder, is_installed, succeeds};

/// The libraries, built anew with what this test was built with: cargo says where they are.
fn libraries() -> [PathBuf; 2] {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(FFI).args(["build", "--locked", "--profile", "test"]);
    // Both packages with their tests, as `make test` has them: then all else is built already.
    cargo.args(["--lib", "--tests", "-p", "endtable", "-p", "endtable-ffi"]);
    cargo.args(["--message-format", "json", "--target-dir"]).arg(target);
    let messages = succeeds(&mut cargo);
    let words: Vec<&str> = messages.lines().flat_map(|line| line.split('"')).collect();
    let shared = format!("libendtable_c{}", std::env::consts::DLL_SUFFIX);
    [shared.as_str(), "libendtable_c.a"].map(|name| {
        let path = words.iter().map(Path::new).find(|path| path.file_name() == Some(name.as_ref()));
        path.unwrap_or_else(|| panic!("cargo did not build {name}")).into()
    })
}

/// What `make install` does, one folder for each of the two libraries: with both in one, the linker
/// would always take the shared one.
pub struct Installed {
    pub shared: PathBuf,
    pub archive: PathBuf,
}

pub static INSTALLED: LazyLock<Installed> = LazyLock::new(|| {
    let [shared, archive] = libraries();
    let prefix = folder("prefix");
    let [with_shared, with_static] = ["shared", "static"].map(|name| {
        let prefix = prefix.join(name);
        fs::create_dir_all(prefix.join("lib/pkgconfig")).unwrap();
        fs::create_dir_all(prefix.join("include")).unwrap();
        let header = Path::new(FFI).join("include/endtable.h");
        fs::copy(header, prefix.join("include/endtable.h")).unwrap();
        let text = fs::read_to_string(Path::new(FFI).join("endtable.pc.in")).unwrap();
        let text = text.replace("@PREFIX@", prefix.to_str().unwrap());
        let text = text.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        assert!(!text.contains('@'), "{text}");
        fs::write(prefix.join("lib/pkgconfig/endtable.pc"), text).unwrap();
        prefix
    });
    if cfg!(target_vendor = "apple") {
        fs::copy(&shared, with_shared.join("lib/libendtable.0.dylib")).unwrap();
        link("libendtable.0.dylib", &with_shared.join("lib/libendtable.dylib"));
    } else {
        fs::copy(&shared, with_shared.join("lib/libendtable.so.0")).unwrap();
        link("libendtable.so.0", &with_shared.join("lib/libendtable.so"));
    }
    fs::copy(archive, with_static.join("lib/libendtable.a")).unwrap();
    Installed { shared: with_shared, archive: with_static }
});

#[cfg(unix)]
fn link(to: &str, from: &Path) {
    std::os::unix::fs::symlink(to, from).unwrap();
}

#[cfg(not(unix))]
fn link(to: &str, from: &Path) {
    fs::copy(from.with_file_name(to), from).unwrap();
}

/// The compiler that the environment names, with every warning an error.
pub fn cc() -> Command {
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or("cc".into()));
    cc.args(["-Wall", "-Wextra", "-Werror", "-pedantic"]);
    cc
}

/// What pkg-config says of the library in a folder.
fn flags(prefix: &Path, is_static: bool) -> Vec<String> {
    if !is_installed("pkg-config") {
        let folder = prefix.display();
        let libraries = ["-lendtable", "-lpthread", "-ldl", "-lm"].map(str::to_owned);
        let folders = [format!("-I{folder}/include"), format!("-L{folder}/lib")];
        return folders.into_iter().chain(libraries).collect();
    }
    let mut command = Command::new("pkg-config");
    command.args(["--cflags", "--libs"]).args(is_static.then_some("--static"));
    command.arg("endtable").env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    succeeds(&mut command).split_whitespace().map(str::to_owned).collect()
}

/// Compiles a program with an installed library, which it finds again when it runs.
pub fn compile(source: &Path, to: &Path, prefix: &Path, is_static: bool) {
    let mut cc = cc();
    cc.args(["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-g", "-O1", "-pthread"]);
    cc.arg(source).arg("-o").arg(to).args(flags(prefix, is_static));
    cc.arg(format!("-Wl,-rpath,{}", prefix.join("lib").display())).arg("-lm");
    succeeds(&mut cc);
}

/// The test program with the shared and with the static library.
pub fn programs() -> &'static [PathBuf; 2] {
    static PROGRAMS: OnceLock<[PathBuf; 2]> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let (folder, source) = (folder("programs"), Path::new(FFI).join("tests/c/probe.c"));
        let installed = [(&INSTALLED.shared, false), (&INSTALLED.archive, true)];
        installed.map(|(prefix, is_static)| {
            let program = folder.join(if is_static { "probe-static" } else { "probe-shared" });
            compile(&source, &program, prefix, is_static);
            program
        })
    })
}
