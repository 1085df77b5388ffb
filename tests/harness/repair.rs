//! Makes the checksums of a changed table right again, so that the change itself is what is read.

use xxhash_rust::xxh3::xxh3_64;

/// Where the header says the index begins.
const INDEX_OFFSET: usize = 56;
const INDEX_ENTRY: usize = 32;
const FOOTER: usize = 32;

/// Sets the checksums of blocks, index and header, as far as the places where they stand make
/// sense.
pub fn repair(bytes: &mut [u8]) {
    let index_end = bytes.len().saturating_sub(FOOTER);
    if let Some(index_offset) = number(bytes, INDEX_OFFSET, 8)
        && index_offset <= index_end
    {
        for entry in (index_offset..index_end).step_by(INDEX_ENTRY) {
            repair_block(bytes, entry);
        }
        let checksum = xxh3_64(&bytes[index_offset..index_end]);
        put(bytes, index_end, checksum);
    }
    if let Some(length) = number(bytes, 12, 4)
        && (88..=bytes.len()).contains(&length)
    {
        let checksum = xxh3_64(&bytes[..length - 8]);
        put(bytes, length - 8, checksum);
    }
}

fn repair_block(bytes: &mut [u8], entry: usize) {
    let place = number(bytes, entry + 8, 8).zip(number(bytes, entry + 16, 4));
    if let Some((offset, length)) = place
        && let Some(block) = bytes.get(offset..).and_then(|rest| rest.get(..length))
    {
        let checksum = xxh3_64(block);
        put(bytes, entry + 24, checksum);
    }
}

fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let field = bytes.get(at..at.checked_add(width)?)?;
    let number = field.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
    usize::try_from(number).ok()
}

fn put(bytes: &mut [u8], at: usize, number: u64) {
    if let Some(field) = bytes.get_mut(at..at + 8) {
        field.copy_from_slice(&number.to_le_bytes());
    }
}
