//! The table that is shipped is the one that the program makes.

mod harness;

use std::fs;
use std::process::Command;

use endtable::table::Table;
use harness::commands::endtable;
use harness::process::Process;
use harness::{folder, project};

const NAME: &str = "collapsi-one-seeds-0-2.etb";

#[test]
fn the_shipped_table_is_made_again_to_the_byte() {
    let (data, folder) = (project("data"), folder());
    let shipped = Table::open(data.join(NAME)).unwrap();
    let out = folder.path().join(NAME);
    // The command that the file names is the one that makes it.
    let command = shipped.header().description.recipe.to_string();
    let words = command.strip_prefix("endtable ").unwrap_or_else(|| panic!("{command}"));
    endtable().words(words).arg("--out").arg(&out).run().printed();
    assert!(fs::read(&out).unwrap() == fs::read(data.join(NAME)).unwrap(), "the bytes differ");

    for place in [data.as_path(), folder.path()] {
        let sums = data.join("SHA256SUMS");
        let done = Command::new("sha256sum").arg("-c").arg(sums).current_dir(place).run();
        assert!(done.stdout.contains(&format!("{NAME}: OK")), "{done}");
        done.printed();
    }
}
