//! Gives the shared library the name that it is installed by. The number in it is the header's.

use std::env;
use std::fs;

const HEADER: &str = "include/endtable.h";

fn main() {
    println!("cargo:rerun-if-changed={HEADER}");
    let abi = abi(&fs::read_to_string(HEADER).expect("the header is beside the build script"));
    println!("cargo:rustc-env=ENDTABLE_ABI={abi}");
    let target = env::var("CARGO_CFG_TARGET_VENDOR").unwrap_or_default();
    let family = env::var("CARGO_CFG_TARGET_FAMILY").unwrap_or_default();
    if target == "apple" {
        link_arg(&format!("-Wl,-install_name,@rpath/libendtable.{abi}.dylib"));
    } else if family.split(',').any(|name| name == "unix") {
        link_arg(&format!("-Wl,-soname,libendtable.so.{abi}"));
        // Threads of the library outlive its handles: its code must stay when it is closed.
        link_arg("-Wl,-z,nodelete");
    }
}

fn link_arg(arg: &str) {
    println!("cargo:rustc-cdylib-link-arg={arg}");
}

/// The number that the header defines.
fn abi(header: &str) -> u32 {
    let line = header.lines().find_map(|line| line.strip_prefix("#define ENDTABLE_ABI "));
    line.and_then(|number| number.trim().parse().ok()).expect("the header defines ENDTABLE_ABI")
}
