//! What the reader must stand, whatever the bytes: the one harness of the fuzz target and of the
//! bounded run in the tests.

use std::io::Write;

use endtable::table::{Record, Table};

use super::repair::repair;

/// Blocks may hold a million records each, so a small file may claim a great many.
const MOST_RECORDS: usize = 10_000;

/// Reads bytes as a table, as they are and with their checksums made right. Answers whether the
/// table could be opened, before and after.
///
/// # Panics
/// When the reader does, or when a table that it finds sound contradicts itself.
pub fn read_both_ways(bytes: &[u8]) -> (bool, bool) {
    let mut repaired = bytes.to_vec();
    repair(&mut repaired);
    (read(bytes), read(&repaired))
}

fn read(bytes: &[u8]) -> bool {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("it can be written");
    let table = match Table::open(file.path()) {
        Ok(table) => table,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    let records: Vec<Record> = table.records().take(MOST_RECORDS).map_while(Result::ok).collect();
    let blocks = table.blocks().min(8);
    let sound = (0..blocks).all(|block| table.verify_block(block).is_ok());
    let checked = blocks * table.header().block_records as usize;
    for (number, &record) in records.iter().enumerate() {
        let found = table.get(record.code);
        let position = table.position(record.code);
        if sound && number < checked {
            assert_eq!(found.expect("the block is sound"), Some(record));
            assert_eq!(position.expect("the block is sound"), number as u64);
        }
    }
    for code in [0, 1, u64::MAX / 2, u64::MAX] {
        _ = table.get(code);
        _ = table.position(code);
    }
    let codes: Vec<u64> = records.iter().map(|record| record.code).collect();
    if let Ok(answers) = table.get_many(&codes)
        && sound
    {
        let answers: Vec<Record> = answers.into_iter().flatten().collect();
        assert_eq!(answers[..records.len().min(checked)], records[..records.len().min(checked)]);
    }
    true
}
