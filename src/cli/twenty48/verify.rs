//! `endtable verify --full`: every record of an exact table checked against those after it.

use std::path::Path;

use endtable::games::twenty48::Objective;
use endtable::probe::{Checked, Twenty48Tables};
use endtable::progress::Progress;
use endtable::table::TableSet;

use crate::cli::Failure;
use crate::cli::progress::Shown;

/// Checks every record against one step of backup from the records after it.
pub fn verify_full(file: &Path) -> Result<String, Failure> {
    let tables = Twenty48Tables::new(TableSet::open(&[file])?)?;
    if tables.rules().objective == Objective::Search {
        return Err(Failure::input("--full: a search's values are no backups of each other"));
    }
    let records = tables.set().tables().iter().map(|table| table.len()).sum();
    let progress = Shown::new();
    progress.begin("checking", records, 0);
    let checked = tables.check(|records| progress.advance(records, records));
    progress.end();
    match checked? {
        Checked::Right(_) => Ok("; each is one step of backup from those after it".into()),
        Checked::Wrong(wrong) => {
            let should = match wrong.solved {
                Some(solved) => {
                    format!("one step of backup gives {} (move {:?})", solved.value, solved.best)
                }
                None => "boards that follow it are not there".into(),
            };
            let path = file.display();
            Err(Failure::Check(format!(
                "{path}: {} says {} {}, but {should}",
                wrong.board, wrong.meta, wrong.value
            )))
        }
    }
}
