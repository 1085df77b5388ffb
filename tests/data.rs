//! The table that is shipped is the one that the program makes.

use std::fs;
use std::path::Path;
use std::process::Command;

use endtable::table::Table;

const NAME: &str = "collapsi-one-seeds-0-2.etb";

#[test]
fn the_shipped_table_is_made_again_to_the_byte() {
    let folder = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    let shipped = Table::open(data.join(NAME)).unwrap();
    let out = folder.path().join(NAME);
    // The command that the file names is the one that makes it.
    let command = &shipped.header().description.command;
    let mut words = command.split(' ');
    assert_eq!(words.next(), Some("endtable"), "{command}");
    let done = Command::new(env!("CARGO_BIN_EXE_endtable"))
        .args(words)
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(fs::read(&out).unwrap() == fs::read(data.join(NAME)).unwrap(), "the bytes differ");

    for place in [data.as_path(), folder.path()] {
        let sums = data.join("SHA256SUMS");
        let done = Command::new("sha256sum").arg("-c").arg(sums).current_dir(place).output();
        let done = done.unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && said.contains(&format!("{NAME}: OK")), "{said}");
    }
}
